//! What a denial says is kept: who waits hears of it, also with its next prompt, and learns when the holder waits for the person.

use crate::{OTHER, SESSION, denied, runs, world};
use serde_json::json;
use testkit::{Agent, World};

fn two(world: &World) -> [Agent<'_>; 2] {
    [SESSION, OTHER].map(|session| {
        let agent = world.agent(session);
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
        agent
    })
}

/// The text with its times left out.
fn settled(text: &str) -> String {
    let words = text
        .split(' ')
        .map(|word| if word.parse::<u32>().is_ok() { "[n]" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn who_waited_when_its_turn_ended_hears_with_its_next_prompt_that_the_file_is_free() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    let denial = denied(&two, "src/parser.rs").expect("it is held");
    assert!(denial.contains("you will be told when it is free"), "{denial}");
    two.stops().ok();
    one.stops().ok();
    let told = two.is_asked("Again.").context();
    let told = told.lines().last().unwrap_or_default();
    insta::assert_snapshot!(told, @"src/parser.rs, which you waited for, is free now. Read it again before you edit.");
    let told = two.is_asked("And again.").context();
    assert!(!told.contains("is free now"), "{told}");
}

#[test]
fn who_waited_when_its_turn_ended_is_in_line_again_with_its_next_prompt_while_the_file_is_held() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    two.stops().ok();
    let told = two.is_asked("Again.").context();
    assert!(!told.contains("is free now"), "{told}");
    one.stops().ok();
    let told = two.runs("toolu_next", "ls").context();
    assert!(told.starts_with("src/parser.rs is yours for 2 min"), "{told}");
}

#[test]
fn who_waited_when_its_session_ended_hears_of_it_when_it_is_taken_up_again() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    let denial = denied(&two, "src/parser.rs").expect("it is held");
    assert!(denial.contains("; you will be told when it is free"), "{denial}");
    two.leaves().ok();
    one.stops().ok();
    two.sends("SessionStart", &serde_json::json!({ "source": "resume" }))
        .ok();
    let told = two.is_asked("Again.").context();
    assert!(
        told.contains("src/parser.rs, which you waited for, is free now."),
        "{told}"
    );
}

#[test]
fn a_subagent_is_promised_nothing_beyond_its_end() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    let helper = two.subagent("a3f2000000000000a", "general-purpose");
    helper.begins().ok();
    let denial = denied(&helper, "src/parser.rs").expect("it is held");
    assert!(
        denial.contains("; while you are at work you will be told when it is free."),
        "{denial}"
    );
    helper.ends().ok();
}

#[test]
fn a_file_is_not_kept_for_one_whose_turn_is_over() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    two.stops().ok();
    one.stops().ok();
    let third = world.agent("ef53c0de-0000-4000-8000-000000000003");
    third.starts().ok();
    third.is_asked("Go on.").ok();
    third.reads("src/parser.rs");
    assert_eq!(denied(&third, "src/parser.rs"), None);
}

#[test]
fn a_denial_says_when_the_holder_waits_for_the_person_and_the_person_is_told() {
    let world = world();
    let [one, two] = two(&world);
    let write = json!({ "file_path": world.repo().join("src/parser.rs"), "content": "two\n" });
    let call = one.call("Write", &write);
    call.begins().ok();
    one.sends(
        "PermissionRequest",
        &json!({ "tool_name": "Write", "tool_input": write }),
    )
    .ok();
    let denial = settled(&denied(&two, "src/parser.rs").expect("it is held"));
    insta::assert_snapshot!(denial, @"src/parser.rs is being edited by main@ab31 for [n] s. It has been waiting for the user's answer to a permission question for [n] s. Nothing was written. You are 1st in line. Work on something else, or run `toprope lease wait src/parser.rs`; you will be told when it is free.");
    assert!(denied(&two, "src/parser.rs").is_some());
    let person = world
        .database()
        .rows("SELECT text FROM notices WHERE audience = 'person'");
    assert_eq!(
        person,
        ["main@ab31 waits for your answer and keeps src/parser.rs from main@cd42."]
    );
    call.does_write("two\n");
    call.ends(&json!({})).ok();
    call.ends_step().ok();
    let denial = denied(&two, "src/parser.rs").expect("it is still held");
    assert!(!denial.contains("permission"), "{denial}");
}

#[test]
fn of_a_command_only_that_it_was_asked_for_is_said() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    let run = json!({ "command": "sed -i s/a/b/ src/parser.rs" });
    one.call("Bash", &run).begins().ok();
    one.sends(
        "PermissionRequest",
        &json!({ "tool_name": "Bash", "tool_input": run }),
    )
    .ok();
    let denial = settled(&denied(&two, "src/parser.rs").expect("it is held"));
    assert!(
        denial.contains("It asked the user for permission to run a command [n] s ago."),
        "{denial}"
    );
}

#[test]
fn waiting_for_a_pattern_is_wrong_and_leaves_nothing_behind() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    for pattern in ["**", "src/*.rs"] {
        let output = runs(&world, &two, &["lease", "wait", pattern]);
        assert_eq!(output.code, Some(2), "{}", output.whole());
        assert_eq!(output.stdout, "");
        assert!(
            output
                .stderr
                .contains(&format!("\"{pattern}\" is a pattern: wait for one file"))
        );
    }
    assert_eq!(world.database().number("SELECT count(*) FROM tickets"), 0);
}

#[test]
fn the_second_in_line_is_told_so() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    let third = world.agent("ef53c0de-0000-4000-8000-000000000003");
    third.starts().ok();
    third.is_asked("Go on.").ok();
    for (agent, place) in [(&two, "1st"), (&third, "2nd")] {
        let denial = denied(agent, "src/parser.rs").expect("it is held");
        assert!(denial.contains(&format!("You are {place} in line")), "{denial}");
    }
    let output = runs(
        &world,
        &third,
        &["lease", "wait", "src/parser.rs", "--timeout", "0"],
    );
    assert!(
        output.stderr.contains("you are 2nd in line"),
        "{}",
        output.whole()
    );
    one.stops().ok();
    let denial = denied(&third, "src/parser.rs").expect("it is promised");
    assert!(denial.contains("promised to main@cd42"), "{denial}");
}

#[test]
fn a_file_under_two_reservations_is_offered_to_nobody_whom_one_of_them_keeps_out() {
    let world = world();
    let [one, two] = two(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    runs(&world, &two, &["lease", "reserve", "src/lexer.rs"]).ok();
    let pattern = "INSERT INTO leases (project_id, worktree_id, kind, path, pattern, actor_id, taken_at, touched_at, expires_at)
        SELECT project_id, worktree_id, 'reserve', 'src/**', 'src/**', actor_id, taken_at, touched_at, expires_at
        FROM leases WHERE kind = 'reserve'";
    world.database().run(pattern);
    let by_other = "INSERT INTO leases (project_id, worktree_id, kind, path, pattern, actor_id, taken_at, touched_at, expires_at)
        SELECT project_id, worktree_id, 'reserve', 'src/p*', 'src/p*',
            (SELECT actor_id FROM leases WHERE kind = 'edit' LIMIT 1), taken_at, touched_at, expires_at
        FROM leases WHERE kind = 'reserve' LIMIT 1";
    world.database().run(by_other);
    runs(&world, &one, &["lease", "release", "src/parser.rs"]).ok();
    let offered = "SELECT count(*) FROM tickets WHERE state = 'offered'";
    assert_eq!(
        world.database().number(offered),
        0,
        "the other's reservation keeps it out"
    );
}
