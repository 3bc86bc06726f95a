//! `toprope demo`: a whole agent session in a temporary repository, through the real hook, daemon and database.

mod contested;
mod guarded;
mod play;
mod rescue;
mod stage;

use crate::failure::Failure;
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use stage::DemoStage;
use std::process::ExitCode;

/// Play an agent session in a temporary repository and explain what happens
///
/// Needs no agent, no account and no network, and leaves nothing behind.
#[derive(Args)]
pub struct DemoArgs {}

impl DemoArgs {
    /// Does it.
    pub fn run(environment: &Environment) -> Result<ExitCode, Failure> {
        let stage = DemoStage::build(environment)?;
        let played = play::play(&stage);
        // Cleaned up whether the play went well or not.
        let folder = stage.clear()?;
        played?;
        show::line(&format!(
            "\nNothing is left: the daemon has ended and {} is gone.",
            folder.display()
        ));
        show::line("Next: `cargo install --path crates/cli`, then `toprope init` in a repository of yours.");
        Ok(ExitCode::SUCCESS)
    }
}
