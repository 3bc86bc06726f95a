//! Calls that are cut off: no event tells what they wrote by then, so the files are asked.

use super::content::{hash, stamp};
use engine::answer::Answers;
use engine::id::ActorKey;
use engine::lease::{ContentIdentity, ContentStamp, FileChangeKind, FileObservation, FileTarget};
use engine::time::Timestamp;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use store::life::LeaseMoment;
use store::table::leases::{self, Lease};
use store::table::seen::{self, KnowledgeSource, Look};
use store::table::{events, sessions, worktrees};
use store::{ClientProcess, Db, StoreError};

/// All files together; what comes later is told by its size and time.
const PATIENCE: Duration = Duration::from_millis(100);
/// Files beyond this are told by their size and time.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// Counts what the open calls of a client session have written, before they are closed.
pub fn count_writes(db: &Db, session: &ActorKey, now: &LeaseMoment) -> Result<(), StoreError> {
    count(db, leases::at_work_in_session(db, session)?, now)
}

/// Closes what a process left behind when it went away, with what its calls had written by then. Says how many actors
/// that were.
pub fn close_lost(db: &Db, client: &ClientProcess, now: impl Into<LeaseMoment>) -> Result<usize, StoreError> {
    let now = now.into();
    count(db, leases::at_work_in_process(db, client)?, &now)?;
    sessions::close_lost(db, client, now)
}

fn count(db: &Db, at_work: Vec<Lease>, now: &LeaseMoment) -> Result<(), StoreError> {
    if at_work.is_empty() {
        return Ok(());
    }
    let until = Instant::now() + PATIENCE;
    let event = events::newest(db)?;
    for lease in at_work {
        let Some(left) = left_by(db, &lease, until)? else {
            continue;
        };
        leases::count_write(db, lease.id, now.moment)?;
        let look = Look {
            actor: lease.holder(),
            key: &lease.key,
            content: &left.content,
            stamp: left.stamp,
            way: KnowledgeSource::Wrote {
                by: lease.means,
                whole: false,
            },
            event,
            at: now.moment,
        };
        seen::note(db, &look)?;
    }
    Ok(())
}

/// What is in a file now.
struct CurrentContent {
    content: ContentIdentity,
    stamp: Option<ContentStamp>,
}

/// What a lease's call made of its file; `None` where that is as it was, or somebody else's doing.
fn left_by(db: &Db, lease: &Lease, until: Instant) -> Result<Option<CurrentContent>, StoreError> {
    let Some((before, at)) = found_before(db, lease)? else {
        return Ok(None);
    };
    let path = match &before.root {
        Some(root) => root.join(&before.key.path),
        None => PathBuf::from(&before.key.path),
    };
    let found = std::fs::metadata(&path).ok();
    let Some(left) = changed(&before, at, &path, found.as_ref(), until) else {
        return Ok(None);
    };
    let last = seen::last_change(db, &lease.key)?;
    // What another wrote meanwhile is that one's, and what was counted before is no second write.
    let is_known = last
        .is_some_and(|last| lease.call.is_some_and(|call| last.event > call) && last.content == left.content);
    Ok((!is_known).then_some(left))
}

/// The file as it was when the call was judged, and when that was.
fn found_before(db: &Db, lease: &Lease) -> Result<Option<(FileTarget, Timestamp)>, StoreError> {
    let Some(call) = lease.call else {
        return Ok(None);
    };
    let Some(event) = events::by_seq(db, call)? else {
        return Ok(None);
    };
    let facts = event.facts.unwrap_or_default();
    let known = serde_json::from_str::<Answers>(&facts).ok();
    let mut targets = known
        .and_then(|answers| answers.lease)
        .unwrap_or_default()
        .targets;
    let file = lease.key.file_id.as_ref();
    targets.retain(|target| {
        let is_linked = file.is_some() && target.key.file_id.as_ref() == file;
        target.root.is_some() == lease.key.worktree.is_some()
            && (target.key.path == lease.key.path || is_linked)
    });
    if let (true, Some(worktree)) = (targets.len() > 1, lease.key.worktree) {
        let root = worktrees::by_id(db, worktree)?.map(|worktree| worktree.root);
        targets.retain(|target| target.root == root);
    }
    Ok(targets.pop().map(|target| (target, event.at)))
}

/// What is there, if it is not what was there before.
fn changed(
    before: &FileTarget,
    at: Timestamp,
    path: &Path,
    found: Option<&Metadata>,
    until: Instant,
) -> Option<CurrentContent> {
    let Some(found) = found else {
        // A name that is spelled otherwise on the disk is not found either; only who removes a file is believed.
        return (before.exists && before.how == FileChangeKind::Remove).then_some(CurrentContent {
            content: ContentIdentity::Nothing,
            stamp: None,
        });
    };
    let now = stamp(found);
    let known = FileObservation {
        content: before.content.clone(),
        stamp: before.stamp,
        at_ms: at.0,
        behind: false,
    };
    if known.still_is(&now) {
        return None;
    }
    let left = CurrentContent {
        content: hash(path, found, MOST_BYTES, until),
        stamp: Some(now),
    };
    let is_other = match (&before.content, &left.content) {
        (ContentIdentity::Hash(before), ContentIdentity::Hash(now)) => before != now,
        _ => before.stamp != left.stamp,
    };
    is_other.then_some(left)
}

#[cfg(test)]
mod tests;
