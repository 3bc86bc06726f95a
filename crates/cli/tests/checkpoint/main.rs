//! Checkpoints, end to end: the real binary, its daemon, real git. What is promised is asked of the database and of
//! git itself, past our own code.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

#[macro_use]
mod stage;

mod address;
mod conflict;
mod crash;
mod create;
mod crowd;
mod diff;
mod doctor;
mod guard;
mod into;
mod keeping;
mod killed;
mod leased;
mod limits;
mod link;
mod list;
mod off;
mod oracle;
mod pin;
mod place;
mod quiet;
mod resume;
mod retention;
mod rewind;
mod scope;
mod shell;
mod show;
mod story;
mod strategy;
mod turn;
mod undo;

use testkit::World;

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}
