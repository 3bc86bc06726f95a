//! A file that git begins to ignore, or ignores no longer, was neither deleted nor made: only what is gone is deleted.

use crate::oracle::changes;
use crate::stage::{Stage, Worker};
use serde_json::json;

fn diff(stage: &Stage, arguments: &[&str]) -> String {
    let all: Vec<&str> = ["checkpoint", "diff", "--name-only"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    stage.toprope(&all).ok()
}

/// The files and counts that the list of a session shows.
fn counts(stage: &Stage) -> Vec<String> {
    stage
        .world
        .database()
        .rows("SELECT kind, added, modified, deleted FROM checkpoints ORDER BY seq")
}

#[test]
fn a_file_that_becomes_ignored_is_not_deleted() {
    let stage = Stage::new();
    stage.write(".claude/settings.local.json", "{}\n");
    stage.write("notes.txt", "mine\n");
    let agent = stage.agent("s1");
    agent.asked("One").runs("echo one > one.txt").stops();
    stage.settle();
    // As the client does once it has written its settings.
    stage.write(".git/info/exclude", ".claude/settings.local.json\nnotes.txt\n");
    agent.asked("Two").runs("echo two > two.txt").stops();
    stage.settle();
    let found = changes(&stage.world, "1");
    assert!(
        found.iter().all(|change| change.starts_with("added")),
        "nothing is gone: {found:?}"
    );
    assert_eq!(
        counts(&stage).iter().filter(|row| !row.ends_with("|0")).count(),
        0,
        "{:?}",
        counts(&stage)
    );
    assert_eq!(diff(&stage, &["start", "t2"]), "one.txt\ntwo.txt\n");
    assert_eq!(diff(&stage, &["t1"]), "two.txt\n");
    let before = stage.files();
    stage.rewind(&["start", "--scope", "all"]);
    assert_eq!((stage.has("one.txt"), stage.has("two.txt")), (false, false));
    assert_eq!(stage.read("notes.txt"), "mine\n");
    assert_eq!(stage.read(".claude/settings.local.json"), "{}\n");
    stage.undo(&[]);
    assert_eq!(stage.files(), before);
}

#[test]
fn a_file_that_became_ignored_is_still_kept_and_deleted_when_it_is_gone() {
    let stage = Stage::new();
    stage.write("notes.txt", "mine\n");
    let agent = stage.agent("s1");
    agent.asked("One").runs("echo notes.txt > .gitignore").stops();
    agent.asked("Two").runs("rm notes.txt").stops();
    stage.settle();
    assert_eq!(
        changes(&stage.world, "turn = 2"),
        ["deleted notes.txt shell"],
        "only this is a deletion"
    );
    stage.rewind(&["t1"]);
    assert_eq!(stage.read("notes.txt"), "mine\n");
}

#[test]
fn a_file_that_is_ignored_no_longer_is_not_made() {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\nbuild/\n");
    stage.write(".env", "KEY=1\n");
    stage.write("build/log.txt", "built\n");
    let agent = stage.agent("s1");
    agent.asked("One").runs("echo one > one.txt").stops();
    stage.settle();
    agent.asked("Two").runs("echo none > .gitignore").stops();
    stage.settle();
    assert_eq!(
        changes(&stage.world, "turn = 2"),
        ["modified .gitignore shell"],
        "it was there before"
    );
    assert_eq!(diff(&stage, &["t1", "t2"]), ".gitignore\n");
    assert_eq!(diff(&stage, &["start"]), ".gitignore\none.txt\n");
    stage.rewind(&["start"]);
    assert_eq!(stage.read(".env"), "KEY=1\n");
    assert_eq!(stage.read("build/log.txt"), "built\n");
}

#[test]
fn a_file_that_is_ignored_no_longer_can_be_put_back_from_then_on() {
    let stage = Stage::new();
    stage.write(".git/info/exclude", ".env\n");
    stage.write(".env", "KEY=1\n");
    let agent = stage.agent("s1");
    agent.asked("One").runs("echo one > one.txt").stops();
    stage.settle();
    stage.write(".git/info/exclude", "");
    agent.asked("Two").runs("echo KEY=2 > .env").stops();
    stage.settle();
    assert_eq!(changes(&stage.world, "turn = 2"), ["modified .env shell"]);
    stage.rewind(&["t1"]);
    assert_eq!(stage.read(".env"), "KEY=1\n");
}

#[test]
fn what_builds_make_again_is_let_go_once_it_is_ignored() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("One")
        .runs("mkdir -p node_modules/x && echo 1 > node_modules/x/index.js")
        .stops();
    stage.settle();
    agent.asked("Two").runs("echo node_modules > .gitignore").stops();
    stage.settle();
    assert_eq!(changes(&stage.world, "turn = 2"), ["added .gitignore shell"]);
    agent
        .asked("Three")
        .runs("echo 2 > node_modules/x/index.js; echo three > three.txt")
        .stops();
    stage.settle();
    assert_eq!(changes(&stage.world, "turn = 3"), ["added three.txt shell"]);
}

