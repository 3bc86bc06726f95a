use super::{MOST_KEPT, Readings};
use agents::Delivery;
use engine::event::Event;
use engine::id::DeliveryId;
use engine::time::Timestamp;
use serde_json::json;
use std::sync::Arc;

fn event(name: &str, id: &str, command: &str, cwd: &str) -> Event {
    let payload = json!({
        "hook_event_name": name,
        "session_id": "s",
        "cwd": cwd,
        "tool_name": "Bash",
        "tool_use_id": id,
        "tool_input": { "command": command },
        "tool_response": { "stdout": "" },
    });
    let delivery = Delivery {
        id: DeliveryId::new("d"),
        at: Timestamp(0),
        session_hint: None,
        cwd: None,
    };
    let agent = agents::by_name("claude-code").unwrap();
    agent
        .translate(payload.to_string().as_bytes(), &delivery)
        .unwrap()
}

fn before(id: &str, command: &str, cwd: &str) -> Event {
    let event = event("PreToolUse", id, command, cwd);
    event
        .kind
        .call()
        .unwrap()
        .plain_command(event.cwd.as_deref())
        .unwrap();
    event
}

fn is_handed_over(readings: &Readings, after: &Event) -> bool {
    readings.hand_over(after);
    after.kind.call().unwrap().read_so_far().is_some()
}

#[test]
fn what_was_read_before_a_call_is_not_read_after_it() {
    let readings = Readings::default();
    let before = before("toolu_1", "make", "/w");
    readings.keep(&before);
    let after = event("PostToolUse", "toolu_1", "make", "/w");
    assert!(is_handed_over(&readings, &after));
    let plain = |event: &Event| {
        event
            .kind
            .call()
            .unwrap()
            .plain_command(event.cwd.as_deref())
            .unwrap()
    };
    assert!(Arc::ptr_eq(&plain(&before), &plain(&after)));
    // Once: a call ends once.
    let again = event("PostToolUse", "toolu_1", "make", "/w");
    assert!(!is_handed_over(&readings, &again));
}

#[test]
fn another_call_text_or_folder_is_read_for_itself() {
    for (id, command, cwd) in [
        ("toolu_2", "make", "/w"),
        ("toolu_1", "make all", "/w"),
        ("toolu_1", "make", "/v"),
    ] {
        let readings = Readings::default();
        readings.keep(&before("toolu_1", "make", "/w"));
        let after = event("PostToolUse", id, command, cwd);
        assert!(!is_handed_over(&readings, &after), "{id} {command} {cwd}");
    }
}

#[test]
fn only_so_many_calls_are_kept_and_no_text_of_any_length() {
    let readings = Readings::default();
    readings.keep(&before("toolu_first", "make", "/w"));
    for number in 0..MOST_KEPT {
        readings.keep(&before(&format!("toolu_{number}"), "make", "/w"));
    }
    let first = event("PostToolUse", "toolu_first", "make", "/w");
    assert!(!is_handed_over(&readings, &first));
    let long = format!("echo {}", "x".repeat(70_000));
    readings.keep(&before("toolu_long", &long, "/w"));
    let after = event("PostToolUse", "toolu_long", &long, "/w");
    assert!(!is_handed_over(&readings, &after));
}
