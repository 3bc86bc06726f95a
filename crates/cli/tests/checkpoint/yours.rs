//! What the person changes while an agent is at work is theirs: no rewind goes over it, whenever they did it.

use crate::oracle::assert_sound;
use crate::stage::{Stage, Worker};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::{Call, eventually, tick};

/// Three files of the person's, committed.
fn prepared() -> Stage {
    let stage = Stage::new();
    for name in ["mine.txt", "gone.txt", "moved.txt"] {
        stage.write(name, "before\n");
    }
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-qm", "second"]);
    stage
}

/// The person edits, makes, removes and renames files.
fn person(stage: &Stage) {
    stage.write("mine.txt", "typed\n");
    stage.write("new/mine.txt", "new\n");
    fs_err::remove_file(stage.path("gone.txt")).unwrap();
    tick();
    fs_err::rename(stage.path("moved.txt"), stage.path("new/moved.txt")).unwrap();
    tick();
}

/// All of that is still there after a rewind that took away what the agent made.
#[track_caller]
fn assert_left(stage: &Stage) {
    let before = stage.files();
    stage.rewind(&["start"]);
    let mut expected = before;
    expected.retain(|(name, _)| !name.starts_with("made"));
    assert_eq!(stage.files(), expected);
    assert_eq!(stage.read("mine.txt"), "typed\n");
    assert_sound(&stage.world);
}

/// The answer to a command that changed these files, and no others.
fn listing(stage: &Stage, names: &[&str]) -> Value {
    let files: Vec<_> = names.iter().map(|name| stage.path(name)).collect();
    json!({ "stdout": "", "stderr": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": files } })
}

fn silent() -> Value {
    json!({ "stdout": "", "stderr": "", "interrupted": false })
}

fn runs<'a>(agent: &Worker<'a>, command: &str, answer: &Value) -> Call<'a> {
    let call = agent.agent.is_about_to_run(command);
    call.does_run();
    call.ends(answer).ok();
    call.ends_step().ok();
    call
}

#[test]
fn before_the_first_command_of_a_turn() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go");
    stage.settle();
    person(&stage);
    agent.runs("echo x > made.txt").stops();
    assert_left(&stage);
}

#[test]
fn between_two_commands_that_say_nothing_of_their_files() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").runs("echo x > made.txt");
    person(&stage);
    agent.runs("echo y > made-too.txt").stops();
    assert_left(&stage);
}

#[test]
fn after_a_command_that_listed_its_files_and_before_a_write() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go");
    runs(&agent, "echo x > made.txt", &listing(&stage, &["made.txt"]));
    person(&stage);
    agent.writes("made-too.txt", "by the agent\n").stops();
    assert_left(&stage);
}

#[test]
fn while_a_command_runs_that_only_reads() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").runs("echo x > made.txt");
    for (command, answer) in [
        ("git log --oneline", silent()),
        ("sleep 5; ls", listing(&stage, &["mine.txt", "new/mine.txt"])),
    ] {
        let call = agent.agent.is_about_to_run(command);
        person_once(&stage);
        call.ends(&answer).ok();
        call.ends_step().ok();
    }
    agent.stops();
    assert_left(&stage);
}

fn person_once(stage: &Stage) {
    if stage.has("gone.txt") {
        person(stage);
    }
}

#[test]
fn while_a_command_runs_whose_complete_list_has_other_files() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go");
    let call = agent.agent.is_about_to_run("echo x > made.txt");
    person(&stage);
    call.does_run();
    call.ends(&listing(&stage, &["made.txt"])).ok();
    call.ends_step().ok();
    agent.stops();
    assert_left(&stage);
}

#[test]
fn while_a_command_runs_that_can_write_only_what_it_names() {
    for (command, answer) in [
        ("echo x > made.txt; sleep 2", true),
        ("mkdir -p q && touch made.txt; false", false),
    ] {
        let stage = prepared();
        let agent = stage.agent("s1");
        agent.asked("Go");
        let call = agent.agent.is_about_to_run(command);
        stage.write("mine.txt", "typed\n");
        stage.write("new/mine.txt", "new\n");
        tick();
        call.does_run();
        if answer {
            // The client compares two snapshots: it lists what the person saved, too.
            let listed = listing(&stage, &["made.txt", "mine.txt", "new/mine.txt"]);
            call.ends(&listed).ok();
        } else {
            call.fails("Exit code 1").ok();
        }
        call.ends_step().ok();
        agent.stops();
        assert_left(&stage);
    }
}

#[test]
fn a_report_that_compares_nothing_is_no_list() {
    let stage = prepared();
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("Go");
    let skipped = json!({ "stdout": "", "stderr": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "skipped": true } });
    runs(
        &agent,
        "./change-it; echo agent > mine.txt; echo new > made.txt",
        &skipped,
    );
    agent.stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.files(), before);
}

