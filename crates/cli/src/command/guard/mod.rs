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
pub struct Guard {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Check(check::Check),
    Explain(explain::Explain),
    Test(test::Test),
    Replay(replay::Replay),
    Packs(packs::Packs),
    Allow(allow::Allow),
}

impl Guard {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        match &self.action {
            Action::Check(check) => check.run(environment),
            Action::Explain(explain) => explain.run(environment),
            Action::Test(test) => test.run(environment),
            Action::Replay(replay) => replay.run(environment),
            Action::Packs(packs) => packs.run(environment),
            Action::Allow(allow) => allow.run(environment),
        }
    }
}
