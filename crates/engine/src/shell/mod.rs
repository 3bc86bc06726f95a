//! Reads shell text the way the shell will, and says what it would do. No policy, no file, no process, no clock.

mod ansi;
mod brace;
pub mod code;
pub mod decode;
mod edit;
mod field;
mod gap;
mod git_commands;
pub mod grammar;
pub mod inner;
pub mod intent;
mod parameter;
pub mod path;
mod pattern;
mod piece;
pub mod place;
mod plain;
mod reader;
mod reads;
pub mod runner;
mod scan;
pub mod scene;
pub mod search;
pub mod sieve;
pub mod sql;
mod state;
mod token;
pub mod unwrap;
pub mod word;
pub mod writes;

pub use edit::{Edit, Splice};
pub use inner::{CodeSource, Inner, Inputs};
pub use intent::{
    Cause, Chance, CodeEffect, Command, Coverage, Feed, Intent, Note, Redirect, RedirectOp, Sources, Span,
    Statement, Stdin, Want,
};
pub use pattern::name_fits;
pub use place::Place;
pub use plain::Plain;
pub use reads::{Shown, ShownFile, may_show, shown, shown_with_success};
pub use scene::{Budget, Fact, Known, Scene, Unasked, UserWrapper, UserWrappers};
pub use token::{FAMILIES as SIGNED_FAMILIES, is_signed, with_token, without_token};
pub use word::Word;
pub use writes::{
    Area, Committing, How, Pathspec, Region, Write, Written, committing, confined, is_read_only, may_go_on,
    may_write, only_builds, only_reads, writes, written,
};

/// Says what a shell text would do.
///
/// It never fails: what cannot be read is named in the notes.
pub fn read(text: &str, scene: &Scene<'_>) -> Intent {
    reader::read(text, scene).0
}
