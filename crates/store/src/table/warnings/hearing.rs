//! Which warnings an actor has, which of them its model has read, and when they no longer count.

use super::agent_of;
use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorKey, ClientSessionId, EventSeq};
use engine::time::Timestamp;
use rusqlite::named_params;

/// A warning that still counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveWarning {
    /// Its row.
    pub id: i64,
    /// The rule.
    pub rule_id: String,
    /// What else tells two warnings apart; often empty.
    pub key: String,
    /// The event that was held last.
    pub event: EventSeq,
    /// When that was.
    pub at: Timestamp,
    /// When the model had read it.
    pub heard_at: Option<Timestamp>,
    /// How often it was given.
    pub hits: u64,
}

/// The warnings of an actor that still count, by rule.
pub fn live_of(db: &Db, actor: &ActorKey) -> Result<Vec<LiveWarning>, StoreError> {
    db.all(
        "SELECT id, rule_id, key, event, at, heard_at, hits FROM warnings
         WHERE session = :session AND agent = :agent AND forgotten_at IS NULL ORDER BY rule_id, key",
        named_params! { ":session": actor.session.as_str(), ":agent": agent_of(actor) },
        |row| {
            Ok(LiveWarning {
                id: row.take()?,
                rule_id: row.take()?,
                key: row.take()?,
                event: EventSeq(row.take()?),
                at: Timestamp(row.take()?),
                heard_at: row.take::<Option<_>>()?.map(Timestamp),
                hits: row.count()?,
            })
        },
    )
}

/// Whether a warning of the actor counts that its model has not read yet.
pub fn has_unheard(db: &Db, actor: &ActorKey) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM warnings
         WHERE session = :session AND agent = :agent AND forgotten_at IS NULL AND heard_at IS NULL",
        named_params! { ":session": actor.session.as_str(), ":agent": agent_of(actor) },
    )
}

/// The actor's model has read everything it was told so far; says how many warnings that are.
pub fn hear(db: &Db, actor: &ActorKey, at: Timestamp) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE warnings SET heard_at = :at
         WHERE session = :session AND agent = :agent AND forgotten_at IS NULL AND heard_at IS NULL",
        named_params! { ":at": at.0, ":session": actor.session.as_str(), ":agent": agent_of(actor) },
    )
}

/// A session's models no longer remember what they were told, or are gone: its warnings end. Those of the spared rules
/// were told to a person, and what has the spared key is said once a conversation.
pub fn forget_session(
    db: &Db,
    session: &ClientSessionId,
    spared: &[&str],
    spared_key: &str,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let spared = serde_json::to_string(spared)
        .map_err(|error| StoreError::Bug(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))?;
    db.execute(
        "UPDATE warnings SET forgotten_at = :at
         WHERE session = :session AND forgotten_at IS NULL AND key <> :key
             AND rule_id NOT IN (SELECT value FROM json_each(:spared))",
        named_params! { ":at": at.0, ":session": session.as_str(), ":spared": spared, ":key": spared_key },
    )
}

#[cfg(test)]
mod tests;
