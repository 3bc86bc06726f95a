//! `toprope checkpoint pin` and `unpin`: keeps a checkpoint whatever its age, or no longer.

use super::place::Here;
use super::{address, entry};
use crate::failure::{Failure, Kind};
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use std::process::ExitCode;
use store::table::checkpoints;

/// Keep a checkpoint whatever its age
#[derive(Args)]
pub struct Pin {
    #[command(flatten)]
    which: Which,
}

/// Let a checkpoint grow old as the others do
#[derive(Args)]
pub struct Unpin {
    #[command(flatten)]
    which: Which,
}

#[derive(Args)]
struct Which {
    /// Which one: an id, `@`, `start`, `t3`, `t3.2`, `agent:a3f2`, `commit:<rev>`
    #[arg(value_name = "AT")]
    at: String,
    /// In this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

impl Pin {
    /// Pins it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        self.which.set(environment, true)
    }
}

impl Unpin {
    /// Unpins it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        self.which.set(environment, false)
    }
}

impl Which {
    fn set(&self, environment: &Environment, pinned: bool) -> Result<ExitCode, Failure> {
        let here = Here::open(environment)?;
        let found = address::find(&here, environment, &self.at, self.session.as_deref())?.checkpoint;
        if !here.write(|db| checkpoints::set_pinned(db, &found.id, pinned))? {
            return Err(Failure::saying(
                Kind::NoMatch,
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
