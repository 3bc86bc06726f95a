//! The line before one file: who is in it, who is next, and how tickets leave it.

use super::{Ticket, TicketState, columns, read, worktree_column};
use crate::db::Db;
use crate::table::notices;
use crate::{Moment, StoreError};
use engine::id::{ActorId, TicketId, WorktreeId};
use engine::lease::FileKey;
use engine::lease::notice::OFFER;
use rusqlite::named_params;

/// The open tickets for a file of live actors, in order; the one it is offered to among them.
pub fn waiting(db: &Db, key: &FileKey) -> Result<Vec<Ticket>, StoreError> {
    let by_path = concat!(
        "SELECT ",
        columns!(),
        " FROM tickets JOIN actors ON actors.id = tickets.actor_id
         WHERE tickets.worktree_id = :worktree AND path = :path AND tickets.state IN ('waiting', 'offered')
             AND actors.state = 'live'
         ORDER BY tickets.id"
    );
    let by_file = concat!(
        "SELECT ",
        columns!(),
        " FROM tickets JOIN actors ON actors.id = tickets.actor_id
         WHERE tickets.worktree_id = :worktree AND file_id = :file AND path <> :path
             AND tickets.state IN ('waiting', 'offered') AND actors.state = 'live'
         ORDER BY tickets.id"
    );
    let worktree = worktree_column(key.worktree);
    let mut found = db.all(
        by_path,
        named_params! { ":worktree": worktree, ":path": key.path },
        read,
    )?;
    if let Some(file) = &key.file_id {
        found.extend(db.all(
            by_file,
            named_params! { ":worktree": worktree, ":file": file, ":path": key.path },
            read,
        )?);
        found.sort_by_key(|ticket| ticket.id);
    }
    Ok(found)
}

/// To whom a file is promised.
pub fn offered(db: &Db, key: &FileKey) -> Result<Option<Ticket>, StoreError> {
    let mut line = waiting(db, key)?;
    line.retain(|ticket| ticket.state == TicketState::Offered);
    Ok(line.into_iter().next())
}

/// The open ticket of an actor for a file.
pub fn open_of(db: &Db, actor: ActorId, key: &FileKey) -> Result<Option<Ticket>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tickets WHERE actor_id = :actor AND worktree_id = :worktree AND path = :path
                 AND state IN ('waiting', 'offered')"
        ),
        named_params! {
            ":actor": actor.0,
            ":worktree": worktree_column(key.worktree),
            ":path": key.path,
        },
        read,
    )
}

/// How many files an actor waits for.
pub fn live_of(db: &Db, actor: ActorId) -> Result<u64, StoreError> {
    db.number(
        "SELECT COUNT(*) FROM tickets WHERE actor_id = :actor AND state IN ('waiting', 'offered')",
        named_params! { ":actor": actor.0 },
    )
}

/// The open tickets of an actor, oldest first.
pub fn of_actor(db: &Db, actor: ActorId) -> Result<Vec<Ticket>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tickets WHERE actor_id = :actor AND state IN ('waiting', 'offered') ORDER BY id"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )
}

/// The open tickets of a worktree, in order.
pub fn in_worktree(db: &Db, worktree: Option<WorktreeId>) -> Result<Vec<Ticket>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tickets WHERE worktree_id = :worktree AND state IN ('waiting', 'offered') ORDER BY id"
        ),
        named_params! { ":worktree": worktree_column(worktree) },
        read,
    )
}

/// Every open ticket, in order.
pub(crate) fn all_open(db: &Db) -> Result<Vec<Ticket>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tickets INDEXED BY tickets_line WHERE state IN ('waiting', 'offered') ORDER BY id"
        ),
        &[],
        read,
    )
}

/// Promises the file to a ticket until a moment.
pub(crate) fn offer(db: &Db, id: TicketId, now: Moment, until: Moment) -> Result<(), StoreError> {
    // The boot clock's columns count from one start of the machine; what was drawn in another is told by the wall.
    db.execute(
        "UPDATE tickets SET state = 'offered', offered_until = :until, offered_until_ms = :until_ms,
             created_ms = CASE WHEN boot_id IS :boot THEN created_ms END, boot_id = :boot
         WHERE id = :id AND state = 'waiting'",
        named_params! {
            ":until": until.at.0,
            ":until_ms": until.boot_ms(),
            ":boot": now.boot_id(),
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// A ticket leaves the line, and with it the text that told of an offer, if nobody read it yet.
pub(crate) fn leave(db: &Db, ticket: &Ticket, state: TicketState) -> Result<(), StoreError> {
    db.execute(
        "UPDATE tickets SET state = :state WHERE id = :id AND state IN ('waiting', 'offered')",
        named_params! { ":state": state.as_str(), ":id": ticket.id.0 },
    )?;
    if ticket.state == TicketState::Offered {
        notices::withdraw(db, ticket.actor, OFFER, &notice_key(&ticket.key))?;
    }
    Ok(())
}

/// What an actor waited for when its turn ended, oldest first.
pub(crate) fn remembered(db: &Db, actor: ActorId) -> Result<Vec<Ticket>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM tickets WHERE actor_id = :actor AND state = 'remembered' ORDER BY id"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )
}

/// A ticket that was remembered is in line again, at its place.
pub(crate) fn return_to_line(db: &Db, ticket: &Ticket, now: Moment) -> Result<(), StoreError> {
    db.execute(
        "UPDATE tickets SET state = 'waiting', created_at = :at, created_ms = :ms, boot_id = :boot, offered_until = NULL,
             offered_until_ms = NULL
         WHERE id = :id AND state = 'remembered'",
        named_params! {
            ":at": now.at.0,
            ":ms": now.boot_ms(),
            ":boot": now.boot_id(),
            ":id": ticket.id.0,
        },
    )?;
    Ok(())
}

/// What is remembered for an actor is of no use any more.
pub(crate) fn forget(db: &Db, id: TicketId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE tickets SET state = 'dropped' WHERE id = :id AND state = 'remembered'",
        named_params! { ":id": id.0 },
    )?;
    Ok(())
}

/// The actor took the file.
pub(crate) fn used(db: &Db, actor: ActorId, key: &FileKey) -> Result<(), StoreError> {
    match open_of(db, actor, key)? {
        Some(ticket) => leave(db, &ticket, TicketState::Used),
        None => Ok(()),
    }
}

/// The actor knows of the offer: it is not told again.
pub fn heard(db: &Db, ticket: &Ticket) -> Result<(), StoreError> {
    notices::withdraw(db, ticket.actor, OFFER, &notice_key(&ticket.key))
}

/// What tells the offers of two files apart.
pub(crate) fn notice_key(key: &FileKey) -> String {
    format!("{} {}", worktree_column(key.worktree), key.path)
}
