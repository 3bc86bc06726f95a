//! Notices: texts owed to an actor or to the person, each delivered once.

use crate::StoreError;
use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use engine::effect::{Audience, Owed};
use engine::facts::OwedNotice;
use engine::id::{ActorId, EventSeq, NoticeId};
use engine::time::Timestamp;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        oldest_reader: 1,
        sql: "CREATE TABLE notices (
        id INTEGER PRIMARY KEY,
        audience TEXT NOT NULL, -- actor, person
        actor_id INTEGER REFERENCES actors (id), -- to whom, or about whom
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        score INTEGER,
        text TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        delivered_at INTEGER,
        delivered_event INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX notices_of_actor ON notices (actor_id, kind, key)
        WHERE audience = 'actor' AND delivered_at IS NULL;
    CREATE UNIQUE INDEX notices_of_person ON notices (kind, key)
        WHERE audience = 'person' AND delivered_at IS NULL;",
    },
    Migration {
        version: 4,
        oldest_reader: 1,
        sql: "CREATE INDEX notices_about ON notices (kind, key, actor_id);
    CREATE INDEX notices_delivered ON notices (delivered_at) WHERE delivered_at IS NOT NULL;",
    },
];

/// A text owed to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonNotice {
    /// Its row.
    pub id: NoticeId,
    /// The actor whose event caused it.
    pub about: Option<ActorId>,
    /// The part it comes from.
    pub kind: String,
    /// What tells two of one kind apart.
    pub key: String,
    /// The text.
    pub text: String,
    /// Since when it is owed.
    pub created_at: Timestamp,
}

/// Owes a text; a pending one with the same audience, kind and key is replaced.
pub fn owe(db: &Db, owed: &Owed, actor: impl Into<Option<ActorId>>, at: Timestamp) -> Result<(), StoreError> {
    let sql = match owed.audience {
        Audience::Actor => {
            "INSERT INTO notices (audience, actor_id, kind, key, text, created_at)
             VALUES ('actor', :actor, :kind, :key, :text, :at)
             ON CONFLICT (actor_id, kind, key) WHERE audience = 'actor' AND delivered_at IS NULL
             DO UPDATE SET text = excluded.text, created_at = excluded.created_at"
        }
        Audience::Person => {
            "INSERT INTO notices (audience, actor_id, kind, key, text, created_at)
             VALUES ('person', :actor, :kind, :key, :text, :at)
             ON CONFLICT (kind, key) WHERE audience = 'person' AND delivered_at IS NULL
             DO UPDATE SET text = excluded.text, created_at = excluded.created_at, actor_id = excluded.actor_id"
        }
    };
    db.execute(
        sql,
        named_params! {
            ":actor": actor.into().map(|id| id.0),
            ":kind": owed.kind,
            ":key": owed.key,
            ":text": owed.text,
            ":at": at.0,
        },
    )?;
    Ok(())
}

/// Whether the same was owed before, delivered or not.
pub fn was_owed(db: &Db, owed: &Owed) -> Result<bool, StoreError> {
    let audience = match owed.audience {
        Audience::Actor => "actor",
        Audience::Person => "person",
    };
    db.exists(
        "SELECT 1 FROM notices WHERE audience = :audience AND kind = :kind AND key = :key",
        named_params! { ":audience": audience, ":kind": owed.kind, ":key": owed.key },
    )
}

/// Whether an actor is owed this and has not been told yet.
pub fn is_owed(db: &Db, actor: ActorId, kind: &str, key: &str) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM notices
         WHERE actor_id = :actor AND kind = :kind AND key = :key AND audience = 'actor' AND delivered_at IS NULL",
        named_params! { ":actor": actor.0, ":kind": kind, ":key": key },
    )
}

/// Says it in other words, as long as the actor has not been told.
pub(crate) fn reword(db: &Db, actor: ActorId, kind: &str, key: &str, text: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE notices SET text = :text
         WHERE actor_id = :actor AND kind = :kind AND key = :key AND audience = 'actor' AND delivered_at IS NULL",
        named_params! { ":actor": actor.0, ":kind": kind, ":key": key, ":text": text },
    )?;
    Ok(())
}

/// Takes back what an actor was owed and has not been told yet.
pub fn withdraw(db: &Db, actor: ActorId, kind: &str, key: &str) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM notices
         WHERE actor_id = :actor AND kind = :kind AND key = :key AND audience = 'actor' AND delivered_at IS NULL",
        named_params! { ":actor": actor.0, ":kind": kind, ":key": key },
    )?;
    Ok(())
}

