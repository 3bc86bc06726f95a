//! What each actor last knew of a file's content, and what it wrote there last.

use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use crate::table::leases::worktree_column;
use crate::{Moment, StoreError};
use engine::id::{ActorId, ActorKey, EventSeq, ToolUseId, WorktreeId};
use engine::lease::{ContentIdentity, ContentStamp, FileKey, FileObservation, Means};
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 4,
        oldest_reader: 1,
        sql: "CREATE TABLE file_seen (
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        worktree_id INTEGER NOT NULL, -- 0: outside every worktree
        path TEXT NOT NULL,
        hash TEXT, -- NULL: not known; big: too large to be read
        size INTEGER,
        mtime_ns INTEGER,
        inode INTEGER,
        how TEXT NOT NULL, -- read, wrote, found
        event INTEGER NOT NULL,
        at INTEGER NOT NULL,
        boot_id INTEGER,
        at_ms INTEGER,
        wrote_event INTEGER, -- the actor's last own write, which a later look does not undo
        wrote_hash TEXT,
        wrote_at INTEGER,
        wrote_boot_id INTEGER,
        wrote_ms INTEGER,
        PRIMARY KEY (actor_id, worktree_id, path)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX file_seen_of_path ON file_seen (worktree_id, path);
    CREATE INDEX file_seen_wrote ON file_seen (worktree_id, path, wrote_event) WHERE wrote_event IS NOT NULL;
    CREATE INDEX file_seen_of_event ON file_seen (worktree_id, event);",
    },
    Migration {
        version: 6,
        oldest_reader: 1,
        // 1: the actor changed the file on top of a change that it has not seen. Who wrote it: tool, shell.
        sql: "ALTER TABLE file_seen ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE file_seen ADD COLUMN wrote_by TEXT;",
    },
];

/// How an actor came to know a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnowledgeSource {
    /// It read the file.
    Read,
    /// It wrote it, by a tool or by a command; a file that was changed, not replaced, is known only as far as it was
    /// before.
    Wrote {
        /// What wrote.
        by: Means,
        /// Its whole content was replaced.
        whole: bool,
    },
    /// It was told, or is taken to know.
    Found,
}

impl KnowledgeSource {
    /// The word for it in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Wrote { .. } => "wrote",
            Self::Found => "found",
        }
    }
}

/// One look at a file.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// Whose.
    pub actor: ActorId,
    /// At which file.
    pub key: &'a FileKey,
    /// What is in it.
    pub content: &'a ContentIdentity,
    /// Size, time and inode; `None` where there is no file.
    pub stamp: Option<ContentStamp>,
    /// How.
    pub way: KnowledgeSource,
    /// The event that tells of it.
    pub event: EventSeq,
    /// When.
    pub at: Moment,
}

/// Somebody's last write of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastWrite {
    /// Whose.
    pub actor: ActorId,
    /// The event that told of it.
    pub event: EventSeq,
    /// What it left.
    pub content: ContentIdentity,
    /// When.
    pub at: Moment,
    /// What wrote.
    pub by: Means,
}

/// What a column says of too large a file.
const BIG: &str = "big";

/// Remembers what an actor knows now.
pub fn note(db: &Db, look: &Look<'_>) -> Result<(), StoreError> {
    let (wrote, by, keeps) = match look.way {
        KnowledgeSource::Wrote { by, whole } => (true, Some(by.as_str()), !whole),
        KnowledgeSource::Read | KnowledgeSource::Found => (false, None, false),
    };
    let hash = column(look.content);
    db.execute(
        "INSERT INTO file_seen (actor_id, worktree_id, path, hash, size, mtime_ns, inode, how, event, at, boot_id, at_ms,
             wrote_event, wrote_hash, wrote_at, wrote_boot_id, wrote_ms, wrote_by)
         VALUES (:actor, :worktree, :path, :hash, :size, :mtime, :inode, :how, :event, :at, :boot, :ms,
             CASE WHEN :wrote THEN :event END, CASE WHEN :wrote THEN :hash END, CASE WHEN :wrote THEN :at END,
             CASE WHEN :wrote THEN :boot END, CASE WHEN :wrote THEN :ms END, :by)
         ON CONFLICT (actor_id, worktree_id, path) DO UPDATE SET hash = excluded.hash, size = excluded.size,
             mtime_ns = excluded.mtime_ns, inode = excluded.inode, how = excluded.how, event = excluded.event,
             at = excluded.at, boot_id = excluded.boot_id, at_ms = excluded.at_ms,
             wrote_event = CASE WHEN :wrote THEN :event ELSE wrote_event END,
             wrote_hash = CASE WHEN :wrote THEN :hash ELSE wrote_hash END,
             wrote_at = CASE WHEN :wrote THEN :at ELSE wrote_at END,
             wrote_boot_id = CASE WHEN :wrote THEN :boot ELSE wrote_boot_id END,
             wrote_ms = CASE WHEN :wrote THEN :ms ELSE wrote_ms END, wrote_by = COALESCE(:by, wrote_by),
             behind = behind AND :keeps",
        named_params! {
            ":actor": look.actor.0,
            ":worktree": worktree_column(look.key.worktree),
            ":path": look.key.path,
            ":hash": hash,
            ":size": look.stamp.map(|stamp| column_of(stamp.size)),
            ":mtime": look.stamp.map(|stamp| stamp.mtime_ns),
            ":inode": look.stamp.map(|stamp| stamp.inode.cast_signed()),
            ":how": look.way.as_str(),
            ":event": look.event.0,
            ":at": look.at.at.0,
            ":boot": look.at.boot_id(),
            ":ms": look.at.boot_ms(),
            ":wrote": wrote,
            ":by": by,
            ":keeps": keeps,
        },
    )?;
    Ok(())
}

