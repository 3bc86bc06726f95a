//! Prompts that continue a turn instead of opening one: the client's reports on what the turn left in the background.

use crate::StoreError;
use crate::db::Db;
use crate::migration::Migration;
use engine::id::{EventSeq, PromptId, TurnId};
use engine::time::Timestamp;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 5,
    oldest_reader: 1,
    sql: "CREATE TABLE turn_prompts (
        event INTEGER PRIMARY KEY, -- the one that told of it
        turn_id INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
        prompt_id TEXT,
        transcript_start INTEGER, -- bytes
        at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX turn_prompts_of_turn ON turn_prompts (turn_id);",
}];

/// A prompt that continues a turn.
pub(crate) struct Continuing<'a> {
    pub event: EventSeq,
    pub turn: TurnId,
    pub prompt_id: Option<&'a PromptId>,
    pub at: Timestamp,
}

/// Records that a turn goes on with this prompt.
pub(crate) fn add(db: &Db, prompt: &Continuing<'_>) -> Result<(), StoreError> {
    db.execute(
        "INSERT OR IGNORE INTO turn_prompts (event, turn_id, prompt_id, at) VALUES (:event, :turn, :prompt, :at)",
        named_params! {
            ":event": prompt.event.0,
            ":turn": prompt.turn.0,
            ":prompt": prompt.prompt_id.map(PromptId::as_str),
            ":at": prompt.at.0,
        },
    )?;
    Ok(())
}
