//! `toprope why <path>`.

use crate::{SESSION, assert_shown, denied, siblings, world};
use serde_json::json;
use testkit::{Agent, World};

#[test]
fn of_a_file_nobody_touched_nothing_is_known() {
    let world = world();
    world.write("src/own.rs", "mine\n");
    assert_shown!(world, world.toprope(&["why", "src/own.rs"]), @"
    exit 4
    --- stdout
    --- stderr
    error: nothing is known of src/own.rs
    hint: `toprope log --path <folder>` shows what agents did in a folder
    ");
    siblings(&world);
    assert_eq!(world.toprope(&["why", "src/own.rs"]).code, Some(4));
}

#[test]
fn why_says_who_holds_a_file_who_wrote_it_who_waits_and_what_was_decided() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    world
        .toprope(&["lease", "reserve", "src/lexer.rs", "--reason", "mine"])
        .ok();
    assert_shown!(world, world.toprope(&["why", "src/parser.rs"]), @"
    exit 0
    --- stdout
    path     src/parser.rs
    where    [world]/repo
    holder   fixer@a111 for [n] s, 1 write, the last [n] s ago
    written  by fixer@a111, [n] s ago (event 6)
    waiting  reviewer@a222 for [n] s, denied once

    last decisions
      5  [clock]  fixer@a111     Write  src/parser.rs  ok          8 ms
      8  [clock]  reviewer@a222  Edit   src/parser.rs  deny lease     -  being edited by fixer@a111 for [n] s, last write [n] s …
    --- stderr
    ");
    assert!(denied(&two, "src/lexer.rs").is_some());
    assert_shown!(world, world.toprope(&["why", "src/lexer.rs"]), @r#"
    exit 0
    --- stdout
    path     src/lexer.rs
    where    [world]/repo
    holder   you, reserved: "mine" for [n] s, ends in 1 h
    written  by git, with commit [commit] "files"

    last decisions
      9  [clock]  reviewer@a222  Edit  src/lexer.rs  deny lease  -  reserved by the user ("mine") for another 1 h. Nothing w…
    --- stderr
    "#);
}

#[test]
fn only_the_last_five_decisions_are_shown() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    for _ in 0..6 {
        assert!(denied(&two, "src/parser.rs").is_some());
    }
    let shown = world.toprope(&["why", "src/parser.rs"]).ok();
    assert_eq!(shown.matches("deny lease").count(), 5, "{shown}");
}

#[test]
fn a_command_that_was_denied_the_file_is_among_the_decisions() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let denial = two.is_about_to_run_maybe("echo x > src/parser.rs");
    assert!(denial.is_some());
    let shown = world.toprope(&["why", "src/parser.rs"]).ok();
    let told = shown
        .lines()
        .find(|line| line.contains("Bash"))
        .expect("the command");
    assert!(told.contains("deny lease"), "{told}");
}

/// A script of the second one changes what the first one edits.
fn overlapped(world: &World) -> [Agent<'_>; 2] {
    let [one, two] = siblings(world);
    one.writes("src/parser.rs", "what the holder wrote\n");
    let call = two.is_about_to_run("python3 fix.py");
    world.write("src/parser.rs", "what the script wrote\n");
    let path = world.repo().join("src/parser.rs");
    call.ends(&json!({
        "stdout": "", "stderr": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": [path] }
    }));
    call.ends_step();
    [one, two]
}

/// Runs the command that `why` names.
fn restored(world: &World, shown: &str) {
    let command = shown
        .lines()
        .find_map(|line| line.trim().strip_prefix("restore  toprope "))
        .expect("a command");
    let mut words: Vec<&str> = command.split(' ').collect();
    words.push("--yes");
    world.toprope(&words).ok();
    assert_eq!(world.read("src/parser.rs"), "what the holder wrote\n");
}

#[test]
fn what_a_script_changed_under_its_holder_can_be_restored_as_why_says() {
    let world = world();
    let [one, two] = overlapped(&world);
    two.ends().ok();
    one.ends().ok();
    world.agent(SESSION).stops().ok();
    let output = world.toprope(&["why", "src/parser.rs"]);
    assert_shown!(world, output, @"
    exit 0
    --- stdout
    path     src/parser.rs
    where    [world]/repo
    holder   nobody
    written  by reviewer@a222, [n] s ago

    last decisions
      5  [clock]  fixer@a111     Write  src/parser.rs   ok  8 ms
      8  [clock]  reviewer@a222  Bash   python3 fix.py  ok  8 ms

    overlap
      a command of reviewer@a222 changed it under its holder (event 9)
      kept     checkpoint [checkpoint] has the version before it: content [checkpoint]
      restore  toprope rewind [checkpoint] --scope all --path src/parser.rs

    versions kept: 3
      [checkpoint]  modified by reviewer@a222, [n] s ago
      [checkpoint]  modified by fixer@a111, [n] s ago
      [checkpoint]  as it was before
    --- stderr
    ");
    restored(&world, &output.stdout);
}

#[test]
fn it_can_be_restored_while_they_are_still_at_work() {
    let world = world();
    overlapped(&world);
    let output = world.toprope(&["why", "src/parser.rs"]);
    assert_shown!(world, output, @"
    exit 0
    --- stdout
    path     src/parser.rs
    where    [world]/repo
    holder   fixer@a111 for [n] s, 1 write, the last [n] s ago
    written  by reviewer@a222, [n] s ago

    last decisions
      5  [clock]  fixer@a111     Write  src/parser.rs   ok  8 ms
      8  [clock]  reviewer@a222  Bash   python3 fix.py  ok  8 ms

    overlap
      a command of reviewer@a222 changed it under its holder (event 9)
      kept     checkpoint [checkpoint] has the version before it: content [checkpoint]
      restore  toprope rewind [checkpoint] --scope all --path src/parser.rs --while-running

    versions kept: 3
      [checkpoint]  modified by reviewer@a222, [n] s ago
      [checkpoint]  modified by fixer@a111, [n] s ago
      [checkpoint]  as it was before
    --- stderr
    ");
    restored(&world, &output.stdout);
}
