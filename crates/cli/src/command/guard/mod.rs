//! `toprope guard`: what the guard says of a command and why, its rules, and what a person allows.

mod allow;
mod check;
mod explain;
mod finding;
mod packs;
mod recorded;
mod replay;
mod terms;
mod test;

use crate::failure::Failure;
use ::daemon::environment::Environment;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Read, judge and explain commands
///
/// The guard reads each command an agent runs, and stays silent, advises, rewrites, asks or denies. What is here needs no
/// daemon and changes nothing, except `allow`.
#[derive(Args)]
pub struct GuardArgs {
    #[command(subcommand)]
    action: GuardAction,
}

#[derive(Subcommand)]
enum GuardAction {
    Check(check::GuardCheckArgs),
    Explain(explain::ExplainArgs),
    Test(test::GuardTestArgs),
    Replay(replay::ReplayArgs),
    Packs(packs::PacksArgs),
    Allow(allow::AllowArgs),
}

impl GuardArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        match &self.action {
            GuardAction::Check(check) => check.run(environment),
            GuardAction::Explain(explain) => explain.run(environment),
            GuardAction::Test(test) => test.run(environment),
            GuardAction::Replay(replay) => replay.run(environment),
            GuardAction::Packs(packs) => packs.run(environment),
            GuardAction::Allow(allow) => allow.run(environment),
        }
    }
}
