//! `toprope guard check`: what the guard would say of a command. The exit code says it too.

use super::finding::{CheckOutput, lines};
use super::terms::{GuardTermsArgs, text};
use crate::failure::Failure;
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use std::process::ExitCode;

/// Say what the guard would do about a command
///
/// One line for each finding. Exits with 0 if the command would run (silent, advise), 10 if it would be rewritten, 11 if a
/// person would be asked, 12 if it would be held once, 13 if it would be denied.
#[derive(Args)]
pub struct GuardCheckArgs {
    /// The command, in quotes; `-` reads it from stdin
    #[arg(value_name = "COMMAND", allow_hyphen_values = true)]
    command: String,
    #[command(flatten)]
    terms: GuardTermsArgs,
}

impl GuardCheckArgs {
    /// Says it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let inquired = self.terms.judge(&text(&self.command)?, environment)?;
        if self.terms.json {
            show::json(&CheckOutput::of(&inquired.judged, &inquired.rules))?;
        } else {
            show::line(&lines(&inquired).join("\n"));
        }
        Ok(ExitCode::from(inquired.judged.ruling.exit_code()))
    }
}
