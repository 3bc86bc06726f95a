//! Leases as people list them.

use super::{Lease, columns, read};
use crate::db::Db;
use crate::{StoreError, pattern};
use engine::id::{ActorId, ProjectId, WorktreeId};
use engine::lease::LeaseKind;
use rusqlite::named_params;
use std::ops::ControlFlow;

/// Which leases; what is `None` leaves the choice open.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeaseFilter<'a> {
    /// Of this project.
    pub project: Option<ProjectId>,
    /// Of this worktree.
    pub worktree: Option<WorktreeId>,
    /// Owned or borrowed by this actor.
    pub actor: Option<ActorId>,
    /// On this path, or over it.
    pub path: Option<&'a str>,
    /// Those that are over, newest end first, instead of the live ones, oldest first.
    pub ended: bool,
    /// At most so many; zero for all.
    pub most: u64,
}

/// Lists leases.
pub fn list(db: &Db, filter: &LeaseFilter<'_>) -> Result<Vec<Lease>, StoreError> {
    list_fitting(db, filter, |_| true)
}

/// Lists those of them that fit; no more are read than it takes to find as many as are wanted.
pub fn list_fitting(
    db: &Db,
    filter: &LeaseFilter<'_>,
    fits: impl Fn(&Lease) -> bool,
) -> Result<Vec<Lease>, StoreError> {
    let live = concat!(
        "SELECT ",
        columns!(),
        " FROM leases INDEXED BY leases_live WHERE ended_at IS NULL AND (:project IS NULL OR project_id = :project)
             AND (:worktree IS NULL OR worktree_id = :worktree)
             AND (:actor IS NULL OR actor_id = :actor OR lent_to = :actor)
             AND (:path IS NULL OR path = :path OR pattern IS NOT NULL)
         ORDER BY id"
    );
    let ended = concat!(
        "SELECT ",
        columns!(),
        " FROM leases INDEXED BY leases_ended WHERE ended_at IS NOT NULL AND (:project IS NULL OR project_id = :project)
             AND (:worktree IS NULL OR worktree_id = :worktree)
             AND (:actor IS NULL OR actor_id = :actor OR lent_to = :actor)
             AND (:path IS NULL OR path = :path OR pattern IS NOT NULL)
         ORDER BY ended_at DESC, id DESC"
    );
    let most = match filter.most {
        0 => usize::MAX,
        most => usize::try_from(most).unwrap_or(usize::MAX),
    };
    let mut found = Vec::new();
    db.each(
        if filter.ended { ended } else { live },
        named_params! {
            ":project": filter.project.map(|id| id.0),
            ":worktree": filter.worktree.map(|id| id.0),
            ":actor": filter.actor.map(|id| id.0),
            ":path": filter.path,
        },
        |row| {
            let lease = read(row)?;
            if filter.path.is_none_or(|path| is_over(&lease, path)) && fits(&lease) {
                found.push(lease);
            }
            Ok(if found.len() < most {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            })
        },
    )?;
    Ok(found)
}

fn is_over(lease: &Lease, path: &str) -> bool {
    lease.key.path == path
        || lease.is_everything()
        || (lease.kind == LeaseKind::Reserve && pattern::covers(&lease.key.path, path))
}
