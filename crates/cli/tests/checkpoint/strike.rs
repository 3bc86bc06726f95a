//! A strike opens what was shown and no more, and what is promised of a checkpoint is kept.

mod brought;
mod counts;
mod links;

use crate::stage::{Stage, Worker};
use fs_err as fs;
use serde_json::json;
use std::os::unix::fs::symlink;
use testkit::{Call, Output};

fn says<'a>(agent: &Worker<'a>, command: &str) -> (Call<'a>, Output) {
    let call = agent
        .agent
        .call("Bash", &json!({ "command": command, "description": "run" }));
    let answer = call.begins();
    (call, answer)
}

/// What is answered to a try that does not run; the model reads it.
fn tries(agent: &Worker<'_>, command: &str) -> Output {
    let (call, answer) = says(agent, command);
    call.ends_step().ok();
    answer
}

#[track_caller]
fn is_held(agent: &Worker<'_>, command: &str) -> String {
    let answer = tries(agent, command);
    let reason = answer.denial().unwrap_or_default();
    assert!(reason.ends_with(", held once]"), "{command}: {}", answer.whole());
    reason
}

/// Runs behind a checkpoint, whose id is told.
#[track_caller]
fn runs(agent: &Worker<'_>, command: &str) -> String {
    let (call, answer) = says(agent, command);
    assert_eq!(decision(&answer), None, "{command}: {}", answer.whole());
    let context = answer.context();
    let (_, id) = context.split_once("toprope undo ").expect("the way back is told");
    let id = id.get(..12).expect("an id").to_owned();
    call.does_run();
    call.ends(&json!({ "stdout": "", "stderr": "" })).ok();
    call.ends_step().ok();
    agent.stops();
    id
}

#[track_caller]
fn is_silent(agent: &Worker<'_>, command: &str) {
    let answer = tries(agent, command);
    assert_eq!(answer.stdout, "", "{command}");
}

fn decision(answer: &Output) -> Option<String> {
    let answer = answer.json()?;
    let decided = answer.pointer("/hookSpecificOutput/permissionDecision")?;
    decided.as_str().map(str::to_owned)
}

/// However often it is tried, and whatever was held before: nothing but a person opens it, and nothing is promised.
#[track_caller]
fn never_passes(agent: &Worker<'_>, command: &str) -> String {
    let mut said = String::new();
    for attempt in 1..=3 {
        let answer = tries(agent, command);
        assert!(
            decision(&answer).is_some(),
            "{attempt} {command}: {}",
            answer.whole()
        );
        said = answer
            .json()
            .and_then(|answer| {
                let reason = answer.pointer("/hookSpecificOutput/permissionDecisionReason")?;
                reason.as_str().map(str::to_owned)
            })
            .unwrap_or_default();
        assert!(
            !answer.stdout.contains("held once"),
            "{command}: {}",
            answer.whole()
        );
        assert!(
            !answer.stdout.contains("toprope undo"),
            "{command}: {}",
            answer.whole()
        );
    }
    said
}

#[test]
fn one_held_log_file_opens_neither_the_tree_nor_another_file() {
    let stage = Stage::new();
    for name in ["out.log", "b.txt", "src/one.rs", "src/two.rs"] {
        stage.write(name, name);
    }
    let commands = [
        "rm -rf *",
        "rm -f *",
        "rm -f b.txt",
        "rm -f out.log b.txt",
        "rm -rf src",
        "find . -name '*.rs' -delete",
    ];
    for (number, command) in commands.into_iter().enumerate() {
        let agent = stage.agent(&format!("s{number}"));
        agent.asked("one");
        is_held(&agent, "rm -f out.log");
        is_held(&agent, command);
        assert!(stage.has("b.txt") && stage.has("src/one.rs"));
    }
    let agent = stage.agent("last");
    agent.asked("one");
    is_held(&agent, "rm -f out.log");
    runs(&agent, "rm -f out.log");
    assert!(!stage.has("out.log"));
}

#[test]
fn two_strikes_do_not_add_up_to_one_command() {
    let stage = Stage::new();
    for name in ["a.txt", "b.txt"] {
        stage.write(name, name);
    }
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "rm -f a.txt");
    is_held(&agent, "rm -f b.txt");
    is_held(&agent, "rm -f a.txt b.txt");
    runs(&agent, "rm -f b.txt a.txt");
}

