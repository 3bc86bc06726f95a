//! What the client notes down beside a subagent's transcript: which call started it, and whose that was.

use super::object::Object;
use super::place;
use crate::transcript::SpawnOrigin;
use engine::id::{AgentId, ToolUseId};
use std::path::{Path, PathBuf};

/// Where the note about a subagent is; `None` for ids that cannot stand in a path.
pub(in super::super) fn note(main: &Path, session: &str, agent: &str) -> Option<PathBuf> {
    let is_named = place::is_plain(session) && place::is_plain(agent);
    let transcript = is_named
        .then(|| place::subagent(main, session, agent))
        .into_iter()
        .flatten()
        .next();
    transcript.map(|path| path.with_extension("meta.json"))
}

/// What a note says; `None` where it does not name a call.
pub(in super::super) fn read(bytes: &[u8]) -> Option<SpawnOrigin> {
    let object = Object::parse(bytes).ok()?;
    Some(SpawnOrigin {
        call: object.id("toolUseId").map(ToolUseId::new)?,
        parent: object.id("parentAgentId").map(AgentId::new),
    })
}
