//! Verdicts whose text names something, such as a path.

use super::{StoredVerdict, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::{EventSeq, ProjectId};
use rusqlite::named_params;

/// The newest verdicts, of all projects, that are looked through. No index knows what is within a text, and one that did
/// would cost every event.
const LOOKED_THROUGH: u64 = 50_000;

/// The newest verdicts of a project whose reason holds this text, newest first, each with its event.
pub fn mentioning(
    db: &Db,
    project: ProjectId,
    text: &str,
    most: u64,
) -> Result<Vec<(EventSeq, StoredVerdict)>, StoreError> {
    among(db, project, text, most, LOOKED_THROUGH)
}

/// The same among so many of the newest.
fn among(
    db: &Db,
    project: ProjectId,
    text: &str,
    most: u64,
    newest: u64,
) -> Result<Vec<(EventSeq, StoredVerdict)>, StoreError> {
    // Joined crosswise, since otherwise every event of the project would be read, and its verdicts one by one.
    db.all(
        "SELECT verdicts.event, policy, verdict, reason, applied, took_us
         FROM verdicts CROSS JOIN events ON events.seq = verdicts.event
         WHERE verdicts.id > (SELECT MAX(id) FROM verdicts) - :newest
             AND instr(reason, :text) > 0 AND events.project_id = :project
         ORDER BY verdicts.id DESC LIMIT :most",
        named_params! {
            ":project": project.0,
            ":text": text,
            ":newest": column_of(newest),
            ":most": column_of(most),
        },
        |row| Ok((EventSeq(row.take()?), read(row)?)),
    )
}

#[cfg(test)]
mod tests;
