//! Finds actors by what people call them.

use super::{Actor, columns, read};
use crate::StoreError;
use crate::db::Db;
use engine::id::{ActorId, ActorKey};
use rusqlite::named_params;

/// The actors that fit one of these names and are of one of these sessions; an empty list asks nothing.
///
/// A name is a label, or the beginning of an agent's id, or for main threads of the session's. A session is the
/// beginning of its id.
pub(crate) fn named(db: &Db, names: &[String], sessions: &[String]) -> Result<Vec<ActorId>, StoreError> {
    db.all(
        "SELECT id FROM actors
         WHERE (:names IS NULL OR EXISTS (SELECT 1 FROM json_each(:names) AS wanted
                 WHERE label = wanted.value OR (wanted.value <> '' AND (
                     substr(agent_id, 1, length(wanted.value)) = wanted.value
                     OR (agent_id = '' AND substr(client_session_id, 1, length(wanted.value)) = wanted.value)))))
             AND (:sessions IS NULL OR EXISTS (SELECT 1 FROM json_each(:sessions) AS wanted
                 WHERE substr(client_session_id, 1, length(wanted.value)) = wanted.value))
         ORDER BY last_seen DESC, id DESC",
        named_params! { ":names": list(names), ":sessions": list(sessions) },
        |row| Ok(ActorId(row.take()?)),
    )
}

/// Every actor of a client session, in the order they came.
pub fn of_session(db: &Db, key: &ActorKey) -> Result<Vec<Actor>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM actors WHERE agent_kind = :kind AND client_session_id = :session ORDER BY agent_id <> '', id"
        ),
        named_params! { ":kind": key.agent_kind.as_str(), ":session": key.session.as_str() },
        read,
    )
}

/// A list as it travels to the database; none where it is empty.
fn list(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| serde_json::json!(words).to_string())
}
