//! Under which terms a command is judged: where, with which rules, watched or not.

use crate::failure::{Failure, FailureKind};
use crate::{here, show};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::pipeline::PipelineContext;
use ::daemon::pipeline::guard::{Inquired, Inquiry};
use clap::{Args, ValueEnum};
use engine::text::one_line;
use std::io::Read;
use std::path::PathBuf;

/// A longer text from stdin is cut: the guard reads no more of it either.
const LONGEST: u64 = 8 * 1024 * 1024;

/// What all commands that judge a text have in common.
#[derive(Args)]
pub struct GuardTermsArgs {
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    /// The folder the command would run in
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Candidate rules on top of those in force
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Whether a person would watch
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "yes",
        hide_possible_values = true,
        hide_default_value = true
    )]
    attended: YesNo,
    /// The branch it would run on, instead of the one that is checked out
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

impl GuardTermsArgs {
    /// What the guard would say of a text under these terms.
    pub fn judge(&self, text: &str, environment: &Environment) -> Result<Inquired, Failure> {
        let inquiry = Inquiry {
            command: text.to_owned(),
            cwd: self.folder()?,
            attended: self.attended == YesNo::Yes,
            branch: self.branch.clone(),
            candidate: self.rules.as_ref().map(rule_file).transpose()?,
        };
        let world = PipelineContext::new(Home::of(environment), environment);
        let inquired = world.inquire(&inquiry, environment);
        for problem in inquired.rules.problems() {
            show::talk(&one_line(&problem.to_string(), usize::MAX));
        }
        Ok(inquired)
    }

    fn folder(&self) -> Result<PathBuf, Failure> {
        match &self.cwd {
            Some(folder) if folder.is_absolute() => Ok(folder.clone()),
            Some(folder) => {
                let folder = here::folder()?.join(folder);
                Ok(fs_err::canonicalize(&folder).unwrap_or(folder))
            }
            None => here::folder(),
        }
    }
}

/// A file of rules, and what it holds.
pub fn rule_file(path: &PathBuf) -> Result<(String, String), Failure> {
    let text = fs_err::read_to_string(path)?;
    Ok((path.display().to_string(), text))
}

/// A command as it was given: itself, or what stdin holds.
pub fn text(given: &str) -> Result<String, Failure> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST).read_to_end(&mut bytes);
    read.map_err(|error| {
        Failure::new(
            FailureKind::Failed,
            anyhow::Error::new(error).context("stdin could not be read"),
        )
    })?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    // The line's own end is no part of the command.
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}
