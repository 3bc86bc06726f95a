//! What a command changed under its holder: which checkpoint has the version before it, and what brings it back.

use crate::command::checkpoint::path_argument;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::Failure;
use ::daemon::environment::Environment;
use engine::id::CheckpointSeq;
use engine::lease::FileTarget;
use engine::text::one_line;
use engine::text::path_word;
use git::path::RepoPath;
use std::ffi::OsStr;
use store::table::actors;
use store::table::checkpoint_files::{self, FileRow};
use store::table::checkpoints::{self, Checkpoint};
use store::table::events::EventRow;
use store::{Db, FileState, StoreError};

/// The checkpoint that has the version before, and that version.
struct KeptVersion {
    checkpoint: Checkpoint,
    state: Option<FileState>,
    /// Somebody is in the middle of a turn in this worktree.
    at_work: bool,
}

/// What is said of it. Where nothing was kept, that is said.
pub fn text(environment: &Environment, path: &str, target: &FileTarget, event: &EventRow) -> String {
    let who = event.actor.as_ref().map_or("somebody", |actor| &actor.label);
    let head = format!(
        "  a command of {} changed it under its holder (event {})\n",
        one_line(who, 40),
        event.seq
    );
    match kept(environment, OsStr::new(path), event) {
        Ok(Some(kept)) => {
            let id = &kept.checkpoint.id;
            let content = kept.state.map_or_else(
                || "it was not there".to_owned(),
                |state| format!("content {}", state.id.get(..12).unwrap_or(&state.id)),
            );
            let (path, running) = (
                path_word(path),
                if kept.at_work { " --while-running" } else { "" },
            );
            format!(
                "{head}  kept     checkpoint {id} has the version before it: {content}\n  restore  toprope rewind {id} --scope all --path {path}{running}\n"
            )
        }
        Ok(None) => format!("{head}  kept     no checkpoint has the version before it\n"),
        Err(failure) => {
            let why = failure.text();
            let why = why.lines().next().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            format!("{head}  kept     {} cannot be looked up: {why}\n", target.shown)
        }
    }
}

fn kept(environment: &Environment, path: &OsStr, event: &EventRow) -> Result<Option<KeptVersion>, Failure> {
    let here = CheckpointPlace::open(environment)?;
    let Some(path) = path_argument::within(&here, path)? else {
        return Ok(None);
    };
    Ok(here.read(|db| before(db, &here, &path, event))?)
}

/// The line's last checkpoint before the one that holds what the command did.
fn before(
    db: &Db,
    here: &CheckpointPlace,
    path: &RepoPath,
    event: &EventRow,
) -> Result<Option<KeptVersion>, StoreError> {
    let changes = checkpoint_files::history_of(db, here.worktree, CheckpointSeq(0), path.as_bytes())?;
    let actor = event.actor.as_ref().map(|actor| actor.id);
    let is_its = |row: &&FileRow| {
        let by_call = event.tool_use_id.is_some() && row.file.tool_use_id == event.tool_use_id;
        by_call && row.file.actor == actor
    };
    let Some(change) = changes.iter().rfind(is_its) else {
        return Ok(None);
    };
    let mut line = checkpoints::line(db, here.worktree)?;
    line.retain(|checkpoint| checkpoint.seq < change.seq);
    let at_work = !actors::working_in(db, here.worktree)?.is_empty();
    Ok(line.pop().map(|checkpoint| KeptVersion {
        checkpoint,
        state: change.file.before.clone(),
        at_work,
    }))
}
