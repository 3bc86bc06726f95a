//! A repository that was renamed or moved keeps its checkpoints: its own line says which rows are about it.

use engine::id::{CheckpointId, ProjectId};
use git::place::Place;
use git::shadow::{Shadow, ShadowError, ShadowSite, trailers};
use std::path::Path;
use store::table::{checkpoints, projects, worktrees};
use store::{Db, StoreError};

/// The project whose repository is at this place now and no longer where it was. A copy beside the original is none.
pub fn moved_here(db: &Db, place: &Place) -> Result<Option<ProjectId>, StoreError> {
    if place.common_dir.is_none() {
        return Ok(None);
    }
    // A shadow that cannot be read names nobody; whoever cuts the next checkpoint deals with it.
    for id in newest(place).unwrap_or_default() {
        let Some(row) = checkpoints::by_id(db, &id)? else {
            continue;
        };
        let Some(worktree) = worktrees::by_id(db, row.worktree)? else {
            continue;
        };
        let project = projects::by_id(db, worktree.project)?;
        if let Some(project) = project.filter(|project| is_gone(&project.place.key)) {
            return Ok(Some(project.id));
        }
    }
    Ok(None)
}

/// The newest checkpoint of every line.
fn newest(place: &Place) -> Result<Vec<CheckpointId>, ShadowError> {
    let site = ShadowSite::of(place, Path::new(""))?;
    let Some(shadow) = Shadow::open(&site)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for (_, tip) in shadow.lines()? {
        let message = shadow.read_commit(tip)?.message;
        let named = trailers(&message)
            .into_iter()
            .find(|(name, _)| name == "Toprope-Checkpoint");
        found.extend(named.and_then(|(_, id)| CheckpointId::parse(&id)));
    }
    Ok(found)
}

fn is_gone(folder: &Path) -> bool {
    matches!(fs_err::symlink_metadata(folder), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}
