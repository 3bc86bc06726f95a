//! Which calls may have written to a worktree, so that a change found there has somebody to belong to.

use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, EventSeq, ToolUseId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// What a call may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// The paths it names, and no others.
    Named,
    /// Anything, and it told of everything it changed.
    Listed,
    /// Anything: a shell, a foreign server, a tool nobody knows.
    Anything,
}

impl Reach {
    /// The word for it in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Named => "named",
            Self::Listed => "listed",
            Self::Anything => "shell",
        }
    }

    /// What only a newer version knows may write anything.
    fn parse(word: &str) -> Self {
        match word {
            "none" => Self::Nothing,
            "named" => Self::Named,
            "listed" => Self::Listed,
            _ => Self::Anything,
        }
    }
}

/// A call that may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// Who called.
    pub actor: ActorId,
    /// The client's session, by the row of its main thread; `None` where nothing was ever heard of that.
    pub session: Option<ActorId>,
    /// The call.
    pub call: ToolUseId,
    /// The event it began with.
    pub event: EventSeq,
    /// The tool.
    pub tool: String,
    /// What it may write.
    pub reach: Reach,
    /// It may still run.
    pub open: bool,
}

/// Says what the call that an event opened may write, now that it was not denied.
pub fn set_reach(db: &Db, event: EventSeq, reach: Reach) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET reach = :reach WHERE event = :event",
        named_params! { ":reach": reach.as_str(), ":event": event.0 },
    )?;
    Ok(())
}

/// Says what the newest call with this id may have written, now that more is known.
pub fn set_reach_of(db: &Db, actor: ActorId, call: &ToolUseId, reach: Reach) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET reach = :reach WHERE event = (SELECT MAX(opened.event)
             FROM events JOIN calls AS opened ON opened.event = events.seq
             WHERE events.actor_id = :actor AND events.tool_use_id = :call)",
        named_params! { ":reach": reach.as_str(), ":actor": actor.0, ":call": call.as_str() },
    )?;
    Ok(())
}

/// The calls that may have written to a worktree since an event: those that run, and those that ended after it.
///
/// One that turned out not to have run wrote nothing. One that no event told the end of counts until a scan that began later is finished.
pub fn writers_since(db: &Db, worktree: WorktreeId, event: EventSeq) -> Result<Vec<Writer>, StoreError> {
    db.all(
        "SELECT calls.actor_id, main.id, tool_use_id, calls.event, tool, reach, closed_at IS NULL
         FROM (SELECT * FROM calls WHERE worktree_id = :worktree AND reach <> 'none' AND closed_event IS NULL
             UNION ALL
             SELECT * FROM calls WHERE worktree_id = :worktree AND reach <> 'none' AND closed_event > :event) AS calls
         JOIN actors ON actors.id = calls.actor_id
         LEFT JOIN actors AS main ON main.agent_kind = actors.agent_kind
             AND main.client_session_id = actors.client_session_id AND main.agent_id = ''
         WHERE how IS NOT 'not_run'
         ORDER BY calls.event",
        named_params! { ":worktree": worktree.0, ":event": event.0 },
        |row| {
            Ok(Writer {
                actor: ActorId(row.take()?),
                session: row.take::<Option<_>>()?.map(ActorId),
                call: ToolUseId::new(row.take::<String>()?),
                event: EventSeq(row.take()?),
                tool: row.take()?,
                reach: Reach::parse(&row.take::<String>()?),
                open: row.take()?,
            })
        },
    )
}

/// Whether a call that may write anything began in a worktree after an event.
pub fn roamed_after(db: &Db, worktree: WorktreeId, event: EventSeq) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM calls WHERE worktree_id = :worktree AND reach IN ('shell', 'listed') AND event > :event
             AND how IS NOT 'not_run' LIMIT 1",
        named_params! { ":worktree": worktree.0, ":event": event.0 },
    )
}

/// Calls whose end no event told of, and that were over when a scan began, ended at the newest event before it.
pub(crate) fn settle(
    db: &Db,
    worktree: WorktreeId,
    event: EventSeq,
    began: Timestamp,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET closed_event = :event
         WHERE worktree_id = :worktree AND reach <> 'none' AND closed_event IS NULL AND closed_at < :began",
        named_params! { ":event": event.0, ":worktree": worktree.0, ":began": began.0 },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
