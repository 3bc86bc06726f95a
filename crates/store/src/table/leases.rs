//! Leases: who may write which file, since when, and how it ended. One live `edit` lease per file, by the database itself.

use crate::client::ClientProcess;
use crate::db::{Db, RowFields};
use crate::migration::Migration;
use crate::{Moment, StoreError};
use engine::id::{ActorId, EventSeq, LeaseId, ProjectId, WorktreeId};
use engine::lease::{EndReason, FileKey, LeaseKind, Means};
use engine::time::Timestamp;
use rusqlite::named_params;

mod at_work;
mod ending;
mod holding;
mod list;
mod reserving;
mod taking;

pub use at_work::{at_work_in_process, at_work_in_session, count_write};
pub(crate) use ending::{bring_back, close, cut_off_after, hand_over, move_call, pass_on, under_call};
pub use holding::{
    below, elsewhere, everything, held, held_by, held_files, in_worktree, newest_ended, reservations,
    reservations_over,
};
pub use list::{LeaseFilter, list, list_fitting};
pub use reserving::{Reservation, Reserving, count_reserved, reserve};
pub use taking::{
    TakeResult, Taking, detach, end_with_call, give_back, go_on_in_background, lend, occupy, take, take_all,
    touch, wrote,
};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 4,
        oldest_reader: 1,
        sql: "CREATE TABLE leases (
        id INTEGER PRIMARY KEY,
        project_id INTEGER REFERENCES projects (id),
        worktree_id INTEGER NOT NULL, -- 0: outside every worktree, where paths are absolute
        kind TEXT NOT NULL, -- edit, reserve
        path TEXT NOT NULL, -- of a pattern: the pattern
        pattern TEXT, -- a reservation's glob; ** for a command that changes the whole worktree
        file_id TEXT, -- device:inode of a file with several links
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        lent_to INTEGER REFERENCES actors (id),
        call INTEGER, -- the event of the open call that writes
        background INTEGER NOT NULL DEFAULT 0, -- 1: a command in the background may write until its turn ends
        means TEXT, -- tool, shell
        writes INTEGER NOT NULL DEFAULT 0,
        reason TEXT, -- of a reservation; the command of a **
        pid INTEGER, -- of a command of ours: the process that it ends with
        pid_started INTEGER,
        boot_id INTEGER, -- the start of the machine that the _ms columns count from
        taken_at INTEGER NOT NULL,
        taken_ms INTEGER,
        touched_at INTEGER NOT NULL,
        touched_ms INTEGER,
        wrote_at INTEGER,
        wrote_ms INTEGER,
        expires_at INTEGER,
        expires_ms INTEGER,
        ended_at INTEGER,
        end_reason TEXT,
        owner_seen INTEGER -- when it ended: the owner's newest event
    ) STRICT;
    CREATE UNIQUE INDEX leases_held ON leases (worktree_id, path) WHERE kind = 'edit' AND ended_at IS NULL;
    CREATE UNIQUE INDEX leases_held_file ON leases (worktree_id, file_id)
        WHERE kind = 'edit' AND ended_at IS NULL AND file_id IS NOT NULL;
    CREATE INDEX leases_everywhere ON leases (project_id, path) WHERE kind = 'edit' AND ended_at IS NULL;
    CREATE INDEX leases_reserved ON leases (worktree_id) WHERE kind = 'reserve' AND ended_at IS NULL;
    CREATE INDEX leases_live ON leases (project_id) WHERE ended_at IS NULL;
    CREATE INDEX leases_of_actor ON leases (actor_id) WHERE ended_at IS NULL;
    CREATE INDEX leases_lent ON leases (lent_to) WHERE ended_at IS NULL AND lent_to IS NOT NULL;
    CREATE INDEX leases_of_call ON leases (call) WHERE call IS NOT NULL;
    CREATE INDEX leases_cut_off ON leases (actor_id, owner_seen) WHERE ended_at IS NOT NULL;
    CREATE INDEX leases_of_path ON leases (worktree_id, path, id) WHERE ended_at IS NOT NULL;
    CREATE INDEX leases_ended ON leases (ended_at) WHERE ended_at IS NOT NULL;",
    },
    Migration {
        version: 6,
        oldest_reader: 1,
        // 1: it ends with its call, whatever was written.
        sql: "ALTER TABLE leases ADD COLUMN call_only INTEGER NOT NULL DEFAULT 0;",
    },
];

/// The column of a key's worktree.
pub(crate) fn worktree_column(worktree: Option<WorktreeId>) -> i64 {
    worktree.map_or(0, |id| id.0)
}

/// The worktree a column names.
pub(crate) fn worktree_of(column: i64) -> Option<WorktreeId> {
    (column != 0).then_some(WorktreeId(column))
}

