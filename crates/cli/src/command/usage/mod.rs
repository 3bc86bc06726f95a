//! `toprope usage`: the tokens every session, turn and subagent used. Reads the database and nothing else.

mod group;
mod page;
mod session;

use super::log::when::LogMoment;
use super::session::chosen;
use crate::failure::{Failure, FailureKind};
use crate::terminal::Terminal;
use crate::{here, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use clap::Args;
use group::GroupBy;
use jiff::tz::TimeZone;
use std::process::ExitCode;
use store::table::actors::Conversation;
use store::table::usage::{self, Selection, UsageEntry};
use store::{Db, ReadSnapshot};

/// Show how many tokens sessions, turns and subagents used
///
/// Each message of a model counts once, with its highest figure, for the session that had it first: what a resumed or
/// forked session repeats adds nothing. A subagent's tokens belong to the turn that launched it, however late it ends.
/// Works without the daemon.
#[derive(Args)]
pub struct UsageArgs {
    /// One line per day, project, session, agent, turn or model, instead of sessions with their turns
    #[arg(long, value_name = "WHAT", value_enum)]
    by: Option<GroupBy>,
    /// Of this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    session: Option<String>,
    /// Not earlier: `10m`, `2h`, `today`, a day, or RFC 3339
    #[arg(long, value_name = "WHEN", value_parser = LogMoment::parse)]
    since: Option<LogMoment>,
    /// Of every project, not only the one of the current folder
    #[arg(long)]
    all_projects: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl UsageArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let Some(store) = here::store(&Home::of(environment))? else {
            return self.show(environment, None, &[]);
        };
        let db = store.snapshot()?;
        let entries = usage::entries(&db, &self.selection(&db)?)?;
        self.show(environment, Some(&db), &entries)
    }

    fn selection(&self, db: &Db) -> Result<Selection, Failure> {
        let session = self.session.as_deref().map(|text| one_session(db, text));
        let session = session.transpose()?.map(|found| found.session);
        let project = if self.all_projects || session.is_some() {
            None
        } else {
            let folder = here::folder()?;
            let found = here::project(db, &folder)?;
            Some(found.ok_or_else(|| unknown(&folder))?.id)
        };
        Ok(Selection {
            project,
            session,
            since: self
                .since
                .map(|when| when.moment(clock::now(), &TimeZone::system())),
            until: None,
        })
    }

    fn show(
        &self,
        environment: &Environment,
        db: Option<&ReadSnapshot<'_>>,
        entries: &[UsageEntry],
    ) -> Result<ExitCode, Failure> {
        let zone = TimeZone::system();
        let terminal = Terminal::of_stdout(environment);
        match (self.by, db) {
            (Some(by), Some(db)) => {
                let groups = group::Groups::of(db, entries, by, &zone)?;
                self.tell(&groups, || page::groups(&groups, terminal))?;
            }
            (Some(by), None) => self.tell(&group::Groups::none(by), String::new)?,
            (None, Some(db)) => {
                let report = session::UsageReport::of(db, entries)?;
                self.tell(&report, || page::sessions(&report, terminal))?;
            }
            (None, None) => self.tell(&session::UsageReport::default(), String::new)?,
        }
        // An empty answer is an answer; only people are told so.
        if entries.is_empty() && !self.json {
            show::talk("no tokens were counted yet");
        }
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, report: &impl serde::Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.json {
            return show::json(report);
        }
        let text = text();
        if !text.is_empty() {
            show::line(text.trim_end());
        }
        Ok(())
    }
}

/// The one session that a text begins the name or the id of.
fn one_session(db: &Db, text: &str) -> Result<Conversation, Failure> {
    chosen::one(
        db,
        text,
        "`toprope usage --by session --all-projects` lists those that used tokens",
    )
}

fn unknown(folder: &std::path::Path) -> Failure {
    Failure::saying(
        FailureKind::NoMatch,
        format!("no agent was seen in {} yet", folder.display()),
    )
    .hint("`toprope usage --all-projects` shows every project, `toprope init` sets this one up")
}
