//! Single messages, for whoever sums them up in a way of their own.

use super::tokens;
use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, ProjectId};
use engine::time::Timestamp;
use engine::usage::Tokens;
use rusqlite::named_params;

/// What one message used, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageEntry {
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

/// Which messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Selection {
    /// Of sessions whose main thread was last seen in this project.
    pub project: Option<ProjectId>,
    /// Of this session.
    pub session: Option<ActorId>,
    /// Not earlier.
    pub since: Option<Timestamp>,
    /// Earlier than this.
    pub until: Option<Timestamp>,
}

/// The messages of a selection, oldest first.
pub fn entries(db: &Db, selection: &Selection) -> Result<Vec<UsageEntry>, StoreError> {
    db.all(
        "SELECT usage.session_id, usage.actor_id, usage.turn, usage.model, usage.at, usage.input,
             usage.cache_write_5m, usage.cache_write_1h, usage.cache_read, usage.output, usage.thinking
         FROM usage JOIN actors AS main ON main.id = usage.session_id
         WHERE (:project IS NULL OR main.project_id = :project)
             AND (:session IS NULL OR usage.session_id = :session)
             AND (:since IS NULL OR usage.at >= :since) AND (:until IS NULL OR usage.at < :until)
         ORDER BY usage.at, usage.message_id",
        named_params! {
            ":project": selection.project.map(|id| id.0),
            ":session": selection.session.map(|id| id.0),
            ":since": selection.since.map(|at| at.0),
            ":until": selection.until.map(|at| at.0),
        },
        |row| {
            Ok(UsageEntry {
                session: ActorId(row.take()?),
                actor: ActorId(row.take()?),
                turn: row.optional_count()?,
                model: row.take()?,
                at: Timestamp(row.take()?),
                tokens: tokens::take(row)?,
            })
        },
    )
}
