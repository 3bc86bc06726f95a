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
pub struct CheckpointArgs {
    #[command(subcommand)]
    command: CheckpointCommand,
}

#[derive(Subcommand)]
enum CheckpointCommand {
    List(list::CheckpointListArgs),
    Show(show::ShowArgs),
    Diff(diff::DiffArgs),
    Create(create::CreateArgs),
    Pin(pin::PinArgs),
    Unpin(pin::UnpinArgs),
    Link(link::LinkArgs),
    Unlink(link::UnlinkArgs),
    Prune(prune::PruneArgs),
}

impl CheckpointArgs {
    /// Does what was asked.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        match &self.command {
            CheckpointCommand::List(list) => list.run(environment),
            CheckpointCommand::Show(show) => show.run(environment),
            CheckpointCommand::Diff(diff) => diff.run(environment),
            CheckpointCommand::Create(create) => create.run(environment),
            CheckpointCommand::Pin(pin) => pin.run(environment),
            CheckpointCommand::Unpin(unpin) => unpin.run(environment),
            CheckpointCommand::Link(link) => link.run(environment),
            CheckpointCommand::Unlink(unlink) => unlink.run(environment),
            CheckpointCommand::Prune(prune) => prune.run(environment),
        }
    }
}
