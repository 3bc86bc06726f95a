//! Whose a file is: made by one session and touched by nobody else, as far as touches and checkpoints tell.

use super::Image;
use crate::StoreError;
use crate::db::{Db, RowFields};
use crate::file_state::FileState;
use engine::id::{ActorId, WorktreeId};
use rusqlite::named_params;

/// What a session did to a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Authorship {
    /// It wrote, edited or moved it.
    pub wrote: bool,
    /// It made it, and nobody else is known to have touched it.
    pub created: bool,
    /// What it left there last, where that was looked at: anything else now is somebody else's.
    pub left: Option<FileState>,
}

/// What a session did to a file of a worktree; `session` is its main thread.
pub fn authorship(
    db: &Db,
    session: ActorId,
    worktree: WorktreeId,
    path: &[u8],
) -> Result<Authorship, StoreError> {
    let (calls, cuts) = (
        calls(db, session, worktree, path)?,
        cuts(db, session, worktree, path)?,
    );
    let wrote = calls.iter().any(|one| one.own) || cuts.iter().any(|one| one.own);
    let all_own = calls.iter().chain(&cuts).all(|one| one.own);
    let began = |ones: &[Done]| ones.first().is_none_or(|first| first.before == Image::Absent);
    Ok(Authorship {
        wrote,
        created: wrote && all_own && began(&calls) && began(&cuts),
        left: left(&calls).or_else(|| left(&cuts)),
    })
}

/// One thing that happened to a path.
struct Done {
    own: bool,
    before: Image,
    after: Image,
}

impl Done {
    fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            own: row.take()?,
            before: Image::take(row)?,
            after: Image::take(row)?,
        })
    }
}

/// What the newest one left there.
fn left(done: &[Done]) -> Option<FileState> {
    match &done.last()?.after {
        Image::Present(state) => Some(state.clone()),
        Image::Unknown | Image::Absent => None,
    }
}

/// The calls that are over and named the path, oldest first. Those that run are not known to have done anything.
fn calls(db: &Db, session: ActorId, worktree: WorktreeId, path: &[u8]) -> Result<Vec<Done>, StoreError> {
    db.all(
        "SELECT EXISTS (SELECT 1 FROM actors AS actor JOIN actors AS main
                 ON main.agent_kind = actor.agent_kind AND main.client_session_id = actor.client_session_id
             WHERE actor.id = touches.actor_id AND main.id = :session),
             pre_known, pre_mode, pre_id, pre_raw, post_known, post_mode, post_id, post_raw
         FROM touches WHERE worktree_id = :worktree AND path = :path AND event_after IS NOT NULL
         ORDER BY event_after, id",
        named_params! { ":session": session.0, ":worktree": worktree.0, ":path": path },
        Done::read,
    )
}

/// The changes that checkpoints hold of the path, oldest first.
fn cuts(db: &Db, session: ActorId, worktree: WorktreeId, path: &[u8]) -> Result<Vec<Done>, StoreError> {
    db.all(
        "SELECT session_id IS :session, 1, before_mode, before_id, before_raw, 1, after_mode, after_id, after_raw
         FROM checkpoint_files WHERE path = :path AND worktree_id = :worktree AND change <> 'skipped'
         ORDER BY checkpoint_seq, id",
        named_params! { ":session": session.0, ":worktree": worktree.0, ":path": path },
        Done::read,
    )
}

#[cfg(test)]
mod tests;