/// Takes back everything of a kind that an actor has not been told yet.
pub(crate) fn withdraw_kind(db: &Db, actor: ActorId, kind: &str) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM notices
         WHERE actor_id = :actor AND kind = :kind AND audience = 'actor' AND delivered_at IS NULL",
        named_params! { ":actor": actor.0, ":kind": kind },
    )?;
    Ok(())
}

/// Takes back one of them, whatever it is about.
pub fn forget(db: &Db, id: NoticeId) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM notices WHERE id = :id AND delivered_at IS NULL",
        named_params! { ":id": id.0 },
    )?;
    Ok(())
}

/// Whether an actor was told this before.
pub fn was_told(db: &Db, actor: ActorId, kind: &str, key: &str) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM notices
         WHERE actor_id = :actor AND kind = :kind AND key = :key AND audience = 'actor' AND delivered_at IS NOT NULL",
        named_params! { ":actor": actor.0, ":kind": kind, ":key": key },
    )
}

/// Remembers that an actor was told something with an event, where the text itself is not needed again.
pub fn told(
    db: &Db,
    actor: ActorId,
    kind: &str,
    key: &str,
    event: EventSeq,
    at: Timestamp,
) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO notices (audience, actor_id, kind, key, text, created_at, delivered_at, delivered_event)
         VALUES ('actor', :actor, :kind, :key, '', :at, :at, :event)",
        named_params! {
            ":actor": actor.0,
            ":kind": kind,
            ":key": key,
            ":at": at.0,
            ":event": event.0,
        },
    )?;
    Ok(())
}

/// What an actor that is over was owed about its work goes to whoever started it; newer words take the place of older.
pub(crate) fn inherit(db: &Db, from: ActorId, heir: ActorId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE OR REPLACE notices SET actor_id = :heir
         WHERE actor_id = :from AND audience = 'actor' AND delivered_at IS NULL",
        named_params! { ":heir": heir.0, ":from": from.0 },
    )?;
    Ok(())
}

/// What an actor is still owed, oldest first.
pub fn owed_to(db: &Db, actor: ActorId) -> Result<Vec<OwedNotice>, StoreError> {
    db.all(
        "SELECT id, kind, text FROM notices
         WHERE actor_id = :actor AND audience = 'actor' AND delivered_at IS NULL ORDER BY id",
        named_params! { ":actor": actor.0 },
        read_owed,
    )
}

fn read_owed(row: &mut RowFields<'_>) -> rusqlite::Result<OwedNotice> {
    Ok(OwedNotice {
        id: NoticeId(row.take()?),
        kind: row.take()?,
        text: row.take()?,
    })
}

/// What the person is still owed by one part about a main thread and the agents of its session, oldest first.
pub fn about_session(db: &Db, main: ActorId, kind: &str) -> Result<Vec<OwedNotice>, StoreError> {
    db.all(
        "SELECT notices.id, notices.kind, notices.text
         FROM actors AS main
         JOIN actors ON actors.agent_kind = main.agent_kind AND actors.client_session_id = main.client_session_id
         JOIN notices ON notices.actor_id = actors.id
         WHERE main.id = :main AND notices.audience = 'person' AND notices.delivered_at IS NULL AND notices.kind = :kind
         ORDER BY notices.id",
        named_params! { ":main": main.0, ":kind": kind },
        read_owed,
    )
}

/// What the person is still owed, oldest first.
pub fn for_person(db: &Db) -> Result<Vec<PersonNotice>, StoreError> {
    db.all(
        "SELECT id, actor_id, kind, key, text, created_at FROM notices
         WHERE audience = 'person' AND delivered_at IS NULL ORDER BY id",
        &[],
        |row| {
            Ok(PersonNotice {
                id: NoticeId(row.take()?),
                about: row.take::<Option<_>>()?.map(ActorId),
                kind: row.take()?,
                key: row.take()?,
                text: row.take()?,
                created_at: Timestamp(row.take()?),
            })
        },
    )
}

/// Marks a notice as delivered; false if it was before, and must not be sent again.
pub fn delivered(
    db: &Db,
    id: NoticeId,
    event: impl Into<Option<EventSeq>>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let marked = db.execute(
        "UPDATE notices SET delivered_at = :at, delivered_event = :event WHERE id = :id AND delivered_at IS NULL",
        named_params! { ":at": at.0, ":event": event.into().map(|seq| seq.0), ":id": id.0 },
    )?;
    Ok(marked > 0)
}

/// Drops old notices that were delivered.
pub(crate) fn prune(db: &Db, before: Timestamp, limit: u64) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM notices WHERE id IN (SELECT id FROM notices WHERE delivered_at < :before LIMIT :limit)",
        named_params! { ":before": before.0, ":limit": column_of(limit) },
    )
}

#[cfg(test)]
mod tests;
