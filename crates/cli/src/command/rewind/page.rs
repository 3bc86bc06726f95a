//! What would be done, as people read it.

use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::quoted;
use crate::failure::Failure;
use crate::terminal::{cut, padded, stdout_width, width};
use ::daemon::checkpoint::rewind::Proposal;
use ::daemon::checkpoint::rewind::proposal::PathAccount;
use ::daemon::checkpoint::rewind::scope::agent_name;
use engine::text::one_line;
use git::path::RepoPath;
use git::plan::{LeftReason, PathVerdict, Planned};
use git::run::Limits;
use std::fmt::Write as _;
use std::time::Duration;
use store::table::actors;
use store::table::checkpoints::{self, CheckpointKind};

/// Counting commits takes no longer.
const COUNT_TIME: Duration = Duration::from_secs(5);

/// One line of the page: what, where, why.
struct RewindRow {
    word: String,
    path: String,
    why: Reason,
}

/// Why, around the text of a command, which is cut where the line would be too long.
#[derive(Default)]
struct Reason {
    before: String,
    command: Option<String>,
    after: String,
}

impl Reason {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            before: text.into(),
            ..Self::default()
        }
    }

    fn within(&self, room: usize) -> String {
        let Self { before, after, .. } = self;
        match &self.command {
            Some(command) => {
                let room = room.saturating_sub(width(before) + width(after));
                let room = room.clamp(LEAST_COMMAND, MOST_COMMAND);
                format!("{before}{}{after}", cut(&one_line(command, usize::MAX), room))
            }
            None => format!("{before}{after}"),
        }
    }
}

/// The page: what is done first, then what is left. Conflicts have a text of their own.
pub fn page(here: &CheckpointPlace, proposal: &Proposal) -> Result<String, Failure> {
    let mut rows: Vec<(u8, RewindRow)> = Vec::new();
    for planned in &proposal.plan.paths {
        let order = match &planned.verdict {
            PathVerdict::Nothing | PathVerdict::Conflict(_) => continue,
            PathVerdict::Restore { .. } | PathVerdict::Recreate { .. } | PathVerdict::Mode { .. } => 0,
            PathVerdict::Delete => 1,
            PathVerdict::Leave(_) => 2,
        };
        let row = RewindRow {
            word: planned.verdict.to_string(),
            path: shown(&planned.path),
            why: why(here, planned, proposal.stories.get(&planned.path))?,
        };
        rows.push((order, row));
    }
    rows.sort_by_key(|(order, _)| *order);
    let rows: Vec<RewindRow> = rows.into_iter().map(|(_, row)| row).collect();
    Ok(table(&rows))
}

/// A path as a terminal may show it.
pub fn shown(path: &RepoPath) -> String {
    quoted::path(path.as_bytes())
}

/// Message 6.2: what stands in the way.
pub fn refusal(proposal: &Proposal, forced: bool) -> String {
    let conflicts: Vec<(&RepoPath, String)> = proposal
        .plan
        .conflicts()
        .map(|(path, reason)| (path, reason.to_string()))
        .collect();
    let mut text = match (&proposal.plan.whole, conflicts.len()) {
        (Some(whole), _) => format!("Nothing was changed: {whole}.\n"),
        (None, 1) => "Nothing was changed: 1 file cannot be put back safely.\n".to_owned(),
        (None, count) => format!("Nothing was changed: {count} files cannot be put back safely.\n"),
    };
    let widest = conflicts.iter().map(|(path, _)| width(&shown(path))).max();
    for (path, reason) in &conflicts {
        let path = padded(&shown(path), widest.unwrap_or(0));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {path}  {reason}");
    }
    let is_lifted = |planned: &&Planned| {
        matches!(planned.verdict, PathVerdict::Conflict(_))
            && !matches!(planned.forced, PathVerdict::Conflict(_))
    };
    let can_force =
        proposal.plan.whole.is_some() || proposal.plan.paths.iter().any(|planned| is_lifted(&planned));
    let mut ways = Vec::new();
    if !conflicts.is_empty() {
        ways.push("Leave them out: --skip-conflicts.");
    }
    if can_force && !forced {
        ways.push(if conflicts.is_empty() {
            "Put files back all the same (undo brings them back): --force."
        } else {
            "Overwrite them (undo brings them back): --force."
        });
    }
    text.push_str(&ways.join(" "));
    text.trim_end().to_owned()
}

