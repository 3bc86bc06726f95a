//! What must hold whatever arrives. Each file is one kind of hostile input and the promises made about it.
//!
//! The targets run these checks on inputs that libFuzzer invents; tests of the main workspace include the same files
//! and run them on the committed corpora, with any compiler.

pub mod config;
pub mod frame;
pub mod journal;
pub mod payload;
pub mod settings;
pub mod shell;
pub mod transcript;

/// The installer is part of a program, not of a library: the parts of it that touch no files are built in here.
#[path = "../../crates/cli/src/install"]
#[expect(dead_code, reason = "the program uses more of it than the checks do")]
mod install {
    pub mod claude_code;
    pub mod error;
    pub mod handler;
    pub mod json;
    pub mod plan;
    pub mod strip;
}
