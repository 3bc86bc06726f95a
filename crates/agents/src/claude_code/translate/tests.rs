use super::*;
use crate::Agent;
use crate::claude_code::ClaudeCode;
use crate::claude_code::samples::{delivery, translated};
use engine::event::{BackgroundTask, Context, PromptOrigin, SpawnResult, Spawned, StartSource};
use serde_json::{Value, json};
use std::path::Path;

fn read(payload: &Value) -> Event {
    translated(payload.to_string().as_bytes())
}

#[test]
fn a_payload_without_an_event_name_is_told_by_what_it_carries() {
    let before =
        read(&json!({"tool_name": "Write", "tool_input": {"file_path": "/test.ts"}, "cwd": "/project"}));
    assert_eq!(before.name, "PreToolUse");
    assert!(before.can.block);
    assert_eq!(
        before.kind.call().and_then(|call| call.action().path()),
        Some(&"/test.ts".into())
    );
    let after = read(&json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}}));
    assert_eq!(after.name, "PostToolUse");
    let stop = read(&json!({"response": "All done."}));
    assert_eq!(stop.name, "Stop");
    let nothing = read(&json!({"subagent_type": "planner"}));
    assert_eq!((nothing.name.as_str(), nothing.kind), ("", EventKind::Unknown));
}

#[test]
fn the_old_names_of_fields_are_understood() {
    let start = read(&json!({"hook_event_name": "SubagentStart", "subagent_type": "planner"}));
    assert_eq!(start.agent_type.as_deref(), Some("planner"));
    assert_eq!(start.actor.agent, None);
    let stop = read(&json!({"hook_event_name": "Stop", "response": "All done."}));
    let expected = EventKind::TurnEnd {
        already_continued: false,
        last_message: Some("All done.".to_owned()),
        background: None,
    };
    assert_eq!(stop.kind, expected);
    let bare = read(&json!({"hook_event_name": "SubagentStop"}));
    assert!(matches!(
        bare.kind,
        EventKind::AgentStop {
            last_message: None,
            ..
        }
    ));
}

#[test]
fn the_old_task_tool_reports_a_finished_agent() {
    let payload = json!({
        "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Task", "tool_use_id": "t1",
        "tool_input": {"description": "look", "subagent_type": "Explore", "prompt": "find it"},
        "tool_response": {"content": [{"type": "text", "text": "found"}]},
    });
    let EventKind::ToolAfter { call, spawned, .. } = read(&payload).kind else {
        panic!("not a tool that ran");
    };
    assert_eq!(call.tool(), "Agent");
    let spawned = spawned.unwrap();
    assert_eq!((spawned.agent, spawned.result), (None, SpawnResult::Completed));
}

#[test]
fn keys_in_camel_case_are_understood() {
    let event = read(&json!({
        "sessionId": "s", "transcriptPath": "/t.jsonl", "cwd": "/p", "permissionMode": "plan",
        "hookEventName": "PostToolUseFailure", "toolName": "Bash", "toolInput": {"command": "ls"},
        "toolUseId": "t1", "error": "no", "isInterrupt": true, "agentId": "a1", "agentType": "Explore",
    }));
    assert_eq!(event.actor.session.as_str(), "s");
    assert_eq!(event.actor.agent, Some(AgentId::new("a1")));
    assert_eq!(event.agent_type.as_deref(), Some("Explore"));
    assert_eq!(event.transcript.as_deref(), Some(Path::new("/t.jsonl")));
    assert_eq!(event.permission_mode.as_deref(), Some("plan"));
    assert!(matches!(
        event.kind,
        EventKind::ToolFailed {
            interrupted: true,
            ..
        }
    ));
}

#[test]
fn only_an_agent_id_makes_a_subagent() {
    let named = |payload: Value| read(&payload).actor.agent;
    assert_eq!(
        named(json!({"hook_event_name": "Stop", "agent_type": "reviewer"})),
        None
    );
    assert_eq!(named(json!({"hook_event_name": "Stop", "agent_id": ""})), None);
    assert_eq!(named(json!({"hook_event_name": "Stop", "agent_id": 7})), None);
    assert!(named(json!({"hook_event_name": "Stop", "agent_id": "a1"})).is_some());
}

