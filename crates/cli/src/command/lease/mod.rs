//! `toprope lease`: who may write which file, who waits for it, and what is kept for whom.

mod breaking;
mod desk;
mod entry;
mod list;
mod naming;
mod release;
mod reserve;
mod settling;
mod table;
mod wait;

use crate::failure::Failure;
use ::daemon::environment::Environment;
use clap::{Args, Subcommand};
use std::process::ExitCode;

pub(super) use desk::{Desk, LeaseContext};
pub(super) use entry::LeaseEntries;
pub(super) use naming::HolderNames;
pub(super) use settling::settle_project;

/// Show, keep, give back and wait for files
///
/// A file belongs to whoever writes it first, until that agent's turn ends: writing takes its lease, nobody has to ask for
/// one. The next one is told who has it, and gets a place in line. An agent acts for itself only.
#[derive(Args)]
pub struct LeaseArgs {
    #[command(subcommand)]
    action: LeaseAction,
    /// Whose command it is, as the hook knows it
    #[arg(long = "as", global = true, hide = true, value_name = "TOKEN")]
    token: Option<String>,
}

#[derive(Subcommand)]
enum LeaseAction {
    List(list::LeaseListArgs),
    Reserve(reserve::ReserveArgs),
    Release(release::ReleaseArgs),
    Break(breaking::BreakArgs),
    Wait(wait::LeaseWaitArgs),
}

impl LeaseArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let token = self.token.as_deref();
        match &self.action {
            LeaseAction::List(list) => list.run(environment, token),
            LeaseAction::Reserve(reserve) => reserve.run(environment, token),
            LeaseAction::Release(release) => release.run(environment, token),
            LeaseAction::Break(breaking) => breaking.run(environment, token),
            LeaseAction::Wait(wait) => wait.run(environment, token),
        }
    }
}
