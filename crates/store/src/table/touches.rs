//! Touches: a path that a call named, from the call before it to the checkpoint that holds it.

use crate::StoreError;
use crate::db::{Db, RowFields};
use crate::file_state::{FileState, TreePart, columns_of};
use crate::migration::Migration;
use engine::id::{ActorId, CheckpointId, EventSeq, ProjectId, ToolUseId, TouchId, WorktreeId};
use rusqlite::named_params;

mod authorship;
mod writer;

pub use authorship::{Authorship, authorship};
pub use writer::{last_of, last_writer};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 2,
        oldest_reader: 1,
        sql: "CREATE TABLE touches (
        id INTEGER PRIMARY KEY,
        worktree_id INTEGER NOT NULL REFERENCES worktrees (id),
        path BLOB NOT NULL, -- relative to the worktree
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        tool_use_id TEXT NOT NULL,
        event_before INTEGER,
        event_after INTEGER,
        place TEXT, -- files, ignored
        pre_known INTEGER NOT NULL DEFAULT 0,
        pre_mode TEXT,
        pre_id TEXT,
        pre_raw TEXT,
        post_known INTEGER NOT NULL DEFAULT 0,
        post_mode TEXT,
        post_id TEXT,
        post_raw TEXT,
        skip_reason TEXT,
        consumed_by TEXT,
        UNIQUE (actor_id, tool_use_id, worktree_id, path)
    ) STRICT;
    CREATE INDEX touches_pending ON touches (worktree_id, event_after) WHERE consumed_by IS NULL;
    CREATE INDEX touches_running ON touches (actor_id) WHERE event_after IS NULL AND consumed_by IS NULL;
    CREATE INDEX touches_consumed ON touches (event_after) WHERE consumed_by IS NOT NULL;",
    },
    Migration {
        version: 3,
        oldest_reader: 1,
        sql: "CREATE INDEX touches_of_path ON touches (path, worktree_id);",
    },
    Migration {
        version: 6,
        oldest_reader: 1,
        // When the system says it last changed, in nanoseconds since 1970; of what is not there, the folder around it.
        sql: "ALTER TABLE touches ADD COLUMN pre_dated INTEGER;
    ALTER TABLE touches ADD COLUMN post_dated INTEGER;",
    },
];

/// What a path held, as far as it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Image {
    /// Nobody looked.
    #[default]
    Unknown,
    /// There was nothing.
    Absent,
    /// There was this.
    Present(FileState),
}

impl Image {
    /// The state, where it is known: `Some(None)` for a path that was not there.
    pub fn state(&self) -> Option<Option<&FileState>> {
        match self {
            Self::Unknown => None,
            Self::Absent => Some(None),
            Self::Present(state) => Some(Some(state)),
        }
    }

    fn take(row: &mut RowFields<'_>) -> rusqlite::Result<Self> {
        let is_known: bool = row.take()?;
        let state = FileState::take(row)?;
        Ok(match (is_known, state) {
            (false, _) => Self::Unknown,
            (true, None) => Self::Absent,
            (true, Some(state)) => Self::Present(state),
        })
    }
}

/// What was found at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathObservation {
    /// Where in a checkpoint it belongs, where that is known.
    pub place: Option<TreePart>,
    /// What was there.
    pub image: Image,
    /// Why its content was not captured.
    pub skip_reason: Option<String>,
    /// When the system says it last changed, in nanoseconds since 1970; of what is not there, the folder around it.
    pub dated: Option<i64>,
}

/// Which path, and which call of whom named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Naming<'a> {
    /// Whose file.
    pub worktree: WorktreeId,
    /// Relative to the worktree, as bytes.
    pub path: &'a [u8],
    /// Who named it.
    pub actor: ActorId,
    /// In which call; one without an id is given one by its caller.
    pub call: &'a ToolUseId,
}

/// A row of `touches`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// Its row.
    pub id: TouchId,
    /// Whose file.
    pub worktree: WorktreeId,
    /// Relative to the worktree, as bytes.
    pub path: Vec<u8>,
    /// Who named it.
    pub actor: ActorId,
    /// In which call.
    pub call: ToolUseId,
    /// The event before the call; `None` where none was reported.
    pub event_before: Option<EventSeq>,
    /// The event that told of its end; `None` while it is open.
    pub event_after: Option<EventSeq>,
    /// Where in a checkpoint it belongs, where that is known.
    pub place: Option<TreePart>,
    /// What the path held before the call.
    pub pre: Image,
    /// What it held after it.
    pub post: Image,
    /// Why its content was not captured.
    pub skip_reason: Option<String>,
    /// The checkpoint that holds it.
    pub consumed_by: Option<CheckpointId>,
    /// When what it held before the call was made, in nanoseconds since 1970.
    pub pre_dated: Option<i64>,
    /// When what it held after the call was made.
    pub post_dated: Option<i64>,
}

