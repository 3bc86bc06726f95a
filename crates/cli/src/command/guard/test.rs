//! `toprope guard test`: runs files of cases. Every fact comes from the case, none from the machine.

use super::terms::rule_file;
use crate::command::config;
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::environment::Environment;
use ::daemon::pipeline::guard::with_candidate;
use clap::Args;
use engine::policy::guard::RuleSet;
use engine::policy::guard::case::CaseFile;
use engine::settings::Settings;
use engine::text::{lines, one_line};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run files of cases: commands, and what is expected of them
///
/// A case is `[[case]]` with `command` and `expect` (silent, advise, rewrite, ask, one-strike, deny), and if wanted `rule`,
/// `rewritten`, `attended`, `branch`, `cwd`, `tracked`, `ignored`. Exits with 0 if all hold, 1 if one does not, 2 if a file
/// cannot be read.
#[derive(Args)]
pub struct GuardTestArgs {
    /// Files of cases
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Candidate rules on top of those in force
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// One JSON object per case that does not hold
    #[arg(long)]
    json: bool,
}

impl GuardTestArgs {
    /// Runs them.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let candidate = self.rules.as_ref().map(rule_file).transpose()?;
        let loaded = config::load(environment, &config::places(environment));
        let layers = with_candidate(&loaded.settings, candidate.as_ref()).guard.layers;
        // A case names its profile itself; whoever runs it brings the rules.
        let rules_for = |settings: &Settings| {
            let mut settings = settings.clone();
            settings.guard.layers.clone_from(&layers);
            RuleSet::load(&settings)
        };
        let (mut held, mut failed) = (0, 0);
        for file in &self.files {
            let cases = read(file)?;
            let failures = cases.failures(&rules_for);
            held += cases.commands() - failures.len();
            failed += failures.len();
            for failure in failures {
                if self.json {
                    show::json(&serde_json::json!({
                        "file": file, "command": failure.command, "expected": failure.expected, "got": failure.got,
                    }))?;
                    continue;
                }
                show::line(&format!(
                    "{}: {}",
                    file.display(),
                    one_line(&failure.command, 200)
                ));
                show::line(&format!("  expected {}", lines(&failure.expected)));
                show::line(&format!("  got      {}", lines(&failure.got)));
            }
        }
        if !self.json {
            show::line(&format!("{held} hold, {failed} do not"));
        }
        Ok(if failed == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn read(file: &PathBuf) -> Result<CaseFile, Failure> {
    let text = fs_err::read_to_string(file).map_err(|error| Failure::new(FailureKind::WrongUse, error))?;
    CaseFile::read(&text).map_err(|error| {
        Failure::saying(
            FailureKind::WrongUse,
            format!("{} is no file of cases: {}", file.display(), lines(error.trim())),
        )
    })
}
