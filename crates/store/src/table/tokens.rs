//! Tokens: who a command of ours belongs to that an agent runs. One is good for one open call; where the command goes on in
//! the background, until its actor's turn ends.

use crate::db::Db;
use crate::migration::Migration;
use crate::table::trusts::Fingerprint;
use crate::{Moment, StoreError};
use engine::id::{ActorId, EventSeq, ToolUseId};
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 4,
    oldest_reader: 1,
    sql: "CREATE TABLE call_tokens (
        token BLOB PRIMARY KEY, -- SHA-256: whoever reads the file cannot speak for anybody
        call INTEGER NOT NULL, -- the event that opened it
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        issued_at INTEGER NOT NULL,
        background INTEGER NOT NULL DEFAULT 0 -- 1: the command goes on after its call, in this turn
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX call_tokens_of_call ON call_tokens (call);
    CREATE INDEX call_tokens_background ON call_tokens (actor_id) WHERE background = 1;",
}];

/// Whose command it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bearer {
    /// Who runs it.
    pub actor: ActorId,
    /// The event that opened the call it runs in.
    pub call: EventSeq,
}

/// Binds a token, 128 random bits as text, to an open call and its actor.
pub fn issue(db: &Db, token: &str, bearer: Bearer, at: Moment) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO call_tokens (token, call, actor_id, issued_at) VALUES (:token, :call, :actor, :at)
         ON CONFLICT (token) DO NOTHING",
        named_params! {
            ":token": Fingerprint::of(token.as_bytes()).bytes(),
            ":call": bearer.call.0,
            ":actor": bearer.actor.0,
            ":at": at.at.0,
        },
    )?;
    Ok(())
}

/// Whose command carries this token; nobody's once the call is closed and the command does not go on without it.
pub fn bearer(db: &Db, token: &str) -> Result<Option<Bearer>, StoreError> {
    db.one(
        "SELECT call_tokens.actor_id, call FROM call_tokens
             JOIN calls ON calls.event = call AND calls.actor_id = call_tokens.actor_id
         WHERE token = :token AND (closed_at IS NULL OR background = 1)",
        named_params! { ":token": Fingerprint::of(token.as_bytes()).bytes() },
        |row| {
            Ok(Bearer {
                actor: ActorId(row.take()?),
                call: EventSeq(row.take()?),
            })
        },
    )
}

/// A call was answered, and its command goes on in the background: the client says so before the shell has begun.
pub fn go_on_in_background(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE call_tokens SET background = 1 WHERE actor_id = :actor AND call IN (
             SELECT seq FROM events WHERE actor_id = :actor AND tool_use_id = :call)",
        named_params! { ":actor": actor.0, ":call": call.as_str() },
    )?;
    Ok(())
}

/// An actor's turn is over, and with it what its commands in the background may do in its name.
pub(crate) fn end_background(db: &Db, actor: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE call_tokens SET background = 0 WHERE actor_id = :actor AND background = 1",
        named_params! { ":actor": actor.0 },
    )?;
    Ok(())
}

/// An actor's tokens are another row's.
pub(crate) fn pass_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE call_tokens SET actor_id = :to WHERE actor_id = :from",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    Ok(())
}

/// Drops the tokens of calls up to an event.
pub(crate) fn prune(db: &Db, up_to: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM call_tokens WHERE call <= :up_to",
        named_params! { ":up_to": up_to.0 },
    )?;
    Ok(())
}
