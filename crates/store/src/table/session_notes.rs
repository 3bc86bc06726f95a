//! Session notes: small facts about a session that later events need, each under its own key.

use crate::StoreError;
use crate::db::Db;
use crate::migration::Migration;
use engine::id::ActorId;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    oldest_reader: 1,
    sql: "CREATE TABLE session_notes (
        session_id INTEGER NOT NULL REFERENCES actors (id), -- the main thread of the client's session
        key TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (session_id, key)
    ) STRICT, WITHOUT ROWID;",
}];

/// Bytes of a note that are kept.
const LONGEST: usize = 1024;

/// Notes a text; an earlier one under the same key is replaced.
pub fn set(db: &Db, session: ActorId, key: &str, text: &str) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO session_notes (session_id, key, text) VALUES (:session, :key, :text)
         ON CONFLICT (session_id, key) DO UPDATE SET text = excluded.text WHERE text <> excluded.text",
        named_params! {
            ":session": session.0,
            ":key": cut(key),
            ":text": cut(text),
        },
    )?;
    Ok(())
}

/// What is noted under a key.
pub fn get(db: &Db, session: ActorId, key: &str) -> Result<Option<String>, StoreError> {
    db.value(
        "SELECT text FROM session_notes WHERE session_id = :session AND key = :key",
        named_params! { ":session": session.0, ":key": cut(key) },
    )
}

/// The notes of a session whose keys begin like this, by what follows in the key.
pub fn below(db: &Db, session: ActorId, front: &str) -> Result<Vec<(String, String)>, StoreError> {
    let found = db.all(
        "SELECT key, text FROM session_notes WHERE session_id = :session AND key >= :front AND key < :end ORDER BY key",
        named_params! { ":session": session.0, ":front": front, ":end": format!("{front}\u{10ffff}") },
        |row| Ok((row.take::<String>()?, row.take()?)),
    )?;
    let rest = |key: String| key.strip_prefix(front).map(str::to_owned).unwrap_or(key);
    Ok(found.into_iter().map(|(key, text)| (rest(key), text)).collect())
}

/// How many sessions have a note of this name.
pub fn count(db: &Db, key: &str) -> Result<u64, StoreError> {
    db.number(
        "SELECT COUNT(*) FROM session_notes WHERE key = :key",
        named_params! { ":key": key },
    )
}

/// What is noted under a key, and forgotten with this.
pub fn take(db: &Db, session: ActorId, key: &str) -> Result<Option<String>, StoreError> {
    // Most often there is none, and looking is cheaper than a deletion that tells what it removed.
    let Some(text) = get(db, session, key)? else {
        return Ok(None);
    };
    db.execute(
        "DELETE FROM session_notes WHERE session_id = :session AND key = :key",
        named_params! { ":session": session.0, ":key": cut(key) },
    )?;
    Ok(Some(text))
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text)
}

#[cfg(test)]
mod tests;
