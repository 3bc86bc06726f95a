//! Leases under which a call is at work: should it be cut off, only the files tell what it wrote.
//!
//! Found by the calls that are open, wherever they are: a lease that is over is under none.

use super::{Lease, columns, read};
use crate::Moment;
use crate::StoreError;
use crate::client::ClientProcess;
use crate::db::Db;
use engine::id::{ActorKey, LeaseId};
use rusqlite::named_params;

/// The leases that open calls of a client session's actors write under, oldest first.
pub fn at_work_in_session(db: &Db, key: &ActorKey) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases INDEXED BY leases_of_call JOIN actors ON actors.id = COALESCE(lent_to, actor_id)
             WHERE call IS NOT NULL AND leases.ended_at IS NULL AND pattern IS NULL
                 AND agent_kind = :kind AND client_session_id = :session
             ORDER BY leases.id"
        ),
        named_params! { ":kind": key.agent_kind.as_str(), ":session": key.session.as_str() },
        read,
    )
}

/// The same of the actors with an open window in a process.
pub fn at_work_in_process(db: &Db, client: &ClientProcess) -> Result<Vec<Lease>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM leases INDEXED BY leases_of_call
                 JOIN sessions ON sessions.actor_id = COALESCE(lent_to, leases.actor_id)
             WHERE call IS NOT NULL AND leases.ended_at IS NULL AND pattern IS NULL
                 AND client_pid = :pid AND client_pid_started = :started AND sessions.ended_at IS NULL
             ORDER BY leases.id"
        ),
        named_params! { ":pid": client.pid_column(), ":started": client.started_column() },
        read,
    )
}

/// A write under a lease is known of before its call is over.
pub fn count_write(db: &Db, lease: LeaseId, at: Moment) -> Result<(), StoreError> {
    db.execute(
        "UPDATE leases SET writes = writes + 1, wrote_at = :at, wrote_ms = CASE WHEN boot_id IS :boot THEN :ms END
         WHERE id = :id AND ended_at IS NULL",
        named_params! { ":at": at.at.0, ":ms": at.boot_ms(), ":boot": at.boot_id(), ":id": lease.0 },
    )?;
    Ok(())
}
