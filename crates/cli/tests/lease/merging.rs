//! Agents under an id that the client never announced.

use super::{SESSION, assert_shown, denied, listed, siblings, world};
use serde_json::{Value, json};
use testkit::{Agent, Output, World};

/// The id that nobody announced.
const UNKNOWN: &str = "b9999999999999999";
const FIXER: &str = "a1111111111111111";
const REVIEWER: &str = "a2222222222222222";

/// An edit by an agent, as this call.
fn edits(agent: &Agent<'_>, call: &str, path: &str) -> Output {
    let file = agent.folder().join(path);
    agent.before(
        call,
        "Edit",
        &json!({ "file_path": file, "old_string": "one", "new_string": "two" }),
    )
}

/// An agent that writes a whole file, as this call.
fn writes(agent: &Agent<'_>, call: &str, path: &str) {
    let file = agent.folder().join(path);
    let input = json!({ "file_path": file, "content": "new\n" });
    agent.before(call, "Write", &input).ok();
    fs_err::write(file, "new\n").unwrap();
    agent
        .after(call, "Write", &input, &json!({ "type": "update" }))
        .ok();
}

/// A message of an agent that makes a call.
fn calling(agent: &str, call: &str) -> Value {
    json!({ "type": "assistant", "uuid": call, "isSidechain": true, "agentId": agent, "message": {
        "id": "msg_1", "content": [{ "type": "tool_use", "id": call, "name": "Edit", "input": {} }] } })
}

/// The client writes lines into the transcript of a subagent.
fn notes(world: &World, agent: &str, lines: &[Value]) {
    let folder = world.agent(SESSION).transcript().join("subagents");
    fs_err::create_dir_all(&folder).unwrap();
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs_err::write(folder.join(format!("agent-{agent}.jsonl")), lines.concat()).unwrap();
}

fn unknown(world: &World) -> Agent<'_> {
    world.agent(SESSION).subagent(UNKNOWN, "fixer")
}

#[test]
fn an_id_that_turns_out_to_be_a_known_agent_has_its_files_and_gives_it_its_own() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    let unknown = unknown(&world);
    writes(&fixer, "call_1", "src/parser.rs");
    writes(&unknown, "call_2", "src/lexer.rs");
    let refused = edits(&unknown, "call_3", "src/parser.rs").denial();
    assert!(refused.is_some_and(|text| text.contains("never announced")));
    assert_eq!(
        listed(&world),
        [
            "src/parser.rs of fixer@a111, 1 waiting",
            "src/lexer.rs of fixer@b999, 0 waiting"
        ]
    );

    notes(
        &world,
        FIXER,
        &[calling(FIXER, "call_1"), calling(FIXER, "call_2")],
    );
    assert_eq!(edits(&unknown, "call_4", "src/parser.rs").denial(), None);
    assert_eq!(
        listed(&world),
        [
            "src/parser.rs of fixer@a111, 0 waiting",
            "src/lexer.rs of fixer@a111, 0 waiting"
        ]
    );
    assert!(denied(&reviewer, "src/lexer.rs").is_some_and(|text| text.contains("fixer@a111")));
    assert_eq!(edits(&fixer, "call_5", "src/lexer.rs").denial(), None);
    assert_shown!(world, world.toprope(&["session", "actors"]), @"
    exit 0
    --- stdout
    ACTOR          STATE    LAST SEEN  HOLDS             WAITS FOR     TASK
    main@ab31      working  [n] s ago    -                 -
    fixer@a111     working  [n] s ago    src/parser.rs +1  -             (started by whom is not known)
    reviewer@a222  working  [n] s ago    -                 src/lexer.rs  (started by whom is not known)
    fixer@b999     merged   [n] s ago    -                 -             (is fixer@a111)
    --- stderr
    ");
    let told = world.toprope(&["log", "--json"]).ok();
    let told: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("never announced, is in"))
        .collect();
    assert_eq!(told.len(), 1, "it is recorded once");
}

#[test]
fn a_holder_that_nobody_announced_is_known_when_it_is_in_the_way() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    writes(&unknown(&world), "call_1", "src/lexer.rs");
    assert!(denied(&fixer, "src/lexer.rs").is_some(), "who knows");
    notes(&world, FIXER, &[calling(FIXER, "call_1")]);
    let refused = denied(&reviewer, "src/lexer.rs").unwrap();
    assert!(refused.contains("fixer@a111"), "{refused}");
    assert_eq!(denied(&fixer, "src/lexer.rs"), None);
    assert_eq!(listed(&world), ["src/lexer.rs of fixer@a111, 1 waiting"]);
}

#[test]
fn only_a_call_in_one_known_agents_own_transcript_says_who_it_is() {
    let world = world();
    let [fixer, _] = siblings(&world);
    let unknown = unknown(&world);
    writes(&fixer, "call_1", "src/parser.rs");
    edits(&unknown, "call_2", "src/parser.rs");
    let is_denied = |when: &str| {
        let refused = edits(&unknown, "call_3", "src/parser.rs").denial();
        assert!(refused.is_some_and(|text| text.contains("fixer@a111")), "{when}");
    };
    let result = json!({ "type": "user", "agentId": FIXER, "message": { "content": [
        { "type": "tool_result", "tool_use_id": "call_2", "content": "\"tool_use\" call_2" }] } });
    notes(&world, FIXER, &[result]);
    is_denied("a result that names the call");
    notes(
        &world,
        FIXER,
        &[calling(FIXER, "call_22"), calling(FIXER, "call_")],
    );
    is_denied("another call");
    notes(&world, FIXER, &[calling(REVIEWER, "call_2")]);
    is_denied("a line of another agent");
    notes(&world, FIXER, &[calling(FIXER, "call_1")]);
    is_denied("only what the agent called itself");
    notes(&world, FIXER, &[calling(FIXER, "call_2")]);
    notes(&world, REVIEWER, &[calling(REVIEWER, "call_2")]);
    is_denied("two agents have it");
    notes(&world, REVIEWER, &[]);
    notes(
        &world,
        "a3333333333333333",
        &[calling("a3333333333333333", "call_2")],
    );
    assert_eq!(edits(&unknown, "call_4", "src/parser.rs").denial(), None);
}
