//! What a command runs itself: the command behind `sudo`, the text of `bash -c`, the task of `make`, the code of `python -c`.
//!
//! Everything is told by option tables; nothing is run, nothing is read but the words.

mod container;
mod database;
mod dispatch;
mod input;
mod interpreter;
mod keys;
mod outer;
mod prefix;
mod remote;
mod renamed;
mod shell;
mod splitting;
mod task;
mod text;
mod tool;

#[cfg(test)]
mod tests;

pub(super) use input::replaced;
pub(super) use interpreter::language;

use super::inner::Inner;
use super::scene::UserWrappers;
use super::word::Word;
use outer::WrapperCommand;

/// How many things one command is taken to run; more than that says nothing new.
const MOST: usize = 64;

/// What a command runs itself, in the order it would; empty for an ordinary program.
pub fn inner(argv: &[Word], wrappers: &UserWrappers) -> Vec<Inner> {
    let Some(outer) = WrapperCommand::new(argv) else {
        return Vec::new();
    };
    let mut found = match wrappers.programs.get(outer.name) {
        Some(wrapper) => prefix::by_person(&outer, wrapper.skip),
        None => dispatch::inner(&outer),
    };
    found.truncate(MOST);
    found
}

/// The paths that `find` prints, as patterns; none for any other program.
pub(super) fn places(argv: &[Word]) -> Option<Vec<Word>> {
    let outer = WrapperCommand::new(argv)?;
    (outer.name == "find").then(|| input::places(&outer))
}