#[test]
fn a_folder_that_is_moved_here_with_its_old_files_is_new() {
    let stage = Stage::new();
    let outside = stage.world.root().join("outside");
    fs_err::create_dir_all(&outside).unwrap();
    fs_err::write(outside.join("old.txt"), "old\n").unwrap();
    let agent = stage.agent("s1");
    agent.asked("One").runs("echo one > one.txt").stops();
    stage.settle();
    agent.asked("Two").runs("mv ../outside moved").stops();
    stage.settle();
    assert_eq!(changes(&stage.world, "turn = 2"), ["added moved/old.txt shell"]);
}

/// A project whose last commit brought the rules that ignore what lies around in it.
fn with_rules() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\n/build/\n/data/\n");
    stage.world.git(&["add", ".gitignore"]);
    stage.world.git(&["commit", "-q", "-m", "rules"]);
    stage
}

const LIES_AROUND: [(&str, &str); 3] = [
    (".env", "KEY=1\n"),
    ("build/deep/out.o", "built\n"),
    ("data/state.db", "state\n"),
];

/// Runs a command that the guard has held before, and tells of these files, or of none.
fn runs_held(stage: &Stage, agent: &Worker<'_>, command: &str, listed: Option<&[&str]>) {
    agent.agent.is_held_before(command);
    let call = agent.agent.is_about_to_run(command);
    let output = stage.world.shell(command);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    let answer = match listed {
        Some(names) => {
            let files: Vec<_> = names.iter().map(|name| stage.path(name)).collect();
            json!({ "stdout": "", "interrupted": false,
                "bashEditDiff": { "files": [], "moreFiles": 0, "changedFiles": files } })
        }
        None => json!({ "stdout": "", "stderr": "" }),
    };
    call.ends(&answer).ok();
    call.ends_step().ok();
    agent.stops();
}

#[test]
fn a_command_that_takes_the_ignore_rules_away_makes_no_file() {
    let shown: &[&str] = &[".gitignore", ".env", "build/deep/out.o", "data/state.db"];
    for listed in [None, Some(shown)] {
        for back in ["undo", "rewind"] {
            for command in [
                "rm -f .gitignore",
                "rm -f .gitignore; echo KEY=2 >> .env; touch build/deep/x",
                "rm -f .gitignore; cp data/state.db d && mv d data/state.db",
            ] {
                let what = format!("{command}, {listed:?}, {back}");
                let stage = with_rules();
                stage.write(".gitignore", ".env\n/build/\n/data/\n*.swp\n");
                let agent = stage.agent("s1");
                agent.asked("Go");
                for (name, content) in LIES_AROUND {
                    stage.write(name, content);
                }
                runs_held(&stage, &agent, command, listed);
                let there = stage.files();
                match back {
                    "undo" => stage.undo(&[]),
                    _ => stage.rewind(&["start"]),
                };
                assert_eq!(
                    stage.read(".gitignore"),
                    ".env\n/build/\n/data/\n*.swp\n",
                    "{what}"
                );
                let left: Vec<_> = stage
                    .files()
                    .into_iter()
                    .filter(|(name, _)| name != ".gitignore")
                    .collect();
                assert_eq!(left, there, "{what}: whatever was ignored stays");
                let blamed = changes(&stage.world, "1").into_iter().filter(|change| {
                    let is_kept = LIES_AROUND.iter().any(|(name, _)| change.contains(name));
                    is_kept && !change.ends_with(" outside")
                });
                assert_eq!(blamed.collect::<Vec<_>>(), [""; 0], "{what}: no agent made it");
            }
        }
    }
}

