use super::*;
use serde_json::json;

fn read(tool: &str, input: &Value) -> ToolCall {
    let payload = json!({"tool_name": tool, "tool_input": input});
    call(
        &mut PayloadFields::parse(payload.to_string().as_bytes())
            .unwrap_or_else(|malformed| panic!("{malformed}")),
    )
}

fn action_of(tool: &str, input: &Value) -> Action {
    read(tool, input).action().clone()
}

#[test]
fn a_shell_call_is_its_command() {
    let action = |background| Action::RunCommand {
        command: "ls".to_owned(),
        background,
    };
    assert_eq!(action_of("Bash", &json!({"command": "ls"})), action(false));
    assert_eq!(
        action_of("Bash", &json!({"command": "ls", "run_in_background": true})),
        action(true)
    );
    assert_eq!(
        action_of("Bash", &json!({"command": "ls", "run_in_background": "true"})),
        action(false)
    );
}

#[test]
fn every_tool_with_a_command_line_runs_it() {
    let runs = |background| Action::RunCommand {
        command: "ls".to_owned(),
        background,
    };
    let input = json!({"command": "ls", "description": "look", "timeout_ms": 1000});
    assert_eq!(action_of("Monitor", &input), runs(true));
    assert_eq!(action_of("PowerShell", &input), runs(false));
    assert_eq!(
        action_of("mcp__box__exec", &json!({"cmd": "ls", "path": "x"})),
        runs(false)
    );
    assert_eq!(action_of("SomethingNew", &input), runs(false));
    assert_eq!(
        action_of("Monitor", &json!({"ws": {"url": "ws://x"}})),
        Action::Unknown
    );
    assert_eq!(
        action_of("Workflow", &json!({"script": "agent('x')"})),
        Action::Unknown
    );
    assert_eq!(action_of("Grep", &json!({"command": "ls"})), Action::Other);
}

#[test]
fn file_tools_name_their_file() {
    let path = PathBuf::from("a.rs");
    let file = json!({"file_path": "a.rs"});
    let edit = Action::EditFile { path: path.clone() };
    assert_eq!(
        action_of("Write", &file),
        Action::WriteFile { path: path.clone() }
    );
    assert_eq!(action_of("Edit", &file), edit);
    assert_eq!(action_of("MultiEdit", &file), edit);
    assert_eq!(action_of("NotebookEdit", &json!({"notebook_path": "a.rs"})), edit);
    assert_eq!(action_of("Write", &json!({"filePath": "a.rs"})), {
        Action::WriteFile { path: path.clone() }
    });
    let read = |extent| Action::ReadFile {
        path: path.clone(),
        extent,
    };
    assert_eq!(action_of("Read", &file), read(ReadExtent::Whole));
    for (part, extent) in [
        (json!({"limit": 5}), ReadExtent::Lines { first: 1, last: 5 }),
        (
            json!({"offset": 3, "limit": 5}),
            ReadExtent::Lines { first: 3, last: 7 },
        ),
        (
            json!({"offset": 3}),
            ReadExtent::Lines {
                first: 3,
                last: u64::MAX,
            },
        ),
        (json!({"offset": 1}), ReadExtent::Whole),
        (json!({"pages": "1-2"}), ReadExtent::Part),
    ] {
        let mut input = part;
        input["file_path"] = json!("a.rs");
        assert_eq!(action_of("Read", &input), read(extent), "{input}");
    }
}

#[test]
fn a_tool_that_is_known_to_write_nothing_says_so() {
    for tool in WRITE_NOTHING {
        assert_eq!(action_of(tool, &json!({})), Action::Other, "{tool}");
    }
}

#[test]
fn what_is_not_understood_may_write_anything() {
    assert_eq!(action_of("Write", &json!({"file_path": ""})), Action::Unknown);
    assert_eq!(action_of("Edit", &json!("a.rs")), Action::Unknown);
    assert_eq!(
        action_of("mcp__fs__write", &json!({"file_path": "a.rs"})),
        Action::Unknown
    );
    assert_eq!(action_of("Bash", &json!({"command": ["rm"]})), Action::Unknown);
    assert_eq!(action_of("", &json!({})), Action::Unknown);
    assert_eq!(
        action_of("EnterWorktree", &json!({"name": "side"})),
        Action::Unknown
    );
}

#[test]
fn an_agent_call_says_whether_its_caller_goes_on() {
    let background = |tool: &str, input: &Value| match action_of(tool, input) {
        Action::SpawnAgent { background, .. } => background,
        other => panic!("{other:?}"),
    };
    assert_eq!(background("Agent", &json!({})), Background::Unsaid);
    assert_eq!(
        background("Agent", &json!({"run_in_background": true})),
        Background::Yes
    );
    assert_eq!(
        background("Agent", &json!({"run_in_background": false})),
        Background::No
    );
    assert_eq!(background("Task", &json!({})), Background::No);
    assert_eq!(
        background("Task", &json!({"run_in_background": true})),
        Background::Yes
    );
}

#[test]
fn the_old_name_of_the_agent_tool_is_translated_and_keeps_its_meaning_when_patched() {
    let call = read(
        "Task",
        &json!({"subagent_type": "Explore", "description": "look"}),
    );
    assert_eq!(call.tool(), "Agent");
    let patched = call.patched(&engine::tool::InputPatch::default().set("prompt", "x"));
    assert_eq!(
        *patched.action(),
        Action::SpawnAgent {
            agent_type: Some("Explore".to_owned()),
            description: Some("look".to_owned()),
            background: Background::No,
            announced: false,
        }
    );
}

#[test]
fn a_spawned_agent_is_known_by_its_answer() {
    let agent = |id: &str| Some(AgentId::new(id));
    let spawn = |response: Value| {
        let Spawned { agent, result, .. } = spawned(&response);
        (agent, result)
    };
    assert_eq!(
        spawn(json!({"agentId": "a1", "status": "async_launched"})),
        (agent("a1"), SpawnResult::Launched)
    );
    assert_eq!(
        spawn(json!({"agent_id": "a1", "status": "teammate_spawned"})),
        (agent("a1"), SpawnResult::Teammate)
    );
    assert_eq!(
        spawn(json!({"agentId": "", "status": "paused"})),
        (None, SpawnResult::Other("paused".to_owned()))
    );
    let worked = |uses: u64| spawned(&json!({"agentId": "a1", "totalToolUseCount": uses})).worked;
    assert_eq!((worked(0), worked(3)), (false, true));
}

#[test]
fn an_old_answer_without_an_id_means_the_agent_is_done() {
    let done = Spawned {
        agent: None,
        result: SpawnResult::Completed,
        worked: false,
    };
    assert_eq!(spawned(&json!("REPORT")), done);
    assert_eq!(spawned(&json!([{"type": "text", "text": "REPORT"}])), done);
    assert_eq!(spawned(&json!({"content": [], "totalTokens": 3})), done);
}

#[test]
fn a_command_that_failed_tells_its_code_first() {
    assert_eq!(exit_code("Exit code 101\nerror: could not compile\n"), Some(101));
    assert_eq!(exit_code("Exit code 3"), Some(3));
    assert_eq!(exit_code("Exit code -9"), Some(-9));
    for other in [
        "",
        "Exit code ",
        "Exit code 1 of 3",
        "it said: Exit code 3",
        "Exit code 99999999999",
    ] {
        assert_eq!(exit_code(other), None, "{other}");
    }
}
