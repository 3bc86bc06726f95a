//! Commands in the background, and what changes while they run.

use super::{SESSION, siblings, world};
use serde_json::json;
use testkit::{Agent, World};

/// An agent starts a command that the client runs in the background.
fn starts(agent: &Agent<'_>, command: &str, task: &str) {
    let call = agent.call("Bash", &json!({ "command": command, "run_in_background": true }));
    call.begins().ok();
    call.ends(&json!({ "stdout": "", "stderr": "", "backgroundTaskId": task }))
        .ok();
    call.ends_step().ok();
}

/// Why an agent may not write over a file.
fn refused(agent: &Agent<'_>, path: &str) -> String {
    let input = json!({ "file_path": agent.folder().join(path), "content": "mine\n" });
    let denial = agent.call("Write", &input).begins().denial();
    denial.unwrap_or_default()
}

/// A file of its own that changes after an agent has read it, by nobody who says so.
fn changes(world: &World, agent: &Agent<'_>, path: &str) {
    world.write(path, "one\n");
    agent.reads(path);
    world.write(path, "two\n");
}

/// What the agent is told then.
fn told(world: &World, agent: &Agent<'_>, path: &str) -> String {
    changes(world, agent, path);
    refused(agent, path)
}

#[test]
fn a_change_is_put_down_to_a_background_command_that_may_have_made_it() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    starts(&fixer, "make watch", "bsh1");
    insta::assert_snapshot!(told(&world, &reviewer, "src/1.rs"), @"src/1.rs changed after you last read it: by a background command of fixer@a111. Your version would undo that. Nothing was written. Read it again, then write.");
    starts(&world.agent(SESSION), "npm run dev", "bsh2");
    insta::assert_snapshot!(told(&world, &reviewer, "src/2.rs"), @"src/2.rs changed after you last read it: by a background command of main@ab31 or of fixer@a111. Your version would undo that. Nothing was written. Read it again, then write.");
    let own = told(&world, &fixer, "src/3.rs");
    assert!(
        own.contains("by a background command of main@ab31 or of yours"),
        "{own}"
    );
}

#[test]
fn what_nothing_in_the_background_explains_comes_from_outside() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    let main = world.agent(SESSION);
    let is_said = |path: &str, by: &str| {
        let told = told(&world, &reviewer, path);
        assert!(told.contains(by), "{path}: {told}");
    };
    let is_outside = |path: &str| is_said(path, "by something outside the agents");
    let is_mains = |path: &str| is_said(path, "by a background command of main@ab31.");
    starts(&fixer, "tail -f log", "bsh1");
    is_outside("only-reads.rs");

    starts(&main, "make watch", "bsh2");
    is_mains("runs.rs");
    changes(&world, &reviewer, "older.rs");
    let file = std::fs::File::options()
        .write(true)
        .open(world.repo().join("older.rs"));
    file.unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    let told = refused(&reviewer, "older.rs");
    assert!(told.contains("by something outside the agents"), "{told}");
    let note =
        "<task-notification>\n<task-id>bsh2</task-id>\n<status>completed</status>\n</task-notification>";
    main.is_asked(note).ok();
    is_outside("the-client-told-of-its-end.rs");

    starts(&main, "make watch", "bsh3");
    is_mains("another.rs");
    let stop = json!({ "task_id": "bsh3" });
    main.after("t1", "TaskStop", &stop, &json!({ "message": "stopped" }))
        .ok();
    is_outside("stopped.rs");

    starts(&main, "make watch", "bsh4");
    let running = json!([{ "id": "bsh4", "type": "shell", "status": "running" }]);
    main.sends(
        "Stop",
        &json!({ "stop_hook_active": false, "background_tasks": running }),
    )
    .ok();
    is_mains("listed.rs");
    main.stops().ok();
    is_outside("listed-no-more.rs");

    main.is_asked("go on").ok();
    main.shell("make watch &");
    is_mains("sent-to-the-background.rs");
    main.stops().ok();
    is_outside("the-turn-is-over.rs");
}

#[test]
fn a_file_changed_under_its_holder_may_be_a_background_commands_doing() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    fixer.writes("src/lexer.rs", "mine\n");
    starts(&world.agent(SESSION), "make watch", "bsh1");
    world.write("fix.py", "");
    let call = reviewer.is_about_to_run("python3 fix.py");
    world.write("src/lexer.rs", "other\n");
    let told = call
        .ends(&json!({ "stdout": "", "stderr": "", "interrupted": false }))
        .context();
    insta::assert_snapshot!(told, @"Your command or a background command of main@ab31 changed src/lexer.rs, which fixer@a111 is editing. Do not touch it again.");
    let call = reviewer.is_about_to_run("python3 fix.py");
    world.write("src/lexer.rs", "another\n");
    let changed = json!({ "files": [], "moreFiles": 0, "changedFiles": [world.repo().join("src/lexer.rs")] });
    let told = call
        .ends(&json!({ "stdout": "", "stderr": "", "bashEditDiff": changed }))
        .context();
    insta::assert_snapshot!(told, @"Your command changed src/lexer.rs, which fixer@a111 is editing. Do not touch it again.");
}

#[test]
fn a_failing_edit_does_not_free_what_a_background_command_of_the_same_agent_may_still_write() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    starts(&fixer, "sed -i s/one/two/ src/lexer.rs", "bsh1");
    starts(&fixer, "sed -i s/two/three/ src/lexer.rs", "bsh2");
    fixer.shell("sed -i s/nothing/new/ src/lexer.rs");
    let edit =
        json!({ "file_path": world.repo().join("src/lexer.rs"), "old_string": "x", "new_string": "y" });
    fixer.reads("src/lexer.rs");
    let call = fixer.call("Edit", &edit);
    call.begins().ok();
    call.fails("String to replace not found in file.").ok();
    call.ends_step().ok();
    let denial = super::denied(&reviewer, "src/lexer.rs").unwrap_or_default();
    assert!(denial.contains("is being edited by fixer@a111"), "{denial}");
    fixer.ends().ok();
    reviewer.reads("src/lexer.rs");
    assert_eq!(super::denied(&reviewer, "src/lexer.rs"), None);
}