#[test]
fn a_strike_is_spent_by_the_same_command_or_by_a_part_of_it() {
    let stage = Stage::new();
    for name in ["a/1", "b/1", "c/1"] {
        stage.write(name, name);
    }
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "rm -rf a b");
    is_held(&agent, "rm -rf c");
    let id = runs(&agent, "rm -rf a");
    stage.undo(&[&id]);
    agent.asked("two");
    runs(&agent, "rm -rf ./b ./a/");
    assert!(!stage.has("a") && !stage.has("b") && stage.has("c/1"));
    agent.asked("three");
    stage.write("d/1", "d");
    is_held(&agent, "rm -rf c d");
    runs(&agent, "rm -rf c d");
}

#[test]
fn a_strike_for_a_pattern_is_none_for_what_came_to_fit_it() {
    let stage = Stage::new();
    for name in ["a.log", "b.log", "src/c.log"] {
        stage.write(name, name);
    }
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "rm -f *.log");
    stage.write("new.log", "made since\n");
    is_held(&agent, "rm -f *.log");
    runs(&agent, "rm -f *.log");
    assert!(!stage.has("new.log") && stage.has("src/c.log"));
    // What was shown may have become fewer, and a part of it may be named.
    for name in ["a.log", "b.log"] {
        stage.write(name, "again\n");
    }
    agent.asked("two");
    is_held(&agent, "find . -name '*.log' -delete");
    runs(&agent, "rm -f a.log");
    runs(&agent, "find . -name '*.log' -delete");
    assert!(!stage.has("src/c.log"));
}

#[test]
fn only_what_a_pattern_matches_has_to_fit_into_a_checkpoint() {
    let stage = Stage::new();
    stage
        .world
        .has_settings("[checkpoints]\nmax_file_mb = 1\n[guard]\ncapture_limit_mb = 1\n");
    stage.write(".gitignore", "*.iso\n");
    stage.write("large.bin", vec![7_u8; 2 * 1024 * 1024]);
    stage.write("large.iso", vec![7_u8; 2 * 1024 * 1024]);
    stage.write("one.log", "one\n");
    let before = stage.files();
    for command in ["rm -f *.log", "rm -rf on*", "find . -name '*.log' -delete"] {
        let agent = stage.agent(command);
        agent.asked("one");
        is_held(&agent, command);
        let id = runs(&agent, command);
        stage.undo(&[&id]);
        assert_eq!(stage.files(), before, "{command}");
    }
    let agent = stage.agent("last");
    agent.asked("one");
    assert!(never_passes(&agent, "rm -f *.bin").contains("large.bin"));
    assert!(never_passes(&agent, "rm -f l*").contains("large.bin"));
    assert!(never_passes(&agent, "rm -f *.iso").contains("large.iso"));
}

#[test]
fn targets_that_no_checkpoint_holds_are_never_passed_on_a_strike() {
    let stage = Stage::new();
    stage.write("x.txt", "x\n");
    stage.write("notes/n.txt", "n\n");
    let other = stage.world.root().join("other");
    let documents = stage.world.home().join("documents");
    fs::create_dir_all(&documents).expect("a folder");
    fs::write(documents.join("thesis.txt"), "mine\n").expect("a file");
    let other = other.display().to_string();
    stage.world.git(&["init", "-q", "-b", "main", &other]);
    fs::write(format!("{other}/f"), "one\n").expect("a file");
    stage.world.git(&["-C", &other, "add", "."]);
    stage.world.git(&["-C", &other, "commit", "-q", "-m", "first"]);
    fs::write(format!("{other}/f"), "two\n").expect("a file");
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "rm -f x.txt");
    for command in [
        "rm -rf \"$WHERE\"",
        "rm -rf $WHERE",
        "cat list | xargs rm -f",
        "rm -rf notes/$(cat list)",
        "for f in $(cat list); do rm -rf notes/$f; done",
        "rm -rf /tmp/*",
        "rm -rf /var/tmp/*",
        "rm -rf ~/documents",
        "cd ~/documents && rm -rf thesis.txt",
        "cd ~ && rm -rf documents",
        &format!("rm -rf {other}"),
        &format!("git -C {other} reset --hard"),
        &format!("cd {other} && git checkout ."),
        &format!("cd {other} && rm -f f"),
    ] {
        never_passes(&agent, command);
    }
    assert_eq!(
        fs::read_to_string(format!("{other}/f")).expect("it is there"),
        "two\n"
    );
}

