//! Tickets: who waits for a file, in which order, and to whom a free one is promised.

use crate::db::{Db, RowFields};
use crate::migration::Migration;
use crate::table::leases::{worktree_column, worktree_of};
use crate::{Moment, StoreError};
use engine::id::{ActorId, TicketId};
use engine::lease::FileKey;
use engine::time::Timestamp;
use rusqlite::named_params;

mod denials;
mod line;
mod queueing;

use denials::Denials;
pub(crate) use line::{all_open, forget, leave, notice_key, offer, remembered, return_to_line, used};
pub use line::{heard, in_worktree, live_of, of_actor, offered, open_of, waiting};
pub use queueing::{Queued, Queueing, queue};

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
    version: 4,
    oldest_reader: 1,
    sql: "CREATE TABLE tickets (
        id INTEGER PRIMARY KEY, -- the order of the line
        worktree_id INTEGER NOT NULL, -- 0: outside every worktree
        path TEXT NOT NULL,
        file_id TEXT,
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        boot_id INTEGER, -- the start of the machine that the _ms columns count from
        created_at INTEGER NOT NULL,
        created_ms INTEGER,
        denials INTEGER NOT NULL DEFAULT 0,
        denied TEXT NOT NULL DEFAULT '', -- when, the last few; by the boot clock where it is known
        state TEXT NOT NULL DEFAULT 'waiting', -- offered, used, passed, dropped
        offered_until INTEGER,
        offered_until_ms INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX tickets_open ON tickets (actor_id, worktree_id, path) WHERE state IN ('waiting', 'offered');
    CREATE INDEX tickets_line ON tickets (worktree_id, path, id) WHERE state IN ('waiting', 'offered');
    CREATE INDEX tickets_of_file ON tickets (worktree_id, file_id, id)
        WHERE state IN ('waiting', 'offered') AND file_id IS NOT NULL;
    CREATE UNIQUE INDEX tickets_offered ON tickets (worktree_id, path) WHERE state = 'offered';
    CREATE INDEX tickets_over ON tickets (created_at) WHERE state NOT IN ('waiting', 'offered');",
},
    Migration {
        version: 6,
        oldest_reader: 1,
        sql: "CREATE INDEX tickets_remembered ON tickets (actor_id) WHERE state = 'remembered';",
    },
];

/// What becomes of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TicketState {
    /// It is in line.
    Waiting,
    /// The file is free, and its alone for a while.
    Offered,
    /// It took the file.
    Used,
    /// It let the offer pass.
    Passed,
    /// Its actor's life ended, or it waited too long.
    Dropped,
    /// Its actor's turn ended: it is told with its next prompt.
    Remembered,
}

impl TicketState {
    const ALL: [Self; 6] = [
        Self::Waiting,
        Self::Offered,
        Self::Used,
        Self::Passed,
        Self::Dropped,
        Self::Remembered,
    ];

    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Offered => "offered",
            Self::Used => "used",
            Self::Passed => "passed",
            Self::Dropped => "dropped",
            Self::Remembered => "remembered",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

/// A row of `tickets`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// Its row, and its place in the order.
    pub id: TicketId,
    /// For which file.
    pub key: FileKey,
    /// Whose.
    pub actor: ActorId,
    /// When it was drawn.
    pub created: Moment,
    /// How often its actor was denied the file.
    pub denials: u64,
    /// What became of it.
    pub state: TicketState,
    /// Until when the file is promised.
    pub offered_until: Option<Moment>,
    denied: Vec<Denials>,
}

impl Ticket {
    /// How often its actor was denied the file within so many milliseconds, and how long ago the first of them was.
    pub fn denied_within(&self, milliseconds: u64, now: Moment) -> (u32, u64) {
        let reading = reading(now);
        let same = self.created.boot_id() == now.boot_id();
        let ago = |denials: &Denials| u64::try_from(reading.saturating_sub(denials.at)).unwrap_or(0);
        let recent = self
            .denied
            .iter()
            .filter(|denials| same && ago(denials) <= milliseconds);
        let times = recent.clone().map(|denials| denials.times);
        (
            times.fold(0, u32::saturating_add),
            recent.map(ago).max().unwrap_or(0),
        )
    }
}

/// What a moment's better clock shows.
fn reading(moment: Moment) -> i64 {
    moment.boot_ms().unwrap_or(moment.at.0)
}

macro_rules! columns {
    () => {
        "tickets.id, tickets.worktree_id, tickets.path, tickets.file_id, tickets.actor_id, tickets.boot_id, created_at, \
         created_ms, denials, denied, tickets.state, offered_until, offered_until_ms"
    };
}
use columns;

/// Drops tickets that were used or given up long ago.
pub(crate) fn prune(db: &Db, before: Timestamp, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM tickets WHERE id IN (SELECT id FROM tickets
             WHERE state NOT IN ('waiting', 'offered') AND created_at < :before LIMIT :limit)",
        named_params! { ":before": before.0, ":limit": crate::db::column_of(limit) },
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Ticket> {
    let id = TicketId(row.take()?);
    let key = FileKey {
        worktree: worktree_of(row.take()?),
        path: row.take()?,
        file_id: row.take()?,
    };
    let actor = ActorId(row.take()?);
    let boot: Option<i64> = row.take()?;
    let created = Moment::from_columns(row.take()?, boot, row.take()?);
    let denials = row.count()?;
    let denied: String = row.take()?;
    let state = TicketState::parse(&row.take::<String>()?).ok_or(rusqlite::Error::InvalidQuery)?;
    let (until, until_ms): (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
    Ok(Ticket {
        id,
        key,
        actor,
        created,
        denials,
        state,
        offered_until: until.map(|at| Moment::from_columns(at, boot, until_ms)),
        denied: Denials::parse(&denied),
    })
}

/// The places of an actor in line are another row's. Where both wait for a file, the better place stays.
pub(crate) fn pass_on(db: &Db, from: ActorId, to: ActorId) -> Result<(), StoreError> {
    for ticket in of_actor(db, from)? {
        if let Some(other) = open_of(db, to, &ticket.key)? {
            let is_behind = other.state == TicketState::Offered
                || (ticket.state != TicketState::Offered && other.id.0 < ticket.id.0);
            leave(db, if is_behind { &ticket } else { &other }, TicketState::Dropped)?;
        }
    }
    db.execute(
        "UPDATE tickets SET actor_id = :to WHERE actor_id = :from AND state IN ('waiting', 'offered')",
        named_params! { ":from": from.0, ":to": to.0 },
    )?;
    Ok(())
}
