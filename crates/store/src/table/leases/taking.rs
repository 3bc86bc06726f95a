//! Taking a file, taking it again, lending it, and counting what was written under it.

use super::{Lease, everything, held, worktree_column};
use crate::client::ClientProcess;
use crate::db::Db;
use crate::table::tickets;
use crate::{Moment, StoreError, fault};
use engine::id::{ActorId, EventSeq, LeaseId, ProjectId, WorktreeId};
use engine::lease::held::{EVERYTHING, WHOLE_TREE};
use engine::lease::{FileKey, Means};
use rusqlite::named_params;

/// Who takes something, for which call.
#[derive(Debug, Clone, Copy)]
pub struct Taking {
    /// Who.
    pub actor: ActorId,
    /// Where.
    pub project: Option<ProjectId>,
    /// The event that opened the call which writes; `None` where it is over already.
    pub call: Option<EventSeq>,
    /// What writes.
    pub means: Means,
    /// When.
    pub at: Moment,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakeResult {
    /// It was free.
    New(LeaseId),
    /// The actor had it.
    Again(LeaseId),
    /// Another has it; nothing changed.
    Held(Box<Lease>),
}

/// Takes a file, unless another has it or the whole worktree. The actor's ticket for it is used.
pub fn take(db: &Db, taking: &Taking, key: &FileKey) -> Result<TakeResult, StoreError> {
    let known = match held(db, key)? {
        Some(lease) => Some(lease),
        None => everything(db, key.worktree)?.filter(|lease| lease.holder() != taking.actor),
    };
    if let Some(lease) = known {
        if lease.holder() != taking.actor {
            return Ok(TakeResult::Held(Box::new(lease)));
        }
        touch(db, lease.id, taking)?;
        return Ok(TakeResult::Again(lease.id));
    }
    fault::point("lease-take");
    let id = insert(db, taking, key, None, None)?;
    tickets::used(db, taking.actor, key)?;
    Ok(TakeResult::New(id))
}

/// Takes a whole worktree for one call, unless another has it. Leases on single files are the decision's business.
pub fn take_all(
    db: &Db,
    taking: &Taking,
    worktree: WorktreeId,
    command: &str,
) -> Result<TakeResult, StoreError> {
    let key = FileKey {
        worktree: Some(worktree),
        path: WHOLE_TREE.to_owned(),
        file_id: None,
    };
    if let Some(lease) = everything(db, Some(worktree))? {
        if lease.holder() != taking.actor {
            return Ok(TakeResult::Held(Box::new(lease)));
        }
        touch(db, lease.id, taking)?;
        return Ok(TakeResult::Again(lease.id));
    }
    fault::point("lease-take");
    insert(db, taking, &key, Some(EVERYTHING), Some(command)).map(TakeResult::New)
}

/// Takes a whole worktree for a command of the person's, until its process ends; whatever files others hold in it.
pub fn occupy(
    db: &Db,
    taking: &Taking,
    worktree: WorktreeId,
    (command, process): (&str, &ClientProcess),
) -> Result<TakeResult, StoreError> {
    let taken = take_all(db, taking, worktree, command)?;
    if let TakeResult::New(id) | TakeResult::Again(id) = &taken {
        db.execute(
            "UPDATE leases SET pid = :pid, pid_started = :started WHERE id = :id",
            named_params! { ":pid": process.pid_column(), ":started": process.started_column(), ":id": id.0 },
        )?;
    }
    Ok(taken)
}

fn insert(
    db: &Db,
    taking: &Taking,
    key: &FileKey,
    pattern: Option<&str>,
    reason: Option<&str>,
) -> Result<LeaseId, StoreError> {
    let id = db.insert(
        "INSERT INTO leases (project_id, worktree_id, kind, path, pattern, file_id, actor_id, call, means, reason,
             boot_id, taken_at, taken_ms, touched_at, touched_ms)
         VALUES (:project, :worktree, 'edit', :path, :pattern, :file, :actor, :call, :means, :reason, :boot, :at, :ms,
             :at, :ms)",
        named_params! {
            ":project": taking.project.map(|id| id.0),
            ":worktree": worktree_column(key.worktree),
            ":path": key.path,
            ":pattern": pattern,
            ":file": key.file_id,
            ":actor": taking.actor.0,
            ":call": taking.call.map(|event| event.0),
            ":means": taking.means.as_str(),
            ":reason": reason,
            ":boot": taking.at.boot_id(),
            ":at": taking.at.at.0,
            ":ms": taking.at.boot_ms(),
        },
    )?;
    Ok(LeaseId(id))
}

