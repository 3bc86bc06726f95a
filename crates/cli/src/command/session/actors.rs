//! `toprope session actors`: the main thread and every subagent of a session, as a tree.

use super::actor::{self, ActorEntry};
use super::chosen;
use crate::command::lease::{Desk, settle_project};
use crate::command::status::close_lost;
use crate::failure::Failure;
use crate::terminal::{Terminal, cut, padded, width};
use crate::{here, moment, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use clap::Args;
use engine::id::ActorKey;
use engine::text::one_line;
use engine::time::Timestamp;
use serde::Serialize;
use std::process::ExitCode;
use store::Db;
use store::table::actors;

/// What a task says beyond this is left to `--json`.
const LONGEST_TASK: usize = 60;
/// The same of a path.
const LONGEST_PATH: usize = 40;

/// Show a session's agents below whoever started them
///
/// Without a session: those that are at work in this project, else the newest one. Sessions whose process is gone are
/// closed first.
#[derive(Args)]
pub struct ActorsArgs {
    /// The beginning of a session's id or name, or `main@7c1e`
    #[arg(value_name = "SESSION", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    session: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// The order of the fields is that of the JSON object.
#[derive(Serialize)]
struct ActorsReport {
    actors: Vec<ActorEntry>,
}

impl ActorsArgs {
    /// Shows them.
    pub fn run(&self, environment: &Environment, token: Option<&str>) -> Result<ExitCode, Failure> {
        settle(environment, token)?;
        let Some(mut store) = here::store(&Home::of(environment))? else {
            return Err(chosen::nobody());
        };
        let now = clock::now();
        close_lost(&mut store, now);
        let db = store.snapshot()?;
        let mut report = ActorsReport { actors: Vec::new() };
        for session in self.sessions(&db)? {
            report
                .actors
                .extend(actor::tree(&db, &actors::of_session(&db, &session)?)?);
        }
        if self.json {
            show::json(&report)?;
        } else {
            let text = page(&report.actors, now, Terminal::of_stdout(environment));
            show::line(text.trim_end());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn sessions(&self, db: &Db) -> Result<Vec<ActorKey>, Failure> {
        if let Some(text) = &self.session {
            let hint = "`toprope session actors` shows those at work here";
            let found = chosen::one(db, text, hint)?;
            let main = actors::by_id(db, found.session)?;
            return Ok(main.map(|main| main.key).into_iter().collect());
        }
        let project = chosen::project_here(db)?;
        let mut sessions = of_whom(actors::list(db, Some(project), true)?);
        if sessions.is_empty() {
            sessions = of_whom(actors::list(db, Some(project), false)?);
            sessions.truncate(1);
        }
        Ok(sessions)
    }
}

/// What is held no longer is given back first, so that the same is shown as a hook would decide.
fn settle(environment: &Environment, token: Option<&str>) -> Result<(), Failure> {
    let Some(mut desk) = Desk::open(environment, token)? else {
        return Ok(());
    };
    let now = desk.scene.now();
    desk.change(|scene, db| match scene.project(db)? {
        Some(project) => settle_project(db, project, &now),
        None => Ok(()),
    })
}

/// The sessions of some actors, each once, in their order.
fn of_whom(actors: Vec<actors::Actor>) -> Vec<ActorKey> {
    let mut sessions: Vec<ActorKey> = Vec::new();
    for actor in actors {
        let session = actor.key.main();
        if !sessions.contains(&session) {
            sessions.push(session);
        }
    }
    sessions
}

/// A table; whoever was started by another stands further in, right below.
fn page(entries: &[ActorEntry], now: Timestamp, terminal: Terminal) -> String {
    let rows: Vec<[String; 6]> = entries.iter().map(|entry| row(entry, now)).collect();
    let head = ["ACTOR", "STATE", "LAST SEEN", "HOLDS", "WAITS FOR", "TASK"].map(str::to_owned);
    let mut widest = [0; 6];
    for row in std::iter::once(&head).chain(&rows) {
        for (widest, cell) in widest.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell));
        }
    }
    let line = |row: &[String; 6]| {
        let cells = row
            .iter()
            .zip(widest)
            .map(|(cell, columns)| padded(cell, columns));
        let whole = cells.collect::<Vec<_>>().join("  ");
        cut(whole.trim_end(), terminal.width) + "\n"
    };
    std::iter::once(&head).chain(&rows).map(line).collect()
}

/// The first path, and how many more there are.
fn some(paths: &[String]) -> String {
    match paths {
        [] => "-".to_owned(),
        [only] => one_line(only, LONGEST_PATH),
        [first, more @ ..] => format!("{} +{}", one_line(first, LONGEST_PATH), more.len()),
    }
}

fn row(entry: &ActorEntry, now: Timestamp) -> [String; 6] {
    let state = match (entry.state, entry.working, &entry.end_reason) {
        (_, _, Some(_)) if entry.merged_into.is_some() => "merged".to_owned(),
        ("live", true, _) => "working".to_owned(),
        // Of an agent the client never announced, only its calls are known.
        ("live", false, _) if entry.agent_id.is_some() && !entry.announced => "live".to_owned(),
        ("live", false, _) => "waiting".to_owned(),
        (state, _, Some(reason)) => format!("{state}, {}", reason.replace('_', " ")),
        (state, _, None) => state.to_owned(),
    };
    let task = entry.description.as_ref().map(|task| format!("\"{task}\""));
    let itself = entry.merged_into.as_ref().map(|itself| format!("(is {itself})"));
    let orphan = entry.agent_id.is_some() && entry.parent.is_none() && itself.is_none();
    let orphan = orphan.then(|| "(started by whom is not known)".to_owned());
    let told = [task, itself, orphan];
    let told: Vec<String> = told.into_iter().flatten().collect();
    [
        format!("{}{}", "  ".repeat(entry.depth), one_line(&entry.label, 60)),
        one_line(&state, 40),
        moment::ago(entry.seen, now),
        some(&entry.holds),
        some(&entry.waits),
        one_line(&told.join(" "), LONGEST_TASK),
    ]
}
