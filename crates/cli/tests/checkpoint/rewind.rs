//! `toprope rewind`: what the session changed since is taken back, and nothing else.

use crate::stage::Stage;
use fs_err as fs;
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn a_rewind_brings_back_the_state_of_a_turn_byte_for_byte() {
    let stage = Stage::new();
    stage.write("old.txt", "old\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let agent = stage.agent("s1");
    agent.asked("one").writes("src/one.rs", "one\n").stops();
    agent
        .asked("two")
        .writes("a.txt", "two\n")
        .runs("rm old.txt && printf x > made && chmod +x made")
        .stops();
    let wanted = stage.files();
    agent
        .asked("three")
        .writes("src/one.rs", "three\n")
        .writes("src/three.rs", "3")
        .stops();
    agent
        .asked("four")
        .runs("chmod -x made; rm a.txt; printf old > old.txt")
        .stops();
    agent
        .asked("five")
        .runs("rm -r src && mkdir -p deep/er && echo 5 > deep/er/five")
        .stops();
    let report = stage.rewind(&["t2"]);
    assert_eq!(stage.files(), wanted);
    assert!(!stage.has("deep"), "folders that our deletions empty go");
    assert_eq!(report["applied"], json!(true));
    assert_eq!(report["conflicts"], json!([]));
}

#[test]
fn what_would_be_done_is_shown_and_asked_and_the_way_back_is_told() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("Create user model")
        .writes("src/model.rs", "one\n")
        .stops();
    agent
        .asked("Add the login form")
        .writes("src/model.rs", "two\n")
        .stops();
    let helper = agent.launches("a3f2");
    helper.writes("src/login.rs", "form\n");
    helper.finishes();
    stage.settle();
    stage.write("notes.md", "mine\n");
    let other = stage.agent("s2");
    other
        .asked("Something else")
        .writes("src/api.rs", "api\n")
        .stops();
    let shown = stage.at_a_terminal(&["rewind", "t1", "--session", "s1"], &[("Go ahead? [y/N] ", "y")]);
    assert_said!(shown.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t1 "Create user model" ([id])
      restore  src/model.rs  changed in t2
      delete   src/login.rs  created in t2 by subagent a3f2
      leave    notes.md      changed outside the agents
      leave    src/api.rs    changed by session [day]-s2
    Go ahead? [y/N] y
    Rewound 2 files. Take it back with: toprope undo
    --- stderr
    "#);
    assert!(!stage.has("src/login.rs"));
    assert_eq!(stage.read("src/model.rs"), "one\n");
}

#[test]
fn who_says_no_changes_nothing() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by the agent\n").stops();
    let files = stage.files();
    let shown = stage.at_a_terminal(&["rewind", "start"], &[("Go ahead? [y/N] ", "n")]);
    assert_eq!(shown.code, Some(5), "{}", shown.whole());
    assert_eq!(stage.files(), files);
    assert_eq!(stage.toprope(&["undo", "--yes"]).code, Some(4));
}

#[test]
fn without_an_address_a_list_is_shown_to_choose_from() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("First thing").writes("a.txt", "first\n").stops();
    agent.asked("Second thing").writes("a.txt", "second\n").stops();
    let shown = stage.at_a_terminal(&["rewind"], &[("Which one?", "2"), ("Go ahead? [y/N] ", "y")]);
    assert_eq!(shown.code, Some(0), "{}", shown.whole());
    assert!(shown.stdout.contains("t1"), "{}", shown.stdout);
    assert!(shown.stdout.contains("First thing"), "{}", shown.stdout);
    assert_eq!(stage.read("a.txt"), "first\n");
    let none = stage.toprope(&["rewind", "--yes"]);
    assert_eq!(none.code, Some(2), "{}", none.whole());
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing_at_all() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("a.txt", "by the agent\n")
        .writes("b.txt", "new\n")
        .stops();
    stage.write("a.txt", "by the agent, and by me\n");
    stage.settle();
    stage.world.toprope(&["daemon", "stop"]).ok();
    let files = stage.files();
    let shadow = stage.world.repo().join(".git/toprope");
    let objects = || {
        stage
            .world
            .shell(&format!("find '{}' -type f | sort", shadow.display()))
            .ok()
    };
    let (before, rows) = (objects(), stage.rows());
    let shown = stage.world.toprope(&["rewind", "start", "--dry-run"]);
    assert_said!(shown.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to start "(nothing was changed yet)" ([id])
      delete  b.txt  created in t1
    --- stderr
    Nothing was changed: 1 file cannot be put back safely.
      a.txt  edited since
    Leave them out: --skip-conflicts. Overwrite them (undo brings them back): --force.
    "#);
    assert_eq!(stage.files(), files);
    assert_eq!(objects(), before);
    assert_eq!(stage.rows(), rows);
}

