//! Which calls may have written to a worktree, so that a change found there has somebody to belong to.

use crate::StoreError;
use crate::db::{Db, RowFields};
use engine::id::{ActorId, EventSeq, ToolUseId, WorktreeId};
use engine::lifecycle::CallEnd;
use engine::time::Timestamp;
use rusqlite::named_params;

macro_rules! columns {
    () => {
        "calls.actor_id, main.id, tool_use_id, calls.event, tool, reach, closed_at IS NULL, opened_at, closed_at, asked, \
         began, ended, until"
    };
}

macro_rules! joins {
    () => {
        " JOIN actors ON actors.id = calls.actor_id
          LEFT JOIN actors AS main ON main.agent_kind = actors.agent_kind
              AND main.client_session_id = actors.client_session_id AND main.agent_id = '' "
    };
}

/// What a call may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallReach {
    /// Nothing.
    Nothing,
    /// The paths it names, and no others.
    Named,
    /// Anything, and it told of everything it changed.
    Listed,
    /// Anything: a shell, a foreign server, a tool nobody knows.
    Anything,
}

impl CallReach {
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
pub struct WritingCall {
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
    pub reach: CallReach,
    /// It may still run.
    pub open: bool,
    /// When it was told of, by the clock that files are dated with; as the following.
    pub asked: i64,
    /// When it was let go: it wrote nothing before.
    pub began: i64,
    /// When its end was told; `None` while it runs, and of one that was cut off.
    pub ended: Option<i64>,
    /// Until when what it set off may have written; `None` while it runs, and of one that was cut off.
    pub until: Option<i64>,
    /// It was cut off: by then at the latest it was over, and nobody knows when.
    pub cut_off: Option<i64>,
}

const NANOSECONDS: i64 = 1_000_000;

/// A call that may write anything begins, as far as is known by now.
pub fn begin(db: &Db, event: EventSeq, at: i64) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET asked = :at, began = :at WHERE event = :event",
        named_params! { ":at": at, ":event": event.0 },
    )?;
    Ok(())
}

/// A call that was held back is let go.
pub fn let_go(db: &Db, event: EventSeq, at: i64) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET began = :at WHERE event = :event AND ended IS NULL",
        named_params! { ":at": at, ":event": event.0 },
    )?;
    Ok(())
}

/// The end of a call was told, and that it did not run before a moment: a person may have been asked first.
pub fn end(
    db: &Db,
    actor: ActorId,
    call: &ToolUseId,
    at: i64,
    not_before: Option<i64>,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET ended = :at, until = :at, asked = MAX(asked, COALESCE(:start, asked)),
             began = MAX(began, COALESCE(:start, began))
         WHERE ended IS NULL AND event = (SELECT MAX(opened.event)
             FROM events JOIN calls AS opened ON opened.event = events.seq
             WHERE events.actor_id = :actor AND events.tool_use_id = :call)",
        named_params! { ":at": at, ":start": not_before, ":actor": actor.0, ":call": call.as_str() },
    )?;
    Ok(())
}

/// How a call that names its files was closed; nothing of one that may write anything, or is not known.
pub fn ending_of_named(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<Option<CallEnd>, StoreError> {
    let how: Option<Option<String>> = db.value(
        "SELECT how FROM calls WHERE COALESCE(reach, 'named') = 'named' AND event = (SELECT MAX(opened.event)
             FROM events JOIN calls AS opened ON opened.event = events.seq
             WHERE events.actor_id = :actor AND events.tool_use_id = :call)",
        named_params! { ":actor": actor.0, ":call": call.as_str() },
    )?;
    Ok(how.flatten().as_deref().and_then(CallEnd::parse))
}

