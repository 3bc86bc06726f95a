//! `toprope checkpoint pin` and `unpin`: keeps a checkpoint whatever its age, or no longer.

use super::place::CheckpointPlace;
use super::{address, entry};
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use std::process::ExitCode;
use store::table::checkpoints;

/// Keep a checkpoint whatever its age
#[derive(Args)]
pub struct PinArgs {
    #[command(flatten)]
    which: PinTarget,
}

/// Let a checkpoint grow old as the others do
#[derive(Args)]
pub struct UnpinArgs {
    #[command(flatten)]
    which: PinTarget,
}

#[derive(Args)]
struct PinTarget {
    /// Which one: an id, `@`, `start`, `t3`, `t3.2`, `agent:a3f2`, `commit:<rev>`
    #[arg(value_name = "AT")]
    at: String,
    /// In this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

impl PinArgs {
    /// Pins it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        self.which.set(environment, true)
    }
}

impl UnpinArgs {
    /// Unpins it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        self.which.set(environment, false)
    }
}

impl PinTarget {
    fn set(&self, environment: &Environment, pinned: bool) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::open(environment)?;
        let found = address::find(&here, environment, &self.at, self.session.as_deref())?.checkpoint;
        if !here.write(|db| checkpoints::set_pinned(db, &found.id, pinned))? {
            return Err(Failure::saying(
                FailureKind::NoMatch,
                format!("checkpoint {} was dropped meanwhile", found.id),
            ));
        }
        let said = if pinned {
            "is kept whatever its age"
        } else {
            "grows old as the others do"
        };
        show::line(&format!("{} \"{}\" {said}", found.id, entry::label(&found)));
        Ok(ExitCode::SUCCESS)
    }
}