#[test]
fn a_commit_that_is_left_takes_its_rules_along_and_no_file() {
    let shown: &[&str] = &[".gitignore", ".env", "build/deep/out.o", "data/state.db"];
    let command = "git reset -q --hard HEAD~1";
    for listed in [None, Some(shown)] {
        let stage = with_rules();
        for (name, content) in LIES_AROUND {
            stage.write(name, content);
        }
        let before = stage.files();
        let agent = stage.agent("s1");
        agent.asked("Go");
        runs_held(&stage, &agent, command, listed);
        assert!(!stage.has(".gitignore"));
        let said = stage.toprope(&["undo", "--yes"]);
        assert_eq!(said.code, Some(3), "{}", said.whole());
        assert!(
            !said.whole().contains("Nothing to put back")
                && said.stderr.contains(".gitignore (changed by git)"),
            "{}",
            said.whole()
        );
        let (_, hint) = said.stderr.split_once("\n  git ").expect("git brings it back");
        let hint = format!("git {}", hint.lines().next().unwrap_or_default());
        let output = stage.world.shell(&hint);
        assert_eq!(output.code, Some(0), "{}", output.whole());
        assert_eq!(stage.files(), before);
    }
}

#[test]
fn rules_outside_the_tree_that_change_make_no_file_either() {
    let stage = Stage::new();
    stage.write(".git/info/exclude", ".env\n");
    stage.write(".env", "KEY=1\n");
    let agent = stage.agent("s1");
    agent.asked("Go");
    agent
        .runs_as(
            "./setup",
            ": > .git/info/exclude; echo KEY=2 >> .env; echo new > new.txt",
        )
        .stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.read(".env"), "KEY=1\nKEY=2\n");
    assert!(!stage.has("new.txt"), "what was made all the same goes");
}

#[test]
fn a_file_that_came_into_view_is_not_called_changed() {
    for told in [true, false] {
        let stage = Stage::new();
        stage.write(".gitignore", "ign.txt\n*.tmp\n");
        stage.world.git(&["add", ".gitignore"]);
        stage.world.git(&["commit", "-qm", "ignore"]);
        stage.write("ign.txt", "precious\n");
        stage.write("b.tmp", "mine\n");
        let agent = stage.agent("s1");
        agent.asked("One");
        let command = "sed -i /ign/d .gitignore; sed -i /tmp/d .gitignore";
        if told {
            agent.runs(command);
        } else {
            agent.runs_as("./setup", command);
        }
        agent.writes("c.txt", "c\n").stops();
        // What the person changes from then on is a change.
        stage.write("b.tmp", "mine again\n");
        let said = stage.toprope(&["rewind", "start", "--yes"]);
        assert_eq!(said.code, Some(0), "{}", said.whole());
        assert!(!said.whole().contains("ign.txt"), "{}", said.whole());
        assert_eq!(stage.read("ign.txt"), "precious\n");
        assert_eq!(stage.read("b.tmp"), "mine again\n");
        assert_eq!(stage.read(".gitignore"), "ign.txt\n*.tmp\n");
    }
}
