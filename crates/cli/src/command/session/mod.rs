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
pub struct SessionArgs {
    #[command(subcommand)]
    command: SessionCommand,
    /// Whose command it is, as the hook knows it
    #[arg(long = "as", global = true, hide = true, value_name = "TOKEN")]
    token: Option<String>,
}

#[derive(Subcommand)]
enum SessionCommand {
    Actors(actors::ActorsArgs),
    Skills(skills::SkillsArgs),
    Structure(structure::StructureArgs),
}

impl SessionArgs {
    /// Does what was asked.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if let Some(token) = &self.token {
            let mut store = here::store(&Home::of(environment))?;
            Caller::of(environment, store.as_mut(), Some(token))?;
        }
        match &self.command {
            SessionCommand::Actors(actors) => actors.run(environment, self.token.as_deref()),
            SessionCommand::Skills(skills) => skills.run(environment),
            SessionCommand::Structure(structure) => structure.run(environment),
        }
    }
}
