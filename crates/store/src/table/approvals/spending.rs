//! Using an approval up: once per call, in the transaction of the call's own event.

use super::ApprovalId;
use crate::StoreError;
use crate::db::Db;
use engine::id::{EventSeq, ToolUseId};
use engine::time::Timestamp;
use rusqlite::named_params;

/// The call that uses an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use<'a> {
    /// Which approval.
    pub approval: &'a ApprovalId,
    /// Which call; one without an id is given one by its caller.
    pub call: &'a ToolUseId,
    /// Its event.
    pub event: EventSeq,
    /// When.
    pub at: Timestamp,
}

/// Takes one use for a call; false if there is none left, or its time is over. The same call takes one only.
pub fn spend(db: &Db, used: &Use<'_>) -> Result<bool, StoreError> {
    let is_repeated = db.exists(
        "SELECT 1 FROM approval_uses WHERE approval = :id AND tool_use_id = :call",
        named_params! { ":id": used.approval.as_str(), ":call": used.call.as_str() },
    )?;
    if is_repeated {
        return Ok(true);
    }
    let taken = db.execute(
        "UPDATE approvals SET uses_left = uses_left - 1,
             state = CASE WHEN uses_left > 1 THEN 'granted' ELSE 'used' END
         WHERE id = :id AND state = 'granted' AND uses_left > 0 AND expires_at > :at",
        named_params! { ":id": used.approval.as_str(), ":at": used.at.0 },
    )?;
    if taken == 0 {
        return Ok(false);
    }
    db.execute(
        "INSERT INTO approval_uses (approval, tool_use_id, event, at) VALUES (:id, :call, :event, :at)",
        named_params! {
            ":id": used.approval.as_str(),
            ":call": used.call.as_str(),
            ":event": used.event.0,
            ":at": used.at.0,
        },
    )?;
    Ok(true)
}
