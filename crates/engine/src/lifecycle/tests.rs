use super::*;
use crate::event::{BackgroundReport, StartSource};
use crate::id::ToolUseId;
use crate::testing::{call, command, event, prompt, start, stop};
use crate::tool::{Background, ToolInput};
use serde_json::{Value, json};
use std::path::PathBuf;

/// One line per step, as the store is told.
fn told(event: &Event) -> String {
    lines(&steps(event))
}

fn lines(steps: &[LifecycleStep]) -> String {
    let lines: Vec<String> = steps.iter().map(|step| format!("{step:?}")).collect();
    lines.join("\n")
}

fn agent_call(input: Value) -> ToolCall {
    call("Agent", input)
}

fn without_id(tool: &str) -> ToolCall {
    ToolCall::new(tool, None, ToolInput::new(), |_, _| Action::Other)
}

fn answered(call: ToolCall, agent: Option<&str>, result: SpawnResult) -> Event {
    event(EventKind::ToolAfter {
        call,
        response: Value::Null,
        duration_ms: None,
        spawned: Some(Spawned {
            agent: agent.map(AgentId::new),
            result,
            worked: false,
        }),
        changed: None,
        todo: None,
    })
}

fn failing(call: ToolCall, interrupted: bool) -> Event {
    event(EventKind::ToolFailed {
        call,
        error: "it did not work".to_owned(),
        interrupted,
        duration_ms: None,
    })
}

fn ending(reason: &str) -> Event {
    event(EventKind::SessionEnd {
        reason: reason.to_owned(),
    })
}

fn notice(kind: &str) -> Event {
    event(EventKind::Notification {
        kind: kind.to_owned(),
        message: String::new(),
    })
}

fn notified(text: &str) -> Event {
    event(EventKind::Prompt {
        text: text.to_owned(),
        origin: PromptOrigin::Notification(BackgroundReport::default()),
    })
}

fn agent_stop() -> Event {
    event(EventKind::AgentStop {
        already_continued: false,
        last_message: None,
        transcript: None,
    })
}

fn turn_failed_event() -> Event {
    event(EventKind::TurnFailed {
        error: "rate_limit".to_owned(),
    })
}

fn batch() -> Event {
    event(EventKind::ToolBatch { calls: Vec::new() })
}

#[test]
fn a_window_opens_with_its_source_and_model() {
    for source in [
        StartSource::Startup,
        StartSource::Resume,
        StartSource::Clear,
        StartSource::Compact,
        StartSource::Fork,
        StartSource::Other("thaw".to_owned()),
    ] {
        let expected = LifecycleStep::OpenSession {
            source: source.clone(),
            model: None,
        };
        assert_eq!(steps(&start(source)), [expected]);
    }
}

