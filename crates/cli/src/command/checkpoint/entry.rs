//! One checkpoint as a list shows it, in JSON and in words.

use super::address::short;
use super::point;
use crate::moment;
use crate::terminal::cut;
use engine::text::{plain, shortened};
use engine::time::Timestamp;
use serde::Serialize;
use store::table::checkpoint_files::{ChangeOrigin, NewFile};
use store::table::checkpoints::{Checkpoint, CheckpointKind, Counts, ListedActor, ListedCheckpoint};

/// Characters of a subagent's id that people see.
const SHORT_ID: usize = 4;

/// The person, as lists and the log name them.
const YOU: &str = "you";

/// See the module. The order of the fields is that of the JSON object.
#[derive(Debug, Clone, Serialize)]
pub struct CheckpointEntry {
    id: String,
    point: Option<String>,
    kind: &'static str,
    turn: Option<u64>,
    /// The subagent's id, `main`, or `you`; nothing where nobody acted.
    actor: Option<String>,
    agent_type: Option<String>,
    label: String,
    files: FileCounts,
    commits: Vec<String>,
    degraded: Vec<String>,
    created_at: String,
    /// Only in a list over several: which session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Only in a list over several: which worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<::daemon::checkpoint::path_text::PathText>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct FileCounts {
    added: u64,
    modified: u64,
    deleted: u64,
    skipped: u64,
}

impl CheckpointEntry {
    /// A checkpoint as programs read it.
    pub fn of(listed: &ListedCheckpoint) -> Self {
        let row = &listed.checkpoint;
        let who = listed.who.as_ref();
        Self {
            id: row.id.to_string(),
            point: Some(point::name(row)).filter(|point| point != "-"),
            kind: row.kind.as_str(),
            turn: row.turn,
            actor: actor(row, who),
            agent_type: agent_type(row, who),
            label: row.label.clone(),
            files: FileCounts::from(row.counts),
            commits: listed.commits.iter().map(|link| link.commit.clone()).collect(),
            degraded: row.degraded.clone(),
            created_at: moment::rfc3339(row.created_at),
            session: None,
            worktree: None,
        }
    }

    /// The same in a list over several sessions and worktrees.
    #[must_use]
    pub fn among_many(mut self, session: Option<String>, worktree: Option<&std::path::Path>) -> Self {
        use std::os::unix::ffi::OsStrExt;
        self.session = session;
        self.worktree =
            worktree.map(|root| ::daemon::checkpoint::path_text::PathText::of(root.as_os_str().as_bytes()));
        self
    }
}

impl From<Counts> for FileCounts {
    fn from(counts: Counts) -> Self {
        Self {
            added: counts.added,
            modified: counts.modified,
            deleted: counts.deleted,
            skipped: counts.skipped,
        }
    }
}

/// How long ago, in as few characters as possible: `2m`.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Whose work ended in it: `claude·main`, `claude·a3f2`, `outside` where no call made the changes, `you`.
pub fn who(checkpoint: &Checkpoint, who: Option<&ListedActor>) -> String {
    match (checkpoint.kind, who) {
        (CheckpointKind::Outside, _) => "outside".to_owned(),
        (CheckpointKind::BeforeRewind | CheckpointKind::Rewind, _) | (CheckpointKind::Manual, None) => {
            YOU.to_owned()
        }
        (
            CheckpointKind::Baseline
            | CheckpointKind::Step
            | CheckpointKind::AgentStart
            | CheckpointKind::AgentStop
            | CheckpointKind::Turn
            | CheckpointKind::Interrupted
            | CheckpointKind::Before,
            None,
        ) => "-".to_owned(),
        (_, Some(who)) => agent(who),
    }
}

/// The same for programs: the subagent's id, `main`, or `you`.
pub fn actor(checkpoint: &Checkpoint, who: Option<&ListedActor>) -> Option<String> {
    let is_by_hand = checkpoint.kind == CheckpointKind::Manual && who.is_none();
    if is_persons(checkpoint.kind) || is_by_hand {
        return Some(YOU.to_owned());
    }
    let agent = who?.key.agent.as_ref();
    Some(agent.map_or_else(|| "main".to_owned(), ToString::to_string))
}

/// What kind of agent that is.
pub fn agent_type(checkpoint: &Checkpoint, who: Option<&ListedActor>) -> Option<String> {
    who.filter(|_| !is_persons(checkpoint.kind))?.agent_type.clone()
}

/// Whether only a person makes it. Whose work it puts back is another matter.
fn is_persons(kind: CheckpointKind) -> bool {
    matches!(kind, CheckpointKind::BeforeRewind | CheckpointKind::Rewind)
}

/// Who changed a file in a checkpoint, as lists name them.
pub fn changer(file: &NewFile, who: Option<&ListedActor>) -> Option<String> {
    match file.origin {
        ChangeOrigin::Rewind => Some(YOU.to_owned()),
        ChangeOrigin::Tool | ChangeOrigin::Shell | ChangeOrigin::Shared | ChangeOrigin::Outside => {
            who.map(agent)
        }
    }
}

/// An agent as lists name it: `claude·main`, `claude·a3f2`.
pub fn agent(who: &ListedActor) -> String {
    let program = plain(who.key.agent_kind.as_str());
    let program = program.split('-').next().unwrap_or_default();
    let agent = who.key.agent.as_ref().map(|id| plain(id.as_str()));
    let agent = agent.map(|id| id.chars().take(SHORT_ID).collect::<String>());
    format!("{}·{}", cut(program, 12), agent.as_deref().unwrap_or("main"))
}

/// How many files it changed: `+1 ~2 -1`.
pub fn files(checkpoint: &Checkpoint) -> String {
    let counts = &checkpoint.counts;
    let signed = [('+', counts.added), ('~', counts.modified), ('-', counts.deleted)];
    let mut words: Vec<String> = signed
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(sign, count)| format!("{sign}{count}"))
        .collect();
    if counts.skipped > 0 {
        words.push(format!("({} left out)", counts.skipped));
    }
    match (checkpoint.kind, words.is_empty()) {
        (CheckpointKind::Baseline, _) => "baseline".to_owned(),
        (_, true) => "-".to_owned(),
        (_, false) => words.join(" "),
    }
}

/// Its label on one line.
pub fn label(checkpoint: &Checkpoint) -> String {
    shortened(&plain(&checkpoint.label), 200)
}

/// The commits that hold its work: `commit 9e02b11`.
pub fn commits(listed: &ListedCheckpoint) -> String {
    let ids: Vec<&str> = listed.commits.iter().map(|link| short(&link.commit)).collect();
    match ids.as_slice() {
        [] => String::new(),
        [only] => format!("commit {only}"),
        [newest, others @ ..] => format!("commit {newest} +{}", others.len()),
    }
}
