//! Every kind of event with what it means, as one line per piece of work.

mod agents;

use super::*;
use crate::event::{BackgroundReport, BatchCall, ChangedFiles, Spawned, StartSource};
use crate::settings::Profile;
use crate::testing::{call, command, event, prompt, start, stop};
use crate::todo::{TodoItem, TodoUpdate};
use crate::tool::{Action, ToolCall, ToolInput};
use serde_json::{Value, json};
use std::path::PathBuf;

fn settings(steps: Steps) -> CheckpointSettings {
    CheckpointSettings {
        steps,
        ..CheckpointSettings::of(Profile::Standard)
    }
}

fn means(event: &Event) -> String {
    shown(&work(event, false, &settings(Steps::Batch)))
}

fn means_denied(event: &Event) -> String {
    shown(&work(event, true, &settings(Steps::Batch)))
}

fn shown(work: &[CheckpointTask]) -> String {
    work.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(work: &CheckpointTask) -> String {
    match work {
        CheckpointTask::Wait => "wait".to_owned(),
        CheckpointTask::Baseline => "baseline".to_owned(),
        CheckpointTask::Touch(touch) => format!("touch {:?} {:?}", touch.when, touch.paths),
        CheckpointTask::Roam(roam) => format!("roam {:?}", roam.state),
        CheckpointTask::Settle(_) => "settle".to_owned(),
        CheckpointTask::Todo(label) => format!("todo {label:?}"),
        CheckpointTask::NameTask { task, subject } => format!("name task {task} {subject:?}"),
        CheckpointTask::DescribeAgent { agent, call } => format!("describe {agent} by {call}"),
        CheckpointTask::Cut(cut) => format!(
            "cut {} of {:?}, key {:?}, scan {:?}, label {:?}, {:?}",
            cut.kind.as_str(),
            cut.whose,
            cut.key,
            cut.scan,
            cut.label,
            cut.when
        ),
        CheckpointTask::LinkCommits => "link commits".to_owned(),
        CheckpointTask::TranscriptRead(reading) => {
            let closing = if reading.closing { ", closing" } else { "" };
            format!("read {:?} {:?}{closing}", reading.of, reading.path)
        }
        CheckpointTask::WarmScan => "warm scan".to_owned(),
    }
}

fn after(tool: &str, input: Value) -> Event {
    finished(call(tool, input), None, None, None)
}

fn finished(
    call: ToolCall,
    spawned: Option<Spawned>,
    changed: Option<ChangedFiles>,
    todo: Option<TodoUpdate>,
) -> Event {
    event(EventKind::ToolAfter {
        call,
        response: Value::Null,
        duration_ms: None,
        spawned,
        changed,
        todo,
    })
}

fn failing(tool: &str, input: Value) -> Event {
    event(EventKind::ToolFailed {
        call: call(tool, input),
        error: "no".to_owned(),
        interrupted: false,
        duration_ms: None,
    })
}

fn before_call(tool: &str, input: Value) -> Event {
    event(EventKind::ToolBefore {
        call: call(tool, input),
    })
}

fn batch_of(tools: &[&str]) -> Event {
    let calls = tools.iter().map(|tool| BatchCall {
        call: call(tool, json!({"file_path": "a.rs", "command": "ls"})),
        response: Value::Null,
    });
    event(EventKind::ToolBatch {
        calls: calls.collect(),
    })
}

fn agent_stop_event() -> Event {
    event(EventKind::AgentStop {
        already_continued: false,
        last_message: None,
        transcript: Some(PathBuf::from("/t/agent.jsonl")),
    })
}

fn notification(kind: &str) -> Event {
    event(EventKind::Notification {
        kind: kind.to_owned(),
        message: String::new(),
    })
}

fn file() -> Value {
    json!({"file_path": "a.rs"})
}

fn todo_list() -> TodoUpdate {
    TodoUpdate::List {
        before: None,
        after: vec![TodoItem {
            text: "one".to_owned(),
            completed: true,
        }],
    }
}

#[test]
fn a_persons_prompt_closes_what_is_open_and_looks_at_the_files() {
    insta::assert_snapshot!(means(&prompt("go on")), @"
    cut interrupted of Actor, key Event, scan Always, label Prompt, IfInterrupted
    cut agent-stop of Ended, key Run, scan Never, label Agent(Failed), Now
    baseline
    cut outside of Actor, key Event, scan Always, label Outside, Now
    link commits
    read Main None
    ");
}

#[test]
fn a_notification_interrupts_nobody() {
    let event = event(EventKind::Prompt {
        text: "<task-notification>".to_owned(),
        origin: PromptOrigin::Notification(BackgroundReport::default()),
    });
    insta::assert_snapshot!(means(&event), @"
    baseline
    cut outside of Actor, key Event, scan Always, label Outside, Now
    link commits
    read Main None
    ");
    assert_eq!(means_denied(&event), "");
}

#[test]
fn a_refused_prompt_opens_nothing_but_closes_what_was_open() {
    insta::assert_snapshot!(means_denied(&prompt("go on")), @"
    cut interrupted of Actor, key Event, scan Always, label Prompt, IfInterrupted
    cut agent-stop of Ended, key Run, scan Never, label Agent(Failed), Now
    link commits
    read Main None, closing
    ");
}

#[test]
fn a_session_that_starts_has_its_files_looked_at_ahead() {
    for source in [StartSource::Startup, StartSource::Resume, StartSource::Compact] {
        insta::allow_duplicates!(insta::assert_snapshot!(means(&start(source)), @"
        warm scan
        read Main None
        "));
    }
}

#[test]
fn a_call_that_names_a_file_has_it_kept_before_it_runs() {
    for tool in ["Write", "Edit"] {
        insta::allow_duplicates!(insta::assert_snapshot!(means(&before_call(tool, file())), @r#"
        baseline
        wait
        touch Coming ["a.rs"]
        "#));
    }
}

#[test]
fn a_call_that_may_write_anything_waits_and_roams() {
    insta::assert_snapshot!(means(&command("make")), @"
    baseline
    cut outside of Actor, key Event, scan Always, label Outside, Now
    wait
    roam Begins
    ");
    assert_eq!(
        means(&before_call("mcp__x__y", json!({}))),
        means(&command("make"))
    );
}

#[test]
fn a_command_that_only_reads_is_no_suspect() {
    assert_eq!(means(&command("git log --oneline | head")), "baseline");
}

#[test]
fn calls_that_write_nothing_mean_nothing() {
    for tool in ["Read", "Grep", "TodoWrite", "Agent"] {
        for event in [before_call(tool, file()), after(tool, file())] {
            assert_eq!(means(&event), "", "{tool}");
        }
    }
    assert_eq!(means(&failing("Read", file())), "");
}

#[test]
fn a_denied_call_never_ran() {
    assert_eq!(means_denied(&command("make")), "");
    assert_eq!(means_denied(&before_call("Write", file())), "");
}

#[test]
fn a_written_file_is_looked_at_and_a_step_follows_soon() {
    insta::assert_snapshot!(means(&after("Write", file())), @r#"
    touch Done ["a.rs"]
    cut step of Actor, key Event, scan IfUnlisted, label Step(None), Soon
    "#);
    assert_eq!(means(&failing("Write", file())), means(&after("Write", file())));
}

#[test]
fn a_command_that_lists_its_changes_needs_no_scan() {
    let changed = |paths: &[&str], complete| {
        let changed = ChangedFiles {
            paths: paths.iter().map(PathBuf::from).collect(),
            complete,
        };
        means(&finished(
            call("Bash", json!({"command": "make"})),
            None,
            Some(changed),
            None,
        ))
    };
    insta::assert_snapshot!(changed(&["/p/a", "/p/b"], true), @r#"
    baseline
    touch Done ["/p/a", "/p/b"]
    roam Ends { listed: true }
    cut step of Actor, key Event, scan IfUnlisted, label Step(None), Soon
    "#);
    insta::assert_snapshot!(changed(&[], false), @"
    baseline
    roam Ends { listed: false }
    cut step of Actor, key Event, scan IfUnlisted, label Step(None), Soon
    ");
}

#[test]
fn a_command_that_failed_or_says_nothing_leaves_its_changes_to_a_scan() {
    insta::assert_snapshot!(means(&after("Bash", json!({"command": "make"}))), @"
    baseline
    roam Ends { listed: false }
    cut step of Actor, key Event, scan IfUnlisted, label Step(None), Soon
    ");
    assert_eq!(
        means(&failing("Bash", json!({"command": "make"}))),
        means(&after("mcp__x__y", json!({})))
    );
}

#[test]
fn a_background_command_goes_on() {
    let background = ToolCall::new("Bash", None, ToolInput::new(), |_, _| Action::RunCommand {
        command: "serve".to_owned(),
        background: true,
    });
    let work = means(&finished(background, None, None, None));
    assert!(work.contains("roam Lingers"), "{work}");
}

#[test]
fn a_call_the_client_refused_did_not_roam() {
    let denied = |tool: &str| {
        means(&event(EventKind::PermissionDenied {
            call: call(tool, file()),
            reason: String::new(),
        }))
    };
    assert_eq!(denied("Bash"), "roam NotRun");
    assert_eq!(denied("Write"), "");
}

#[test]
fn a_batch_in_which_something_may_have_been_written_is_a_step() {
    insta::assert_snapshot!(means(&batch_of(&["Read", "Write"])), @"
    settle
    cut step of Actor, key Event, scan IfUnlisted, label Step(None), Now
    link commits
    ");
    assert_eq!(means(&batch_of(&["Bash"])), means(&batch_of(&["Write"])));
    assert_eq!(means(&batch_of(&["Read", "Agent"])), "settle");
    assert_eq!(means(&batch_of(&[])), "settle");
}

#[test]
fn a_subagents_batch_is_its_own_step() {
    let batch = batch_of(&["Write"]);
    assert_eq!(means(&batch.clone().by("a1", "Explore")), means(&batch));
}

#[test]
fn an_update_of_the_list_names_a_step_and_cuts_none() {
    let update = finished(call("TodoWrite", json!({})), None, None, Some(todo_list()));
    insta::assert_snapshot!(means(&update), @r#"todo Text("Completed: one")"#);
}

#[test]
fn with_steps_by_todo_the_update_cuts_and_the_batch_does_not() {
    let by_todo = |event: &Event| shown(&work(event, false, &settings(Steps::Todo)));
    let update = finished(call("TodoWrite", json!({})), None, None, Some(todo_list()));
    insta::assert_snapshot!(by_todo(&update), @r#"
    cut step of Actor, key Event, scan IfUnlisted, label Step(Some(Text("Completed: one"))), Now
    link commits
    "#);
    assert_eq!(by_todo(&batch_of(&["Write"])), "settle");
    assert!(!by_todo(&after("Write", file())).contains("cut"));
    assert_eq!(shown(&work(&stop(), true, &settings(Steps::Todo))), "");
}

#[test]
fn without_steps_only_turns_and_agents_are_kept() {
    let off = |event: &Event| shown(&work(event, false, &settings(Steps::Off)));
    let update = finished(call("TodoWrite", json!({})), None, None, Some(todo_list()));
    assert_eq!(off(&update), "");
    assert_eq!(off(&batch_of(&["Bash"])), "settle");
    assert!(off(&stop()).contains("cut turn"));
    assert!(off(&agent_stop_event().by("a1", "Explore")).contains("cut agent-stop"));
}

#[test]
fn tasks_are_named_by_their_own_events() {
    let created = event(EventKind::TaskCreated {
        task_id: "1".to_owned(),
        subject: "First".to_owned(),
    });
    let completed = event(EventKind::TaskCompleted {
        task_id: "1".to_owned(),
        subject: "First".to_owned(),
    });
    assert_eq!(means(&created), "name task 1 \"First\"");
    assert_eq!(means(&completed), means(&created));
    let update = TodoUpdate::Changed {
        task: "1".to_owned(),
        subject: None,
        completed: true,
    };
    let updated = finished(call("TodoWrite", json!({})), None, None, Some(update));
    assert_eq!(means(&updated), "todo Completed { task: \"1\" }");
    let noted = TodoUpdate::Created {
        task: Some("2".to_owned()),
        subject: "Second".to_owned(),
    };
    let noted = finished(call("TodoWrite", json!({})), None, None, Some(noted));
    assert_eq!(means(&noted), "name task 2 \"Second\"");
}

#[test]
fn a_stop_is_a_turn() {
    insta::assert_snapshot!(means(&stop()), @"
    cut turn of Actor, key Event, scan IfRoamed, label Prompt, Now
    link commits
    read Main None, closing
    ");
    let failed = event(EventKind::TurnFailed {
        error: "overloaded".to_owned(),
    });
    assert_eq!(means(&failed), means(&stop()));
}

#[test]
fn a_stop_we_held_back_is_a_step_and_the_turn_goes_on() {
    insta::assert_snapshot!(means_denied(&stop()), @"
    cut step of Actor, key Event, scan IfRoamed, label Step(None), Now
    link commits
    ");
}

#[test]
fn a_teammate_that_idles_leaves_a_step() {
    let idle = event(EventKind::TeammateIdle {
        teammate: "ann".to_owned(),
    });
    assert_eq!(means(&idle.clone().by("a1", "ann")), means_denied(&stop()));
    assert_eq!(means_denied(&idle), means_denied(&stop()));
}

#[test]
fn the_end_of_a_session_closes_everything() {
    let end = event(EventKind::SessionEnd {
        reason: "other".to_owned(),
    });
    insta::assert_snapshot!(means(&end), @"
    cut interrupted of Actor, key Event, scan IfRoamed, label Prompt, IfInterrupted
    cut agent-stop of Ended, key Run, scan Never, label Agent(Failed), Now
    link commits
    read Main None, closing
    ");
    assert_eq!(shown(&vanished()), means(&end));
    assert_eq!(means(&notification("idle_prompt")), means(&end));
    assert_eq!(means(&notification("permission_prompt")), "");
}

#[test]
fn commits_are_linked_only_behind_a_cut() {
    let all = [
        prompt("x"),
        stop(),
        batch_of(&["Bash"]),
        after("Bash", json!({"command": "git commit"})),
        agent_stop_event().by("a1", "Explore"),
        start(StartSource::Startup),
    ];
    for event in all {
        for steps in Steps::ALL {
            let work = work(&event, false, &settings(steps));
            for (at, one) in work.iter().enumerate() {
                let behind_a_cut =
                    at > 0 && matches!(&work[at - 1], CheckpointTask::Cut(cut) if cut.when == CutTime::Now);
                assert!(*one != CheckpointTask::LinkCommits || behind_a_cut, "{event:?}");
            }
        }
    }
}

#[test]
fn switched_off_only_usage_is_read() {
    let off = CheckpointSettings {
        enabled: false,
        ..settings(Steps::Batch)
    };
    assert_eq!(shown(&work(&stop(), false, &off)), "read Main None, closing");
    assert_eq!(work(&command("make"), false, &off), []);
    assert_eq!(work(&batch_of(&["Write"]), false, &off), []);
}

#[test]
fn the_point_before_a_destructive_command_is_its_calls_own() {
    insta::assert_snapshot!(line(&CheckpointTask::Cut(before("git reset --hard", &ToolUseId::new("c9")))), @r#"cut before of Actor, key Call(ToolUseId("c9")), scan Always, label Text("Before: git reset --hard"), Now"#);
}

#[test]
fn events_about_something_else_mean_nothing() {
    let kinds = [
        EventKind::Setup {
            trigger: "init".to_owned(),
        },
        EventKind::InstructionsLoaded {
            path: PathBuf::from("CLAUDE.md"),
            load_reason: "session_start".to_owned(),
        },
        EventKind::PromptExpansion {
            command: "x".to_owned(),
            arguments: String::new(),
        },
        EventKind::PermissionRequest {
            call: call("Bash", json!({"command": "ls"})),
        },
        EventKind::Elicitation {
            server: "m".to_owned(),
            message: String::new(),
        },
        EventKind::ElicitationResult {
            server: "m".to_owned(),
            action: "accept".to_owned(),
        },
        EventKind::CompactBefore {
            trigger: "auto".to_owned(),
        },
        EventKind::ModelSwitchBefore { from: None, to: None },
        EventKind::ModelSwitchAfter { from: None, to: None },
        EventKind::ConfigChange {
            source: "user_settings".to_owned(),
            path: None,
        },
        EventKind::CwdChanged { old: None, new: None },
        EventKind::FileChanged {
            path: PathBuf::from(".env"),
            change: "change".to_owned(),
        },
        EventKind::DirectoryAdded {
            path: PathBuf::from("/d"),
        },
        EventKind::WorktreeCreate {
            worktree: "w".to_owned(),
        },
        EventKind::WorktreeRemove {
            path: PathBuf::from("/w"),
        },
        EventKind::MessageDisplay { is_final: true },
        EventKind::Probe,
        EventKind::Unknown,
    ];
    for kind in kinds {
        let event = event(kind);
        assert_eq!(means(&event), "", "{event:?}");
        assert_eq!(means_denied(&event), "", "{event:?}");
    }
    let compacted = event(EventKind::CompactAfter {
        trigger: "auto".to_owned(),
    });
    assert_eq!(means(&compacted), "read Main None");
}
