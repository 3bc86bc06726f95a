//! The contents that rows speak of: whoever tidies the shadow keeps them.

use crate::StoreError;
use crate::db::Db;
use engine::id::ProjectId;
use rusqlite::named_params;

/// The ids of every content a project's rows name. What the oldest checkpoint of a line replaced is not among them:
/// nothing can be put back to before it.
pub fn objects(db: &Db, project: ProjectId) -> Result<Vec<String>, StoreError> {
    db.values(
        "WITH of_project AS (SELECT files.*, files.checkpoint_seq > (SELECT MIN(seq) FROM checkpoints
                 WHERE checkpoints.worktree_id = files.worktree_id) AS has_older
             FROM checkpoint_files AS files JOIN worktrees ON worktrees.id = files.worktree_id
             WHERE worktrees.project_id = :project)
         SELECT after_id FROM of_project WHERE after_id IS NOT NULL
         UNION SELECT after_raw FROM of_project WHERE after_raw IS NOT NULL
         UNION SELECT before_id FROM of_project WHERE before_id IS NOT NULL AND has_older
         UNION SELECT before_raw FROM of_project WHERE before_raw IS NOT NULL AND has_older",
        named_params! { ":project": project.0 },
    )
}