#[test]
fn the_environment_names_the_session_only_where_the_payload_does_not() {
    let session = |payload: &[u8], hint: Option<&str>| {
        let delivery = Delivery {
            session_hint: hint.map(str::to_owned),
            ..delivery()
        };
        let event = ClaudeCode.translate(payload, &delivery).unwrap();
        event.actor.session.as_str().to_owned()
    };
    assert_eq!(session(br#"{"session_id":"own"}"#, Some("hint")), "own");
    assert_eq!(session(br#"{"session_id":""}"#, Some("hint")), "hint");
    assert_eq!(session(b"{}", Some("hint")), "hint");
    assert_eq!(session(b"{}", Some("")), "unknown");
    assert_eq!(session(b"{}", None), "unknown");
}

#[test]
fn the_hooks_own_folder_counts_only_where_the_payload_names_none() {
    let delivery = Delivery {
        cwd: Some("/hook".into()),
        ..delivery()
    };
    let cwd = |payload: &[u8]| ClaudeCode.translate(payload, &delivery).unwrap().cwd.unwrap();
    assert_eq!(cwd(br#"{"cwd":"/payload"}"#), Path::new("/payload"));
    assert_eq!(cwd(br#"{"cwd":""}"#), Path::new("/hook"));
    assert_eq!(cwd(br#"{"cwd":3}"#), Path::new("/hook"));
}

#[test]
fn a_prompt_by_which_the_client_reports_a_task_is_not_a_persons() {
    let origin =
        |prompt: &str| match read(&json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt})).kind {
            EventKind::Prompt { origin, .. } => origin,
            other => panic!("{other:?}"),
        };
    assert!(matches!(
        origin("<task-notification>\n<task-id>a1</task-id>"),
        PromptOrigin::Notification(_)
    ));
    assert_eq!(origin("what is <task-notification>?"), PromptOrigin::Person);
    assert_eq!(origin(""), PromptOrigin::Person);
}

#[test]
fn a_stopped_task_names_the_agent_it_may_have_been() {
    let stopped = |tool: &str, input: Value| {
        let after = json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input});
        let EventKind::ToolAfter { spawned, .. } = read(&after).kind else {
            panic!("not a tool's end");
        };
        spawned
    };
    assert_eq!(
        stopped("TaskStop", json!({"task_id": "a1"})),
        Some(Spawned {
            agent: Some(AgentId::new("a1")),
            result: SpawnResult::Stopped,
            worked: false,
        })
    );
    assert_eq!(stopped("TaskStop", json!({"task_id": ""})), None);
    assert_eq!(stopped("TaskStop", json!({"shell_id": "b1"})), None);
    assert_eq!(stopped("TaskOutput", json!({"task_id": "a1"})), None);
}

#[test]
fn what_goes_on_in_the_background_is_listed_where_the_client_says() {
    let tasks = json!([{"id": "a1", "type": "subagent", "status": "running", "more": 1}, "noise", {"id": 3}]);
    let EventKind::TurnEnd { background, .. } =
        read(&json!({"hook_event_name": "Stop", "background_tasks": tasks})).kind
    else {
        panic!("not a turn's end");
    };
    let task = |id: &str, kind: &str, status: &str| BackgroundTask {
        id: id.to_owned(),
        kind: kind.to_owned(),
        status: status.to_owned(),
    };
    assert_eq!(
        background,
        Some(vec![task("a1", "subagent", "running"), task("", "", "")])
    );
}

#[test]
fn an_event_whose_every_field_has_the_wrong_type_is_still_that_event() {
    let event = read(&json!({
        "hook_event_name": "PreToolUse", "session_id": {}, "cwd": [], "tool_name": 1, "tool_input": "x",
        "tool_use_id": false, "prompt_id": 2, "permission_mode": {},
    }));
    assert_eq!(event.name, "PreToolUse");
    assert_eq!(event.can.context, Context::Heard);
    let call = event.kind.call().unwrap();
    assert_eq!((call.tool(), call.id(), call.input().len()), ("", None, 0));
}

#[test]
fn a_start_from_an_unknown_source_keeps_its_word() {
    let start = read(&json!({"hook_event_name": "SessionStart", "source": "teleport"}));
    let expected = EventKind::SessionStart {
        source: StartSource::Other("teleport".to_owned()),
        model: None,
    };
    assert_eq!(start.kind, expected);
}
