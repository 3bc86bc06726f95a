use super::*;
use serde_json::{Value, json};

fn calls(line: &Value) -> Option<(Option<String>, Vec<String>)> {
    let calling = calls_in(line.to_string().as_bytes())?;
    Some((
        calling.agent.map(|agent| agent.to_string()),
        calling.calls.iter().map(ToString::to_string).collect(),
    ))
}

#[test]
fn the_calls_of_a_message_are_told_with_whose_they_are() {
    let line = json!({ "type": "assistant", "agentId": "a1", "message": { "content": [
        { "type": "text", "text": "now" },
        { "type": "tool_use", "id": "toolu_1", "name": "Edit", "input": { "id": "toolu_9" } },
        { "type": "tool_use", "id": "toolu_2", "name": "Bash", "input": {} },
    ] } });
    let expected = (
        Some("a1".to_owned()),
        vec!["toolu_1".to_owned(), "toolu_2".to_owned()],
    );
    assert_eq!(calls(&line), Some(expected));
}

#[test]
fn a_call_that_is_only_named_is_none() {
    let block = json!({ "type": "tool_use", "id": "toolu_1" });
    for line in [
        json!({ "type": "user", "message": { "content": [block] } }),
        json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "tool_use_id": "toolu_1" }] } }),
        json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": block.to_string() }] } }),
        json!({ "type": "assistant", "message": { "content": "\"tool_use\"" } }),
        json!({ "type": "assistant", "toolUseResult": { "content": [block] } }),
        json!({ "type": "api-request", "message": { "content": [block] } }),
    ] {
        assert_eq!(calls(&line), None, "{line}");
    }
}

#[test]
fn what_is_no_line_makes_no_call() {
    for line in [
        &b""[..],
        b"\"tool_use\"",
        b"{\"type\":\"tool_use\"",
        b"\xff\"tool_use\"",
    ] {
        assert_eq!(calls_in(line), None);
    }
}