#[test]
fn a_session_that_ends_takes_its_agents_along() {
    insta::assert_snapshot!(told(&ending("prompt_input_exit")), @r#"
    CloseCalls { how: SessionEnd }
    CloseTurn { how: Interrupted }
    EndSession { reason: "prompt_input_exit", keeps_agents: false }
    "#);
}

#[test]
fn background_agents_outlive_a_conversation_that_is_cleared_or_left() {
    for (reason, kept) in [
        ("clear", true),
        ("resume", true),
        ("logout", false),
        ("other", false),
        ("", false),
    ] {
        let keeps = steps(&ending(reason)).into_iter().find_map(|step| match step {
            LifecycleStep::EndSession { keeps_agents, .. } => Some(keeps_agents),
            _ => None,
        });
        assert_eq!(keeps, Some(kept), "{reason}");
    }
}

#[test]
fn a_persons_prompt_closes_what_an_interrupt_left_open() {
    insta::assert_snapshot!(told(&prompt("go on")), @r#"
    EndAgentsOf { calls: Waiting, reason: "interrupted" }
    CloseCalls { how: Interrupted }
    CloseTurn { how: Interrupted }
    OpenTurn { prompt: "go on" }
    "#);
}

#[test]
fn a_task_notification_opens_no_turn_and_closes_nothing() {
    insta::assert_snapshot!(told(&notified("<task-notification>")), @"ContinueTurn { report: BackgroundReport { task: None, call: None, is_over: false } }");
}

#[test]
fn a_refused_prompt_closes_what_was_open_and_begins_no_turn() {
    insta::assert_snapshot!(lines(&steps_if_denied(&prompt("go on"))), @r#"
    EndAgentsOf { calls: Waiting, reason: "interrupted" }
    CloseCalls { how: Interrupted }
    CloseTurn { how: Interrupted }
    ReleaseTurn
    "#);
    assert_eq!(steps_if_denied(&notified("<task-notification>")), []);
}

#[test]
fn a_client_that_waits_for_the_person_has_no_turn_left() {
    insta::assert_snapshot!(told(&notice("idle_prompt")), @r#"
    EndAgentsOf { calls: Waiting, reason: "interrupted" }
    CloseCalls { how: Interrupted }
    CloseTurn { how: Interrupted }
    ReleaseTurn
    "#);
}

#[test]
fn every_other_notification_closes_nothing() {
    for kind in ["permission_prompt", "elicitation_dialog", "agent_completed", ""] {
        assert_eq!(steps(&notice(kind)), [], "{kind}");
    }
}

#[test]
fn a_call_opens_under_its_id() {
    insta::assert_snapshot!(told(&command("ls")), @r#"OpenCall(OpenCall { id: ToolUseId("call-1"), tool: "Bash", spawn: None })"#);
}

#[test]
fn a_call_without_an_id_opens_and_closes_nothing() {
    let call = without_id("Agent");
    assert_eq!(steps(&event(EventKind::ToolBefore { call: call.clone() })), []);
    assert_eq!(steps(&failing(call.clone(), false)), []);
    assert_eq!(steps(&answered(call, None, SpawnResult::Completed)), []);
}

#[test]
fn a_denied_call_stays_open_until_its_batch_closes_it() {
    assert_eq!(steps_if_denied(&command("ls")), steps(&command("ls")));
    insta::assert_snapshot!(told(&batch()), @"CloseCalls { how: NotRun }");
}

#[test]
fn a_call_that_starts_an_agent_says_which_and_whether_it_waits() {
    for (input, background) in [
        (json!({"run_in_background": false}), Background::No),
        (json!({"run_in_background": true}), Background::Yes),
        (json!({}), Background::Unsaid),
    ] {
        let mut input = input;
        input["subagent_type"] = json!("Explore");
        input["description"] = json!("find the parser");
        let expected = LifecycleStep::OpenCall(OpenCall {
            id: ToolUseId::new("call-1"),
            tool: "Agent".to_owned(),
            spawn: Some(AgentSpawn {
                agent_type: Some("Explore".to_owned()),
                description: Some("find the parser".to_owned()),
                background,
            }),
        });
        let call = agent_call(input);
        assert_eq!(steps(&event(EventKind::ToolBefore { call })), [expected]);
    }
}

#[test]
fn an_agent_in_the_foreground_ends_with_its_call() {
    insta::assert_snapshot!(told(&answered(agent_call(json!({})), Some("a1"), SpawnResult::Completed)), @r#"
    CloseCall { id: ToolUseId("call-1"), how: Done }
    LinkAgent { agent: AgentId("a1"), call: Some(ToolUseId("call-1")) }
    EndAgent { agent: AgentId("a1"), reason: "completed" }
    "#);
}

#[test]
fn an_agent_in_the_background_is_linked_and_goes_on() {
    for result in [
        SpawnResult::Launched,
        SpawnResult::Teammate,
        SpawnResult::Other("remote".to_owned()),
    ] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(told(&answered(agent_call(json!({})), Some("a1"), result)), @r#"
            CloseCall { id: ToolUseId("call-1"), how: Done }
            LinkAgent { agent: AgentId("a1"), call: Some(ToolUseId("call-1")) }
            "#);
        }
    }
}

#[test]
fn an_answer_that_names_no_agent_ends_the_one_linked_to_its_call() {
    insta::assert_snapshot!(told(&answered(agent_call(json!({})), None, SpawnResult::Completed)), @r#"
    CloseCall { id: ToolUseId("call-1"), how: Done }
    DoubtIdentity { agent: None, call: Some(ToolUseId("call-1")) }
    EndAgentsOf { calls: One(ToolUseId("call-1")), reason: "completed" }
    "#);
    insta::assert_snapshot!(told(&answered(agent_call(json!({})), None, SpawnResult::Launched)), @r#"CloseCall { id: ToolUseId("call-1"), how: Done }"#);
}

#[test]
fn an_agent_whose_call_failed_has_ended() {
    insta::assert_snapshot!(told(&failing(agent_call(json!({})), false)), @r#"
    CloseCall { id: ToolUseId("call-1"), how: Failed }
    EndAgentsOf { calls: One(ToolUseId("call-1")), reason: "failed" }
    "#);
}

#[test]
fn a_failed_call_tells_an_interrupt_from_an_error() {
    let bash = || call("Bash", json!({"command": "false"}));
    insta::assert_snapshot!(told(&failing(bash(), false)), @r#"CloseCall { id: ToolUseId("call-1"), how: Failed }"#);
    insta::assert_snapshot!(told(&failing(bash(), true)), @r#"CloseCall { id: ToolUseId("call-1"), how: Interrupted }"#);
}

#[test]
fn nothing_expires_while_a_person_decides_and_a_refusal_closes_the_call() {
    let bash = || call("Bash", json!({"command": "ls"}));
    assert_eq!(steps(&event(EventKind::PermissionRequest { call: bash() })), []);
    let refused = event(EventKind::PermissionDenied {
        call: bash(),
        reason: "no".to_owned(),
    });
    insta::assert_snapshot!(told(&refused), @r#"CloseCall { id: ToolUseId("call-1"), how: NotRun }"#);
}

#[test]
fn a_stop_ends_the_turn_and_no_agent() {
    insta::assert_snapshot!(told(&stop()), @"
    CloseCalls { how: Interrupted }
    CloseTurn { how: Done }
    ReleaseTurn
    ");
}

#[test]
fn a_stop_that_lists_the_background_says_which_agents_still_run() {
    let task = |id: &str, status: &str| BackgroundTask {
        id: id.to_owned(),
        kind: "subagent".to_owned(),
        status: status.to_owned(),
    };
    let stop = event(EventKind::TurnEnd {
        already_continued: false,
        last_message: None,
        background: Some(vec![task("a1", "running"), task("a2", "completed")]),
    });
    insta::assert_snapshot!(told(&stop), @r#"
    CloseCalls { how: Interrupted }
    CloseTurn { how: Done }
    ReleaseTurn
    ListAgents { running: [AgentId("a1")] }
    "#);
}

#[test]
fn an_agent_whose_task_was_stopped_has_ended() {
    let stopping = event(EventKind::ToolAfter {
        call: call("TaskStop", json!({"task_id": "a1"})),
        response: Value::Null,
        duration_ms: None,
        spawned: Some(Spawned {
            agent: Some(AgentId::new("a1")),
            result: SpawnResult::Stopped,
            worked: false,
        }),
        changed: None,
        todo: None,
    });
    insta::assert_snapshot!(told(&stopping), @r#"
    CloseCall { id: ToolUseId("call-1"), how: Done }
    EndAgent { agent: AgentId("a1"), reason: "stopped" }
    "#);
}

#[test]
fn an_idle_teammate_ends_its_turn_and_lives_on() {
    let idle = event(EventKind::TeammateIdle {
        teammate: "reviewer".to_owned(),
    });
    assert_eq!(told(&idle.by("areviewer-1", "reviewer")), told(&stop()));
}

#[test]
fn a_stop_that_is_held_back_ends_nothing() {
    let idle = event(EventKind::TeammateIdle {
        teammate: "reviewer".to_owned(),
    });
    for held in [stop(), agent_stop().by("a1", "Explore"), idle] {
        assert!(denial_continues(&held));
        assert_eq!(steps_if_denied(&held), []);
    }
    assert!(!denial_continues(&command("ls")));
}

#[test]
fn an_error_of_the_service_ends_the_main_turn_and_no_agent() {
    insta::assert_snapshot!(told(&turn_failed_event()), @"
    CloseCalls { how: Failed }
    CloseTurn { how: Failed }
    ReleaseTurn
    ");
}

#[test]
fn an_error_of_the_service_ends_the_subagent_it_hit() {
    insta::assert_snapshot!(told(&turn_failed_event().by("a1", "Explore")), @r#"
    CloseCalls { how: Failed }
    CloseTurn { how: Failed }
    ReleaseTurn
    EndAgent { agent: AgentId("a1"), reason: "failed" }
    "#);
}

#[test]
fn an_agent_is_announced_by_its_start_also_when_it_is_revived() {
    insta::assert_snapshot!(told(&event(EventKind::AgentStart).by("a1", "Explore")), @"Announce");
}

#[test]
fn an_agent_that_stops_has_ended() {
    insta::assert_snapshot!(told(&agent_stop().by("a1", "Explore")), @r#"
    Announce
    CloseCalls { how: Interrupted }
    CloseTurn { how: Done }
    EndAgent { agent: AgentId("a1"), reason: "stopped" }
    "#);
}

#[test]
fn the_helper_that_compacts_is_never_announced() {
    let helper = steps(&agent_stop().by("a7", ""));
    assert!(!helper.contains(&LifecycleStep::Announce));
    insta::assert_snapshot!(lines(&helper), @r#"
    CloseCalls { how: Interrupted }
    CloseTurn { how: Done }
    EndAgent { agent: AgentId("a7"), reason: "stopped" }
    "#);
}

#[test]
fn a_stop_of_an_unnamed_agent_does_not_end_the_main_thread() {
    insta::assert_snapshot!(told(&agent_stop()), @"DoubtIdentity { agent: None, call: None }");
}

#[test]
fn an_agent_that_worked_unseen_puts_its_clients_word_in_doubt() {
    let done = |agent: Option<&str>, worked: bool| {
        let mut event = answered(agent_call(json!({})), agent, SpawnResult::Completed);
        if let EventKind::ToolAfter {
            spawned: Some(spawned),
            ..
        } = &mut event.kind
        {
            spawned.worked = worked;
        }
        event
    };
    insta::assert_snapshot!(told(&done(Some("a1"), true)), @r#"
    CloseCall { id: ToolUseId("call-1"), how: Done }
    DoubtIdentity { agent: Some(AgentId("a1")), call: Some(ToolUseId("call-1")) }
    LinkAgent { agent: AgentId("a1"), call: Some(ToolUseId("call-1")) }
    EndAgent { agent: AgentId("a1"), reason: "completed" }
    "#);
    insta::assert_snapshot!(told(&done(None, false)), @r#"
    CloseCall { id: ToolUseId("call-1"), how: Done }
    DoubtIdentity { agent: None, call: Some(ToolUseId("call-1")) }
    EndAgentsOf { calls: One(ToolUseId("call-1")), reason: "completed" }
    "#);
    assert!(!told(&done(Some("a1"), false)).contains("DoubtIdentity"));
}

#[test]
fn everything_else_changes_no_life() {
    let path = || PathBuf::from("src/lib.rs");
    let word = || "word".to_owned();
    let kinds = [
        EventKind::Setup { trigger: word() },
        EventKind::InstructionsLoaded {
            path: path(),
            load_reason: word(),
        },
        EventKind::PromptExpansion {
            command: word(),
            arguments: word(),
        },
        EventKind::TaskCreated {
            task_id: word(),
            subject: word(),
        },
        EventKind::TaskCompleted {
            task_id: word(),
            subject: word(),
        },
        EventKind::Elicitation {
            server: word(),
            message: word(),
        },
        EventKind::ElicitationResult {
            server: word(),
            action: word(),
        },
        EventKind::CompactBefore { trigger: word() },
        EventKind::CompactAfter { trigger: word() },
        EventKind::ModelSwitchBefore { from: None, to: None },
        EventKind::ModelSwitchAfter { from: None, to: None },
        EventKind::ConfigChange {
            source: word(),
            path: None,
        },
        EventKind::CwdChanged { old: None, new: None },
        EventKind::FileChanged {
            path: path(),
            change: word(),
        },
        EventKind::DirectoryAdded { path: path() },
        EventKind::WorktreeCreate { worktree: word() },
        EventKind::WorktreeRemove { path: path() },
        EventKind::MessageDisplay { is_final: true },
        EventKind::Probe,
        EventKind::Unknown,
    ];
    for kind in kinds {
        let event = event(kind);
        assert_eq!(steps(&event), [], "{:?}", event.kind);
        assert_eq!(steps_if_denied(&event), [], "{:?}", event.kind);
    }
}
