//! Checkpoints, end to end: the real binary, its daemon, real git. What is promised is asked of the database and of
//! git itself, past our own code.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

#[macro_use]
mod stage;

mod address;
mod background;
mod commit;
mod concurrent;
mod conflict;
mod conversation;
mod crash;
mod create;
mod crowd;
mod diff;
mod doctor;
mod first_call;
mod guard;
mod hint;
mod honest;
mod ignoring;
mod into;
mod keeping;
mod killed;
mod leased;
mod limits;
mod link;
mod list;
mod mode;
mod moves;
mod off;
mod oracle;
mod person;
mod pin;
mod place;
mod quiet;
mod resume;
mod retention;
mod retype;
mod rewind;
mod scope;
mod shell;
mod show;
mod stack;
mod story;
mod strategy;
mod strike;
mod todo;
mod turn;
mod undo;
mod version;
mod without_git;
mod yours;

use testkit::World;

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}