/// What an actor last knew of a file.
pub fn of(db: &Db, actor: ActorId, key: &FileKey) -> Result<Option<FileObservation>, StoreError> {
    db.one(
        "SELECT hash, size, mtime_ns, inode, at, behind FROM file_seen
         WHERE actor_id = :actor AND worktree_id = :worktree AND path = :path",
        named_params! {
            ":actor": actor.0,
            ":worktree": worktree_column(key.worktree),
            ":path": key.path,
        },
        |row| {
            Ok(FileObservation {
                content: content(row.take()?),
                stamp: stamp(row)?,
                at_ms: row.take()?,
                behind: row.take()?,
            })
        },
    )
}

/// The actor changes a file on top of a change that it has not seen. Only a look at the file makes up for it.
pub fn fall_behind(db: &Db, look: &Look<'_>) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO file_seen (actor_id, worktree_id, path, how, event, at, boot_id, at_ms, behind)
         VALUES (:actor, :worktree, :path, 'found', :event, :at, :boot, :ms, 1)
         ON CONFLICT (actor_id, worktree_id, path) DO UPDATE SET behind = 1",
        named_params! {
            ":actor": look.actor.0,
            ":worktree": worktree_column(look.key.worktree),
            ":path": look.key.path,
            ":event": look.event.0,
            ":at": look.at.at.0,
            ":boot": look.at.boot_id(),
            ":ms": look.at.boot_ms(),
        },
    )?;
    Ok(())
}

/// The last write of a file by anybody, in the order of events.
pub fn last_change(db: &Db, key: &FileKey) -> Result<Option<LastWrite>, StoreError> {
    last_change_except(db, key, ActorId(0))
}

/// The last write of a file by anybody but this actor.
pub fn last_change_except(db: &Db, key: &FileKey, except: ActorId) -> Result<Option<LastWrite>, StoreError> {
    db.one(
        "SELECT actor_id, wrote_event, wrote_hash, wrote_at, wrote_boot_id, wrote_ms, wrote_by FROM file_seen
         WHERE worktree_id = :worktree AND path = :path AND wrote_event IS NOT NULL AND actor_id <> :except
         ORDER BY wrote_event DESC LIMIT 1",
        named_params! {
            ":worktree": worktree_column(key.worktree),
            ":path": key.path,
            ":except": except.0,
        },
        |row| {
            Ok(LastWrite {
                actor: ActorId(row.take()?),
                event: EventSeq(row.take()?),
                content: content(row.take()?),
                at: Moment::from_columns(row.take()?, row.take()?, row.take()?),
                by: match row.take::<Option<String>>()?.as_deref() {
                    Some("shell") => Means::Shell,
                    _ => Means::Tool,
                },
            })
        },
    )
}

/// Who else looked at a file, and with which call.
pub fn looks_of_others(
    db: &Db,
    key: &FileKey,
    except: ActorId,
) -> Result<Vec<(ActorId, ToolUseId)>, StoreError> {
    db.all(
        "SELECT file_seen.actor_id, events.tool_use_id FROM file_seen JOIN events ON events.seq = file_seen.event
         WHERE file_seen.worktree_id = :worktree AND file_seen.path = :path AND file_seen.actor_id <> :except
             AND events.tool_use_id IS NOT NULL ORDER BY file_seen.event DESC",
        named_params! {
            ":worktree": worktree_column(key.worktree),
            ":path": key.path,
            ":except": except.0,
        },
        |row| Ok((ActorId(row.take()?), ToolUseId::new(row.take::<String>()?))),
    )
}

/// What one actor knows of a file, another knows as well.
pub fn take_over(db: &Db, key: &FileKey, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    db.execute(
        concat!(
            shared!(),
            " AND worktree_id = :worktree AND path = :path ON CONFLICT DO NOTHING"
        ),
        named_params! {
            ":from": from.0,
            ":to": to.0,
            ":worktree": worktree_column(key.worktree),
            ":path": key.path,
        },
    )?;
    Ok(())
}

