//! Forgets that somebody was told of another session's pending work, once that work is committed or taken back, so that
//! a new clash is told of again.

use engine::id::{ActorId, WorktreeId};
use engine::policy::concurrent_session::{RULE, key};
use engine::time::Timestamp;
use store::table::{actors, checkpoint_files, warnings};
use store::{Db, StoreError};

/// Forgets it if the session has nothing pending in this worktree any more.
pub fn forget(db: &Db, worktree: WorktreeId, session: ActorId, at: Timestamp) -> Result<(), StoreError> {
    if !checkpoint_files::pending_of(db, worktree, session)?.is_empty() {
        return Ok(());
    }
    if let Some(known) = actors::conversation(db, session)? {
        warnings::forget(db, RULE, &key(&known.client_session, ""), at)?;
    }
    Ok(())
}