#[test]
fn programs_read_the_same_as_people() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one\n").stops();
    stage.write("notes.md", "mine\n");
    agent
        .asked("two")
        .writes("a.txt", "two\n")
        .writes("b.txt", "b\n")
        .stops();
    let report = stage.rewind(&["t1"]);
    assert_said!(serde_json::to_string_pretty(&report).unwrap(), @r#"
    {
      "target": "[id]",
      "scope": "session",
      "applied": true,
      "undo": "[id]",
      "rewind": "[id]",
      "actions": [
        {
          "path": "a.txt",
          "action": "restore",
          "by": "main",
          "from": "[object]",
          "to": "[object]"
        },
        {
          "path": "b.txt",
          "action": "delete",
          "by": "main",
          "from": "[object]",
          "to": null
        }
      ],
      "conflicts": [],
      "left": [
        {
          "path": "notes.md",
          "why": "outside"
        }
      ]
    }
    "#);
    let again = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(again.whole(), @r#"
    exit 3
    --- stdout
    Rewind claude-code [day]-s1 to t1 "(nothing was changed yet)" ([id])
      leave  notes.md  changed outside the agents
    --- stderr
    Nothing was put back: 1 file differs from t1: notes.md (changed outside the agents). To take back everybody's changes: --scope all --force
    "#);
}

#[test]
fn what_the_person_had_before_the_first_prompt_is_nobodys_and_survives_every_rewind() {
    let stage = Stage::new();
    for name in ["dirty.txt", "gone.txt", "staged.txt", "half.txt"] {
        stage.write(name, "committed\n");
    }
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("dirty.txt", "dirty\n");
    stage.write("staged.txt", "staged\n");
    stage.write("half.txt", "staged half\n");
    stage.world.git(&["add", "staged.txt", "half.txt"]);
    stage.write("half.txt", "and more\n");
    stage.write("untracked.txt", "mine\n");
    fs::remove_file(stage.path("gone.txt")).unwrap();
    let (files, index) = (stage.files(), fs::read(stage.path(".git/index")).unwrap());
    let agent = stage.agent("s1");
    agent.asked("one").writes("new.txt", "by the agent\n").stops();
    agent
        .asked("two")
        .runs("echo agent >> dirty.txt; echo agent > made; rm untracked.txt")
        .stops();
    assert!(
        stage
            .rows()
            .iter()
            .all(|row| !row.starts_with("baseline") || row.ends_with("outside")),
        "{:?}",
        stage.rows()
    );
    stage.rewind(&["start"]);
    assert_eq!(stage.files(), files);
    assert_eq!(fs::read(stage.path(".git/index")).unwrap(), index);
    stage.undo(&[]);
    stage.rewind(&["t1"]);
    assert_eq!(stage.read("dirty.txt"), "dirty\n");
    assert_eq!(stage.read("untracked.txt"), "mine\n");
    assert!(stage.has("new.txt") && !stage.has("made") && !stage.has("gone.txt"));
}

#[test]
fn an_ignored_file_the_agent_wrote_comes_back_and_others_are_left_alone() {
    let stage = Stage::new();
    stage.write(".gitignore", "*.log\n");
    stage.write("mine.log", "mine\n");
    let agent = stage.agent("s1");
    agent.asked("one").writes("agent.log", "one\n").stops();
    agent
        .asked("two")
        .writes("agent.log", "two\n")
        .writes("mine.log", "by the agent\n")
        .runs("echo shell > shell.log")
        .stops();
    let report = stage.rewind(&["t1"]);
    assert_eq!(stage.read("agent.log"), "one\n");
    assert_eq!(stage.read("mine.log"), "mine\n");
    assert_eq!(stage.read("shell.log"), "shell\n");
    assert_eq!(report["actions"].as_array().unwrap().len(), 2);
    stage.undo(&[]);
    assert_eq!(stage.read("agent.log"), "two\n");
    assert_eq!(stage.read("mine.log"), "by the agent\n");
    stage.rewind(&["start"]);
    assert!(!stage.has("agent.log"));
    assert_eq!(stage.read("mine.log"), "mine\n");
}

#[test]
fn links_exec_bits_line_endings_odd_names_and_filtered_files_come_back_byte_for_byte() {
    let stage = Stage::new();
    let odd = OsStr::from_bytes(b"od\xffd");
    stage.world.git(&["config", "core.autocrlf", "true"]);
    stage.world.git(&["config", "filter.shout.clean", "tr a-z A-Z"]);
    stage.world.git(&["config", "filter.shout.smudge", "cat"]);
    stage.write(".gitattributes", "*.loud filter=shout\n*.bin -text\n");
    stage.write("crlf.txt", "one\r\ntwo\r\n");
    stage.write("clean.txt", "as committed\r\n");
    stage.write("a.loud", "quiet\n");
    stage.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(stage.path("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(stage.world.repo().join(odd), b"odd\n").unwrap();
    symlink("a.txt", stage.path("link")).unwrap();
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let wanted = stage.files();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("crlf.txt", "agent\r\n")
        .writes("a.loud", "louder\n")
        .runs("chmod -x run.sh; ln -sf run.sh link; for f in od*; do echo changed > \"$f\"; done")
        .stops();
    assert_ne!(stage.files(), wanted);
    let changed = stage.files();
    stage.rewind(&["start"]);
    assert_eq!(stage.files(), wanted);
    stage.undo(&[]);
    assert_eq!(stage.files(), changed);
    stage.redo();
    assert_eq!(stage.files(), wanted);
}

#[test]
fn a_converted_file_that_only_a_command_touched_comes_back_as_a_checkout_gives_it() {
    let stage = Stage::new();
    stage.world.git(&["config", "filter.shout.clean", "tr a-z A-Z"]);
    stage.world.git(&["config", "filter.shout.smudge", "tr A-Z a-z"]);
    stage.write(".gitattributes", "*.loud filter=shout\n*.dos eol=crlf\n");
    stage.write("a.loud", "quiet\n");
    stage.write("a.dos", "one\r\ntwo\r\n");
    stage.write("gone.dos", "gone\r\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let wanted = stage.files();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .runs("sed -i s/one/two/ a.dos; echo louder > a.loud; rm gone.dos")
        .stops();
    let changed = stage.files();
    stage.rewind(&["start", "--path", "a.dos", "a.loud"]);
    stage.rewind(&["start"]);
    assert_eq!(stage.files(), wanted);
    stage.undo(&[]);
    assert!(!stage.has("gone.dos"));
    stage.undo(&[]);
    assert_eq!(stage.files(), changed);
    stage.redo();
    stage.redo();
    assert_eq!(stage.files(), wanted);
    assert_ne!(changed, wanted);
}

#[test]
fn a_link_that_became_a_file_and_a_file_that_became_a_folder_go_back() {
    let stage = Stage::new();
    symlink("a.txt", stage.path("link")).unwrap();
    stage.write("place", "a file\n");
    stage.write("folder/inner", "inner\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let wanted = stage.files();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .runs("rm link && echo text > link; rm place && mkdir place && echo x > place/x; rm -r folder && echo f > folder")
        .stops();
    stage.rewind(&["start"]);
    assert_eq!(stage.files(), wanted);
}

#[test]
fn a_rewind_across_a_commit_keeps_head_index_and_stash() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one by the agent\n").stops();
    agent
        .asked("two")
        .writes("a.txt", "two\n")
        .writes("b.txt", "b\n")
        .stops();
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "the work"]);
    stage.write("stashed.txt", "put aside\n");
    stage.world.git(&["stash", "-u", "-q"]);
    stage.settle();
    let kept = |stage: &Stage| {
        let git = |arguments: &[&str]| stage.world.git(arguments);
        (
            git(&["rev-parse", "HEAD"]),
            git(&["stash", "list"]),
            git(&["ls-files", "-s"]),
        )
    };
    let before = kept(&stage);
    let shown = stage.toprope(&["rewind", "t1", "--yes"]);
    assert_said!(shown.whole(), @r#"
    exit 0
    --- stdout
    Rewind claude-code [day]-s1 to t1 "one" ([id])
      restore  a.txt  changed in t2
      delete   b.txt  created in t2
    HEAD stays at [head] (1 commit since t1); the differences will show as uncommitted changes.
    Rewound 2 files. Take it back with: toprope undo
    --- stderr
    "#);
    assert_eq!(kept(&stage), before);
    assert_eq!(stage.read("a.txt"), "one by the agent\n");
    assert_eq!(stage.world.git(&["status", "--short"]), " M a.txt\n D b.txt\n");
}

#[test]
fn only_named_paths_are_touched_and_unchanged_files_keep_their_time_stamps() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent
        .asked("one")
        .writes("src/a", "a\n")
        .writes("src/b", "b\n")
        .writes("same", "s\n")
        .stops();
    let stamp = fs::metadata(stage.path("same")).unwrap().modified().unwrap();
    agent
        .asked("two")
        .writes("src/a", "a2\n")
        .writes("src/b", "b2\n")
        .writes("other/c", "c2\n")
        .runs("echo x > same; printf 's\\n' > same; touch -d '2020-01-01' same")
        .stops();
    let old = fs::metadata(stage.path("same")).unwrap().modified().unwrap();
    assert_ne!(stamp, old);
    stage.rewind(&["t1", "--path", "src/a"]);
    assert_eq!(
        (stage.read("src/a"), stage.read("src/b")),
        ("a\n".into(), "b2\n".into())
    );
    stage.rewind(&["t1", "--path", "src"]);
    assert_eq!(stage.read("src/b"), "b\n");
    assert!(stage.has("other/c"));
    stage.rewind(&["t1"]);
    assert!(!stage.has("other"));
    assert_eq!(fs::metadata(stage.path("same")).unwrap().modified().unwrap(), old);
}

#[test]
fn agents_at_work_are_told_which_files_changed_under_them() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "one\n").stops();
    agent
        .asked("two")
        .writes("a.txt", "two\n")
        .writes("b.txt", "b\n")
        .stops();
    stage.rewind(&["t1"]);
    let told = agent.agent.is_asked("three").context();
    assert_said!(told, @"A person put files back to the end of turn 1 (checkpoint [id]). Changed on disk: a.txt, b.txt (deleted). Your later edits to them are gone. Read a file again before editing it.");
    assert_eq!(agent.agent.is_asked("four").context(), "", "once");
}

