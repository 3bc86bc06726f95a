//! Warnings: what an agent was told once, so that the second time can be judged differently.

use crate::StoreError;
use crate::db::Db;
use crate::migration::Migration;
use engine::id::{ActorKey, AgentId, EventSeq};
use engine::time::Timestamp;
use rusqlite::{ToSql, named_params};

mod hearing;

pub use hearing::{LiveWarning, forget_session, has_unheard, hear, live_of};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    oldest_reader: 1,
    sql: "CREATE TABLE warnings (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL, -- the client's id
        agent TEXT NOT NULL, -- '' is the main thread
        rule_id TEXT NOT NULL,
        key TEXT NOT NULL,
        event INTEGER NOT NULL,
        at INTEGER NOT NULL,
        heard_at INTEGER,
        hits INTEGER NOT NULL DEFAULT 1,
        forgotten_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX warnings_live ON warnings (session, agent, rule_id, key) WHERE forgotten_at IS NULL;",
}];

/// What a warning is about, and who was warned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warning<'a> {
    /// Who was warned.
    pub actor: &'a ActorKey,
    /// The rule.
    pub rule_id: &'a str,
    /// What else tells two warnings apart; often empty.
    pub key: &'a str,
}

/// Remembers a warning, and says how often it was given.
pub fn remember(db: &Db, warning: &Warning<'_>, event: EventSeq, at: Timestamp) -> Result<u64, StoreError> {
    let agent = agent_of(warning.actor);
    db.number(
        "INSERT INTO warnings (session, agent, rule_id, key, event, at)
         VALUES (:session, :agent, :rule, :key, :event, :at)
         ON CONFLICT (session, agent, rule_id, key) WHERE forgotten_at IS NULL
         DO UPDATE SET hits = hits + 1, event = excluded.event, at = excluded.at
         RETURNING hits",
        named_params! {
            ":session": warning.actor.session.as_str(),
            ":agent": agent,
            ":rule": warning.rule_id,
            ":key": warning.key,
            ":event": event.0,
            ":at": at.0,
        },
    )
}

/// Whether the actor was warned of this and it still counts.
pub fn is_live(db: &Db, warning: &Warning<'_>) -> Result<bool, StoreError> {
    let params: &[(&str, &dyn ToSql)] = named_params! {
        ":session": warning.actor.session.as_str(),
        ":agent": agent_of(warning.actor),
        ":rule": warning.rule_id,
        ":key": warning.key,
    };
    db.exists(
        "SELECT 1 FROM warnings WHERE session = :session AND agent = :agent AND rule_id = :rule AND key = :key
             AND forgotten_at IS NULL",
        params,
    )
}

/// Forgets every warning of a rule whose key begins so, whoever was warned: what it told of is no longer so.
pub fn forget(db: &Db, rule_id: &str, key_prefix: &str, at: Timestamp) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE warnings SET forgotten_at = :at
         WHERE rule_id = :rule AND substr(key, 1, length(:prefix)) = :prefix AND forgotten_at IS NULL",
        named_params! { ":at": at.0, ":rule": rule_id, ":prefix": key_prefix },
    )
}

/// The first and the last id there is.
pub(crate) fn ids(db: &Db) -> Result<Option<(i64, i64)>, StoreError> {
    let sql = "SELECT (SELECT MIN(id) FROM warnings), (SELECT MAX(id) FROM warnings)";
    let found = db.one(sql, &[], |row| {
        Ok((row.take::<Option<i64>>()?, row.take::<Option<i64>>()?))
    })?;
    Ok(found.and_then(|(first, last)| first.zip(last)))
}

/// Drops old warnings.
pub(crate) fn prune(db: &Db, before: Timestamp, (first, last): (i64, i64)) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM warnings WHERE id BETWEEN :first AND :last AND at < :before",
        named_params! { ":before": before.0, ":first": first, ":last": last },
    )
}

fn agent_of(actor: &ActorKey) -> &str {
    actor.agent.as_ref().map_or("", AgentId::as_str)
}
