//! Work of sessions that no commit holds yet. A question to the database; no file is read.

use super::{FileRow, columns, is_pending, joins, read};
use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, AgentKind, ClientSessionId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// At most so many other sessions are told of.
const MOST_SESSIONS: i64 = 10;

/// At most so many of their paths are named.
const MOST_PATHS: i64 = 3;

/// At most so many are looked at.
const MOST_LISTED: i64 = 500;

/// What a session has pending in a worktree, oldest first.
pub fn pending_of(db: &Db, worktree: WorktreeId, session: ActorId) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.worktree_id = :worktree AND files.session_id = :session AND",
            is_pending!(),
            "ORDER BY files.checkpoint_seq, files.path"
        ),
        named_params! { ":worktree": worktree.0, ":session": session.0 },
        read,
    )
}

/// What any session has pending at a path of a worktree, oldest first.
pub fn pending_at(db: &Db, worktree: WorktreeId, path: &[u8]) -> Result<Vec<FileRow>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq",
            joins!(),
            "WHERE files.worktree_id = :worktree AND files.path = :path AND",
            is_pending!(),
            "ORDER BY files.checkpoint_seq"
        ),
        named_params! { ":worktree": worktree.0, ":path": path },
        read,
    )
}

/// Whether a session is at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionActivity {
    /// One of its actors is in the middle of a turn.
    Working,
    /// It waits for its person, since this moment.
    Idle(Timestamp),
    /// It is over.
    Ended,
}

/// Another session's pending work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherWork {
    /// The client's session, by the row of its main thread.
    pub session: ActorId,
    /// Which agent program.
    pub agent_kind: AgentKind,
    /// The client's id.
    pub client_session: ClientSessionId,
    /// Its name.
    pub alias: Option<String>,
    /// Whether it is at work.
    pub activity: SessionActivity,
    /// How many files it has pending.
    pub files: u64,
    /// The first of their paths.
    pub first_paths: Vec<Vec<u8>>,
    /// What its person first asked for.
    pub first_prompt: Option<String>,
}

/// What other sessions have pending in a worktree on this HEAD, the newest work first.
pub fn others_work(
    db: &Db,
    worktree: WorktreeId,
    head: Option<&str>,
    except: ActorId,
) -> Result<Vec<OtherWork>, StoreError> {
    let mut others = db.all(
        concat!(
            "SELECT main.id, main.agent_kind, main.client_session_id, main.alias,
                 (SELECT MAX((state = 'live') + (state = 'live' AND turn_open)) FROM actors AS any
                  WHERE any.agent_kind = main.agent_kind AND any.client_session_id = main.client_session_id),
                 (SELECT MAX(last_seen) FROM actors AS any
                  WHERE any.agent_kind = main.agent_kind AND any.client_session_id = main.client_session_id),
                 COUNT(DISTINCT files.path),
                 (SELECT prompt FROM turns WHERE turns.actor_id = main.id
                  ORDER BY number LIMIT 1)
             FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq
                 JOIN actors AS main ON main.id = files.session_id
             WHERE files.worktree_id = :worktree AND files.session_id <> :except AND checkpoints.head IS :head AND",
            is_pending!(),
            "GROUP BY main.id ORDER BY MAX(files.checkpoint_seq) DESC LIMIT :most"
        ),
        named_params! { ":worktree": worktree.0, ":except": except.0, ":head": head, ":most": MOST_SESSIONS },
        |row| {
            Ok(OtherWork {
                session: ActorId(row.take()?),
                agent_kind: AgentKind::new(row.take::<String>()?),
                client_session: ClientSessionId::new(row.take::<String>()?),
                alias: row.take()?,
                activity: activity(row.take()?, Timestamp(row.take()?)),
                files: row.count()?,
                first_paths: Vec::new(),
                first_prompt: row.take()?,
            })
        },
    )?;
    for other in &mut others {
        other.first_paths = first_paths(db, worktree, head, other.session)?;
    }
    Ok(others)
}

/// The paths behind [`others_work`], with whose they are, by path.
pub fn others_paths(
    db: &Db,
    worktree: WorktreeId,
    head: Option<&str>,
    except: ActorId,
) -> Result<Vec<(ActorId, Vec<u8>)>, StoreError> {
    db.all(
        concat!(
            "SELECT DISTINCT files.session_id, files.path
             FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq
             WHERE files.worktree_id = :worktree AND files.session_id <> :except AND checkpoints.head IS :head AND",
            is_pending!(),
            "ORDER BY files.path LIMIT :most"
        ),
        named_params! { ":worktree": worktree.0, ":except": except.0, ":head": head, ":most": MOST_LISTED },
        |row| Ok((ActorId(row.take()?), row.take()?)),
    )
}

/// From how many of live and working hold, and when the session last did anything.
fn activity(level: i64, last_seen: Timestamp) -> SessionActivity {
    match level {
        0 => SessionActivity::Ended,
        1 => SessionActivity::Idle(last_seen),
        _ => SessionActivity::Working,
    }
}

fn first_paths(
    db: &Db,
    worktree: WorktreeId,
    head: Option<&str>,
    session: ActorId,
) -> Result<Vec<Vec<u8>>, StoreError> {
    db.values(
        concat!(
            "SELECT DISTINCT files.path
             FROM checkpoint_files AS files JOIN checkpoints ON checkpoints.seq = files.checkpoint_seq
             WHERE files.worktree_id = :worktree AND files.session_id = :session AND checkpoints.head IS :head AND",
            is_pending!(),
            "ORDER BY files.path LIMIT :most"
        ),
        named_params! {
            ":worktree": worktree.0, ":session": session.0, ":head": head, ":most": MOST_PATHS,
        },
    )
}
