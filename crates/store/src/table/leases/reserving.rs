//! Reserving paths and globs for a time: all of them or none.

use super::{Lease, in_worktree, reservations};
use crate::db::Db;
use crate::table::actors;
use crate::table::tickets::{self, Ticket, TicketState};
use crate::terms::MOST_PER_ACTOR;
use crate::{Moment, StoreError, pattern};
use engine::id::{ActorId, LeaseId, ProjectId, WorktreeId};
use rusqlite::named_params;

/// What is to be reserved.
#[derive(Debug, Clone, Copy)]
pub struct Reservation<'a> {
    /// For whom.
    pub actor: ActorId,
    /// Where.
    pub project: Option<ProjectId>,
    /// Where.
    pub worktree: WorktreeId,
    /// Paths or globs, relative to the worktree.
    pub patterns: &'a [String],
    /// For how long.
    pub for_ms: u64,
    /// Why.
    pub reason: Option<&'a str>,
    /// When.
    pub at: Moment,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reserving {
    /// All of them are reserved, some perhaps for longer than before.
    Made(Vec<LeaseId>),
    /// Others have some of it, or are promised it; nothing changed.
    Refused {
        /// What they have.
        leases: Vec<Lease>,
        /// What they are promised.
        promises: Vec<Ticket>,
    },
    /// The actor has too many; nothing changed.
    TooMany,
}

/// Reserves all patterns or none. What the same owner reserved before is extended.
pub fn reserve(db: &Db, wanted: &Reservation<'_>) -> Result<Reserving, StoreError> {
    let known = reservations(db, Some(wanted.worktree))?;
    let own = |glob: &String| {
        known
            .iter()
            .find(|lease| lease.owner == wanted.actor && lease.key.path == *glob)
    };
    let globs: Vec<_> = wanted
        .patterns
        .iter()
        .map(|glob| (pattern::of(glob), own(glob).is_some()))
        .collect();
    let mut others = Vec::new();
    for lease in in_worktree(db, Some(wanted.worktree))?
        .into_iter()
        .chain(known.iter().cloned())
    {
        if lease.holder() == wanted.actor || lease.owner == wanted.actor {
            continue;
        }
        // What is reserved already lets its owner's own agents pass; what they have does not end that.
        let mut met = globs.iter().filter(|(glob, _)| pattern::meets(glob, &lease));
        let is_met_anew = met.clone().any(|(_, is_kept)| !is_kept);
        if is_met_anew || (met.next().is_some() && !actors::is_below(db, lease.holder(), wanted.actor)?) {
            others.push(lease);
        }
    }
    let promises: Vec<Ticket> = tickets::in_worktree(db, Some(wanted.worktree))?
        .into_iter()
        .filter(|ticket| ticket.state == TicketState::Offered && ticket.actor != wanted.actor)
        .filter(|ticket| globs.iter().any(|(glob, _)| glob.fits(&ticket.key.path)))
        .collect();
    if !others.is_empty() || !promises.is_empty() {
        return Ok(Reserving::Refused {
            leases: others,
            promises,
        });
    }
    let more = wanted.patterns.iter().filter(|glob| own(glob).is_none()).count();
    let more = u64::try_from(more).unwrap_or(u64::MAX);
    if count_reserved(db, wanted.actor)?.saturating_add(more) > MOST_PER_ACTOR {
        return Ok(Reserving::TooMany);
    }
    let mut made = Vec::new();
    for glob in wanted.patterns {
        made.push(match own(glob) {
            Some(lease) => extend(db, lease.id, wanted)?,
            None => insert(db, glob, wanted)?,
        });
    }
    Ok(Reserving::Made(made))
}

/// How much an actor has reserved.
pub fn count_reserved(db: &Db, actor: ActorId) -> Result<u64, StoreError> {
    db.number(
        "SELECT COUNT(*) FROM leases WHERE actor_id = :actor AND ended_at IS NULL AND kind = 'reserve'",
        named_params! { ":actor": actor.0 },
    )
}

fn extend(db: &Db, lease: LeaseId, wanted: &Reservation<'_>) -> Result<LeaseId, StoreError> {
    let ends = wanted.at.plus(wanted.for_ms);
    db.execute(
        "UPDATE leases SET expires_at = :ends, expires_ms = :ends_ms, reason = COALESCE(:reason, reason),
             touched_at = :at, touched_ms = :ms, taken_ms = CASE WHEN boot_id IS :boot THEN taken_ms END,
             boot_id = :boot
         WHERE id = :id",
        named_params! {
            ":ends": ends.at.0,
            ":ends_ms": ends.boot_ms(),
            ":reason": wanted.reason,
            ":at": wanted.at.at.0,
            ":ms": wanted.at.boot_ms(),
            ":boot": wanted.at.boot_id(),
            ":id": lease.0,
        },
    )?;
    Ok(lease)
}

fn insert(db: &Db, glob: &str, wanted: &Reservation<'_>) -> Result<LeaseId, StoreError> {
    let ends = wanted.at.plus(wanted.for_ms);
    let id = db.insert(
        "INSERT INTO leases (project_id, worktree_id, kind, path, pattern, actor_id, reason, boot_id, taken_at, taken_ms,
             touched_at, touched_ms, expires_at, expires_ms)
         VALUES (:project, :worktree, 'reserve', :glob, :glob, :actor, :reason, :boot, :at, :ms, :at, :ms, :ends,
             :ends_ms)",
        named_params! {
            ":project": wanted.project.map(|id| id.0),
            ":worktree": wanted.worktree.0,
            ":glob": glob,
            ":actor": wanted.actor.0,
            ":reason": wanted.reason,
            ":boot": wanted.at.boot_id(),
            ":at": wanted.at.at.0,
            ":ms": wanted.at.boot_ms(),
            ":ends": ends.at.0,
            ":ends_ms": ends.boot_ms(),
        },
    )?;
    Ok(LeaseId(id))
}
