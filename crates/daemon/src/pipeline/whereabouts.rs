//! Where an event belongs, as rows: the project and the worktree. They are made when first seen.

use engine::event::Event;
use engine::id::{ProjectId, WorktreeId};
use engine::time::Timestamp;
use git::place::{Kind, Place};
use store::table::projects::{ProjectKind, ProjectPlace};
use store::table::{actors, projects, worktrees};
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
    if found.project.kind == Kind::Folder {
        let known = of_session(db, event)?;
        if known.project.is_some() {
            return Ok(known);
        }
    }
    let place = ProjectPlace {
        key: found.project.key.clone(),
        root: found.project.root.clone(),
        kind: match found.project.kind {
            Kind::Git => ProjectKind::Git,
            Kind::Marker => ProjectKind::Marker,
            Kind::Folder => ProjectKind::Folder,
        },
    };
    let project = projects::ensure(db, &place, at)?;
    let root = found.worktree.as_deref().unwrap_or(&found.project.root);
    let worktree = worktrees::ensure(db, project, root, at)?;
    Ok(Whereabouts {
        project: Some(project),
        worktree: Some(worktree),
    })
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
