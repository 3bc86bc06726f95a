//! Where an event belongs, as rows: the project and the worktree. They are made when first seen.

use crate::checkpoint::adoption::moved_here;
use engine::event::Event;
use engine::id::{ProjectId, WorktreeId};
use engine::time::Timestamp;
use git::place::{Place, PlaceKind};
use git::shadow::Track;
use git::worktree::GitWorktree;
use store::table::projects::{ProjectKind, ProjectPlace};
use store::table::worktrees::{self, GitWorktreeName};
use store::table::{actors, projects};
use store::{Db, StoreError};

/// See the module. Both are unknown where the event names no folder and its session is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Whereabouts {
    /// The project.
    pub project: Option<ProjectId>,
    /// The worktree.
    pub worktree: Option<WorktreeId>,
}

/// The rows of an event's place. Without git or a marker, a session stays in the project it began in.
pub fn whereabouts(
    db: &Db,
    event: &Event,
    found: Option<&Place>,
    at: Timestamp,
) -> Result<Whereabouts, StoreError> {
    let Some(found) = found else {
        return of_session(db, event);
    };
    if found.project.kind == PlaceKind::Folder {
        let known = of_session(db, event)?;
        if known.project.is_some() {
            return Ok(known);
        }
    }
    of_place(db, found, at)
}

/// The rows of a place. A repository that was moved keeps its project, and a worktree that was moved its row.
pub fn of_place(db: &Db, found: &Place, at: Timestamp) -> Result<Whereabouts, StoreError> {
    let place = ProjectPlace {
        key: found.project.key.clone(),
        root: found.project.root.clone(),
        kind: match found.project.kind {
            PlaceKind::Git => ProjectKind::Git,
            PlaceKind::Marker => ProjectKind::Marker,
            PlaceKind::Folder => ProjectKind::Folder,
        },
    };
    let known = projects::known(db, &place)?;
    if known.is_none()
        && let Some(moved) = moved_here(db, found)?
    {
        projects::move_to(db, moved, &place)?;
    }
    let project = known.map_or_else(|| projects::ensure(db, &place, at), Ok)?;
    Ok(Whereabouts {
        project: Some(project),
        worktree: Some(worktree_of(db, project, found, at)?),
    })
}

/// The row of a worktree, which it keeps wherever its folder goes.
pub fn worktree_of(
    db: &Db,
    project: ProjectId,
    found: &Place,
    at: Timestamp,
) -> Result<WorktreeId, StoreError> {
    let Some((root, name)) = GitWorktree::named(found) else {
        return worktrees::ensure(db, project, &found.project.root, at);
    };
    if let Some(known) = worktrees::known(db, project, root, name)? {
        return Ok(known);
    }
    let line = Track::of(name).to_string();
    let named = GitWorktreeName {
        project,
        root,
        name,
        line: &line,
    };
    worktrees::ensure_named(db, &named, at)
}

fn of_session(db: &Db, event: &Event) -> Result<Whereabouts, StoreError> {
    let main = actors::by_key(db, &event.actor.main())?;
    Ok(main
        .map(|main| Whereabouts {
            project: main.project,
            worktree: main.worktree,
        })
        .unwrap_or_default())
}