#[test]
fn after_the_last_command_and_after_the_turn() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").runs("echo x > made.txt");
    person(&stage);
    agent.stops();
    assert_left(&stage);
}

#[test]
fn while_a_command_runs_in_the_background() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").runs("echo x > made.txt");
    let input = json!({ "command": "serve", "run_in_background": true, "description": "run" });
    let call = agent.agent.call("Bash", &input);
    call.begins().ok();
    call.ends(&json!({ "stdout": "", "backgroundTaskId": "b1" })).ok();
    call.ends_step().ok();
    person(&stage);
    agent.stops();
    assert_left(&stage);
}

#[test]
fn in_a_file_the_agent_wrote_before_it_is_a_conflict() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").writes("both.txt", "agent\n");
    stage.write("both.txt", "agent\nand me\n");
    agent.runs("echo x > made.txt").stops();
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused
            .whole()
            .contains("both.txt  also changed by someone outside the agents"),
        "{}",
        refused.whole()
    );
    assert_eq!(stage.read("both.txt"), "agent\nand me\n");
    assert!(stage.has("made.txt"));
}

/// The person is asked whether a call may run, saves the file it names, and the call fails or is refused.
#[test]
fn while_the_person_is_asked_about_a_write_that_then_does_not_happen() {
    let failing = |call: &Call<'_>| {
        call.fails("File has been modified since it was read.").ok();
        call.ends_step().ok();
    };
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").writes("made.txt", "x\n");
    let call = agent.agent.is_about_to_write("mine.txt", "agent\n");
    person(&stage);
    failing(&call);
    let call = agent.agent.is_about_to_write("new/theirs.txt", "agent\n");
    stage.write("new/theirs.txt", "mine\n");
    failing(&call);
    agent.stops();
    assert_left(&stage);
    assert_eq!(stage.read("new/theirs.txt"), "mine\n");
}

#[test]
fn while_the_person_is_asked_about_a_write_and_says_no_it_is_a_conflict() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").writes("made.txt", "x\n");
    let call = agent.agent.is_about_to_write("mine.txt", "agent\n");
    stage.write("mine.txt", "typed\n");
    drop(call);
    agent.asked("No, I do it myself").stops();
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused.whole().contains("mine.txt  maybe yours"),
        "{}",
        refused.whole()
    );
    assert_eq!(stage.read("mine.txt"), "typed\n");
}

/// The client applies the edit on top of the person's line, and says what it met.
#[test]
fn while_the_person_is_asked_about_an_edit_their_line_comes_back() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").writes("made.txt", "x\n").reads("mine.txt");
    let file = stage.path("mine.txt");
    let input = json!({ "file_path": file, "old_string": "before", "new_string": "after" });
    let call = agent.agent.call("Edit", &input);
    call.begins().ok();
    stage.write("mine.txt", "before\nmy line\n");
    fs_err::write(&file, "after\nmy line\n").unwrap();
    call.ends(&json!({ "filePath": file, "originalFile": "before\nmy line\n", "staleRecovered": true }))
        .ok();
    call.ends_step().ok();
    agent.stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.read("mine.txt"), "before\nmy line\n");
    assert!(!stage.has("made.txt"));
    stage.toprope(&["undo", "--yes"]).ok();
    assert_eq!(stage.read("mine.txt"), "after\nmy line\n");
    assert_sound(&stage.world);
}

/// The client says how long the command itself ran.
#[test]
fn while_the_person_is_asked_about_a_command() {
    for fails in [false, true] {
        let stage = prepared();
        let agent = stage.agent("s1");
        agent.asked("Go").writes("made.txt", "x\n");
        let call = agent.agent.is_about_to_run("npm test");
        person(&stage);
        let asked = Instant::now();
        eventually("a person who thinks for a while", || {
            (asked.elapsed() > Duration::from_millis(1_100)).then_some(())
        });
        let answer = silent();
        let result = if fails { Err("Exit code 1") } else { Ok(&answer) };
        call.ends_after(10, result).ok();
        call.ends_step().ok();
        agent.stops();
        assert_left(&stage);
    }
}

#[test]
fn while_a_tool_of_a_server_only_reads() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").writes("made.txt", "x\n");
    for (tool, input) in [
        ("mcp__fs__read_file", json!({ "path": "mine.txt" })),
        ("LSP", json!({ "operation": "hover" })),
    ] {
        let call = agent.agent.call(tool, &input);
        call.begins().ok();
        stage.write("mine.txt", "typed\n");
        stage.write(&format!("new/{tool}"), "mine\n");
        call.ends(&json!([])).ok();
        call.ends_step().ok();
    }
    agent.stops();
    assert_left(&stage);
}

