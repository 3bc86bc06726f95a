//! `toprope doctor`: looks at everything an event passes on its way, and says what to do where something is wrong.

mod check;
mod checkpoints;
mod client;
mod daemon;
mod database;
pub(super) mod entries;
mod fired;
mod guard;
mod repair;
mod surroundings;

use super::init::context::Site;
use super::init::probe::{self, ProbeAnswer};
use crate::failure::Failure;
use crate::{person, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use check::{CheckState, DoctorCheck, worst};
use clap::Args;
use engine::settings::Settings;
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;
use store::{Depth, Store, StoreError};

/// How long another process may hold the database.
const WAIT: Duration = Duration::from_secs(5);

/// Examine the installation, the daemon and the record, and say what to do
///
/// Each line is `ok`, `warn` or `fail`, with one hint that can be pasted. Exits with 0 if all is well, 10 if there are
/// warnings, 11 if something does not work.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct DoctorArgs {
    /// Repair what can be repaired, then look
    #[arg(long)]
    fix: bool,
    /// Also send a probe through the command line of every settings file
    #[arg(long)]
    fire: bool,
    /// Check the whole database instead of a sample; takes seconds if it is large
    #[arg(long)]
    deep: bool,
    /// Return the database's free space to the disk, then look
    #[arg(long)]
    compact: bool,
    /// One JSON object: `state`, `fixed` and `checks`
    #[arg(long)]
    json: bool,
}

/// The whole examination.
#[derive(Serialize)]
struct DoctorReport {
    state: CheckState,
    fixed: Vec<String>,
    checks: Vec<DoctorCheck>,
}

impl DoctorArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let site = Site::here(environment)?;
        let mut fixed = Vec::new();
        if self.fix {
            person::may_set_up(environment)?;
            fixed = repair::repair(&site);
        }
        if self.compact {
            fixed.push(database::compact(&site)?);
        }
        let checks = self.look(&site);
        let examination = DoctorReport {
            state: worst(&checks),
            fixed,
            checks,
        };
        if self.json {
            show::json(&examination)?;
        } else {
            show::line(&text(&examination));
        }
        Ok(ExitCode::from(examination.state.exit()))
    }

    /// Everything, in the order an event meets it.
    fn look(&self, site: &Site<'_>) -> Vec<DoctorCheck> {
        let loaded = site.settings();
        let mut checks = entries::look(site, &loaded.settings.guard);
        if self.fire {
            checks.extend(fire(site, loaded.settings.enabled));
            checks.extend(guard::fire(site, &loaded.settings));
        }
        checks.push(client::look(site.environment()));
        checks.push(daemon::look(&site.home));
        let store = Store::open_existing(&site.home.database(), WAIT);
        let depth = if self.deep { Depth::Whole } else { Depth::Bounded };
        checks.push(database::look(site, store.as_ref(), depth));
        if let Ok(store) = &store {
            let recorded = recorded(site, store, &loaded.settings);
            checks.extend(recorded.unwrap_or_else(|error| vec![unread(&error)]));
        }
        checks.push(surroundings::disk(site, &loaded.settings));
        checks.push(surroundings::git(site));
        checks.extend(surroundings::settings(&loaded));
        checks.extend(guard::rules(&loaded.settings));
        checks
    }
}

/// What only the record can tell.
fn recorded(site: &Site<'_>, store: &Store, settings: &Settings) -> Result<Vec<DoctorCheck>, StoreError> {
    let db = store.read();
    let is_installed = site
        .installed()
        .iter()
        .any(|(_, entries)| !entries.events.is_empty());
    let mut checks = vec![fired::look(&db, is_installed)?, daemon::speed(&db)?];
    checks.extend(database::trouble(&db, clock::now())?);
    checks.extend(guard::races(&db)?);
    checks.extend(checkpoints::look(site, settings, &db, clock::now())?);
    Ok(checks)
}

fn unread(error: &StoreError) -> DoctorCheck {
    DoctorCheck::fail("record", error.to_string(), "toprope doctor --fix")
}

/// Sends a probe through each way the client would start us.
fn fire(site: &Site<'_>, is_enabled: bool) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    for (target, entries) in site.installed() {
        for invocation in &entries.invocations {
            let file = site.shown(&target.file);
            checks.push(match probe::send(site, invocation, is_enabled) {
                Ok(answer) => {
                    let took = probe::milliseconds(answer.took());
                    let kept = match answer {
                        ProbeAnswer::Recorded { .. } => "recorded",
                        ProbeAnswer::SwitchedOff { .. } => {
                            "not recorded, because Toprope is switched off here"
                        }
                    };
                    DoctorCheck::ok("probe", format!("through {file}: answered in {took}, and {kept}"))
                }
                Err(lost) => {
                    let hint = if invocation.is_by_name() {
                        "type -a toprope"
                    } else {
                        "toprope doctor --fix"
                    };
                    DoctorCheck::fail("probe", format!("through {file}: {lost}"), hint)
                }
            });
        }
    }
    checks
}

/// The lines people read.
fn text(examination: &DoctorReport) -> String {
    let widths = examination.checks.iter().map(|check| check.name.len());
    let width = widths.max().unwrap_or_default();
    let mut lines: Vec<String> = examination
        .fixed
        .iter()
        .map(|fixed| format!("fixed {fixed}"))
        .collect();
    for check in &examination.checks {
        lines.push(format!(
            "{:4}  {:width$}  {}",
            check.state.word(),
            check.name,
            check.text
        ));
        lines.extend(
            check
                .hint
                .iter()
                .map(|hint| format!("{:4}  {:width$}  hint: {hint}", "", "")),
        );
    }
    lines.join("\n")
}
