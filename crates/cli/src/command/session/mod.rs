//! `toprope session`: who acts in a session, what it was told about the project, and the skills it can be told of.

mod actor;
mod actors;
pub mod chosen;
mod skills;
mod structure;

use crate::caller::Caller;
use crate::failure::Failure;
use crate::here;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Show who acts in a session, what it was told about the project, and the skills there are
///
/// A session is named by the beginning of its id or of its name, or by the label of its main thread (`main@7c1e`).
#[derive(Args)]
pub struct Session {
    #[command(subcommand)]
    command: Command,
    /// Whose command it is, as the hook knows it
    #[arg(long = "as", global = true, hide = true, value_name = "TOKEN")]
    token: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    Actors(actors::Actors),
    Skills(skills::Skills),
    Structure(structure::Structure),
}

impl Session {
    /// Does what was asked.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if let Some(token) = &self.token {
            let mut store = here::store(&Home::of(environment))?;
            Caller::of(environment, store.as_mut(), Some(token))?;
        }
        match &self.command {
            Command::Actors(actors) => actors.run(environment, self.token.as_deref()),
            Command::Skills(skills) => skills.run(environment),
            Command::Structure(structure) => structure.run(environment),
        }
    }
}
