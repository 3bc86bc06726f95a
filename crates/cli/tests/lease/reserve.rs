//! `toprope lease reserve`.

use crate::{OTHER, SESSION, assert_shown, denied, listed, runs, runs_unnamed, siblings, world};
use serde_json::json;

#[test]
fn what_a_person_reserved_keeps_every_agent_out_until_they_release_it() {
    let world = world();
    let [one, _] = siblings(&world);
    let reserve = ["lease", "reserve", "src/*.rs", "--reason", "mine", "--for", "2h"];
    assert_shown!(world, world.toprope(&reserve), @"
    exit 0
    --- stdout
    src/*.rs is reserved for 2 h
    --- stderr
    ");
    insta::assert_snapshot!(
        denied(&one, "src/parser.rs").expect("it is reserved"),
        @r#"src/parser.rs is reserved by the user ("mine") for another 2 h. Nothing was written. Leave it, or ask the user."#
    );
    assert_shown!(world, world.toprope(&["lease", "release", "src/*.rs"]), @"
    exit 0
    --- stdout
    released src/*.rs
    --- stderr
    ");
    assert_eq!(denied(&one, "src/parser.rs"), None);
}

#[test]
fn what_others_have_is_refused_and_listed_and_nothing_is_reserved() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    runs(&world, &two, &["lease", "reserve", "docs/**"]).ok();
    let output = world.toprope(&["lease", "reserve", "tests/**", "src/*.rs", "docs/a*"]);
    assert_shown!(world, output, @"
    exit 3
    --- stdout
    --- stderr
    error: others have some of it: src/parser.rs (fixer@a111), docs/** (reviewer@a222, reserved)
    hint: toprope lease wait src/parser.rs
    ");
    assert_eq!(
        listed(&world),
        [
            "src/parser.rs of fixer@a111, 0 waiting",
            "docs/** of reviewer@a222, 0 waiting"
        ]
    );
}

#[test]
fn an_agents_reservation_is_its_own_and_ends_with_it() {
    let world = world();
    let [one, two] = siblings(&world);
    assert_shown!(world, runs(&world, &one, &["lease", "reserve", "src/**"]), @"
    exit 0
    --- stdout
    src/** is reserved for 1 h
    --- stderr
    ");
    let denial = denied(&two, "src/lexer.rs").expect("it is reserved");
    assert!(denial.contains("reserved by fixer@a111"), "{denial}");
    assert_eq!(denied(&one, "src/lexer.rs"), None);
    one.ends().ok();
    assert_eq!(denied(&two, "src/lexer.rs"), None);
}

#[test]
fn what_is_promised_to_another_is_refused() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    assert!(denied(&two, "src/parser.rs").is_some());
    one.ends().ok();
    assert_shown!(world, world.toprope(&["lease", "reserve", "src/**"]), @"
    exit 3
    --- stdout
    --- stderr
    error: others have some of it: src/parser.rs (promised to reviewer@a222)
    hint: toprope lease wait src/parser.rs
    ");
    two.reads("src/parser.rs");
    two.writes("src/parser.rs", "three\n");
    assert_eq!(listed(&world), ["src/parser.rs of reviewer@a222, 0 waiting"]);
}

#[test]
fn the_same_again_extends_it() {
    let world = world();
    let ends = |arguments: &[&str]| {
        let data = world.toprope(arguments).json().expect("data");
        let lease = &data["leases"][0];
        (
            lease["id"].clone(),
            lease["expires_at"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let first = ends(&["lease", "reserve", "docs/**", "--for", "1m", "--json"]);
    let second = ends(&["lease", "reserve", "docs/**", "--for", "24h", "--json"]);
    assert_eq!(first.0, second.0);
    assert!(first.1 < second.1, "{first:?} {second:?}");
    assert_eq!(listed(&world), ["docs/** of you, 0 waiting"]);
}

#[test]
fn what_ones_own_agents_edit_in_it_does_not_keep_one_from_extending_it() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    main.is_asked("Go on.").ok();
    assert_eq!(runs(&world, &main, &["lease", "reserve", "src/**"]).code, Some(0));
    let input =
        json!({ "description": "x", "prompt": "x", "subagent_type": "fixer", "run_in_background": true });
    main.before("toolu_spawn", "Agent", &input).ok();
    let child = main.subagent("a1111111111111111", "fixer");
    child.begins().ok();
    child.writes("src/parser.rs", "two\n");
    let extended = runs(&world, &main, &["lease", "reserve", "src/**", "--for", "2h"]);
    assert_eq!(extended.code, Some(0), "{}", extended.whole());
    let anew = runs(&world, &main, &["lease", "reserve", "src/*.rs"]);
    assert_eq!(anew.code, Some(3), "{}", anew.whole());
}

#[test]
fn a_path_means_itself_and_a_folder_everything_below() {
    let world = world();
    world.write("app/[id]/page.tsx", "x\n");
    world
        .toprope(&["lease", "reserve", "app/[id]/page.tsx", "src", "new/file.rs"])
        .ok();
    let [one, _] = siblings(&world);
    assert!(denied(&one, "app/[id]/page.tsx").is_some());
    assert!(denied(&one, "src/parser.rs").is_some());
    assert!(denied(&one, "new/file.rs").is_some());
    assert_eq!(denied(&one, "app/i/page.tsx"), None);
}

#[test]
fn wrong_patterns_and_times_are_wrong_use() {
    let world = world();
    assert_shown!(world, world.toprope(&["lease", "reserve", "src/[a"]), @r#"
    exit 2
    --- stdout
    --- stderr
    error: the pattern "src/[a" has a `[` that does not end
    "#);
    assert_shown!(world, world.toprope(&["lease", "reserve", "/etc/passwd"]), @r#"
    exit 2
    --- stdout
    --- stderr
    error: "/etc/passwd" is not in this worktree
    hint: its root is [world]/repo
    "#);
    for wrong in [
        &["lease", "reserve"][..],
        &["lease", "reserve", "a", "--for", "25h"],
        &["lease", "reserve", "a", "--for", "0s"],
    ] {
        assert_eq!(world.toprope(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn more_than_two_hundred_are_refused() {
    let world = world();
    let globs: Vec<String> = (0..201).map(|number| format!("d{number}/**")).collect();
    let mut arguments = vec!["lease", "reserve"];
    arguments.extend(globs.iter().map(String::as_str));
    assert_shown!(world, world.toprope(&arguments), @"
    exit 3
    --- stdout
    --- stderr
    error: at most 200 reservations are kept for one
    hint: toprope lease release --all
    ");
    assert_eq!(listed(&world), [""; 0]);
}

#[test]
fn an_agent_that_nobody_can_tell_reserves_nothing() {
    let world = world();
    siblings(&world);
    assert_shown!(world, runs_unnamed(&world, &["lease", "reserve", "src/**"]), @"
    exit 5
    --- stdout
    --- stderr
    error: an agent runs this, and nothing says which of its session it is
    hint: run it as a command of its own, so that the hook sees it
    ");
    assert_eq!(listed(&world), [""; 0]);
}

#[test]
fn where_leases_keep_nobody_out_it_says_so() {
    let world = world();
    world.toprope(&["config", "set", "lease.mode", "advise"]).ok();
    assert_shown!(world, world.toprope(&["lease", "reserve", "src/**"]), @"
    exit 0
    --- stdout
    src/** is reserved for 1 h
    --- stderr
    Nobody is kept out here: `lease.mode = advise`.
    ");
}

#[test]
fn a_child_of_an_agent_is_that_agent_though_nothing_in_its_shell_says_so() {
    let mut world = world();
    // This test plays the client, and thereby is a live agent above every command it runs.
    world.set("CLAUDE_PID", &std::process::id().to_string());
    world.agent(SESSION).starts().ok();
    let output = world.toprope(&["lease", "reserve", "src/**"]);
    assert_eq!(output.code, Some(5), "{}", output.whole());
    assert_eq!(world.toprope(&["lease", "list"]).code, Some(0), "it may read");
}

#[test]
fn sessions_keep_each_other_out() {
    let world = world();
    let (one, two) = (world.agent(SESSION), world.agent(OTHER));
    for agent in [&one, &two] {
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
    }
    runs(&world, &one, &["lease", "reserve", "src/**"]).ok();
    one.stops().ok();
    assert!(denied(&two, "src/parser.rs").is_some(), "it survives the turn");
    one.leaves().ok();
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn a_reservation_in_a_circle_is_let_go_and_both_are_told() {
    let world = world();
    let [one, two] = siblings(&world);
    world.write("docs/guide.md", "one\n");
    assert_eq!(runs(&world, &one, &["lease", "reserve", "docs/**"]).code, Some(0));
    two.writes("src/lexer.rs", "two\n");
    assert!(denied(&one, "src/lexer.rs").is_some(), "two has it");
    let text = denied(&two, "docs/guide.md").expect("it closes the circle");
    insta::assert_snapshot!(text, @"docs/guide.md was kept by fixer@a111, who waits for you in turn. It is promised to you now. Nothing was written. Read it again, then write.");
    let told = one.runs("toolu_next", "ls").context();
    insta::assert_snapshot!(told, @"You no longer keep docs/guide.md: you and reviewer@a222 waited for each other, and nothing of yours was in it. Ask again before you edit.");
    assert_eq!(denied(&two, "docs/guide.md"), None);
}