macro_rules! columns {
    () => {
        "id, worktree_id, path, actor_id, tool_use_id, event_before, event_after, place, pre_known, pre_mode, pre_id, \
         pre_raw, post_known, post_mode, post_id, post_raw, skip_reason, consumed_by, pre_dated, post_dated"
    };
}

/// A call that names this path is about to run. The same call says so once, whatever is delivered twice, and one that is
/// over says nothing by it.
pub fn open(db: &Db, naming: &Naming<'_>, event: EventSeq) -> Result<TouchId, StoreError> {
    if let Some((known, _)) = known(db, naming)? {
        db.execute(
            "UPDATE touches SET event_before = :event
             WHERE id = :id AND event_after IS NULL AND event_before IS NULL",
            named_params! { ":event": event.0, ":id": known.0 },
        )?;
        return Ok(known);
    }
    insert(db, naming, Some(event), None)
}

/// The call that named this path is over; nothing need have been reported before it.
///
/// `None` where that was known already: what its repetition finds is not what the call left.
pub fn finish(db: &Db, naming: &Naming<'_>, event: EventSeq) -> Result<Option<TouchId>, StoreError> {
    match known(db, naming)? {
        Some((_, true)) => Ok(None),
        Some((known, false)) => {
            db.execute(
                "UPDATE touches SET event_after = :event WHERE id = :id",
                named_params! { ":event": event.0, ":id": known.0 },
            )?;
            Ok(Some(known))
        }
        None => insert(db, naming, None, Some(event)).map(Some),
    }
}

/// The touch of this path by this call, and whether the call is over. Asked first, because an insert that says which
/// row it met costs several times as much.
fn known(db: &Db, naming: &Naming<'_>) -> Result<Option<(TouchId, bool)>, StoreError> {
    db.one(
        "SELECT id, event_after IS NOT NULL FROM touches
         WHERE actor_id = :actor AND tool_use_id = :call AND worktree_id = :worktree AND path = :path",
        named_params! {
            ":actor": naming.actor.0,
            ":call": naming.call.as_str(),
            ":worktree": naming.worktree.0,
            ":path": naming.path,
        },
        |row| Ok((TouchId(row.take()?), row.take()?)),
    )
}

fn insert(
    db: &Db,
    naming: &Naming<'_>,
    before: Option<EventSeq>,
    after: Option<EventSeq>,
) -> Result<TouchId, StoreError> {
    let id = db.insert(
        "INSERT INTO touches (worktree_id, path, actor_id, tool_use_id, event_before, event_after)
         VALUES (:worktree, :path, :actor, :call, :before, :after)",
        named_params! {
            ":worktree": naming.worktree.0,
            ":path": naming.path,
            ":actor": naming.actor.0,
            ":call": naming.call.as_str(),
            ":before": before.map(|event| event.0),
            ":after": after.map(|event| event.0),
        },
    )?;
    Ok(TouchId(id))
}

/// Keeps what the path held before the call. The first look counts, and none once the call is over: a later one may see
/// what the call did.
pub fn set_pre(db: &Db, id: TouchId, finding: &PathObservation) -> Result<(), StoreError> {
    let (mode, object, raw) = columns_of(finding.image.state().flatten());
    db.execute(
        "UPDATE touches SET pre_known = :known, pre_mode = :mode, pre_id = :object, pre_raw = :raw,
             pre_dated = :dated, place = COALESCE(:place, place), skip_reason = COALESCE(:skip, skip_reason)
         WHERE id = :id AND pre_known = 0 AND event_after IS NULL",
        named_params! {
            ":known": finding.image != Image::Unknown,
            ":mode": mode,
            ":object": object,
            ":raw": raw,
            ":place": finding.place.map(TreePart::as_str),
            ":skip": finding.skip_reason,
            ":dated": finding.dated,
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// Keeps what the call met instead of what was there when it was told of.
pub fn renew_pre(db: &Db, id: TouchId, image: &Image, dated: i64) -> Result<(), StoreError> {
    let (mode, object, raw) = columns_of(image.state().flatten());
    db.execute(
        "UPDATE touches SET pre_known = 1, pre_mode = :mode, pre_id = :object, pre_raw = :raw, pre_dated = :dated
         WHERE id = :id AND consumed_by IS NULL",
        named_params! { ":mode": mode, ":object": object, ":raw": raw, ":dated": dated, ":id": id.0 },
    )?;
    Ok(())
}

/// Keeps what the path held after the call, and whether that could be captured. The newest look counts.
pub fn set_post(db: &Db, id: TouchId, finding: &PathObservation) -> Result<(), StoreError> {
    let (mode, object, raw) = columns_of(finding.image.state().flatten());
    db.execute(
        "UPDATE touches SET post_known = :known, post_mode = :mode, post_id = :object, post_raw = :raw,
             post_dated = :dated, place = COALESCE(:place, place), skip_reason = :skip
         WHERE id = :id AND consumed_by IS NULL",
        named_params! {
            ":known": finding.image != Image::Unknown,
            ":mode": mode,
            ":object": object,
            ":raw": raw,
            ":place": finding.place.map(TreePart::as_str),
            ":skip": finding.skip_reason,
            ":dated": finding.dated,
            ":id": id.0,
        },
    )?;
    Ok(())
}

/// The first touch of the same path that began after this one was over, and not after an event. Rows are in the order
/// in which calls were told of, so none before this one is looked at.
pub fn next_at(db: &Db, touch: TouchId, until: EventSeq) -> Result<Option<Touch>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM touches WHERE id > :touch
                 AND (worktree_id, path) = (SELECT worktree_id, path FROM touches WHERE id = :touch)
                 AND event_before > (SELECT event_after FROM touches WHERE id = :touch) AND event_before <= :until
             ORDER BY id LIMIT 1"
        ),
        named_params! { ":touch": touch.0, ":until": until.0 },
        read,
    )
}

