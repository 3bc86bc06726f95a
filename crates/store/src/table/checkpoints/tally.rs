//! How many checkpoints a project has, and which of them may miss something.

use super::{Checkpoint, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::ProjectId;
use engine::time::Timestamp;
use rusqlite::named_params;

/// How many checkpoints there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckpointTally {
    /// Checkpoints.
    pub checkpoints: u64,
    /// Client sessions that have one.
    pub sessions: u64,
}

/// Counts a project's checkpoints.
pub fn tally(db: &Db, project: ProjectId) -> Result<CheckpointTally, StoreError> {
    let found = db.one(
        "SELECT COUNT(*), COUNT(DISTINCT session_id) FROM checkpoints
         WHERE worktree_id IN (SELECT id FROM worktrees WHERE project_id = :project)",
        named_params! { ":project": project.0 },
        |row| {
            Ok(CheckpointTally {
                checkpoints: row.count()?,
                sessions: row.count()?,
            })
        },
    )?;
    Ok(found.unwrap_or_default())
}

/// Whether a project has a checkpoint at all.
pub fn has_any(db: &Db, project: ProjectId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM worktrees JOIN checkpoints ON checkpoints.worktree_id = worktrees.id
         WHERE worktrees.project_id = :project LIMIT 1",
        named_params! { ":project": project.0 },
    )
}

/// A project's checkpoints since a moment that may miss something, newest first.
pub fn degraded(
    db: &Db,
    project: ProjectId,
    since: Timestamp,
    limit: u64,
) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id IN (SELECT id FROM worktrees WHERE project_id = :project)
                 AND created_at >= :since AND degraded <> '[]' ORDER BY seq DESC LIMIT :limit"
        ),
        named_params! { ":project": project.0, ":since": since.0, ":limit": column_of(limit) },
        read,
    )
}

/// Forgets all checkpoints of a project, with what they changed and what was linked to them: their objects are gone.
pub fn forget(db: &Db, project: ProjectId) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM touches WHERE worktree_id IN (SELECT id FROM worktrees WHERE project_id = :project)",
        named_params! { ":project": project.0 },
    )?;
    db.execute(
        "DELETE FROM commit_links WHERE project_id = :project",
        named_params! { ":project": project.0 },
    )?;
    db.execute(
        "DELETE FROM checkpoints WHERE worktree_id IN (SELECT id FROM worktrees WHERE project_id = :project)",
        named_params! { ":project": project.0 },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoints::{CheckpointKind, NewCheckpoint};
    use crate::stage::{Stage, added, main_of};
    use engine::event::StartSource;

    #[test]
    fn checkpoints_are_counted_and_forgotten_by_project() {
        let mut stage = Stage::new();
        let (one, two) = (main_of("1"), main_of("2"));
        for who in [&one, &two] {
            stage.starts(who, StartSource::Startup);
            stage.cut(who, CheckpointKind::Turn, 1, &[added("a")]);
        }
        let late = stage.draft(&one, CheckpointKind::Turn);
        stage.keep(
            &NewCheckpoint {
                turn: Some(2),
                degraded: vec!["scan".to_owned()],
                ..late
            },
            &[],
        );
        let project = ProjectId(1);
        let counted = |stage: &Stage| tally(&stage.read(), project).unwrap();
        let expected = CheckpointTally {
            checkpoints: 3,
            sessions: 2,
        };
        assert_eq!(counted(&stage), expected);
        assert_eq!(
            tally(&stage.read(), ProjectId(2)).unwrap(),
            CheckpointTally::default()
        );
        let found = degraded(&stage.read(), project, Timestamp(0), 9).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            degraded(&stage.read(), project, Timestamp(i64::MAX), 9).unwrap(),
            []
        );
        assert_eq!(stage.write(|db| forget(db, project)), 3);
        assert_eq!(counted(&stage), CheckpointTally::default());
        assert_eq!(stage.rows("SELECT count(*) FROM checkpoint_files"), ["0"]);
    }
}
