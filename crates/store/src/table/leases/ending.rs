//! What becomes of rows when something ends, and which of them come back. Who is told, and who is next, is decided in
//! `life`.

use super::{Lease, columns, read};
use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, EventSeq, LeaseId};
use engine::lease::EndReason;
use engine::time::Timestamp;
use rusqlite::named_params;

/// Ends a lease; false if it had ended before.
pub(crate) fn close(db: &Db, id: LeaseId, reason: EndReason, at: Timestamp) -> Result<bool, StoreError> {
    let ended = db.execute(
        "UPDATE leases SET ended_at = :at, end_reason = :reason, call = NULL,
             owner_seen = (SELECT last_seen FROM actors WHERE actors.id = leases.actor_id)
         WHERE id = :id AND ended_at IS NULL",
        named_params! { ":at": at.0, ":reason": reason.as_str(), ":id": id.0 },
    )?;
    Ok(ended > 0)
}

/// The live leases that a call holds.
pub(crate) fn under_call(db: &Db, call: EventSeq) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE call = :call ORDER BY id"
        ),
        named_params! { ":call": call.0 },
        read,
    )
}

/// A borrowed lease becomes the borrower's own.
pub(crate) fn hand_over(db: &Db, id: LeaseId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET actor_id = lent_to, lent_to = NULL WHERE id = :id AND lent_to IS NOT NULL",
        named_params! { ":id": id.0 },
    )?;
    Ok(())
}

/// What an actor holds or borrowed is another row's.
pub(crate) fn pass_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    for sql in [
        "UPDATE leases SET actor_id = :to WHERE actor_id = :from AND ended_at IS NULL",
        "UPDATE leases SET lent_to = NULLIF(:to, actor_id) WHERE lent_to IN (:from, :to) AND ended_at IS NULL",
    ] {
        db.execute(sql, named_params! { ":from": from.0, ":to": to.0 })?;
    }
    Ok(())
}

/// The client makes a call anew: what the old one held is the new one's.
pub(crate) fn move_call(db: &Db, old: EventSeq, new: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET call = :new WHERE call = :old",
        named_params! { ":new": new.0, ":old": old.0 },
    )?;
    Ok(())
}

/// Single files an actor lost because it was taken to be cut off, after the event it sent then; newest first. What its
/// own event ended, it has let go.
pub(crate) fn cut_off_after(db: &Db, actor: ActorId, event: Timestamp) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases WHERE actor_id = :actor AND ended_at IS NOT NULL AND owner_seen = :event AND kind = 'edit'
                 AND NOT (end_reason = 'interrupted' AND ended_at = owner_seen)
                 AND pattern IS NULL AND end_reason IN ('interrupted', 'idle', 'process_gone')
             ORDER BY id DESC"
        ),
        named_params! { ":actor": actor.0, ":event": event.0 },
        read,
    )
}

/// A lease that ended goes on, unless somebody took the file since.
pub(crate) fn bring_back(db: &Db, lease: &Lease) -> Result<bool, StoreError> {
    let back = db.execute(
        "UPDATE leases SET ended_at = NULL, end_reason = NULL, lent_to = NULL
         WHERE id = :id AND ended_at IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM leases AS later WHERE later.worktree_id = leases.worktree_id AND later.path = leases.path
                 AND later.id > leases.id AND later.ended_at IS NOT NULL AND later.kind = 'edit')",
        named_params! { ":id": lease.id.0 },
    )?;
    Ok(back > 0)
}
