//! Reads shell text the way the shell will, and says what it would do. No policy, no file, no process, no clock.

mod ansi;
mod brace;
pub mod code;
pub mod decode;
mod edit;
pub mod extent;
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
    Chance, CodeEffect, Command, CommandSources, Coverage, Feed, Intent, ReadingNote, Redirect, RedirectOp,
    Span, Statement, Stdin, UnreadCause, Want,
};
pub use pattern::name_fits;
pub use place::CommandHost;
pub use plain::Plain;
pub use reads::{Shown, ShownFile, may_show, shown, shown_with_success};
pub use scene::{Budget, Fact, Scene, Unasked, UserWrapper, UserWrappers, WorldFacts};
pub use token::{FAMILIES as SIGNED_FAMILIES, is_signed, with_token, without_token};
pub use word::Word;
pub use writes::{
    Area, CertainWrites, Committing, Pathspec, Region, Write, WriteKind, committing, confined, is_read_only,
    may_go_on, may_write, only_builds, only_reads, writes, written,
};

/// Says what a shell text would do.
///
/// It never fails: what cannot be read is named in the notes.
pub fn read(text: &str, scene: &Scene<'_>) -> Intent {
    reader::read(text, scene).0
}
