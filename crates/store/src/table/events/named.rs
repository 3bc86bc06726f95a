//! Names that events and tools ever had: a few, found without looking at every event.

use crate::StoreError;
use crate::db::Db;
use engine::id::ProjectId;
use rusqlite::named_params;

/// A name with a tool, if it has one.
pub(super) type EventToolName = (String, Option<String>);

/// Every name of an event of a project, with every tool it came with. Without a project: of those that have none.
pub(super) fn kinds(db: &Db, project: Option<ProjectId>) -> Result<Vec<EventToolName>, StoreError> {
    let mut kinds = Vec::new();
    for name in names(db, project)? {
        for tool in tools(db, project, &name)? {
            kinds.push((name.clone(), tool));
        }
    }
    Ok(kinds)
}

/// Whether an event of this name ever came.
pub fn was_named(db: &Db, name: &str) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM (SELECT id FROM projects UNION ALL SELECT NULL) AS place
         WHERE EXISTS (SELECT 1 FROM events WHERE project_id IS place.id AND event = :name)",
        named_params! { ":name": name },
    )
}

/// Every tool that was used in a project, by name.
pub fn tools_seen(db: &Db, project: ProjectId) -> Result<Vec<String>, StoreError> {
    let mut tools: Vec<String> = kinds(db, Some(project))?
        .into_iter()
        .filter_map(|(_, tool)| tool)
        .collect();
    tools.sort();
    tools.dedup();
    Ok(tools)
}

fn names(db: &Db, project: Option<ProjectId>) -> Result<Vec<String>, StoreError> {
    db.values(
        "WITH RECURSIVE found (word) AS (
             SELECT MIN(event) FROM events WHERE project_id IS :project
             UNION ALL SELECT (SELECT MIN(event) FROM events WHERE project_id IS :project AND event > found.word)
                 FROM found WHERE found.word IS NOT NULL)
         SELECT word FROM found WHERE word IS NOT NULL",
        named_params! { ":project": project.map(|id| id.0) },
    )
}

fn tools(db: &Db, project: Option<ProjectId>, name: &str) -> Result<Vec<Option<String>>, StoreError> {
    db.values(
        "WITH RECURSIVE found (word) AS (
             SELECT MIN(tool) FROM events WHERE project_id IS :project AND event = :name
             UNION ALL SELECT (SELECT MIN(tool) FROM events
                     WHERE project_id IS :project AND event = :name AND tool > found.word)
                 FROM found WHERE found.word IS NOT NULL)
         SELECT word FROM found WHERE word IS NOT NULL
         UNION ALL SELECT NULL WHERE EXISTS (
             SELECT 1 FROM events WHERE project_id IS :project AND event = :name AND tool IS NULL)",
        named_params! { ":project": project.map(|id| id.0), ":name": name },
    )
}
