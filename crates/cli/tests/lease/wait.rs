//! `toprope lease wait`.

use crate::{OTHER, assert_shown, command_of, denied, lent, listed, runs, runs_unnamed, siblings, world};
use insta::assert_snapshot;
use serde_json::json;
use std::process::{Child, Command, Stdio};
use testkit::{Output, World, eventually, run};

fn started(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().expect("the binary starts")
}

fn ended(child: Child) -> Output {
    let output = child.wait_with_output().expect("it ends");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn in_line(world: &World) -> i64 {
    world
        .database()
        .number("SELECT count(*) FROM tickets WHERE state = 'waiting'")
}

#[test]
fn a_free_file_is_kept_for_whoever_waits_at_once() {
    let world = world();
    let [one, two] = siblings(&world);
    assert_shown!(world, runs(&world, &two, &["lease", "wait", "src/parser.rs"]), @"
    exit 0
    --- stdout
    src/parser.rs is yours for 2 min. Read it again before you edit.
    --- stderr
    ");
    assert_eq!(
        listed(&world),
        ["src/parser.rs promised to reviewer@a222, 0 waiting"]
    );
    assert!(denied(&one, "src/parser.rs").is_some(), "it is promised");
    assert_eq!(denied(&two, "src/parser.rs"), None);
    let again = runs(&world, &two, &["lease", "wait", "src/parser.rs"]).ok();
    assert_eq!(again, "src/parser.rs is yours.\n");
}

#[test]
fn a_path_as_messages_name_it_is_understood_in_any_folder() {
    let world = world();
    let [one, two] = siblings(&world);
    let below = two.standing_in(&world.repo().join("src"));
    one.writes("src/parser.rs", "two\n");
    for (path, held) in [
        ("src/parser.rs", true),
        ("parser.rs", true),
        ("src/new.rs", false),
        ("new.rs", false),
    ] {
        let mut command = command_of(&world, &below, &["lease", "wait", path, "--timeout", "0"]);
        command.current_dir(world.repo().join("src"));
        let output = run(command, b"");
        assert_eq!(
            output.code,
            Some(if held { 3 } else { 0 }),
            "{path}: {}",
            output.whole()
        );
        let named = if held {
            "src/parser.rs"
        } else {
            "src/new.rs is yours"
        };
        assert!(output.whole().contains(named), "{}", output.whole());
        assert!(!output.whole().contains("src/src"), "{}", output.whole());
    }
}

#[test]
fn an_agent_waits_until_the_file_is_offered_and_is_told_once() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let child = started(command_of(&world, &two, &["lease", "wait", "src/parser.rs"]));
    eventually("it is in line", || (in_line(&world) == 1).then_some(()));
    one.ends().ok();
    let output = ended(child);
    assert_shown!(world, output, @"
    exit 0
    --- stdout
    src/parser.rs is yours for 2 min. Read it again before you edit.
    --- stderr
    ");
    let told = two.runs("toolu_next", "ls");
    assert!(!told.context().contains("is yours"), "{}", told.whole());
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn when_the_time_is_up_an_agent_keeps_its_place() {
    let world = world();
    let [one, two] = siblings(&world);
    let third = world.agent(OTHER);
    third.starts().ok();
    third.is_asked("Go on.").ok();
    one.writes("src/parser.rs", "two\n");
    let wait = ["lease", "wait", "src/parser.rs", "--timeout", "0"];
    assert_shown!(world, runs(&world, &two, &wait), @"
    exit 3
    --- stdout
    --- stderr
    error: src/parser.rs is held by fixer@a111; you are 1st in line and keep your place
    hint: toprope lease wait src/parser.rs
    ");
    assert_shown!(world, runs(&world, &third, &wait), @"
    exit 3
    --- stdout
    --- stderr
    error: src/parser.rs is held by fixer@a111; you are 2nd in line and keep your place
    hint: toprope lease wait src/parser.rs
    ");
    let again = runs(&world, &two, &wait);
    assert_eq!(again.code, Some(3));
    assert!(again.stderr.contains("you are 1st in line"), "{}", again.whole());
    one.ends().ok();
    assert_eq!(
        listed(&world),
        ["src/parser.rs promised to reviewer@a222, 1 waiting"]
    );
    runs(&world, &two, &wait).ok();
}

#[test]
fn who_is_second_hears_when_the_first_lets_its_offer_pass_without_asking_again() {
    let world = world();
    let [one, two] = siblings(&world);
    let third = world.agent(OTHER);
    third.starts().ok();
    third.is_asked("Go on.").ok();
    one.writes("src/parser.rs", "two\n");
    for agent in [&two, &third] {
        assert!(denied(agent, "src/parser.rs").is_some());
    }
    one.ends().ok();
    assert_eq!(third.runs("toolu_a", "ls").context(), "");
    world
        .database()
        .run("UPDATE tickets SET offered_until = 1, offered_until_ms = 1 WHERE state = 'offered'");
    assert_snapshot!(third.runs("toolu_b", "ls").context(), @"src/parser.rs is yours for 2 min: fixer@a111 is done with it. Read it again before you edit.");
    assert_eq!(two.runs("toolu_c", "ls").context(), "", "its time is up");
    assert_eq!(denied(&third, "src/parser.rs"), None);
}

#[test]
fn a_wait_in_the_background_may_begin_after_its_call_was_answered() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let line = "toprope lease wait src/parser.rs --timeout 0";
    let input = json!({ "command": line, "run_in_background": true });
    let signed = two
        .before("toolu_1", "Bash", &input)
        .json()
        .expect("it is signed");
    let signed = &signed["hookSpecificOutput"]["updatedInput"];
    let response = json!({ "stdout": "", "stderr": "", "backgroundTaskId": "b7" });
    two.after("toolu_1", "Bash", signed, &response).ok();
    let wait = || {
        let words: Vec<&str> = signed["command"]
            .as_str()
            .expect("a command")
            .split(' ')
            .collect();
        let mut command = world.command(&words[1..]);
        command.env("CLAUDECODE", "1");
        run(command, b"")
    };
    assert_shown!(world, wait(), @"
    exit 3
    --- stdout
    --- stderr
    error: src/parser.rs is held by fixer@a111; you are 1st in line and keep your place
    hint: toprope lease wait src/parser.rs
    ");
    two.ends().ok();
    assert_eq!(wait().code, Some(5), "its turn is over");
}

#[test]
fn a_person_waits_without_a_place_in_line() {
    let world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let wait = ["lease", "wait", "src/parser.rs", "--timeout", "0"];
    assert_shown!(world, world.toprope(&wait), @"
    exit 3
    --- stdout
    --- stderr
    error: src/parser.rs is held by fixer@a111
    hint: toprope lease wait src/parser.rs
    ");
    assert_eq!(listed(&world), ["src/parser.rs of fixer@a111, 0 waiting"]);
    let child = started(world.command(&["lease", "wait", "src/parser.rs"]));
    one.ends().ok();
    let output = ended(child);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "src/parser.rs is free.\n")
    );
    assert_eq!(listed(&world), [""; 0]);
}

#[test]
fn a_holder_whose_process_is_gone_is_waited_for_no_longer() {
    let mut world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    drop(one);
    world.restart_client();
    let wait = ["lease", "wait", "src/parser.rs", "--timeout", "0"];
    assert_eq!(world.toprope(&wait).ok(), "src/parser.rs is free.\n");
}

#[test]
fn whoever_would_close_a_circle_by_waiting_is_told_at_once() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    two.writes("src/lexer.rs", "two\n");
    assert!(denied(&one, "src/lexer.rs").is_some());
    assert_shown!(world, runs(&world, &two, &["lease", "wait", "src/parser.rs"]), @"
    exit 3
    --- stdout
    --- stderr
    error: You hold src/lexer.rs, which fixer@a111 waits for, and you want src/parser.rs, which fixer@a111 holds. Nobody can go on. Finish src/lexer.rs and run `toprope lease release src/lexer.rs`, then wait for src/parser.rs.
    ");
}

#[test]
fn whoever_waits_when_its_turn_ends_waits_no_longer() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let child = started(command_of(&world, &two, &["lease", "wait", "src/parser.rs"]));
    eventually("it is in line", || (in_line(&world) == 1).then_some(()));
    two.ends().ok();
    assert_shown!(world, ended(child), @"
    exit 3
    --- stdout
    --- stderr
    error: your place in line for src/parser.rs is gone: your turn ended
    hint: toprope lease wait src/parser.rs
    ");
    assert_eq!(in_line(&world), 0);
}

#[test]
fn a_file_that_would_be_lent_needs_no_waiting() {
    let world = world();
    let [_, child] = lent(&world);
    runs(&world, &child, &["lease", "release", "src/lexer.rs"]).ok();
    let output = runs(&world, &child, &["lease", "wait", "src/lexer.rs"]).ok();
    assert_eq!(output, "src/lexer.rs is yours.\n");
}

#[test]
fn what_leases_do_not_concern_is_free() {
    let world = world();
    let [one, _] = siblings(&world);
    let output = runs(&world, &one, &["lease", "wait", ".git/config"]).ok();
    assert_eq!(output, ".git/config is free: leases do not concern it here.\n");
}

#[test]
fn an_agent_that_nobody_can_tell_and_a_wrong_time_are_refused() {
    let world = world();
    siblings(&world);
    assert_eq!(
        runs_unnamed(&world, &["lease", "wait", "src/parser.rs"]).code,
        Some(5)
    );
    assert_eq!(
        world
            .toprope(&["lease", "wait", "src/parser.rs", "--timeout", "601"])
            .code,
        Some(2)
    );
    assert_eq!(world.toprope(&["lease", "wait"]).code, Some(2));
}

#[test]
fn a_folder_is_nothing_to_wait_for() {
    let world = world();
    let [one, _] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let output = world.toprope(&["lease", "wait", "src"]);
    insta::assert_snapshot!(output.whole(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: "src" is a folder: wait for a file in it
    hint: toprope lease list
    "#);
}