/// Where HEAD is, if it is not where it was.
pub fn head(here: &CheckpointPlace, proposal: &Proposal, name: &str) -> Option<String> {
    let now = proposal.head?.to_string();
    let then = proposal.target.head.as_deref()?;
    if now == then {
        return None;
    }
    let range = format!("{then}..{now}");
    let counted = here
        .site
        .git()
        .run(&["rev-list", "--count", &range, "--"], Limits::within(COUNT_TIME));
    let count: Option<u64> = counted
        .ok()
        .and_then(|told| String::from_utf8(told).ok()?.trim().parse().ok());
    let since = match count {
        None | Some(0) => String::new(),
        Some(1) => format!(" (1 commit since {name})"),
        Some(count) => format!(" ({count} commits since {name})"),
    };
    let short: String = now.chars().take(7).collect();
    Some(format!(
        "HEAD stays at {short}{since}; the differences will show as uncommitted changes."
    ))
}

/// Columns of a command that are shown beside a file.
const MOST_COMMAND: usize = 40;
/// Fewer would say nothing.
const LEAST_COMMAND: usize = 8;

fn table(rows: &[RewindRow]) -> String {
    let words = rows.iter().map(|row| width(&row.word)).max().unwrap_or(0);
    let paths = rows.iter().map(|row| width(&row.path)).max().unwrap_or(0);
    let mut text = String::new();
    for row in rows {
        let front = format!("  {}  {}  ", padded(&row.word, words), padded(&row.path, paths));
        let room = stdout_width().saturating_sub(width(&front));
        let line = format!("{front}{}", row.why.within(room));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn why(here: &CheckpointPlace, planned: &Planned, story: Option<&PathAccount>) -> Result<Reason, Failure> {
    let done = match &planned.verdict {
        PathVerdict::Leave(why) => return Ok(Reason::plain(left(why))),
        PathVerdict::Restore { .. } => "changed",
        PathVerdict::Recreate { .. } => "deleted",
        PathVerdict::Mode { .. } => "mode changed",
        PathVerdict::Delete => "created",
        PathVerdict::Nothing | PathVerdict::Conflict(_) => return Ok(Reason::default()),
    };
    let Some(story) = story else {
        return Ok(Reason::plain(format!("{done} outside the agents")));
    };
    let mut why = match &story.command {
        // Somebody else may have saved it meanwhile: that is for the reader to know.
        Some(command) => Reason {
            before: format!("{done} while `"),
            command: Some(command.clone()),
            after: "` ran".to_owned(),
        },
        None => Reason::plain(done),
    };
    let row = match &story.checkpoint {
        Some(id) => here.read(|db| checkpoints::by_id(db, id))?,
        None => None,
    };
    if let Some(row) = row {
        match (row.kind, row.turn) {
            (CheckpointKind::Rewind, _) => why.after.push_str(" by the rewind"),
            (_, Some(turn)) => why.after.extend([" in t", &turn.to_string()]),
            (_, None) => {}
        }
    }
    if let Some(actor) = story.actor
        && let Some(actor) = here.read(|db| actors::by_id(db, actor))?
        && actor.key.agent.is_some()
    {
        why.after.extend([" by ", &agent_name(&actor)]);
    }
    Ok(why)
}

fn left(why: &LeftReason) -> String {
    match why {
        LeftReason::Conflict(reason) => reason.to_string(),
        LeftReason::Outside
        | LeftReason::Other(_)
        | LeftReason::Git
        | LeftReason::ExistedBefore
        | LeftReason::MadeBy(_)
        | LeftReason::Repository
        | LeftReason::OnlyCopy(_)
        | LeftReason::NotCaptured(_) => why.to_string(),
    }
}
