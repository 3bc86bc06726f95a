//! Verdicts whose text names something, such as a path.

use super::{StoredVerdict, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::{EventSeq, ProjectId};
use rusqlite::named_params;

/// The newest verdicts of a project whose reason holds this text, newest first, each with its event.
pub fn mentioning(
    db: &Db,
    project: ProjectId,
    text: &str,
    most: u64,
) -> Result<Vec<(EventSeq, StoredVerdict)>, StoreError> {
    db.all(
        "SELECT verdicts.event, policy, verdict, reason, applied, took_us
         FROM verdicts JOIN events ON events.seq = verdicts.event
         WHERE events.project_id = :project AND instr(reason, :text) > 0
         ORDER BY verdicts.id DESC LIMIT :most",
        named_params! { ":project": project.0, ":text": text, ":most": column_of(most) },
        |row| Ok((EventSeq(row.take()?), read(row)?)),
    )
}
