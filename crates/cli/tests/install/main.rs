//! `init`, `uninstall` and `doctor` through the real binary: what they write, say, refuse and leave alone.

#[macro_use]
mod site;

mod doctor;
mod help;
mod init;
mod on_failure;
mod refusal;
mod scope;
mod unhooked;
mod uninstall;
