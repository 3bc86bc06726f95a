//! `toprope log`: every tool call of every agent, and what was decided about it. Reads the database and nothing else.

mod call;
mod filter;
mod follow;
mod line;
mod names;
mod page;
mod path;
mod record;
pub(super) mod redact;
mod table;
pub(super) mod when;

use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use crate::terminal::Terminal;
use crate::{here, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use clap::Args;
use filter::LogFilterArgs;
use follow::{FollowEnd, LogFollower};
use line::LogLine;
use page::{LineFormat, LogPage};
use std::collections::BTreeSet;
use std::process::ExitCode;
use store::table::events::{self, EventRow, LogFilter};
use store::{Db, Store};
use table::TextTable;

/// A call is at most so many events that a filter can let through.
const EVENTS_OF_A_CALL: u64 = 3;

/// Show what every agent did, and what was decided about it
///
/// One line per tool call and per other event, newest last: when, who, what with, what about, what came of it, how long it
/// took, and why. Works without the daemon.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct LogArgs {
    /// At most so many lines: the newest
    #[arg(short = 'n', long, value_name = "N", default_value_t = 200, value_parser = lines)]
    limit: u64,
    /// Go on with what happens from now on, until Ctrl-C
    #[arg(short, long)]
    follow: bool,
    /// One line per event as it came, with its id for `toprope why`
    #[arg(long)]
    events: bool,
    /// One JSON object per event and line
    #[arg(long)]
    json: bool,
    /// Each event with the payload it came with, nothing cut and nothing redacted
    #[arg(long)]
    raw: bool,
    /// Show payloads also where stdout is not a terminal
    #[arg(long, requires = "raw")]
    yes: bool,
    #[command(flatten)]
    filter: LogFilterArgs,
}

impl LogArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let terminal = Terminal::of_stdout(environment);
        if self.raw && !self.yes && !terminal.interactive {
            let refused = "payloads can hold secrets, and stdout is not a terminal";
            return Err(Failure::saying(FailureKind::NeedsPerson, refused).hint("add `--yes` if you mean it"));
        }
        CheckpointPlace::link_new_commits(environment);
        let home = Home::of(environment);
        let table = TextTable::new(terminal, self.events || self.raw, self.filter.all_projects);
        if self.follow {
            self.follow(&home, LogPage::new(self.form(), table.roomy()))
        } else {
            self.once(&home, LogPage::new(self.form(), table))
        }
    }

    fn form(&self) -> LineFormat {
        match (self.json, self.events || self.raw) {
            (true, _) => LineFormat::Json { raw: self.raw },
            (false, true) => LineFormat::Events { raw: self.raw },
            (false, false) => LineFormat::Calls,
        }
    }

    fn once(&self, home: &Home, mut page: LogPage) -> Result<ExitCode, Failure> {
        let Some(store) = here::store(home)? else {
            return if self.filter.all_projects {
                Ok(self.nothing("nothing was recorded yet"))
            } else {
                Err(unknown()?)
            };
        };
        let db = store.snapshot()?;
        self.filter.check(&db)?;
        let Some(filter) = self.filter_here(&db)? else {
            return Err(unknown()?);
        };
        let shown = self.show_newest(&db, &filter, &mut page)?;
        if shown > 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let unused = match filter.project {
            Some(project) => self.filter.unused_tools(&db, project)?,
            None => None,
        };
        Ok(self.nothing(&match unused {
            Some(unused) => format!("no event matches; {unused}"),
            None => "no event matches".to_owned(),
        }))
    }

    /// An empty answer is an answer; only people are told so.
    fn nothing(&self, why: &str) -> ExitCode {
        if !self.json {
            show::talk(why);
        }
        ExitCode::SUCCESS
    }

    fn follow(&self, home: &Home, mut page: LogPage) -> Result<ExitCode, Failure> {
        let ending = FollowEnd::listen()?;
        let mut opened: Option<Store> = None;
        let mut following: Option<(LogFilter, LogFollower)> = None;
        loop {
            // The database, or this project in it, may come into being while we wait.
            if opened.is_none() {
                opened = here::store(home)?;
            }
            if let Some(store) = &opened {
                let looked = match &mut following {
                    Some((filter, follow)) => follow.look(store, filter, &mut page),
                    None => self
                        .begin(&*store.snapshot()?, &mut page)
                        .map(|begun| following = begun),
                };
                looked?;
            }
            if !ending.wait()? {
                return Ok(ExitCode::SUCCESS);
            }
        }
    }

    /// Shows what is there, and remembers where to go on; `None` as long as this project is unknown.
    fn begin(&self, db: &Db, page: &mut LogPage) -> Result<Option<(LogFilter, LogFollower)>, Failure> {
        self.filter.check(db)?;
        let Some(filter) = self.filter_here(db)? else {
            return Ok(None);
        };
        self.show_newest(db, &filter, page)?;
        Ok(Some((filter, LogFollower::after(follow::newest(db)?))))
    }

    /// What to ask the store; `None` if this folder's project is unknown to it.
    fn filter_here(&self, db: &Db) -> Result<Option<LogFilter>, Failure> {
        let project = if self.filter.all_projects {
            None
        } else {
            match here::project(db, &here::folder()?)? {
                Some(project) => Some(project.id),
                None => return Ok(None),
            }
        };
        self.filter.of_store(project, clock::now(), self.limit).map(Some)
    }

    fn show_newest(&self, db: &Db, filter: &LogFilter, page: &mut LogPage) -> Result<usize, Failure> {
        if page.joins() {
            let limit = filter.limit.saturating_mul(EVENTS_OF_A_CALL);
            let rows = events::list(
                db,
                &LogFilter {
                    limit,
                    ..filter.clone()
                },
            )?;
            let lines = newest_of(page.joined(db, &rows, &mut BTreeSet::new())?, self.limit);
            page.show(&lines);
            return Ok(lines.len());
        }
        let rows = events::list(db, filter)?;
        page.show_events(db, &rows)?;
        Ok(rows.len())
    }
}

/// The newest lines of a filter and of some more events, each with the id of its first event.
pub(super) fn newest_lines(
    db: &Db,
    filter: &LogFilter,
    more: &[EventRow],
    terminal: Terminal,
) -> Result<Vec<String>, Failure> {
    let mut page = LogPage::new(LineFormat::Calls, TextTable::new(terminal, true, false));
    let limit = filter.limit.saturating_mul(EVENTS_OF_A_CALL);
    let asked = LogFilter {
        limit,
        ..filter.clone()
    };
    let rows = [&events::list(db, &asked)?, more].concat();
    let lines = page.joined(db, &rows, &mut BTreeSet::new())?;
    Ok(page.lines(&newest_of(lines, filter.limit)))
}

/// The lines that tell of the newest events, in the order things began.
fn newest_of(mut lines: Vec<LogLine>, limit: u64) -> Vec<LogLine> {
    lines.sort_by_key(|line| line.newest);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut lines = lines.split_off(lines.len().saturating_sub(limit));
    lines.sort_by_key(|line| line.first);
    lines
}

fn lines(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "accepted: a whole number from 1".to_owned())
}

fn unknown() -> Result<Failure, Failure> {
    let folder = here::folder()?;
    Ok(Failure::saying(
        FailureKind::NoMatch,
        format!("no agent was seen in {} yet", folder.display()),
    )
    .hint("`toprope log --all-projects` shows every project, `toprope init` sets this one up"))
}
