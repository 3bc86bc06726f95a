use super::*;
use crate::event::{BatchCall, StartSource};
use crate::testing::{call, command, event, prompt, start, stop};
use serde_json::{Value, json};
use std::path::PathBuf;

fn shown(kind: EventKind) -> String {
    target(&event(kind)).unwrap_or_else(|| "-".to_owned())
}

fn word(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_call_is_about_its_command_its_file_or_its_agents_task() {
    assert_eq!(
        target(&command("rg -n retry src")).as_deref(),
        Some("rg -n retry src")
    );
    let about = |tool, input| {
        shown(EventKind::ToolBefore {
            call: call(tool, input),
        })
    };
    assert_eq!(
        about("Edit", json!({"file_path": "/project/a.rs"})),
        "/project/a.rs"
    );
    assert_eq!(
        about("Write", json!({"file_path": "src/b.rs"})),
        "/project/src/b.rs"
    );
    assert_eq!(
        about("Read", json!({"file_path": "./x/../c.rs"})),
        "/project/c.rs"
    );
    assert_eq!(
        about("Agent", json!({"description": "fix it", "subagent_type": "Plan"})),
        "\"fix it\""
    );
    assert_eq!(about("Agent", json!({"subagent_type": "Plan"})), "Plan");
    assert_eq!(about("WebFetch", json!({"url": "https://example.org"})), "-");
}

#[test]
fn a_call_is_about_the_same_thing_before_and_after() {
    let bash = || call("Bash", json!({"command": "make"}));
    let kinds = [
        EventKind::ToolAfter {
            call: bash(),
            response: Value::Null,
            duration_ms: None,
            spawned: None,
            changed: None,
            todo: None,
        },
        EventKind::ToolFailed {
            call: bash(),
            error: word("exit 2"),
            interrupted: false,
            duration_ms: None,
        },
        EventKind::PermissionRequest { call: bash() },
        EventKind::PermissionDenied {
            call: bash(),
            reason: word("no"),
        },
    ];
    for kind in kinds {
        assert_eq!(shown(kind), "make");
    }
}

#[test]
fn what_people_and_agents_say_is_quoted() {
    assert_eq!(target(&prompt("add a retry")).as_deref(), Some("\"add a retry\""));
    assert_eq!(target(&stop()).as_deref(), Some("\"All done.\""));
    let silent = EventKind::AgentStop {
        already_continued: false,
        last_message: None,
        transcript: None,
    };
    assert_eq!(shown(silent), "-");
}

#[test]
fn a_session_is_about_why_it_starts_and_ends() {
    assert_eq!(target(&start(StartSource::Compact)).as_deref(), Some("compact"));
    assert_eq!(
        shown(EventKind::SessionEnd {
            reason: word("clear")
        }),
        "clear"
    );
}

#[test]
fn a_batch_counts_its_calls() {
    let one = BatchCall {
        call: call("Bash", json!({})),
        response: Value::Null,
    };
    let batch = |count| {
        shown(EventKind::ToolBatch {
            calls: vec![one.clone(); count],
        })
    };
    assert_eq!(batch(1), "1 call");
    assert_eq!(batch(3), "3 calls");
}

#[test]
fn a_command_without_arguments_has_no_space_behind_it() {
    let expansion = |arguments: &str| {
        shown(EventKind::PromptExpansion {
            command: word("review"),
            arguments: word(arguments),
        })
    };
    assert_eq!(expansion("src"), "/review src");
    assert_eq!(expansion(""), "/review");
}

#[test]
fn what_the_client_does_not_say_is_shown_as_unknown() {
    let switch = EventKind::ModelSwitchAfter {
        from: None,
        to: Some(word("opus")),
    };
    assert_eq!(shown(switch), "? -> opus");
    assert_eq!(shown(EventKind::CwdChanged { old: None, new: None }), "-");
    let change = EventKind::ConfigChange {
        source: word("user_settings"),
        path: Some(PathBuf::from("/home/me/settings.json")),
    };
    assert_eq!(shown(change), "user_settings /home/me/settings.json");
}

#[test]
fn events_without_a_subject_have_none() {
    for kind in [
        EventKind::AgentStart,
        EventKind::MessageDisplay { is_final: true },
        EventKind::Probe,
        EventKind::Unknown,
    ] {
        assert_eq!(shown(kind), "-");
    }
}
