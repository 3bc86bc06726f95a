//! `toprope status`: who is at work here, what is on, and how Toprope itself is.

mod agent;
mod lost;
mod page;
mod project;
mod state;

pub use lost::close as close_lost;

use crate::command::daemon::{DaemonState, find};
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{here, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use clap::Args;
use engine::time::Timestamp;
use project::ProjectEntry;
use serde::Serialize;
use state::HealthState;
use std::process::ExitCode;
use store::Store;
use store::table::projects;

/// Show who is at work here, what is on, and how Toprope itself is
///
/// Sessions whose process is gone are closed first, so that nobody is shown who is not there.
#[derive(Args)]
pub struct StatusArgs {
    /// Every project, not only the one of the current folder
    #[arg(long)]
    all_projects: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Everything there is to say. The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct StatusReport {
    projects: Vec<ProjectEntry>,
    daemon: DaemonState,
    state: HealthState,
    #[serde(skip)]
    now: Timestamp,
}

impl StatusArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let home = Home::of(environment);
        let report = self.report(environment, &home)?;
        if self.json {
            show::json(&report)?;
        } else {
            show::line(page::text(&report, Terminal::of_stdout(environment)).trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn report(&self, environment: &Environment, home: &Home) -> Result<StatusReport, Failure> {
        let now = clock::now();
        let mut store = here::store(home)?;
        if let Some(store) = &mut store {
            lost::close(store, now);
        }
        Ok(StatusReport {
            projects: self.projects(environment, store.as_ref())?,
            daemon: find(home),
            state: HealthState::of(home, store.as_ref())?,
            now,
        })
    }

    fn projects(
        &self,
        environment: &Environment,
        store: Option<&Store>,
    ) -> Result<Vec<ProjectEntry>, Failure> {
        if self.all_projects {
            let Some(store) = store else { return Ok(Vec::new()) };
            let db = store.snapshot()?;
            let known = projects::list(&db)?;
            return known
                .iter()
                .map(|known| ProjectEntry::known(environment, &db, known))
                .collect();
        }
        let folder = here::folder()?;
        if let Some(store) = store {
            let db = store.snapshot()?;
            if let Some(known) = here::project(&db, &folder)? {
                return Ok(vec![ProjectEntry::known(environment, &db, &known)?]);
            }
        }
        Ok(vec![ProjectEntry::unseen(environment, &folder)])
    }
}