/// A row of `leases`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Its row.
    pub id: LeaseId,
    /// The project.
    pub project: Option<ProjectId>,
    /// The file; of a pattern, the path is the pattern.
    pub key: FileKey,
    /// The glob of a reservation, or `**`.
    pub pattern: Option<String>,
    /// Its kind.
    pub kind: LeaseKind,
    /// Whose it is.
    pub owner: ActorId,
    /// To whom it is lent.
    pub lent_to: Option<ActorId>,
    /// The event that opened the call which writes; `None` while none does.
    pub call: Option<EventSeq>,
    /// A command in the background may write until its turn ends, whatever other calls do.
    pub background: bool,
    /// It ends with its call, whatever was written.
    pub call_only: bool,
    /// What writes.
    pub means: Means,
    /// Successful writes.
    pub writes: u64,
    /// Why it was reserved, or the command of a `**`.
    pub reason: Option<String>,
    /// The process it ends with, of a command of the person's; agents' leases end with their agents.
    pub process: Option<ClientProcess>,
    /// When it was taken.
    pub taken: Moment,
    /// When its holder last asked for it.
    pub touched: Moment,
    /// The last successful write.
    pub wrote: Option<Moment>,
    /// When a reservation's time is up.
    pub expires: Option<Moment>,
    /// When it ended, and why.
    pub ended: Option<(Timestamp, EndReason)>,
}

impl Lease {
    /// Who may write: the borrower of a lent lease, else the owner.
    pub fn holder(&self) -> ActorId {
        self.lent_to.unwrap_or(self.owner)
    }

    /// What it covers, as people write it: a pattern, or the path of one file.
    pub fn reach(&self) -> &str {
        self.pattern.as_deref().unwrap_or(&self.key.path)
    }

    /// Whether it is a command's lease on its whole worktree.
    pub fn is_everything(&self) -> bool {
        self.kind == LeaseKind::Edit && self.pattern.is_some()
    }
}

macro_rules! columns {
    () => {
        "leases.id, leases.project_id, leases.worktree_id, leases.path, leases.file_id, pattern, kind, leases.actor_id, \
         lent_to, call, background, call_only, means, writes, leases.reason, pid, pid_started, leases.boot_id, taken_at, taken_ms, touched_at, touched_ms, \
         wrote_at, wrote_ms, leases.expires_at, leases.expires_ms, leases.ended_at, leases.end_reason"
    };
}
use columns;

/// The lease in this row.
pub fn by_id(db: &Db, id: LeaseId) -> Result<Option<Lease>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM leases WHERE id = :id");
    db.one(sql, named_params! { ":id": id.0 }, read)
}

/// Drops leases that ended long ago.
pub(crate) fn prune(db: &Db, before: Timestamp, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM leases WHERE id IN (SELECT id FROM leases WHERE ended_at < :before LIMIT :limit)",
        named_params! { ":before": before.0, ":limit": crate::db::column_of(limit) },
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Lease> {
    let id = LeaseId(row.take()?);
    let project = row.take::<Option<_>>()?.map(ProjectId);
    let key = FileKey {
        worktree: worktree_of(row.take()?),
        path: row.take()?,
        file_id: row.take()?,
    };
    let pattern = row.take()?;
    let kind = LeaseKind::parse(&row.take::<String>()?).ok_or(rusqlite::Error::InvalidQuery)?;
    let (owner, lent_to) = (ActorId(row.take()?), row.take::<Option<_>>()?.map(ActorId));
    let (call, background) = (row.take::<Option<_>>()?.map(EventSeq), row.take()?);
    let call_only = row.take()?;
    let means = match row.take::<Option<String>>()?.as_deref() {
        Some("shell") => Means::Shell,
        _ => Means::Tool,
    };
    let (writes, reason) = (row.count()?, row.take()?);
    let process = ClientProcess::from_columns(row.take()?, row.take()?);
    let boot: Option<i64> = row.take()?;
    let moment = |row: &mut RowFields<'_>| -> rusqlite::Result<Option<Moment>> {
        let (at, ms): (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
        Ok(at.map(|at| Moment::from_columns(at, boot, ms)))
    };
    let taken = moment(row)?.ok_or(rusqlite::Error::InvalidQuery)?;
    let touched = moment(row)?.ok_or(rusqlite::Error::InvalidQuery)?;
    let (wrote, expires) = (moment(row)?, moment(row)?);
    let ended_at: Option<i64> = row.take()?;
    let end_reason: Option<String> = row.take()?;
    Ok(Lease {
        id,
        project,
        key,
        pattern,
        kind,
        owner,
        lent_to,
        call,
        background,
        call_only,
        means,
        writes,
        reason,
        process,
        taken,
        touched,
        wrote,
        expires,
        ended: ended_at
            .map(Timestamp)
            .zip(end_reason.as_deref().and_then(EndReason::parse)),
    })
}

#[cfg(test)]
mod tests;
