//! `toprope checkpoint`: the states files can be put back to, listed, shown, compared, made, kept and dropped.

pub mod address;
pub mod create;
pub mod degraded;
pub mod diff;
pub mod entry;
pub mod link;
pub mod list;
pub mod pages;
pub mod path_argument;
pub mod pin;
pub mod place;
pub mod point;
pub mod prune;
pub mod quoted;
pub mod session;
pub mod show;

use crate::failure::Failure;
use ::daemon::environment::Environment;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// List, show, compare and make checkpoints
///
/// Every turn, every step of a turn and every subagent leaves a checkpoint. An address names one: the first digits of its
/// id (`7be1`), `@` for the newest and `@-3` for three before it, `start`, `t3` for the end of turn 3 and `t3.2` for the
/// second point within it, `agent:a3f2` for the end of a subagent and `agent:a3f2^` for the state before it, `commit:<rev>`
/// for the newest that is linked to a commit.
#[derive(Args)]
pub struct Checkpoint {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(list::List),
    Show(show::Show),
    Diff(diff::Diff),
    Create(create::Create),
    Pin(pin::Pin),
    Unpin(pin::Unpin),
    Link(link::Link),
    Unlink(link::Unlink),
    Prune(prune::Prune),
}

impl Checkpoint {
    /// Does what was asked.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        match &self.command {
            Command::List(list) => list.run(environment),
            Command::Show(show) => show.run(environment),
            Command::Diff(diff) => diff.run(environment),
            Command::Create(create) => create.run(environment),
            Command::Pin(pin) => pin.run(environment),
            Command::Unpin(unpin) => unpin.run(environment),
            Command::Link(link) => link.run(environment),
            Command::Unlink(unlink) => unlink.run(environment),
            Command::Prune(prune) => prune.run(environment),
        }
    }
}
