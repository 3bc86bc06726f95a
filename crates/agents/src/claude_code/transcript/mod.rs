//! The client's transcript: one JSON object per line. Whatever is missing or of another type is simply absent.

mod calling;
mod clock;
mod fork;
mod object;
mod origin;
mod place;
mod usage;

use crate::malformed::Malformed;
use crate::transcript::{Close, Says, TranscriptLine};
use engine::id::{AgentId, ClientSessionId, PromptId};
use object::Object;

pub(super) use calling::calls_in;
pub(super) use fork::forked;
pub(super) use origin::{note as origin_note, read as read_origin};
pub(super) use place::{beside, is_plain, subagent};

/// What the client writes when a person interrupts it.
const INTERRUPTED: &str = "[Request interrupted by user";

/// What a line says.
pub(super) fn line(bytes: &[u8]) -> Result<TranscriptLine, Malformed> {
    let object = Object::parse(bytes)?;
    let message = object.object("message");
    let says = speaker(&object, message.as_ref());
    Ok(TranscriptLine {
        close: close(says, &object, message.as_ref()),
        usage: message
            .filter(|_| says == Says::Reply)
            .and_then(|message| usage::of(&object, &message)),
        says,
        uuid: object.id("uuid"),
        parent: object.id("parentUuid"),
        session: object.id("sessionId").map(ClientSessionId::new),
        agent: object.id("agentId").map(AgentId::new),
        is_sidechain: object.is("isSidechain"),
        prompt: object.id("promptId").map(PromptId::new),
        at: object.id("timestamp").and_then(|text| clock::moment(&text)),
    })
}

fn speaker(object: &Object<'_>, message: Option<&Object<'_>>) -> Says {
    match object.id("type").as_deref() {
        Some("assistant") if object.is("isApiErrorMessage") => Says::Failure,
        // The client's own words in the model's place: an interrupted resume, a notice.
        Some("assistant") if message.is_some_and(|message| message.says("model", "<synthetic>")) => {
            Says::Failure
        }
        Some("assistant") => Says::Reply,
        Some("user") if is_prompt(object, message) => Says::Prompt,
        Some("user") => Says::Input,
        Some("system") if object.says("subtype", "compact_boundary") => Says::Compaction,
        Some("fork-context-ref") => Says::Fork,
        _ => Says::Other,
    }
}

/// Whether a line of the user's is a prompt: results, summaries and what the client adds on its own are written in the
/// user's name too.
fn is_prompt(object: &Object<'_>, message: Option<&Object<'_>>) -> bool {
    if object.is("isMeta") || object.is("isCompactSummary") || object.has("toolUseResult") {
        return false;
    }
    if object.has("promptSource") || object.has("turnOrigin") {
        return true;
    }
    // A client that does not say: text that is neither a local command nor an interruption.
    let Some(text) = message.and_then(|message| message.leading_text("content")) else {
        return false;
    };
    !text.starts_with('<') && !text.starts_with(INTERRUPTED)
}

fn close(says: Says, object: &Object<'_>, message: Option<&Object<'_>>) -> Option<Close> {
    match says {
        Says::Failure => Some(Close::Failed),
        Says::Reply => {
            let reason = message?.id("stop_reason")?;
            (!matches!(reason.as_str(), "tool_use" | "pause_turn")).then_some(Close::Said)
        }
        Says::Input => {
            let text = message?.leading_text("content")?;
            text.starts_with(INTERRUPTED).then_some(Close::Interrupted)
        }
        Says::Other if object.says("type", "system") => settled(object),
        Says::Prompt | Says::Compaction | Says::Fork | Says::Other => None,
    }
}

fn settled(object: &Object<'_>) -> Option<Close> {
    if object.is("preventContinuation") {
        return Some(Close::Stopped);
    }
    match object.id("subtype")?.as_str() {
        // A hook that sent the model on is listed as an error.
        "stop_hook_summary" if object.is_empty_list("hookErrors") => Some(Close::Settled),
        "turn_duration" => Some(Close::Settled),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
