//! Changes that a rewind or an undo took back, and those that were given back.

use crate::StoreError;
use crate::db::Db;
use engine::id::{CheckpointId, FileRowId};
use rusqlite::named_params;

/// A rewind took these changes back.
pub fn take_back(db: &Db, rows: &[FileRowId], by: &CheckpointId) -> Result<(), StoreError> {
    for row in rows {
        db.execute(
            "UPDATE checkpoint_files SET taken_back_by = :by, given_back = NULL WHERE id = :id",
            named_params! { ":by": by.as_str(), ":id": row.0 },
        )?;
    }
    Ok(())
}

/// What a rewind took back at a path counts again.
pub(crate) fn give_back(db: &Db, taken_by: &CheckpointId, path: &[u8]) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET given_back = taken_back_by, taken_back_by = NULL
         WHERE taken_back_by = :by AND path = :path",
        named_params! { ":by": taken_by.as_str(), ":path": path },
    )?;
    Ok(())
}

/// What was given back at a path, after `taken_by` had taken it, is taken back once more.
pub(crate) fn take_again(
    db: &Db,
    taken_by: &CheckpointId,
    path: &[u8],
    by: &CheckpointId,
) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoint_files SET taken_back_by = :by, given_back = NULL
         WHERE given_back = :taken_by AND path = :path",
        named_params! { ":by": by.as_str(), ":taken_by": taken_by.as_str(), ":path": path },
    )?;
    Ok(())
}
