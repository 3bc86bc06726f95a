//! Tokens: who a command of ours belongs to that an agent runs. One is good for one open call, and no longer.

use crate::db::Db;
use crate::migration::Migration;
use crate::table::trusts::Fingerprint;
use crate::{Moment, StoreError};
use engine::id::{ActorId, EventSeq};
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 4,
    oldest_reader: 1,
    sql: "CREATE TABLE call_tokens (
        token BLOB PRIMARY KEY, -- SHA-256: whoever reads the file cannot speak for anybody
        call INTEGER NOT NULL, -- the event that opened it
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        issued_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX call_tokens_of_call ON call_tokens (call);",
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

/// Whose command carries this token; nobody's once the call is closed.
pub fn bearer(db: &Db, token: &str) -> Result<Option<Bearer>, StoreError> {
    db.one(
        "SELECT call_tokens.actor_id, call FROM call_tokens
             JOIN calls ON calls.event = call AND calls.actor_id = call_tokens.actor_id
         WHERE token = :token AND closed_at IS NULL",
        named_params! { ":token": Fingerprint::of(token.as_bytes()).bytes() },
        |row| {
            Ok(Bearer {
                actor: ActorId(row.take()?),
                call: EventSeq(row.take()?),
            })
        },
    )
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
