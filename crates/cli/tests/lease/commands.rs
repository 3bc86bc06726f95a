//! What commands write.

use crate::{OTHER, SESSION, denied, siblings, world};
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::{Agent, Call, Output, World, eventually};

/// Times of files are noted by a clock that may be so far behind.
const COARSE: Duration = Duration::from_millis(60);

#[test]
fn commands_that_write_a_held_file_do_not_run() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    for command in [
        "echo x > src/parser.rs",
        "echo x >> src/parser.rs",
        "echo x | tee src/parser.rs",
        "cp src/lexer.rs src/parser.rs",
        "mv src/lexer.rs src/parser.rs",
        "sed -i s/a/b/ src/parser.rs",
        "cat > src/parser.rs <<E\nx\nE",
        "cd src && echo x > parser.rs",
        "sh -c 'echo x > src/parser.rs'",
    ] {
        let denial = two.is_about_to_run_maybe(command);
        assert!(
            denial.is_some_and(|denial| denial.contains("src/parser.rs")),
            "{command}"
        );
    }
    for command in [
        "grep 'echo x > src/parser.rs' src",
        "cat src/parser.rs",
        "echo 'x > src/parser.rs'",
    ] {
        assert_eq!(two.is_about_to_run_maybe(command), None, "{command}");
    }
}

#[test]
fn aliases_of_git_and_wrappers_write_what_stands_behind_them() {
    let world = world();
    world.write("toprope.toml", "[guard.wrappers]\ninside = { skip = 1 }\n");
    world.git(&["config", "alias.put", "!cp src/lexer.rs"]);
    world.git(&["config", "alias.onto", "mv -f src/lexer.rs"]);
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    for command in [
        "git put src/parser.rs",
        "touch new.rs; git put src/parser.rs",
        "git onto src/parser.rs",
        "inside box cp src/lexer.rs src/parser.rs",
    ] {
        let denial = two.is_about_to_run_maybe(command);
        assert!(
            denial.is_some_and(|denial| denial.contains("src/parser.rs") && denial.contains("fixer@a111")),
            "{command}"
        );
    }
    assert_eq!(two.is_about_to_run_maybe("git put src/other.rs"), None);
}

#[test]
fn a_script_that_changes_a_held_file_is_found_out_and_both_are_told() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let call = two.is_about_to_run("python3 fix.py");
    world.write("src/parser.rs", "three\n");
    let path = world.repo().join("src/parser.rs");
    let told = call.ends(&json!({
        "stdout": "", "stderr": "", "interrupted": false,
        "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": [path] }
    }));
    assert!(
        told.context().contains("Your command changed src/parser.rs"),
        "{}",
        told.whole()
    );
    let next = one.runs("toolu_next", "ls");
    assert!(
        next.context()
            .contains("src/parser.rs was changed by a command of reviewer@a222"),
        "{}",
        next.whole()
    );
}

#[test]
fn a_script_that_deletes_a_held_file_is_found_out_however_it_ends() {
    let ends: [fn(&Call<'_>, &Path) -> Output; 3] = [
        |call, _| call.ends(&json!({ "stdout": "" })),
        |call, _| call.fails("Exit code 1"),
        |call, path| {
            let diff = json!({ "files": [], "moreFiles": 0, "changedFiles": [path] });
            call.ends(&json!({ "stdout": "", "bashEditDiff": diff }))
        },
    ];
    for end in ends {
        let world = world();
        let [one, two] = siblings(&world);
        one.writes("src/parser.rs", "two\n");
        let call = two.is_about_to_run("./generate.sh");
        let path = world.repo().join("src/parser.rs");
        fs_err::remove_file(&path).unwrap();
        let told = end(&call, &path);
        assert!(
            told.context().contains("Your command changed src/parser.rs"),
            "{}",
            told.whole()
        );
        let next = one.runs("toolu_next", "ls");
        assert!(
            next.context()
                .contains("src/parser.rs was changed by a command of reviewer@a222"),
            "{}",
            next.whole()
        );
        let again = two.is_about_to_run("./generate.sh");
        assert_eq!(again.ends(&json!({})).context(), "", "it is blamed once");
    }
}

#[test]
fn what_a_failing_call_wrote_is_its_own_all_the_same() {
    let fails: [fn(&World, &Agent<'_>); 3] = [
        |world, agent| {
            let call = agent.is_about_to_run("sed -i s/one/two/ src/parser.rs && cargo test");
            world.write("src/parser.rs", "two\n");
            call.fails("Exit code 101").ok();
        },
        |world, agent| {
            let call = agent.is_about_to_run("printf x > src/parser.rs; false");
            fs_err::remove_file(world.repo().join("src/parser.rs")).unwrap();
            world.write("src/parser.rs", "x");
            call.fails("Exit code 1").ok();
        },
        |world, agent| {
            let call = agent.is_about_to_write("src/parser.rs", "half");
            world.write("src/parser.rs", "ha");
            call.fails("ENOSPC").ok();
        },
    ];
    for fail in fails {
        let world = world();
        let [one, two] = siblings(&world);
        fail(&world, &one);
        let denial = denied(&two, "src/parser.rs").expect("it is one's");
        assert!(denial.contains("being edited by fixer@a111"), "{denial}");
    }
}

#[test]
fn a_failing_call_that_wrote_nothing_holds_nothing() {
    let world = world();
    let [one, two] = siblings(&world);
    let written = Instant::now();
    eventually("times of files tell the two apart", || {
        (written.elapsed() > COARSE).then_some(())
    });
    let call = one.is_about_to_run("sed -i s/one/two/ src/parser.rs && cargo test");
    call.fails("Exit code 1").ok();
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn what_went_before_a_command_began_is_not_its_doing() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    fs_err::remove_file(world.repo().join("src/parser.rs")).unwrap();
    let written = Instant::now();
    eventually("times of files tell the two apart", || {
        (written.elapsed() > COARSE).then_some(())
    });
    let call = two.is_about_to_run("./generate.sh");
    assert_eq!(call.ends(&json!({ "stdout": "" })).context(), "");
}

#[test]
fn what_a_holder_is_writing_while_a_script_runs_is_its_own() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let script = two.is_about_to_run("./generate.sh");
    let write = one.is_about_to_write("src/parser.rs", "three\n");
    world.write("src/parser.rs", "three\n");
    assert_eq!(script.ends(&json!({ "stdout": "" })).context(), "");
    assert_eq!(write.ends(&json!({})).context(), "");
    let again = one.is_about_to_write("src/parser.rs", "four\n");
    assert_eq!(again.begins().denial(), None, "it knows what it wrote");
}

#[test]
fn a_command_over_the_whole_tree_waits_for_those_who_edit_in_it() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let denial = two
        .is_about_to_run_maybe("git checkout main")
        .expect("others edit");
    insta::assert_snapshot!(
        denial,
        @"`git checkout main` would change the whole tree, and others are editing there: src/parser.rs (fixer@a111). It was not run. Wait for them, restrict it to your files, or use your own worktree."
    );
    one.ends().ok();
    assert_eq!(two.is_about_to_run_maybe("git stash list"), None);
    assert_eq!(denied(&two, "src/lexer.rs"), None);
}