/// What one actor knows of files, another knows as well: a conversation that goes on in two.
pub fn share(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    db.execute(
        concat!(shared!(), " ON CONFLICT DO NOTHING"),
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    Ok(())
}

/// The files of a worktree that actors of a client session wrote, each once, the newest first.
pub fn written_in_session(
    db: &Db,
    session: &ActorKey,
    worktree: WorktreeId,
) -> Result<Vec<String>, StoreError> {
    db.values(
        "SELECT path FROM file_seen JOIN actors ON actors.id = file_seen.actor_id
         WHERE agent_kind = :kind AND client_session_id = :session AND file_seen.worktree_id = :worktree
             AND wrote_event IS NOT NULL
         GROUP BY path ORDER BY MAX(wrote_event) DESC LIMIT 500",
        named_params! {
            ":kind": session.agent_kind.as_str(),
            ":session": session.session.as_str(),
            ":worktree": worktree.0,
        },
    )
}

/// The files of a worktree that anybody saw, each once, those of the newest looks first.
pub fn newest(db: &Db, worktree: WorktreeId, most_looks: u64) -> Result<Vec<String>, StoreError> {
    db.values(
        "SELECT path FROM (SELECT path, event FROM file_seen WHERE worktree_id = :worktree
             ORDER BY event DESC LIMIT :most)
         GROUP BY path ORDER BY MAX(event) DESC, path",
        named_params! { ":worktree": worktree.0, ":most": column_of(most_looks) },
    )
}

/// Forgets what was noted up to an event.
pub(crate) fn prune(db: &Db, up_to: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM file_seen WHERE worktree_id IN (SELECT id FROM worktrees UNION ALL SELECT 0) AND event <= :up_to",
        named_params! { ":up_to": up_to.0 },
    )?;
    Ok(())
}

fn column(content: &ContentIdentity) -> Option<&str> {
    match content {
        ContentIdentity::Nothing => None,
        ContentIdentity::TooBig => Some(BIG),
        ContentIdentity::Hash(hash) => Some(hash),
    }
}

fn content(column: Option<String>) -> ContentIdentity {
    match column {
        None => ContentIdentity::Nothing,
        Some(word) if word == BIG => ContentIdentity::TooBig,
        Some(hash) => ContentIdentity::Hash(hash),
    }
}

fn stamp(row: &mut RowFields<'_>) -> rusqlite::Result<Option<ContentStamp>> {
    let (size, mtime, inode): (Option<i64>, Option<i64>, Option<i64>) =
        (row.take()?, row.take()?, row.take()?);
    Ok(match (size, mtime, inode) {
        (Some(size), Some(mtime_ns), Some(inode)) => Some(ContentStamp {
            size: u64::try_from(size).unwrap_or(0),
            mtime_ns,
            inode: inode.cast_unsigned(),
        }),
        _ => None,
    })
}

/// What an actor saw and wrote is another row's. Of a file that both know, the newest look and the newest write count.
pub(crate) fn pass_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    for sql in [
        concat!(
            passed_on!(),
            " hash = excluded.hash, size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
                 how = excluded.how, event = excluded.event, at = excluded.at, boot_id = excluded.boot_id,
                 at_ms = excluded.at_ms, behind = excluded.behind WHERE excluded.event > event"
        ),
        concat!(
            passed_on!(),
            " wrote_event = excluded.wrote_event, wrote_hash = excluded.wrote_hash, wrote_at = excluded.wrote_at,
                 wrote_boot_id = excluded.wrote_boot_id, wrote_ms = excluded.wrote_ms, wrote_by = excluded.wrote_by
             WHERE excluded.wrote_event > COALESCE(wrote_event, 0)"
        ),
    ] {
        db.execute(sql, named_params! { ":from": from.0, ":to": to.0 })?;
    }
    db.execute(
        "DELETE FROM file_seen WHERE actor_id = :from",
        named_params! { ":from": from.0 },
    )?;
    Ok(())
}

macro_rules! shared {
    () => {
        "INSERT INTO file_seen (actor_id, worktree_id, path, hash, size, mtime_ns, inode, how, event, at, boot_id, at_ms,
             behind)
         SELECT :to, worktree_id, path, hash, size, mtime_ns, inode, 'found', event, at, boot_id, at_ms, behind
         FROM file_seen WHERE actor_id = :from"
    };
}
use shared;

macro_rules! passed_on {
    () => {
        "INSERT INTO file_seen (actor_id, worktree_id, path, hash, size, mtime_ns, inode, how, event, at, boot_id, at_ms,
             wrote_event, wrote_hash, wrote_at, wrote_boot_id, wrote_ms, wrote_by, behind)
         SELECT :to, worktree_id, path, hash, size, mtime_ns, inode, how, event, at, boot_id, at_ms, wrote_event,
             wrote_hash, wrote_at, wrote_boot_id, wrote_ms, wrote_by, behind
         FROM file_seen WHERE actor_id = :from
         ON CONFLICT (actor_id, worktree_id, path) DO UPDATE SET"
    };
}
use passed_on;

#[cfg(test)]
mod tests;
