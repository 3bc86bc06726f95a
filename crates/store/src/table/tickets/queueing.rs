//! Getting in line: once per actor and file, however often it asks.

use super::denials::Denials;
use super::{Ticket, columns, read, reading, worktree_column};
use crate::db::Db;
use crate::terms::MOST_PER_ACTOR;
use crate::{Moment, StoreError};
use engine::id::{ActorId, TicketId};
use engine::lease::FileKey;
use rusqlite::named_params;

/// Who gets in line.
#[derive(Debug, Clone, Copy)]
pub struct Queueing<'a> {
    /// Who.
    pub actor: ActorId,
    /// For which file.
    pub key: &'a FileKey,
    /// It was denied the file just now; otherwise it only waits.
    pub denied: bool,
    /// When.
    pub at: Moment,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queued {
    /// It is in line; its ticket as it is now.
    InLine(Box<Ticket>),
    /// It waits for too much already.
    TooMany,
}

/// Puts an actor in line, or counts one more denial where it is.
pub fn queue(db: &Db, queueing: &Queueing<'_>) -> Result<Queued, StoreError> {
    let id = match super::open_of(db, queueing.actor, queueing.key)? {
        Some(ticket) => ticket.id,
        None if super::live_of(db, queueing.actor)? >= MOST_PER_ACTOR => return Ok(Queued::TooMany),
        None => insert(db, queueing)?,
    };
    if queueing.denied {
        count(db, id, queueing.at)?;
    }
    let sql = concat!("SELECT ", columns!(), " FROM tickets WHERE id = :id");
    let ticket = db.one(sql, named_params! { ":id": id.0 }, read)?;
    Ok(Queued::InLine(Box::new(ticket.ok_or(StoreError::Corrupt)?)))
}

fn insert(db: &Db, queueing: &Queueing<'_>) -> Result<TicketId, StoreError> {
    let id = db.insert(
        "INSERT INTO tickets (worktree_id, path, file_id, actor_id, boot_id, created_at, created_ms)
         VALUES (:worktree, :path, :file, :actor, :boot, :at, :ms)",
        named_params! {
            ":worktree": worktree_column(queueing.key.worktree),
            ":path": queueing.key.path,
            ":file": queueing.key.file_id,
            ":actor": queueing.actor.0,
            ":boot": queueing.at.boot_id(),
            ":at": queueing.at.at.0,
            ":ms": queueing.at.boot_ms(),
        },
    )?;
    Ok(TicketId(id))
}

fn count(db: &Db, id: TicketId, at: Moment) -> Result<(), StoreError> {
    let known: Option<String> = db.value(
        "SELECT denied FROM tickets WHERE id = :id",
        named_params! { ":id": id.0 },
    )?;
    let kept = Denials::with_one_more(&known.unwrap_or_default(), reading(at));
    db.execute(
        "UPDATE tickets SET denials = denials + 1, denied = :denied WHERE id = :id",
        named_params! { ":denied": kept, ":id": id.0 },
    )?;
    Ok(())
}
