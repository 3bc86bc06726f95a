//! Drops checkpoints of one line: new commits first, then the rows, then the ref.
//!
//! Whoever is killed before the rows are changed has changed nothing. Whoever is killed before the ref has moved leaves
//! rows that name the new commits: the next who opens the line moves it there (see `settling`).

use super::super::cutter::{CutError, Cutter};
use super::renewal::Renewal;
use engine::id::{CheckpointId, WorktreeId};
use git::object::Id;
use git::shadow::{Shadow, Track};
use std::collections::BTreeSet;
use store::table::checkpoints::{self, Checkpoint, retention};
use store::{Db, StoreError, fault};

/// What became of a line.
#[derive(Debug, Default)]
pub struct Thinned {
    /// The checkpoints that went.
    pub gone: Vec<CheckpointId>,
    /// The commits that nothing leads to any more.
    pub left_behind: Vec<Id>,
}

/// Drops these checkpoints of a line. Those that keep the work of two apart stay.
pub fn thin(
    cutter: &Cutter<'_>,
    shadow: &Shadow,
    line: &Track,
    unwanted: &[CheckpointId],
) -> Result<Thinned, CutError> {
    let _alone = shadow.lock_line(line)?;
    let Some(tip) = settled_tip(cutter, shadow, line)? else {
        return Ok(Thinned::default());
    };
    let going = droppable(cutter, unwanted)?;
    if going.is_empty() {
        return Ok(Thinned::default());
    }
    let ids: BTreeSet<&CheckpointId> = going.iter().collect();
    let renewal = Renewal::write(shadow, tip, &ids)?;
    fault::point("line-written");
    if !record(cutter, &going, Some(&renewal))? {
        return Ok(Thinned::default());
    }
    fault::point("line-recorded");
    if renewal.tip != tip {
        shadow.advance(line, Some(tip), renewal.tip)?;
    }
    fault::point("line-moved");
    Ok(Thinned {
        gone: going,
        left_behind: renewal.left_behind,
    })
}

/// Drops the rows of checkpoints that are on no line any more.
pub fn forget(cutter: &Cutter<'_>, unwanted: &[CheckpointId]) -> Result<Vec<CheckpointId>, CutError> {
    let going = droppable(cutter, unwanted)?;
    let has_gone = record(cutter, &going, None)?;
    Ok(if has_gone { going } else { Vec::new() })
}

/// The worktree whose line has this tip; none if the tip is not recorded.
pub fn owner(cutter: &Cutter<'_>, shadow: &Shadow, tip: Id) -> Result<Option<WorktreeId>, CutError> {
    Ok(known(cutter, shadow, tip)?.map(|row| row.worktree))
}

/// The tip, once rows and ref agree. The line of another worktree is left to its own cutter if they do not.
fn settled_tip(cutter: &Cutter<'_>, shadow: &Shadow, line: &Track) -> Result<Option<Id>, CutError> {
    if *line == cutter.site.line {
        return Ok(cutter.tip(shadow)?.commit);
    }
    let Some(tip) = shadow.tip(line)? else {
        return Ok(None);
    };
    Ok(known(cutter, shadow, tip)?.map(|_| tip))
}

/// The checkpoint whose commit, or whose seal, this is.
fn known(cutter: &Cutter<'_>, shadow: &Shadow, commit: Id) -> Result<Option<Checkpoint>, CutError> {
    let Some((id, _)) = super::renewal::named_in(&shadow.read_commit(commit)?.message) else {
        return Ok(None);
    };
    let name = commit.to_string();
    let row = cutter.read(|db| checkpoints::by_id(db, &id))?;
    Ok(row.filter(|row| row.commit == name || row.sealed_commit.as_deref() == Some(&name)))
}

/// Which of these can be dropped, one after the other: tried out, and taken back.
pub(super) fn droppable(
    cutter: &Cutter<'_>,
    unwanted: &[CheckpointId],
) -> Result<Vec<CheckpointId>, CutError> {
    let mut seat = cutter.writer.store();
    let mut tx = seat.begin()?;
    let going = tx.unit(|db| {
        let mut going = Vec::new();
        for id in unwanted {
            if retention::drop(db, id)? {
                going.push(id.clone());
            }
        }
        Ok(going)
    })?;
    // Not committed: it never happened.
    drop(tx);
    Ok(going)
}

/// Changes the rows, all or nothing; false if one of them cannot go any more.
pub(super) fn record(
    cutter: &Cutter<'_>,
    going: &[CheckpointId],
    renewal: Option<&Renewal>,
) -> Result<bool, CutError> {
    let mut seat = cutter.writer.store();
    let mut tx = seat.begin()?;
    let has_gone = tx.unit(|db| {
        for id in going {
            if !retention::drop(db, id)? {
                return Ok(false);
            }
        }
        if let Some(renewal) = renewal {
            name_commits(db, renewal)?;
        }
        Ok(true)
    })?;
    if has_gone {
        tx.commit()?;
    }
    Ok(has_gone)
}

fn name_commits(db: &Db, renewal: &Renewal) -> Result<(), StoreError> {
    for (id, new) in &renewal.commits {
        let Some(row) = checkpoints::by_id(db, id)? else {
            continue;
        };
        let commit = new.commit.map_or(row.commit, |commit| commit.to_string());
        let sealed = new.seal.map(|seal| seal.to_string()).or(row.sealed_commit);
        checkpoints::set_commits(db, id, &commit, sealed.as_deref())?;
    }
    Ok(())
}
