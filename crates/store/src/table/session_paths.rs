//! Files outside every worktree that a session made or wrote: what checkpoints do not follow, and guards ask about.

use crate::StoreError;
use crate::db::{Db, bytes_of};
use crate::migration::Migration;
use crate::table::touches::Authorship;
use engine::id::{ActorId, EventSeq};
use rusqlite::named_params;
use std::path::Path;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 3,
    oldest_reader: 1,
    sql: "CREATE TABLE session_paths (
        session_id INTEGER NOT NULL REFERENCES actors (id), -- the main thread of the client's session
        path BLOB NOT NULL, -- absolute
        created INTEGER NOT NULL, -- the first thing known of it is that this session made it
        event INTEGER NOT NULL,
        PRIMARY KEY (session_id, path)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX session_paths_of_path ON session_paths (path);
    CREATE INDEX session_paths_of_event ON session_paths (event);",
}];

/// A session wrote a file; `created` where there was none before it.
pub fn note(
    db: &Db,
    session: ActorId,
    path: &Path,
    created: bool,
    event: EventSeq,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO session_paths (session_id, path, created, event) VALUES (:session, :path, :created, :event)
         ON CONFLICT (session_id, path) DO UPDATE SET event = excluded.event",
        named_params! {
            ":session": session.0,
            ":path": bytes_of(path),
            ":created": created,
            ":event": event.0,
        },
    )?;
    Ok(())
}

/// What a session did to a file, as far as it was noted.
pub fn authorship(db: &Db, session: ActorId, path: &Path) -> Result<Authorship, StoreError> {
    let found = db.one(
        "SELECT created, EXISTS (SELECT 1 FROM session_paths AS others
             WHERE others.path = :path AND others.session_id <> :session)
         FROM session_paths WHERE session_id = :session AND path = :path",
        named_params! { ":session": session.0, ":path": bytes_of(path) },
        |row| {
            let (made, by_others): (bool, bool) = (row.take()?, row.take()?);
            Ok(Authorship {
                wrote: true,
                created: made && !by_others,
                left: None,
            })
        },
    )?;
    Ok(found.unwrap_or_default())
}

/// Forgets what was noted up to an event.
pub(crate) fn prune(db: &Db, up_to: EventSeq) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM session_paths WHERE event <= :up_to",
        named_params! { ":up_to": up_to.0 },
    )?;
    Ok(())
}

#[cfg(test)]
mod tests;
