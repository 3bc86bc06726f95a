//! What a message used: the client writes one line per content block, each with the counts of the whole message.

use super::clock;
use super::object::Object;
use engine::id::MessageId;
use engine::usage::{MessageUsage, Tokens};

/// The usage a line reports; `None` without an id or without counts.
pub(super) fn of(line: &Object<'_>, message: &Object<'_>) -> Option<MessageUsage> {
    Some(MessageUsage {
        id: MessageId::new(message.id("id")?),
        request: line.id("requestId"),
        model: message.id("model"),
        tokens: tokens(&message.object("usage")?),
        at: line.id("timestamp").and_then(|text| clock::moment(&text)),
    })
}

fn tokens(usage: &Object<'_>) -> Tokens {
    let count =
        |object: Option<&Object<'_>>, name: &str| object.and_then(|object| object.count(name)).unwrap_or(0);
    let by_age = usage.object("cache_creation");
    let details = usage.object("output_tokens_details");
    let hour = count(by_age.as_ref(), "ephemeral_1h_input_tokens");
    let minutes = count(by_age.as_ref(), "ephemeral_5m_input_tokens");
    // Without the split, or with one that leaves something out, the rest was written for the usual five minutes.
    let written = count(Some(usage), "cache_creation_input_tokens");
    let output = count(Some(usage), "output_tokens");
    Tokens {
        input: count(Some(usage), "input_tokens"),
        cache_write_5m: minutes.max(written.saturating_sub(hour)),
        cache_write_1h: hour,
        cache_read: count(Some(usage), "cache_read_input_tokens"),
        output,
        thinking: count(details.as_ref(), "thinking_tokens").min(output),
    }
}