#[test]
fn while_a_tool_runs_that_may_write_anything_the_preview_names_the_tool() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go");
    let call = agent.agent.call("mcp__browser__wait", &json!({ "ms": 1 }));
    call.begins().ok();
    stage.write("mine.txt", "typed\n");
    call.ends(&json!([])).ok();
    call.ends_step().ok();
    agent.stops();
    let preview = stage.toprope(&["rewind", "start", "--dry-run"]).whole();
    assert!(
        preview.contains("changed while `mcp__browser__wait` ran"),
        "{preview}"
    );
}

/// The client runs the person's own hooks between the end of a call and the end of its step.
#[test]
fn what_a_formatter_made_of_a_written_file_before_the_step_ended_is_the_agents() {
    let stage = prepared();
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("Go");
    for (name, content) in [("made.txt", "a  b\n"), ("mine.txt", "c  d\n")] {
        if stage.has(name) {
            agent.reads(name);
        }
        let call = agent.agent.is_about_to_write(name, content);
        call.does_write(content);
        call.ends(&json!({ "type": "update" })).ok();
        stage.write(name, content.replace("  ", " "));
        call.ends_step().ok();
    }
    agent.stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.files(), before);
    stage.toprope(&["undo", "--yes"]).ok();
    assert_eq!(stage.read("made.txt"), "a b\n");
    assert_eq!(stage.read("mine.txt"), "c d\n");
    assert_sound(&stage.world);
}

#[test]
fn in_a_file_the_agent_writes_afterwards_the_edit_comes_back() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").runs("echo x > made.txt");
    stage.write("mine.txt", "typed\n");
    agent.agent.reads("mine.txt");
    agent.writes("mine.txt", "typed\nand agent\n").stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.read("mine.txt"), "typed\n");
}

#[test]
fn in_a_file_that_a_command_may_have_changed_afterwards_it_is_a_conflict() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go").runs("echo x > made.txt");
    stage.write("mine.txt", "typed\n");
    agent
        .runs_as("./generate", "printf 'typed\\ngenerated\\n' > mine.txt")
        .stops();
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    let reason = "mine.txt  maybe yours: you had changed it before";
    assert!(refused.whole().contains(reason), "{}", refused.whole());
    assert_eq!(stage.read("mine.txt"), "typed\ngenerated\n");
    // What the person typed is in a checkpoint of its own, and force goes back there.
    let left = stage.rewind(&["start", "--skip-conflicts"]);
    assert_eq!(left["left"], json!([{ "path": "mine.txt", "why": "conflict" }]));
}

#[test]
fn the_first_save_of_a_file_while_a_command_ran_counts_as_the_commands_and_the_preview_names_it() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go");
    let call = agent.agent.is_about_to_run("npm test");
    stage.write("mine.txt", "typed\n");
    call.ends(&silent()).ok();
    call.ends_step().ok();
    agent.stops();
    let shown = stage.toprope(&["rewind", "start", "--dry-run"]);
    let named = "restore  mine.txt  changed while `npm test` ran in t1";
    assert!(shown.whole().contains(named), "{}", shown.whole());
    stage.rewind(&["start"]);
    assert_eq!(stage.read("mine.txt"), "before\n");
    stage.undo(&[]);
    assert_eq!(stage.read("mine.txt"), "typed\n");
}

#[test]
fn after_an_interrupted_command_nobody_can_say_and_nothing_is_put_back() {
    let stage = prepared();
    let agent = stage.agent("s1");
    agent.asked("Go");
    let call = agent.agent.is_about_to_run("./build");
    stage.write("mine.txt", "typed after Esc\n");
    let _never_ends = call;
    agent.asked("What is it?");
    stage.settle();
    agent.writes("made.txt", "x\n").stops();
    let refused = stage.toprope(&["rewind", "start", "--yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.whole());
    assert!(
        refused
            .whole()
            .contains("mine.txt  maybe yours: changed during an interrupted call"),
        "{}",
        refused.whole()
    );
    assert_eq!(stage.read("mine.txt"), "typed after Esc\n");
}

#[test]
fn a_folder_moved_by_a_command_is_the_commands_and_one_moved_by_the_person_is_theirs() {
    let stage = prepared();
    for folder in ["ours", "theirs"] {
        stage.write(&format!("{folder}/deep/x.txt"), folder);
    }
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-qm", "folders"]);
    let agent = stage.agent("s1");
    agent.asked("Go").runs_as("./generate", "mv theirs made");
    stage.settle();
    tick();
    fs_err::rename(stage.path("ours"), stage.path("mine")).unwrap();
    tick();
    agent.stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.read("theirs/deep/x.txt"), "theirs");
    assert!(!stage.has("made/deep/x.txt"));
    assert_eq!(stage.read("mine/deep/x.txt"), "ours");
    assert!(!stage.has("ours/deep/x.txt"));
}
