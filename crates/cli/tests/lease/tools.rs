//! Write tools.

use crate::{OTHER, SESSION, denied, siblings, world};
use serde_json::json;

#[test]
fn the_second_writer_is_told_who_has_the_file_and_its_place_in_line() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let denial = denied(&two, "src/parser.rs").expect("it is held");
    let filters = vec![(r"\d+ (s|ms)", "[age]")];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(
            denial,
            @"src/parser.rs is being edited by fixer@a111 for [age], last write [age] ago. Nothing was written. You are 1st in line. Work on something else, or run `toprope lease wait src/parser.rs`; while you are at work you will be told when it is free."
        );
    });
    assert_eq!(denied(&one, "src/parser.rs"), None);
    assert_eq!(denied(&two, "src/lexer.rs"), None);
}

#[test]
fn a_file_is_free_when_its_agent_ends_and_the_next_in_line_is_told() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    denied(&two, "src/parser.rs").expect("it is held");
    one.ends().ok();
    let told = two.runs("toolu_next", "ls");
    assert!(
        told.context().contains("src/parser.rs is yours for 2 min"),
        "{}",
        told.whole()
    );
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn the_main_threads_files_are_free_when_its_turn_ends() {
    let world = world();
    let (one, two) = (world.agent(SESSION), world.agent(OTHER));
    for agent in [&one, &two] {
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
    }
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    one.stops().ok();
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn a_call_that_wrote_nothing_leaves_nothing_behind() {
    let world = world();
    let [one, two] = siblings(&world);
    let call = one.is_about_to_write("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    call.fails("no such thing").ok();
    one.ends_step(&[&call]).ok();
    // It was promised to whoever was told no.
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn whoever_has_not_seen_a_change_does_not_write_over_it() {
    let world = world();
    let (one, two) = (world.agent(SESSION), world.agent(OTHER));
    for agent in [&one, &two] {
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
    }
    let path = world.repo().join("src/parser.rs");
    one.before("toolu_r", "Read", &json!({ "file_path": path })).ok();
    two.writes("src/parser.rs", "three\n");
    two.stops().ok();
    let call = one.call("Write", &json!({ "file_path": path, "content": "x" }));
    let denial = call.begins().denial().expect("it is stale");
    let filters = vec![(r"\d+ (s|ms)", "[age]")];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(
            denial,
            @"src/parser.rs changed after you last read it: by main@cd42, [age] ago. Your version would undo that. Nothing was written. Read it again, then write."
        );
    });
    one.before("toolu_r2", "Read", &json!({ "file_path": path })).ok();
    let again = one.call("Write", &json!({ "file_path": path, "content": "x" }));
    assert_eq!(again.begins().denial(), None);
}