/// The touches whose calls are over and that no checkpoint holds yet, in the order the calls ended.
pub fn pending(db: &Db, worktree: WorktreeId) -> Result<Vec<Touch>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM touches WHERE worktree_id = :worktree AND consumed_by IS NULL AND event_after IS NOT NULL
             ORDER BY event_after, id"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// The touches whose calls may still run, oldest first.
pub fn running(db: &Db, worktree: WorktreeId) -> Result<Vec<Touch>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM touches WHERE worktree_id = :worktree AND consumed_by IS NULL AND event_after IS NULL ORDER BY id"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// The touches a call of an actor opened and nobody has ended yet, oldest first.
pub fn open_of_call(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<Vec<Touch>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM touches WHERE actor_id = :actor AND tool_use_id = :call AND event_after IS NULL ORDER BY id"
        ),
        named_params! { ":actor": actor.0, ":call": call.as_str() },
        read,
    )
}

/// The paths of a worktree that a call named, or listed.
pub fn named_by(
    db: &Db,
    worktree: WorktreeId,
    actor: ActorId,
    call: &ToolUseId,
) -> Result<Vec<Vec<u8>>, StoreError> {
    db.values(
        "SELECT path FROM touches WHERE actor_id = :actor AND tool_use_id = :call AND worktree_id = :worktree",
        named_params! { ":actor": actor.0, ":call": call.as_str(), ":worktree": worktree.0 },
    )
}

/// Whether a checkpoint holds what another call left at the same path after this one had begun: what was there before
/// this one is old news then.
pub fn is_overtaken(db: &Db, touch: &Touch) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM touches WHERE consumed_by IS NOT NULL AND event_after > :began
             AND path = :path AND worktree_id = :worktree AND id <> :id",
        named_params! {
            ":began": touch.event_before.map(|event| event.0),
            ":path": touch.path,
            ":worktree": touch.worktree.0,
            ":id": touch.id.0,
        },
    )
}

/// The path was seen anew at an event: what calls found there that had begun before is old news.
pub fn outdate(db: &Db, worktree: WorktreeId, path: &[u8], event: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "UPDATE touches SET pre_known = 0, pre_mode = NULL, pre_id = NULL, pre_raw = NULL
         WHERE worktree_id = :worktree AND path = :path AND event_before <= :event AND consumed_by IS NULL",
        named_params! { ":worktree": worktree.0, ":path": path, ":event": event.0 },
    )?;
    Ok(())
}

/// What was there before these calls is on the line, and is not told again.
pub fn forget(db: &Db, touches: &[TouchId]) -> Result<(), StoreError> {
    for touch in touches {
        db.execute(
            "UPDATE touches SET pre_known = 0, pre_mode = NULL, pre_id = NULL, pre_raw = NULL WHERE id = :id",
            named_params! { ":id": touch.0 },
        )?;
    }
    Ok(())
}

