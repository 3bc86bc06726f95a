//! A conversation up to a point, as the transcript of a new session.
//!
//! Only lines with an id of their own go along, as when the client forks a session itself. What it keeps beside them
//! belongs to the old session: `last-prompt` names leaves that may be gone, `cost-state` would count the old session's
//! cost again, `queue-operation` and `mode` tell of its process, `file-history-snapshot` of its backups, and the
//! `api-request` records are larger than everything else.

use super::object::Object;
use crate::transcript::Forked;
use serde_json::Value;

/// The line for the new session. Everything but the session's id stays byte for byte as it was.
pub(in super::super) fn forked(line: &[u8], leaf: &str, session: &str) -> Forked {
    let Ok(object) = Object::parse(line) else {
        return Forked::LeftOut;
    };
    let Some(uuid) = object.id("uuid") else {
        return Forked::LeftOut;
    };
    let session = Value::from(session).to_string();
    let mut forked = Vec::with_capacity(line.len());
    let mut copied = 0;
    for place in object.places(&["sessionId", "session_id"]) {
        forked.extend_from_slice(line.get(copied..place.start).unwrap_or_default());
        forked.extend_from_slice(session.as_bytes());
        copied = place.end;
    }
    forked.extend_from_slice(line.get(copied..).unwrap_or_default());
    if uuid == leaf {
        Forked::Leaf(forked)
    } else {
        Forked::Kept(forked)
    }
}
