//! `toprope checkpoint list`: the line of checkpoints, newest first.

use super::entry::{self, CheckpointEntry};
use super::place::CheckpointPlace;
use super::session::{Chosen, alias, choose};
use super::{path_argument, point};
use crate::failure::{Failure, FailureKind};
use crate::show;
use crate::terminal::{Terminal, cut, padded, width};
use ::daemon::checkpoint::path_text::PathText;
use ::daemon::clock;
use ::daemon::environment::Environment;
use clap::Args;
use engine::id::{ActorId, WorktreeId};
use engine::text::one_line;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use store::table::checkpoints::{self, CheckpointFilter, CheckpointKind, ListedCheckpoint};
use store::table::{actors, worktrees};

/// To read what is checked out takes no longer.
const HEAD_TIME: Duration = Duration::from_secs(2);
/// Columns a label keeps, however narrow the terminal is.
const LEAST_LABEL: usize = 20;

/// List checkpoints, newest first
///
/// Those of one session in this worktree; the header says which. A `!` after an id marks a checkpoint that may miss
/// something: `toprope checkpoint show` says what.
#[derive(Args)]
pub struct CheckpointListArgs {
    /// Of this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Of every session and worktree of this project
    #[arg(long, conflicts_with_all = ["session", "agent", "turn"])]
    all: bool,
    /// Of this agent: the beginning of its id, or `main`
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Of this turn
    #[arg(long, value_name = "NUMBER")]
    turn: Option<u64>,
    /// Of this kind
    #[arg(long, value_name = "KIND", value_parser = CheckpointKind::ALL.map(CheckpointKind::as_str))]
    kind: Option<String>,
    /// That changed this file, or one below this folder
    #[arg(long, value_name = "PATH")]
    path: Option<OsString>,
    /// Steps within turns too
    #[arg(long)]
    steps: bool,
    /// At most so many
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u64,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
struct CheckpointListReport {
    worktree: Option<PathText>,
    session: Option<String>,
    checkpoints: Vec<CheckpointEntry>,
}

/// What a list over several sessions says beside each.
#[derive(Default)]
struct SessionNames {
    sessions: BTreeMap<i64, (String, String)>,
    worktrees: BTreeMap<i64, PathBuf>,
}

impl CheckpointListArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::open(environment)?;
        let session = if self.all {
            here.link_commits_elsewhere()?;
            None
        } else {
            choose(&here, environment, self.session.as_deref())?
        };
        let listed = self.listed(&here, session.as_ref())?;
        let names = self.names(&here, &listed)?;
        if self.json {
            show::json(&self.report(&here, session.as_ref(), &listed, &names))?;
            return Ok(ExitCode::SUCCESS);
        }
        show::line(&self.header(&here, session.as_ref()));
        if listed.is_empty() {
            show::talk("no checkpoints");
        } else {
            show::line(
                self.table(&listed, &names, Terminal::of_stdout(environment))
                    .trim_end(),
            );
        }
        Ok(ExitCode::SUCCESS)
    }

    fn listed(
        &self,
        here: &CheckpointPlace,
        session: Option<&Chosen>,
    ) -> Result<Vec<ListedCheckpoint>, Failure> {
        let path = self.path.as_deref().map(|path| path_argument::within(here, path));
        let mut filter = CheckpointFilter {
            worktree: Some(here.worktree),
            session: session.map(Chosen::id),
            actor: self.actor(here, session)?,
            turn: self.turn,
            kind: self.kind.as_deref().and_then(CheckpointKind::from_word),
            path: path.transpose()?.flatten().map(|path| path.as_bytes().to_vec()),
            steps: self.steps,
            limit: self.limit,
        };
        if !self.all {
            return Ok(here.read(|db| checkpoints::list(db, &filter))?);
        }
        let mut listed = Vec::new();
        for worktree in here.read(|db| worktrees::of(db, here.project))? {
            filter.worktree = Some(worktree.id);
            listed.extend(here.read(|db| checkpoints::list(db, &filter))?);
        }
        listed.sort_by_key(|listed| std::cmp::Reverse(listed.checkpoint.seq));
        listed.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        Ok(listed)
    }

    fn actor(&self, here: &CheckpointPlace, session: Option<&Chosen>) -> Result<Option<ActorId>, Failure> {
        let Some(text) = &self.agent else { return Ok(None) };
        let none = || {
            let shown = one_line(text, 80);
            Failure::saying(
                FailureKind::NoMatch,
                format!("this session has no agent \"{shown}\""),
            )
        };
        let session = session.ok_or_else(none)?;
        if text == "main" {
            return Ok(Some(session.id()));
        }
        let main = here
            .read(|db| actors::by_id(db, session.id()))?
            .ok_or_else(none)?;
        let found = here.read(|db| actors::agents_like(db, &main.key, text))?;
        match found.as_slice() {
            [] => Err(none()),
            [only] => Ok(Some(only.id)),
            several => {
                let ids = several.iter().filter_map(|agent| agent.key.agent.as_ref());
                let ids: Vec<String> = ids.map(|id| one_line(id.as_str(), 40)).collect();
                let shown = one_line(text, 80);
                Err(Failure::saying(
                    FailureKind::NoMatch,
                    format!("\"{shown}\" fits {} agents: {}", several.len(), ids.join(", ")),
                ))
            }
        }
    }

    fn names(&self, here: &CheckpointPlace, listed: &[ListedCheckpoint]) -> Result<SessionNames, Failure> {
        let mut names = SessionNames::default();
        if !self.all {
            return Ok(names);
        }
        for worktree in here.read(|db| worktrees::of(db, here.project))? {
            names.worktrees.insert(worktree.id.0, worktree.root);
        }
        for session in listed.iter().filter_map(|listed| listed.checkpoint.session) {
            if let std::collections::btree_map::Entry::Vacant(place) = names.sessions.entry(session.0)
                && let Some(known) = here.read(|db| actors::conversation(db, session))?
            {
                place.insert((alias(&known), known.client_session.to_string()));
            }
        }
        Ok(names)
    }

    fn report(
        &self,
        here: &CheckpointPlace,
        session: Option<&Chosen>,
        listed: &[ListedCheckpoint],
        names: &SessionNames,
    ) -> CheckpointListReport {
        let entries = listed.iter().map(|listed| {
            let entry = CheckpointEntry::of(listed);
            if !self.all {
                return entry;
            }
            let row = &listed.checkpoint;
            let session = row.session.and_then(|id| names.sessions.get(&id.0));
            entry.among_many(session.map(|(_, id)| id.clone()), names.root(row.worktree))
        });
        CheckpointListReport {
            worktree: (!self.all).then(|| PathText::of(here.root().as_os_str().as_bytes())),
            session: session.map(|session| session.conversation.client_session.to_string()),
            checkpoints: entries.collect(),
        }
    }

    fn header(&self, here: &CheckpointPlace, session: Option<&Chosen>) -> String {
        if self.all {
            return "every session and worktree of this project · newest first".to_owned();
        }
        let head = git::head::read(&here.site.place, here.site.environment(), HEAD_TIME);
        let name = String::from_utf8_lossy(&here.site.worktree.name).into_owned();
        let worktree = match (here.site.worktree.is_in_git(), name.as_str()) {
            (false, _) => "folder outside git".to_owned(),
            (true, "") => "main worktree".to_owned(),
            (true, name) => format!("worktree {}", one_line(name, 60)),
        };
        let branch = head.branch().map(|branch| one_line(branch, 60));
        let detached = head
            .commit()
            .filter(|_| branch.is_none())
            .map(|_| "detached".to_owned());
        let base = head
            .commit()
            .map(|commit| format!("base {}", super::address::short(commit)));
        let session = session.map(|session| format!("session {}", alias(&session.conversation)));
        let parts = [
            Some(worktree),
            branch.or(detached),
            base,
            session,
            Some("newest first".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    fn table(&self, listed: &[ListedCheckpoint], names: &SessionNames, terminal: Terminal) -> String {
        let now = clock::now();
        let mut heads = vec!["AGE", "POINT", "WHO", "FILES"];
        if self.all {
            heads.extend(["SESSION", "WORKTREE"]);
        }
        let rows: Vec<(&ListedCheckpoint, Vec<String>)> = listed
            .iter()
            .map(|listed| {
                let row = &listed.checkpoint;
                let mut cells = vec![
                    entry::age(row.created_at, now),
                    point::name(row),
                    entry::who(row, listed.who.as_ref()),
                    entry::files(row),
                ];
                if self.all {
                    let session = row.session.and_then(|id| names.sessions.get(&id.0));
                    cells.push(session.map_or_else(|| "-".to_owned(), |(alias, _)| alias.clone()));
                    cells.push(names.folder(row.worktree));
                }
                (listed, cells)
            })
            .collect();
        let mut widths: Vec<usize> = heads.iter().map(|head| width(head)).collect();
        for (_, cells) in &rows {
            for (widest, cell) in widths.iter_mut().zip(cells) {
                *widest = (*widest).max(width(cell));
            }
        }
        let labels = Labels::of(listed, &widths, terminal);
        let heads: Vec<String> = heads.into_iter().map(str::to_owned).collect();
        let mut text = line(("ID", false), &heads, &widths, "LABEL");
        for (listed, cells) in &rows {
            let row = &listed.checkpoint;
            let mark = !row.degraded.is_empty();
            text.push_str(&line(
                (row.id.as_str(), mark),
                cells,
                &widths,
                &labels.text(listed),
            ));
        }
        text
    }
}

impl SessionNames {
    fn root(&self, worktree: WorktreeId) -> Option<&std::path::Path> {
        self.worktrees.get(&worktree.0).map(PathBuf::as_path)
    }

    fn folder(&self, worktree: WorktreeId) -> String {
        let name = self.root(worktree).and_then(|root| root.file_name());
        name.map_or_else(|| "-".to_owned(), |name| super::quoted::path(name.as_bytes()))
    }
}

/// The last column: a label, and behind it the commits.
struct Labels {
    width: usize,
}

impl Labels {
    fn of(listed: &[ListedCheckpoint], widths: &[usize], terminal: Terminal) -> Self {
        let before: usize = 14 + widths.iter().map(|width| width + 2).sum::<usize>();
        let commits = listed
            .iter()
            .map(|listed| width(&entry::commits(listed)))
            .max()
            .unwrap_or(0);
        let after = if commits == 0 { 0 } else { commits + 2 };
        let room = terminal.width.saturating_sub(before + after).max(LEAST_LABEL);
        let widest = listed
            .iter()
            .map(|listed| width(&entry::label(&listed.checkpoint)))
            .max();
        Self {
            width: widest.unwrap_or(0).min(room),
        }
    }

    fn text(&self, listed: &ListedCheckpoint) -> String {
        let label = cut(&entry::label(&listed.checkpoint), self.width);
        format!("{}  {}", padded(&label, self.width), entry::commits(listed))
            .trim_end()
            .to_owned()
    }
}

fn line(id: (&str, bool), cells: &[String], widths: &[usize], label: &str) -> String {
    let (id, is_degraded) = id;
    let mark = if is_degraded { '!' } else { ' ' };
    let mut line = format!("{}{mark} ", padded(id, 12));
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // The age is a number and stands on the right.
        let cell = if at == 0 {
            format!("{cell:>width$}")
        } else {
            padded(cell, *width)
        };
        line.push_str(&cell);
        line.push_str("  ");
    }
    line.push_str(label);
    format!("{}\n", line.trim_end())
}