/// A project with every kind of file that a command could lose.
fn furnished() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\n/cache/\n*.tmp\n/node_modules/\n");
    stage.write("b.txt", "b\n");
    stage.write("src/lib.rs", "lib\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("a.txt", b"by hand\r\n\xff\x00 no newline");
    stage.write("src/lib.rs", "changed\n");
    stage.write("src/new.rs", "never committed\n");
    stage.write("src/deep/notes.tmp", "ignored, in a folder that is not\n");
    stage.write("staged.txt", "only staged\n");
    stage.world.git(&["add", "staged.txt"]);
    stage.write(".env", "TOKEN=1\n");
    stage.write("cache/state.bin", [0_u8, 1, 2, 255]);
    stage.write("with space/file (1).txt", "odd\n");
    symlink("../b.txt", stage.path("src/link")).expect("a link");
    stage
}

#[test]
fn everything_a_passed_command_takes_away_comes_back_with_undo() {
    for command in [
        "git reset --hard",
        "git clean -fd",
        "git clean -fdx",
        "git checkout -- a.txt src",
        "git restore .",
        "git checkout HEAD -- src/lib.rs",
        "rm -rf src",
        "rm -rf src cache .env",
        "rm -rf *",
        "rm -f .env",
        "rm -rf 'with space'",
        "find . -name '*.rs' -delete",
        "truncate -s 0 a.txt",
        "git reset --hard && git clean -fdx",
        "for f in a.txt src cache; do rm -rf \"$f\"; done",
    ] {
        let stage = furnished();
        let before = stage.files();
        let agent = stage.agent("s1");
        agent.asked("one");
        is_held(&agent, command);
        assert_eq!(stage.files(), before, "{command}");
        let id = runs(&agent, command);
        assert_ne!(stage.files(), before, "{command}");
        stage.undo(&[&id]);
        assert_eq!(stage.files(), before, "{command}");
    }
}

#[test]
fn what_no_checkpoint_would_hold_is_named_at_once_and_not_held_for_a_retry() {
    let stage = furnished();
    stage.world.has_settings("[checkpoints]\nmax_file_mb = 1\n");
    stage.write("src/large.bin", vec![7_u8; 2 * 1024 * 1024]);
    let nested = stage.path("b/inner").display().to_string();
    stage.world.git(&["init", "-q", "-b", "main", &nested]);
    stage.write("b/inner/f", "theirs\n");
    stage.world.git(&["-C", &nested, "add", "."]);
    stage.world.git(&["-C", &nested, "commit", "-q", "-m", "theirs"]);
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "rm -rf src",
        "rm -f src/large.bin",
        "rm -rf *",
        "find . -name '*.bin' -delete",
        "git clean -fd",
    ] {
        let said = never_passes(&agent, command);
        assert!(
            said.contains("\nNo checkpoint holds src/large.bin (2 MB, limit 1)")
                || said.contains(
                    "\nNo checkpoint holds b/inner (a repository of its own), src/large.bin (2 MB, limit 1)"
                ),
            "{command}: {said}"
        );
    }
    let said = never_passes(&agent, "rm -rf b");
    assert!(
        said.contains("\nNo checkpoint holds b/inner (a repository of its own)."),
        "{said}"
    );
    assert_eq!(stage.files(), before);
    // What is not about these files still runs.
    for command in [
        "rm -rf cache",
        "git reset --hard",
        "git checkout -- src",
        "rm -f a.txt",
    ] {
        let stays = stage.files();
        is_held(&agent, command);
        let id = runs(&agent, command);
        stage.undo(&[&id]);
        assert_eq!(stage.files(), stays, "{command}");
    }
}