#[test]
fn a_command_that_changes_nothing_takes_no_file_that_somebody_knows() {
    let world = world();
    let (one, two) = (world.agent(SESSION), world.agent(OTHER));
    for agent in [&one, &two] {
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
    }
    one.writes("src/parser.rs", "two\n");
    one.stops().ok();
    let read = json!({ "file_path": world.repo().join("src/lexer.rs") });
    two.before("toolu_read", "Read", &read).ok();
    one.is_asked("And test it.").ok();
    one.shell("python3 -c pass");
    assert_eq!(denied(&two, "src/lexer.rs"), None);
    assert_eq!(denied(&two, "src/parser.rs"), None);
}

#[test]
fn every_attempt_counts_however_many_there_are() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    let denials: Vec<String> = (0..24).filter_map(|_| denied(&two, "src/parser.rs")).collect();
    let last = denials.last().expect("a denial");
    assert!(
        last.starts_with("Stop retrying src/parser.rs: ") && last.contains("(attempt 24 in "),
        "{last}"
    );
}

#[test]
fn a_held_file_is_found_however_many_others_were_seen() {
    let world = world();
    let [one, two] = siblings(&world);
    one.writes("src/parser.rs", "two\n");
    world.database().run(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
         INSERT INTO file_seen (actor_id, worktree_id, path, how, event, at)
         SELECT (SELECT MIN(id) FROM actors), (SELECT MIN(id) FROM worktrees), printf('a/%04d.rs', n), 'read', 1000 + n, 0
         FROM numbers",
    );
    let denial = two
        .is_about_to_run_maybe("sed -i s/o/u/ src/*.rs")
        .unwrap_or_default();
    assert!(
        denial.contains("src/parser.rs is being edited by fixer@a111"),
        "{denial}"
    );
    let call = two.is_about_to_run("python3 fix.py");
    world.write("src/parser.rs", "three\n");
    let told = call.fails("Exit code 1").context();
    assert!(
        told.contains("changed src/parser.rs, which fixer@a111 is editing"),
        "{told}"
    );
}

#[test]
fn patterns_and_scripts_reach_into_other_worktrees() {
    let world = world();
    let [one, two] = siblings(&world);
    let side = world.root().join("side");
    world.git(&["worktree", "add", "-q", "-b", "side", side.to_str().unwrap()]);
    one.standing_in(&side).writes("src/parser.rs", "two\n");
    for command in [
        "sed -i s/o/u/ ../side/src/*.rs",
        "cd ../side && sed -i s/o/u/ src/*.rs",
    ] {
        let denial = two.is_about_to_run_maybe(command).unwrap_or_default();
        assert!(
            denial.contains("is being edited by fixer@a111"),
            "{command}: {denial}"
        );
    }
    let call = two.is_about_to_run("python3 ../side/fix.py");
    fs_err::write(side.join("src/parser.rs"), "three\n").unwrap();
    let told = call.fails("Exit code 1").context();
    assert!(
        told.contains("src/parser.rs, which fixer@a111 is editing"),
        "{told}"
    );
}