#[test]
fn without_a_terminal_a_yes_is_needed_and_nothing_is_forced() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("a.txt", "by the agent\n").stops();
    let files = stage.files();
    let unasked = stage.toprope(&["rewind", "start"]);
    assert_said!(unasked.whole(), @"
    exit 2
    --- stdout
    --- stderr
    error: there is no terminal to ask at; nothing was changed
    hint: `--dry-run` shows what would be done, `--yes` does it
    ");
    let forced = stage.toprope(&["rewind", "start", "--yes", "--force"]);
    assert_eq!(forced.code, Some(5), "{}", forced.whole());
    assert_eq!(stage.toprope(&["undo"]).code, Some(2));
    assert_eq!(stage.files(), files);
    stage.rewind(&["start"]);
    assert_eq!(stage.read("a.txt"), "one\n");
}

#[test]
fn an_agent_may_not_rewind() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "b\n").stops();
    let mut command = stage.world.command(&["rewind", "start", "--yes"]);
    // The test itself stands for the agent.
    command
        .env("CLAUDECODE", "1")
        .env("CLAUDE_PID", std::process::id().to_string());
    let output = testkit::run(command, b"");
    assert_eq!(output.code, Some(5), "{}", output.whole());
    assert!(stage.has("b.txt"));
}

#[test]
fn a_rewind_waits_for_nobody_who_is_at_work_unless_told_to() {
    let stage = Stage::new();
    let agent = stage.agent("s1");
    agent.asked("one").writes("b.txt", "b\n").stops();
    agent.asked("two");
    agent.agent.runs("running", "sleep 100").ok();
    let busy = stage.toprope(&["rewind", "start", "--yes"]);
    assert_said!(busy.whole(), @"
    exit 3
    --- stdout
    --- stderr
    Nothing was changed: [day]-s1 is working here (turn 2, Bash for [time]). Wait, interrupt it, or add --while-running.
    ");
    assert!(stage.has("b.txt"));
    assert_eq!(stage.toprope(&["undo", "--yes"]).code, Some(4));
    stage.rewind(&["start", "--while-running"]);
    assert!(!stage.has("b.txt"));
    assert_eq!(stage.toprope(&["undo", "--yes"]).code, Some(3));
}

#[test]
fn a_process_that_is_gone_keeps_nobody_from_rewinding() {
    let mut stage = Stage::new();
    {
        let agent = stage.agent("s1");
        agent.asked("one").writes("b.txt", "b\n");
    }
    stage.settle();
    stage.world.toprope(&["daemon", "stop"]).ok();
    stage.world.restart_client();
    stage.rewind(&["start"]);
    assert!(!stage.has("b.txt"));
}