#[test]
fn a_large_file_that_a_commit_has_is_held_and_comes_back() {
    let stage = furnished();
    stage.world.has_settings("[checkpoints]\nmax_file_mb = 1\n");
    stage.write("src/large.bin", vec![7_u8; 2 * 1024 * 1024]);
    stage.world.git(&["add", "src"]);
    stage.world.git(&["commit", "-q", "-m", "large"]);
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "rm -rf src");
    let id = runs(&agent, "rm -rf src");
    stage.undo(&[&id]);
    assert_eq!(stage.files(), before);
}

#[test]
fn what_becomes_too_large_between_the_hold_and_the_retry_does_not_run() {
    let stage = furnished();
    stage.world.has_settings("[checkpoints]\nmax_file_mb = 1\n");
    let agent = stage.agent("s1");
    agent.asked("one");
    is_held(&agent, "rm -rf src");
    stage.write("src/large.bin", vec![7_u8; 2 * 1024 * 1024]);
    assert!(never_passes(&agent, "rm -rf src").contains("src/large.bin"));
}

#[test]
fn ignored_files_beyond_the_limit_are_named_at_once() {
    let stage = furnished();
    stage.world.has_settings("[guard]\ncapture_limit_mb = 1\n");
    stage.write("src/deep/huge.tmp", vec![7_u8; 2 * 1024 * 1024]);
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in ["rm -rf src", "git clean -fdx"] {
        let said = never_passes(&agent, command);
        assert!(
            said.contains("No checkpoint holds src/deep (ignored files above 1 MB)."),
            "{command}: {said}"
        );
    }
    is_held(&agent, "git clean -fd");
}

#[test]
fn what_another_agent_holds_is_refused_at_once_and_not_held_for_a_retry() {
    let stage = furnished();
    let other = stage.agent("other");
    other.asked("write");
    other.writes("src/theirs.rs", "theirs\n");
    let agent = stage.agent("s1");
    agent.asked("one");
    for _ in 0..2 {
        let answer = tries(&agent, "rm -rf src");
        let reason = answer.denial().unwrap_or_default();
        assert!(reason.contains("src/theirs.rs"), "{}", answer.whole());
        assert!(
            !reason.contains("Run it again") && !reason.contains("held once"),
            "{}",
            answer.whole()
        );
    }
    // What nobody holds is held as ever. Once the other one is gone, so is the rest: its loss was not shown before.
    is_held(&agent, "rm -rf cache");
    runs(&agent, "rm -rf cache");
    stage.world.git(&["add", "src"]);
    stage.world.git(&["commit", "-q", "-m", "theirs"]);
    other.stops();
    other.agent.leaves().ok();
    agent.asked("two");
    is_held(&agent, "rm -rf src");
    runs(&agent, "rm -rf src");
}

#[test]
fn what_builds_make_again_is_named_only_where_there_is_some() {
    let stage = furnished();
    let agent = stage.agent("s1");
    agent.asked("one");
    let made = "what builds make again";
    for command in ["rm -rf src", "git clean -fdx", "rm -rf *"] {
        let reason = is_held(&agent, command);
        assert!(
            reason.contains("that holds all of this.") && !reason.contains(made),
            "{reason}"
        );
    }
    let (call, answer) = says(&agent, "rm -rf src");
    call.ends_step().ok();
    assert!(!answer.stdout.contains(made), "{}", answer.whole());
    // Called like it, and in the checkpoint all the same: git does not ignore it.
    stage.write("web/node_modules/x/index.js", "mine\n");
    stage.write("lib/node_modules/x/index.js", "made\n");
    stage.write("lib/index.js", "mine\n");
    stage.write(".gitignore", ".env\n/cache/\n*.tmp\n/lib/node_modules/\n");
    let agent = stage.agent("s2");
    agent.asked("one");
    assert!(!is_held(&agent, "rm -rf web").contains(made));
    for command in ["rm -rf lib web", "rm -rf *", "git clean -fdx"] {
        let reason = is_held(&agent, command);
        assert!(reason.contains(", but for what builds make again."), "{reason}");
    }
}

