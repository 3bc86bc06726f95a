//! Usage: what each message of a model cost in tokens. A message counts once, for whoever had it first.

use crate::StoreError;
use crate::db::{Db, column_of};
use crate::migration::Migration;
use engine::id::{ActorId, AgentKind};
use engine::time::Timestamp;
use engine::usage::Tokens;
use rusqlite::named_params;

mod entries;
mod sums;
mod tokens;

pub use entries::{Selection, UsageEntry, entries};
pub use sums::{ActorUsage, ModelUsage, SessionUsage, TurnUsage, of_session, of_turn};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    oldest_reader: 1,
    sql: "CREATE TABLE usage (
        agent_kind TEXT NOT NULL,
        message_id TEXT NOT NULL,
        request_id TEXT,
        session_id INTEGER NOT NULL REFERENCES actors (id), -- the main thread of the client's session
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        turn INTEGER, -- the number of the session's turn
        model TEXT,
        input INTEGER NOT NULL,
        cache_write_5m INTEGER NOT NULL,
        cache_write_1h INTEGER NOT NULL,
        cache_read INTEGER NOT NULL,
        output INTEGER NOT NULL,
        thinking INTEGER NOT NULL, -- a part of output
        at INTEGER NOT NULL,
        PRIMARY KEY (agent_kind, message_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX usage_of_session ON usage (session_id, turn);",
}];

/// What one message cost, as one line of a transcript tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredUsage {
    /// Which agent program.
    pub agent_kind: AgentKind,
    /// The message's own id, the same wherever it is copied to.
    pub id: String,
    /// The request it answers.
    pub request_id: Option<String>,
    /// The client's session, by the row of its main thread.
    pub session: ActorId,
    /// Who asked the model.
    pub actor: ActorId,
    /// For which turn of the session.
    pub turn: Option<u64>,
    /// Which model.
    pub model: Option<String>,
    /// How much.
    pub tokens: Tokens,
    /// When.
    pub at: Timestamp,
}

/// More than any message has. What is hostile cannot make a sum fail.
const MOST_TOKENS: u64 = 1 << 32;

/// Counts a message. Seen again, the highest output wins; whoever had it first keeps it.
pub fn count(db: &Db, message: &StoredUsage) -> Result<(), StoreError> {
    let tokens = &message.tokens;
    db.execute(
        "INSERT INTO usage (agent_kind, message_id, request_id, session_id, actor_id, turn, model, input,
             cache_write_5m, cache_write_1h, cache_read, output, thinking, at)
         VALUES (:kind, :id, :request, :session, :actor, :turn, :model, :input, :write_5m, :write_1h, :read, :output,
             :thinking, :at)
         ON CONFLICT (agent_kind, message_id) DO UPDATE SET
             request_id = COALESCE(excluded.request_id, request_id), model = COALESCE(excluded.model, model),
             input = excluded.input, cache_write_5m = excluded.cache_write_5m,
             cache_write_1h = excluded.cache_write_1h, cache_read = excluded.cache_read, output = excluded.output,
             thinking = excluded.thinking
             WHERE excluded.output > output",
        named_params! {
            ":kind": message.agent_kind.as_str(),
            ":id": message.id,
            ":request": message.request_id,
            ":session": message.session.0,
            ":actor": message.actor.0,
            ":turn": message.turn.map(column_of),
            ":model": message.model,
            ":input": column(tokens.input),
            ":write_5m": column(tokens.cache_write_5m),
            ":write_1h": column(tokens.cache_write_1h),
            ":read": column(tokens.cache_read),
            ":output": column(tokens.output),
            ":thinking": column(tokens.thinking),
            ":at": message.at.0,
        },
    )?;
    match message.turn {
        Some(turn) => settle_turn(db, message, turn),
        None => Ok(()),
    }
}

/// Its owner may learn later which turn a message belongs to; nobody else may say so.
fn settle_turn(db: &Db, message: &StoredUsage, turn: u64) -> Result<(), StoreError> {
    db.execute(
        "UPDATE usage SET turn = :turn
         WHERE agent_kind = :kind AND message_id = :id AND turn IS NULL AND session_id = :session
             AND actor_id = :actor",
        named_params! {
            ":turn": column_of(turn),
            ":kind": message.agent_kind.as_str(),
            ":id": message.id,
            ":session": message.session.0,
            ":actor": message.actor.0,
        },
    )?;
    Ok(())
}

fn column(tokens: u64) -> i64 {
    column_of(tokens.min(MOST_TOKENS))
}

/// The session that a message counts for; `None` for one that was never seen.
pub fn owner(db: &Db, agent_kind: &AgentKind, message_id: &str) -> Result<Option<ActorId>, StoreError> {
    let found = db.value(
        "SELECT session_id FROM usage WHERE agent_kind = :kind AND message_id = :id",
        named_params! { ":kind": agent_kind.as_str(), ":id": message_id },
    )?;
    Ok(found.map(ActorId))
}

#[cfg(test)]
mod tests;
