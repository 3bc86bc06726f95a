//! Transcripts: how far each file of a conversation has been read. One actor may have several, a file has one actor.

use crate::StoreError;
use crate::db::{Db, RowFields, bytes_of, column_of};
use crate::migration::Migration;
use engine::id::ActorId;
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::{Path, PathBuf};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    oldest_reader: 1,
    sql: "CREATE TABLE transcripts (
        path BLOB PRIMARY KEY,
        actor_id INTEGER NOT NULL REFERENCES actors (id),
        device INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        read_offset INTEGER NOT NULL, -- bytes read, a partial last line included
        partial_line BLOB NOT NULL,
        state TEXT, -- what its reader knows at that place, in its own words
        read_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX transcripts_of_actor ON transcripts (actor_id);",
}];

/// A row of `transcripts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Which file.
    pub path: PathBuf,
    /// Whose conversation.
    pub actor: ActorId,
    /// Which file system.
    pub device: u64,
    /// Which file on it: another number at the same path is another file.
    pub inode: u64,
    /// Bytes read, a partial last line included.
    pub offset: u64,
    /// A last line that had no end yet.
    pub partial_line: Vec<u8>,
    /// What its reader knows at that place, in its own words.
    pub state: Option<String>,
    /// When it was last read.
    pub read_at: Timestamp,
}

impl Transcript {
    /// The end of the last whole line that was read.
    pub fn end(&self) -> u64 {
        let partial = u64::try_from(self.partial_line.len()).unwrap_or(0);
        self.offset.saturating_sub(partial)
    }
}

macro_rules! columns {
    () => {
        "path, actor_id, device, inode, read_offset, partial_line, state, read_at"
    };
}

/// How far this file has been read.
pub fn of(db: &Db, path: &Path) -> Result<Option<Transcript>, StoreError> {
    let sql = concat!("SELECT ", columns!(), " FROM transcripts WHERE path = :path");
    db.one(sql, named_params! { ":path": bytes_of(path) }, read)
}

/// The files of an actor, the one read last first.
pub fn of_actor(db: &Db, actor: ActorId) -> Result<Vec<Transcript>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM transcripts WHERE actor_id = :actor ORDER BY read_at DESC, path"
        ),
        named_params! { ":actor": actor.0 },
        read,
    )
}

/// Keeps how far a file has been read. A file stays with the actor it was first read for.
pub fn keep(db: &Db, transcript: &Transcript) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO transcripts (path, actor_id, device, inode, read_offset, partial_line, state, read_at)
         VALUES (:path, :actor, :device, :inode, :offset, :partial, :state, :at)
         ON CONFLICT (path) DO UPDATE SET device = excluded.device, inode = excluded.inode,
             read_offset = excluded.read_offset, partial_line = excluded.partial_line, state = excluded.state,
             read_at = excluded.read_at",
        named_params! {
            ":path": bytes_of(&transcript.path),
            ":actor": transcript.actor.0,
            ":device": signed(transcript.device),
            ":inode": signed(transcript.inode),
            ":offset": column_of(transcript.offset),
            ":partial": transcript.partial_line,
            ":state": transcript.state,
            ":at": transcript.read_at.0,
        },
    )?;
    Ok(())
}

/// Numbers of files use all their bits; only their equality means something.
fn signed(number: u64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

fn unsigned(number: i64) -> u64 {
    u64::from_ne_bytes(number.to_ne_bytes())
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<Transcript> {
    Ok(Transcript {
        path: row.path()?,
        actor: ActorId(row.take()?),
        device: unsigned(row.take()?),
        inode: unsigned(row.take()?),
        offset: row.count()?,
        partial_line: row.take()?,
        state: row.take()?,
        read_at: Timestamp(row.take()?),
    })
}

#[cfg(test)]
mod tests;