/// The holder writes again: the lease is touched, and the newest call is the one that counts.
pub fn touch(db: &Db, lease: LeaseId, taking: &Taking) -> Result<(), StoreError> {
    // The columns of another boot say nothing any more; what they meant is told by the wall's clock.
    db.execute(
        "UPDATE leases SET touched_at = :at, touched_ms = :ms, call = COALESCE(:call, call), means = :means,
             call_only = call_only AND :means = 'shell',
             taken_ms = CASE WHEN boot_id IS :boot THEN taken_ms END,
             wrote_ms = CASE WHEN boot_id IS :boot THEN wrote_ms END, boot_id = :boot
         WHERE id = :id AND ended_at IS NULL",
        named_params! {
            ":at": taking.at.at.0,
            ":ms": taking.at.boot_ms(),
            ":boot": taking.at.boot_id(),
            ":call": taking.call.map(|event| event.0),
            ":means": taking.means.as_str(),
            ":id": lease.0,
        },
    )?;
    Ok(())
}

/// The actor borrows a lease of another until it ends.
pub fn lend(db: &Db, lease: LeaseId, taking: &Taking) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET lent_to = NULLIF(:to, actor_id) WHERE id = :id AND kind = 'edit' AND ended_at IS NULL",
        named_params! { ":to": taking.actor.0, ":id": lease.0 },
    )?;
    touch(db, lease, taking)
}

/// A lent lease goes back to its owner.
pub fn give_back(db: &Db, lease: LeaseId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET lent_to = NULL, call = NULL WHERE id = :id AND ended_at IS NULL AND lent_to IS NOT NULL",
        named_params! { ":id": lease.0 },
    )?;
    Ok(())
}

/// A write under a lease succeeded, and its call is done with it.
pub fn wrote(db: &Db, lease: LeaseId, at: Moment) -> Result<(), StoreError> {
    // What was counted when the call might have been cut off is not counted again.
    db.execute(
        "UPDATE leases SET
             writes = writes + 1 - COALESCE(wrote_at > (SELECT at FROM events WHERE seq = leases.call), 0),
             call = NULL, touched_at = :at, touched_ms = :ms, wrote_at = :at,
             wrote_ms = :ms, taken_ms = CASE WHEN boot_id IS :boot THEN taken_ms END, boot_id = :boot
         WHERE id = :id AND ended_at IS NULL",
        named_params! { ":at": at.at.0, ":ms": at.boot_ms(), ":boot": at.boot_id(), ":id": lease.0 },
    )?;
    Ok(())
}

/// The call goes on in the background: neither its end nor that of another call ends the lease, whether something was
/// written or not.
pub fn go_on_in_background(db: &Db, lease: LeaseId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET call = NULL, background = 1 WHERE id = :id AND ended_at IS NULL",
        named_params! { ":id": lease.0 },
    )?;
    Ok(())
}

/// The lease ends with its call, whatever is written.
pub fn end_with_call(db: &Db, lease: LeaseId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET call_only = 1 WHERE id = :id AND call IS NOT NULL AND ended_at IS NULL",
        named_params! { ":id": lease.0 },
    )?;
    Ok(())
}

/// The call is over, and its holder keeps the lease.
pub fn detach(db: &Db, lease: LeaseId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET call = NULL WHERE id = :id AND call IS NOT NULL",
        named_params! { ":id": lease.0 },
    )?;
    Ok(())
}
