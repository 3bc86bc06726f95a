//! Leases come from certain writes alone, and an overlap that happened is told once.

use crate::{OTHER, SESSION, denied, listed, siblings, world};
use serde_json::json;
use testkit::{Agent, Output, World};

/// A command runs and changes files that it does not name; the client lists them.
fn runs_and_changes(world: &World, agent: &Agent<'_>, command: &str, files: &[(&str, &str)]) -> Output {
    let call = agent.is_about_to_run(command);
    for (path, content) in files {
        world.write(path, content);
    }
    let paths: Vec<_> = files.iter().map(|(path, _)| world.repo().join(path)).collect();
    let told = call.ends(&json!({
        "stdout": "", "stderr": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": paths }
    }));
    call.ends_step().ok();
    told
}

/// Two sessions in the middle of their turns.
fn two(world: &World) -> [Agent<'_>; 2] {
    [SESSION, OTHER].map(|session| {
        let agent = world.agent(session);
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
        agent
    })
}

#[test]
fn what_test_runs_touch_is_nobodys_and_stops_nobody() {
    let world = world();
    for path in ["Cargo.lock", "tests/out.snap"] {
        world.write(path, "0\n");
    }
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "lock"]);
    let agents = two(&world);
    for round in 0..5 {
        for (number, agent) in agents.iter().enumerate() {
            let content = format!("{round} {number}\n");
            let files = [("Cargo.lock", content.as_str()), ("tests/out.snap", &content)];
            let told = runs_and_changes(&world, agent, "cargo test", &files);
            assert_eq!(told.context(), "", "round {round}");
            assert_eq!(listed(&world), Vec::<String>::new());
        }
    }
    let [one, two] = &agents;
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    for agent in &agents {
        assert_eq!(
            agent.is_about_to_run("cargo build").ends(&json!({})).context(),
            ""
        );
        assert_eq!(denied(agent, "Cargo.lock"), None);
        agent.ends_step(&[]).ok();
    }
}

#[test]
fn an_overlap_is_told_once_to_both_agents_and_the_person_and_nothing_is_refused_for_it() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let mut told = Vec::new();
    for round in 0..4 {
        let content = format!("{round}\n");
        let output = runs_and_changes(&world, &two, "python3 fix.py", &[("src/parser.rs", &content)]);
        told.extend(Some(output.context()).filter(|text| !text.is_empty()));
    }
    insta::assert_snapshot!(told.join("\n"), @"Your command changed src/parser.rs, which fixer@a111 is editing. Leave it to them from here.");
    let holder = one.runs("toolu_first", "ls").context();
    insta::assert_snapshot!(holder, @"src/parser.rs was changed by a command of reviewer@a222 while you are editing it. Read it again. `toprope why src/parser.rs` shows which versions are kept.");
    assert_eq!(one.runs("toolu_second", "ls").context(), "");
    let person = world
        .database()
        .rows("SELECT text FROM notices WHERE audience = 'person'");
    insta::assert_snapshot!(person.join("\n"), @"src/parser.rs was changed by a command of reviewer@a222 while fixer@a111 is editing it. `toprope why src/parser.rs` shows which versions are kept.");
    for number in 0..10 {
        let answer = two.runs(&format!("toolu_{number}"), "python3 fix.py");
        assert!(answer.json().is_none(), "{}", answer.whole());
    }
}

#[test]
fn a_test_run_that_rewrites_what_another_edits_is_no_ones_fault_and_the_holder_finds_it_stale() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let told = runs_and_changes(&world, &two, "npm test", &[("src/parser.rs", "rewritten\n")]);
    assert_eq!(told.context(), "");
    assert_eq!(one.runs("toolu_next", "ls").context(), "");
    let input = json!({ "file_path": world.repo().join("src/parser.rs"), "content": "three\n" });
    let denial = one.call("Write", &input).begins().denial().unwrap_or_default();
    assert!(
        denial.starts_with("src/parser.rs changed after you last read it: by reviewer@a222"),
        "{denial}"
    );
}

#[test]
fn a_log_that_git_does_not_track_blocks_nobody_after_its_call() {
    let world = world();
    let [one, two] = two(&world);
    let call = one.is_about_to_run("cargo test > test.log");
    let denial = two
        .is_about_to_run_maybe("cargo test > test.log")
        .unwrap_or_default();
    assert!(
        denial.starts_with("test.log is being written by a command of main@ab31 for ")
            && denial.ends_with("Nothing was written. Try again when that command ends."),
        "{denial}"
    );
    call.does_run();
    call.ends(&json!({ "stdout": "" })).ok();
    call.ends_step().ok();
    assert_eq!(listed(&world), Vec::<String>::new());
    for agent in [&two, &one, &two] {
        agent.shell("echo tested > test.log");
    }
    one.shell("echo two > src/parser.rs");
    assert!(two.is_about_to_run_maybe("echo x > src/parser.rs").is_some());
}

#[test]
fn files_that_a_pattern_of_a_command_names_are_leased() {
    let world = world();
    let [one, two] = two(&world);
    let files = [
        ("src/parser.rs", "two\n"),
        ("src/lexer.rs", "two\n"),
        ("Cargo.lock", "x\n"),
    ];
    runs_and_changes(&world, &one, "sed -i s/one/two/ src/*.rs && cargo check", &files).ok();
    assert!(denied(&two, "src/parser.rs").is_some());
    assert!(denied(&two, "src/lexer.rs").is_some());
    assert_eq!(denied(&two, "Cargo.lock"), None);
}
