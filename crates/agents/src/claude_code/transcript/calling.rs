//! What the model called for in a line: a whole block of its own message, not a text or a result that names a call.

use super::object::Object;
use crate::transcript::Calling;
use engine::id::{AgentId, ToolUseId};

/// Lines without this word make no call, and are not read.
const WORD: &[u8] = b"\"tool_use\"";

/// The calls a line makes; `None` where it makes none.
pub(in super::super) fn calls_in(line: &[u8]) -> Option<Calling> {
    line.windows(WORD.len()).position(|part| part == WORD)?;
    let object = Object::parse(line).ok()?;
    if !object.says("type", "assistant") {
        return None;
    }
    let blocks = object.object("message")?.objects("content");
    let called = blocks.iter().filter(|block| block.says("type", "tool_use"));
    let calls: Vec<ToolUseId> = called
        .filter_map(|block| block.id("id"))
        .map(ToolUseId::new)
        .collect();
    (!calls.is_empty()).then(|| Calling {
        agent: object.id("agentId").map(AgentId::new),
        calls,
    })
}

#[cfg(test)]
mod tests;