#[test]
fn outside_git_a_removal_is_held_once_and_taken_back() {
    let stage = Stage::new();
    let folder = stage.world.root().join("plain");
    fs::create_dir_all(folder.join("notes")).expect("a folder");
    fs::write(folder.join("notes/one.txt"), "mine\n").expect("a file");
    let agent = stage.world.agent("s1").standing_in(&folder);
    agent.starts().ok();
    agent.is_asked("one").ok();
    agent.is_held_before("rm -rf notes");
    let call = agent.call(
        "Bash",
        &json!({ "command": "rm -rf notes", "description": "run" }),
    );
    let answer = call.begins();
    assert_eq!(decision(&answer), None, "{}", answer.whole());
    assert!(answer.context().contains("toprope undo "), "{}", answer.whole());
}

#[test]
fn what_lies_behind_a_link_out_of_the_project_is_not_promised() {
    let stage = furnished();
    let outside = stage.world.root().join("outside");
    fs::create_dir_all(outside.join("sub")).expect("a folder");
    for name in ["o.txt", "sub/p.txt"] {
        fs::write(outside.join(name), "theirs\n").expect("a file");
    }
    symlink(&outside, stage.path("linkout")).expect("a link");
    let agent = stage.agent("s1");
    agent.asked("one");
    never_passes(&agent, "find -L . -name '*.txt' -delete");
    for command in ["rm -rf linkout/*", "rm -rf linkout/sub", "rm -rf linkout/"] {
        let answer = tries(&agent, command);
        assert!(
            !answer.stdout.contains("holds all of this") && !answer.stdout.contains("toprope undo"),
            "{command}: {}",
            answer.whole()
        );
    }
    // The link itself is in the checkpoint.
    let before = stage.files();
    is_held(&agent, "rm -rf linkout");
    let id = runs(&agent, "rm -rf linkout");
    stage.undo(&[&id]);
    assert_eq!(stage.files(), before);
}

#[test]
fn a_slash_behind_a_link_means_what_it_leads_to() {
    let stage = furnished();
    symlink("src", stage.path("linkdir")).expect("a link");
    let agent = stage.agent("s1");
    agent.asked("one");
    let said = never_passes(&agent, "rm -rf linkdir/");
    assert!(
        said.contains("`rm -rf linkdir/` would remove 4 files in linkdir/.\nIt goes through a link")
            && said.contains("Instead: rm linkdir\n"),
        "{said}"
    );
}

#[test]
fn what_goes_beside_and_is_in_no_checkpoint_is_named() {
    let stage = furnished();
    let beside = stage.world.root().join("o.txt");
    fs::write(&beside, "theirs\n").expect("a file");
    let command = format!("rm -rf src {}", beside.display());
    let agent = stage.agent("s1");
    agent.asked("one");
    let reason = is_held(&agent, &command);
    let but = format!("holds all of this, but for {}.", beside.display());
    assert!(reason.contains(&but), "{reason}");
    let (call, answer) = says(&agent, &command);
    call.ends_step().ok();
    assert!(answer.context().contains(", but for /"), "{}", answer.whole());
}

#[test]
fn the_folder_one_stands_in_is_not_to_be_moved_aside() {
    let stage = furnished();
    for (number, command) in [
        "find . -type d -empty -delete",
        "find . -name '*.rs' -delete",
        "find ./ -empty -delete",
    ]
    .into_iter()
    .enumerate()
    {
        let agent = stage.agent(&format!("s{number}"));
        agent.asked("one");
        let reason = is_held(&agent, command);
        assert!(!reason.contains("mv "), "{reason}");
    }
}

#[test]
fn a_move_is_suggested_only_to_a_name_that_is_free() {
    let stage = Stage::new();
    for name in ["notes.md", "notes.md.old"] {
        stage.write(name, name);
    }
    stage.world.git(&["branch", "backup"]);
    stage.write("later.txt", "later\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "later"]);
    stage.world.git(&["branch", "-f", "backup", "HEAD~1"]);
    let agent = stage.agent("s1");
    agent.asked("one");
    let reason = is_held(&agent, "git reset --hard HEAD~1");
    assert!(reason.contains("Safer: git branch backup-2"), "{reason}");
    stage.write("notes.md", "changed\n");
    let reason = is_held(&agent, "rm -f notes.md");
    assert!(reason.contains("Safer: mv notes.md notes.md.old2"), "{reason}");
}