/// The touch in this row.
pub fn by_id(db: &Db, id: TouchId) -> Result<Option<Touch>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM touches WHERE id = :id");
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// The ids of every content that calls of a project found or left and that no checkpoint holds yet.
pub fn objects(db: &Db, project: ProjectId) -> Result<Vec<String>, StoreError> {
    db.values(
        "WITH waiting AS (SELECT touches.* FROM touches JOIN worktrees ON worktrees.id = touches.worktree_id
             WHERE worktrees.project_id = :project AND consumed_by IS NULL)
         SELECT pre_id FROM waiting WHERE pre_id IS NOT NULL
         UNION SELECT pre_raw FROM waiting WHERE pre_raw IS NOT NULL
         UNION SELECT post_id FROM waiting WHERE post_id IS NOT NULL
         UNION SELECT post_raw FROM waiting WHERE post_raw IS NOT NULL",
        named_params! { ":project": project.0 },
    )
}

/// A checkpoint holds these.
pub fn consume(db: &Db, touches: &[TouchId], checkpoint: &CheckpointId) -> Result<(), StoreError> {
    for touch in touches {
        db.execute(
            "UPDATE touches SET consumed_by = :checkpoint WHERE id = :id AND consumed_by IS NULL",
            named_params! { ":checkpoint": checkpoint.as_str(), ":id": touch.0 },
        )?;
    }
    Ok(())
}

/// A checkpoint holds what a call left at this path, as the checkpoint itself says.
pub fn consume_named(
    db: &Db,
    worktree: WorktreeId,
    path: &[u8],
    call: &ToolUseId,
    checkpoint: &CheckpointId,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE touches SET consumed_by = :checkpoint
         WHERE worktree_id = :worktree AND path = :path AND tool_use_id = :call
             AND event_after IS NOT NULL AND consumed_by IS NULL",
        named_params! {
            ":checkpoint": checkpoint.as_str(),
            ":worktree": worktree.0,
            ":path": path,
            ":call": call.as_str(),
        },
    )?;
    Ok(())
}

/// The same for one whose row is told by its call.
pub fn forget_named(db: &Db, worktree: WorktreeId, path: &[u8], call: &ToolUseId) -> Result<(), StoreError> {
    let touches = db.values(
        "SELECT id FROM touches WHERE worktree_id = :worktree AND path = :path AND tool_use_id = :call",
        named_params! { ":worktree": worktree.0, ":path": path, ":call": call.as_str() },
    )?;
    forget(db, &touches.into_iter().map(TouchId).collect::<Vec<_>>())
}

/// A call never ran: what it named it did not touch.
pub fn abandon(db: &Db, actor: ActorId, call: &ToolUseId) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM touches
         WHERE actor_id = :actor AND tool_use_id = :call AND event_after IS NULL AND consumed_by IS NULL",
        named_params! { ":actor": actor.0, ":call": call.as_str() },
    )
}

/// None of the calls of an actor that are still open has run.
pub(crate) fn abandon_all(db: &Db, actor: ActorId) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM touches WHERE actor_id = :actor AND event_after IS NULL AND consumed_by IS NULL",
        named_params! { ":actor": actor.0 },
    )?;
    Ok(())
}

/// An actor was cut off: what its open calls named they may have touched. No event tells of it where its process is
/// gone; then it was after the newest one.
pub(crate) fn cut_off(
    db: &Db,
    actor: ActorId,
    call: Option<&ToolUseId>,
    event: Option<EventSeq>,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE touches SET event_after = COALESCE(:event, (SELECT MAX(seq) FROM events), 0)
         WHERE actor_id = :actor AND (:call IS NULL OR tool_use_id = :call)
             AND event_after IS NULL AND consumed_by IS NULL",
        named_params! {
            ":actor": actor.0,
            ":call": call.map(ToolUseId::as_str),
            ":event": event.map(|event| event.0),
        },
    )?;
    Ok(())
}

/// Drops touches that checkpoints hold, up to an event.
pub(crate) fn prune(db: &Db, up_to: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM touches WHERE event_after <= :up_to AND consumed_by IS NOT NULL",
        named_params! { ":up_to": up_to.0 },
    )?;
    Ok(())
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Touch> {
    Ok(Touch {
        id: TouchId(row.take()?),
        worktree: WorktreeId(row.take()?),
        path: row.take()?,
        actor: ActorId(row.take()?),
        call: ToolUseId::new(row.take::<String>()?),
        event_before: row.take::<Option<_>>()?.map(EventSeq),
        event_after: row.take::<Option<_>>()?.map(EventSeq),
        place: row.take::<Option<String>>()?.map(|word| TreePart::parse(&word)),
        pre: Image::take(row)?,
        post: Image::take(row)?,
        skip_reason: row.take()?,
        consumed_by: row.optional_checkpoint()?,
        pre_dated: row.take()?,
        post_dated: row.take()?,
    })
}

/// What an actor is in the middle of touching is another row's.
pub(crate) fn pass_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE OR IGNORE touches SET actor_id = :to
         WHERE actor_id = :from AND event_after IS NULL AND consumed_by IS NULL",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