/// The end of a call's batch was told. Until then hooks of the client ran that may have written; what a call listed was
/// all there was at its own end. What is dated with the moment of the end came after it: dates are coarser than time.
pub fn end_batch(
    db: &Db,
    actor: ActorId,
    call: &ToolUseId,
    event: EventSeq,
    at: i64,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET until = MAX(ended, :at - 1), closed_event = :event
         WHERE ended = until AND reach = 'shell' AND event = (SELECT MAX(opened.event)
             FROM events JOIN calls AS opened ON opened.event = events.seq
             WHERE events.actor_id = :actor AND events.tool_use_id = :call)",
        named_params! { ":at": at, ":event": event.0, ":actor": actor.0, ":call": call.as_str() },
    )?;
    Ok(())
}

/// Says what the call that an event opened may write, now that it was not denied.
pub fn set_reach(db: &Db, event: EventSeq, reach: CallReach) -> Result<(), StoreError> {
    db.execute(
        "UPDATE calls SET reach = :reach WHERE event = :event",
        named_params! { ":reach": reach.as_str(), ":event": event.0 },
    )?;
    Ok(())
}

/// Says what the newest call with this id may have written, now that more is known.
pub fn set_reach_of(db: &Db, actor: ActorId, call: &ToolUseId, reach: CallReach) -> Result<(), StoreError> {
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
pub fn writers_since(db: &Db, worktree: WorktreeId, event: EventSeq) -> Result<Vec<WritingCall>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM (SELECT * FROM calls WHERE worktree_id = :worktree AND reach <> 'none' AND closed_event IS NULL
             UNION ALL
             SELECT * FROM calls WHERE worktree_id = :worktree AND reach <> 'none' AND closed_event > :event) AS calls",
            joins!(),
            "WHERE how IS NOT 'not_run' ORDER BY calls.event"
        ),
        named_params! { ":worktree": worktree.0, ":event": event.0 },
        read,
    )
}

/// A call that may have written anything, by its id; none that only named files.
pub fn writer_of(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<Option<WritingCall>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM (SELECT * FROM calls WHERE reach IN ('shell', 'listed') AND event = (SELECT MAX(opened.event)
                 FROM events JOIN calls AS opened ON opened.event = events.seq
                 WHERE events.actor_id = :actor AND events.tool_use_id = :call)) AS calls",
            joins!(),
            "WHERE how IS NOT 'not_run'"
        ),
        named_params! { ":actor": actor.0, ":call": call.as_str() },
        read,
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<WritingCall> {
    let (actor, session) = (ActorId(row.take()?), row.take::<Option<_>>()?.map(ActorId));
    let (call, event) = (ToolUseId::new(row.take::<String>()?), EventSeq(row.take()?));
    let (tool, reach, open) = (row.take()?, CallReach::parse(&row.take::<String>()?), row.take()?);
    let opened_at = row.take::<i64>()?.saturating_mul(NANOSECONDS);
    let closed_at: Option<i64> = row.take()?;
    let asked = row.take::<Option<i64>>()?.unwrap_or(opened_at);
    let began = row.take::<Option<i64>>()?.unwrap_or(asked);
    let ended: Option<i64> = row.take()?;
    Ok(WritingCall {
        actor,
        session,
        call,
        event,
        tool,
        reach,
        open,
        asked,
        began,
        ended,
        until: row.take()?,
        cut_off: closed_at
            .filter(|_| ended.is_none())
            .map(|at| at.saturating_add(1).saturating_mul(NANOSECONDS)),
    })
}

/// Whether a call that may write anything began in a worktree with an event or after it. Those of the session `held`,
/// named by its main actor, do not count.
pub fn roamed_since(
    db: &Db,
    worktree: WorktreeId,
    event: EventSeq,
    held: Option<ActorId>,
) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM calls JOIN actors ON actors.id = calls.actor_id
         WHERE calls.worktree_id = :worktree AND reach IN ('shell', 'listed') AND calls.event >= :event
             AND how IS NOT 'not_run'
             AND NOT EXISTS (SELECT 1 FROM actors AS main WHERE main.id = :held
                 AND main.agent_kind = actors.agent_kind
                 AND main.client_session_id = actors.client_session_id) LIMIT 1",
        named_params! { ":worktree": worktree.0, ":event": event.0, ":held": held.map(|id| id.0) },
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
