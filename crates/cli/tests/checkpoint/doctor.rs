//! What `doctor`, `status`, `uninstall` and `checkpoint prune` say of checkpoints, and what they do with them.

use crate::world;
use testkit::World;

const SHADOW: &str = ".git/toprope/shadow.git";

/// A world in which an agent did a turn's work.
fn with_work() -> World {
    let world = world();
    let agent = world.agent("one");
    agent.starts().ok();
    agent.is_asked("go").ok();
    world.settled();
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    world
}

/// What the doctor says of checkpoints, with what differs from run to run named instead.
fn said(world: &World) -> String {
    let page = world.toprope(&["doctor"]).stdout;
    let mut kept = Vec::new();
    let mut is_ours = false;
    for line in page.lines() {
        is_ours =
            line.contains("  checkpoints ") || (is_ours && line.contains("hint: ") && line.starts_with(' '));
        if is_ours {
            kept.push(masked(world, line));
        }
    }
    kept.join("\n")
}

fn masked(world: &World, text: &str) -> String {
    let text = text.replace(&*world.repo().to_string_lossy(), "[repo]");
    let text = text.replace(&*world.home().to_string_lossy(), "[home]");
    let words = text.split(' ').map(|word| {
        let bare = word.trim_end_matches([',', '.']);
        let is_id = bare.len() >= 8 && bare.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_id {
            word.replace(bare, "[id]")
        } else {
            word.to_owned()
        }
    });
    let text = words.collect::<Vec<_>>().join(" ");
    // The shadow's size depends on how well it packs.
    let Some((before, rest)) = text.split_once(" KiB in ") else {
        return text;
    };
    let (before, _) = before.rsplit_once(' ').unwrap_or_default();
    format!("{before} [n] KiB in {rest}")
}

#[test]
fn a_project_without_checkpoints_is_well() {
    let world = world();
    world.agent("one").starts().ok();
    world.settled();
    insta::assert_snapshot!(said(&world), @"
    ok    checkpoints    none yet; the first prompt of an agent makes one
    ");
}

#[test]
fn where_they_are_switched_off_it_says_so() {
    let world = world();
    let file = world.home().join(".config/toprope/config.toml");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, "[checkpoints]\nenabled = false\n").unwrap();
    let agent = world.agent("one");
    agent.starts().ok();
    agent.is_asked("go").ok();
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    insta::assert_snapshot!(said(&world), @"ok    checkpoints    switched off in the settings");
    assert!(world.toprope(&["status"]).ok().contains("checkpoints off\n"));
    assert!(!world.repo().join(".git/toprope").exists());
}

#[test]
fn whole_checkpoints_are_counted_and_held_commits_are_named() {
    let world = with_work();
    insta::assert_snapshot!(said(&world), @"
    ok    checkpoints    3 of 1 session, [n] KiB in .git/toprope/shadow.git
    ok    checkpoints    1 commit is held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`
    ");
    let status = world.toprope(&["status"]).ok();
    assert!(status.contains("checkpoints on, 3 here\n"), "{status}");
    let json = world.toprope(&["status", "--json"]).json().unwrap();
    assert_eq!(
        json.pointer("/projects/0/checkpoints").unwrap(),
        &serde_json::json!({ "enabled": true, "count": 3 })
    );
}

#[test]
fn a_missing_shadow_and_one_that_was_set_aside_are_told() {
    let world = with_work();
    world.toprope(&["daemon", "stop"]).ok();
    fs_err::rename(
        world.repo().join(SHADOW),
        world.repo().join(format!("{SHADOW}.broken-17")),
    )
    .unwrap();
    insta::assert_snapshot!(said(&world), @"
    fail  checkpoints    3 checkpoints are recorded, and their objects are gone: there is no .git/toprope/shadow.git
                         hint: toprope checkpoint create
    warn  checkpoints    a damaged shadow repository was set aside: .git/toprope/shadow.git.broken-17
                         hint: git --git-dir='[repo]/.git/toprope/shadow.git.broken-17' fsck
    ok    checkpoints    1 commit is held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`
    ");
}

#[test]
fn a_damaged_shadow_is_told_until_it_is_set_aside() {
    let world = with_work();
    world.toprope(&["daemon", "stop"]).ok();
    fs_err::write(world.repo().join(SHADOW).join("HEAD"), "nonsense").unwrap();
    fs_err::remove_dir_all(world.repo().join(SHADOW).join("objects")).unwrap();
    insta::assert_snapshot!(said(&world), @"
    fail  checkpoints    .git/toprope/shadow.git cannot be read: the shadow repository is damaged: [repo]/.git/toprope/shadow.git/HEAD names no branch
                         hint: the next checkpoint sets it aside and begins anew; nothing is deleted
    ok    checkpoints    1 commit is held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`
    ");
}

#[test]
fn what_may_be_missing_is_told_with_the_checkpoint_it_is_missing_in() {
    let world = with_work();
    world
        .database()
        .run(r#"UPDATE checkpoints SET degraded = '["scan"]' WHERE kind = 'turn'"#);
    insta::assert_snapshot!(said(&world), @"
    ok    checkpoints    3 of 1 session, [n] KiB in .git/toprope/shadow.git
    warn  checkpoints    Checkpoint [id] may miss shell changes: the scan took longer than 20 s.
                         hint: toprope checkpoint show [id]
    ok    checkpoints    1 commit is held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`
    ");
}

#[test]
fn trouble_is_told_for_a_day_by_how_much_it_matters() {
    let world = with_work();
    let now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
    let names = [
        ("checkpoint-failed", "no space left on device"),
        ("rewind-not-settled", "permission denied"),
        ("transcript-refused", "it is a link"),
        ("transcript-unreadable", "t.jsonl at byte 7"),
        ("scan-disagreed", "a.txt was named and did not change"),
        ("too-many-files", "more than 20000 files"),
    ];
    for (name, text) in names {
        world.database().run(&format!(
            "INSERT INTO counters (name, count, last_text, last_at) VALUES ('{name}', 2, '{text}', {now} - 120000)
             ON CONFLICT DO UPDATE SET count = 2, last_text = excluded.last_text, last_at = excluded.last_at"
        ));
    }
    insta::assert_snapshot!(said(&world), @"
    ok    checkpoints    3 of 1 session, [n] KiB in .git/toprope/shadow.git
    ok    checkpoints    1 commit is held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`
    fail  checkpoints    2 pieces of work for checkpoints failed, the last 2 min ago: no space left on device
                         hint: df -h . && ls -ld .git/toprope
    fail  checkpoints    2 times a rewind that was cut short could not be looked at, the last 2 min ago: permission denied
                         hint: toprope undo --list
    warn  checkpoints    2 times a transcript was not read, the last 2 min ago: it is a link
                         hint: toprope log --events
    warn  checkpoints    2 lines of transcripts could not be read, the last 2 min ago: t.jsonl at byte 7
                         hint: toprope usage
    ok    checkpoints    2 times a call said something else of a file than was found, the last 2 min ago: a.txt was named and did not change
    ok    checkpoints    2 times a folder without git had more files than are kept, the last 2 min ago: more than 20000 files
    ");
    assert_eq!(world.toprope(&["doctor"]).code, Some(11), "red");
    world
        .database()
        .run("UPDATE counters SET last_at = last_at - 90000000");
    assert!(!said(&world).contains("space left"));
}

#[test]
fn a_rewind_that_nobody_came_across_yet_is_told() {
    let world = with_work();
    world.write(&format!("{SHADOW}/journal/c0de55aa0912"), "cut short");
    let said = said(&world);
    insta::assert_snapshot!(said, @"
    ok    checkpoints    3 of 1 session, [n] KiB in .git/toprope/shadow.git
    warn  checkpoints    A rewind was cut short and is not settled yet.
                         hint: toprope checkpoint list settles it
    ok    checkpoints    1 commit is held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`
    ");
}

#[test]
fn what_calls_and_files_disagree_about_is_counted() {
    let world = with_work();
    let agent = world.agent("one");
    agent.is_asked("again").ok();
    world.settled();
    agent.writes("b.txt", "b\n");
    world.settled();
    let input = serde_json::json!({ "command": "sed -i s/one/two/ a.txt" });
    let call = agent.call("Bash", &input);
    call.begins().ok();
    world.write("a.txt", "two\n");
    world.write("silent.txt", "nobody said so\n");
    let changed = serde_json::json!({
        "stdout": "", "bashEditDiff": { "changedFiles": [world.repo().join("a.txt")], "moreFiles": 0 }
    });
    call.ends(&changed).ok();
    call.ends_step().ok();
    agent.stops().ok();
    world.settled();
    let rows = world
        .database()
        .rows("SELECT count, last_text FROM counters WHERE name = 'scan-disagreed'");
    assert_eq!(rows, ["2|silent.txt changed and was not named"]);
}

#[test]
fn uninstall_keeps_checkpoints_unless_it_is_told_to_remove_them() {
    let world = with_work();
    world.toprope(&["daemon", "stop"]).ok();
    let of = |arguments: &[&str]| {
        let text = world.toprope(arguments).ok();
        let line = text
            .lines()
            .find(|line| line.starts_with("checkpoints"))
            .unwrap_or_default();
        masked(&world, line)
    };
    insta::assert_snapshot!(of(&["uninstall", "--dry-run"]), @"checkpoints   .git/toprope                 would be kept; `--purge-checkpoints` would remove them");
    insta::assert_snapshot!(of(&["uninstall", "--dry-run", "--purge-checkpoints"]), @"checkpoints   .git/toprope                 would be removed, with what holds commits for them");
    insta::assert_snapshot!(of(&["uninstall"]), @"checkpoints   .git/toprope                 kept; `toprope uninstall --purge-checkpoints` removes them");
    assert!(world.repo().join(SHADOW).exists());
    assert_eq!(
        of(&["uninstall", "--scope", "local"]),
        "",
        "one scope is not the end"
    );
    insta::assert_snapshot!(of(&["uninstall", "--purge-checkpoints"]), @"checkpoints   .git/toprope                 removed, and 1 commit no longer held");
    assert!(!world.repo().join(".git/toprope").exists());
    assert_eq!(world.git(&["for-each-ref", "refs/toprope"]), "");
    assert_eq!(world.database().number("SELECT count(*) FROM checkpoints"), 0);
    assert_eq!(of(&["uninstall"]), "", "there is nothing left to speak of");
    assert_eq!(world.read("b.txt"), "b\n");
}

#[test]
fn a_person_at_a_terminal_is_asked_and_a_mere_return_keeps_them() {
    for (answer, is_kept) in [("\\n", true), ("y\\n", false)] {
        let world = with_work();
        world.toprope(&["daemon", "stop"]).ok();
        let binary = env!("CARGO_BIN_EXE_toprope");
        let script = format!("printf '{answer}' | script -qec '{binary} uninstall' /dev/null");
        let page = world.shell(&script).ok();
        assert!(
            page.contains("Remove the checkpoints of this project as well"),
            "{page}"
        );
        assert_eq!(world.repo().join(SHADOW).exists(), is_kept, "{page}");
    }
}

#[test]
fn prune_shows_asks_and_drops() {
    let world = with_work();
    let agent = world.agent("one");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "all"]);
    agent.is_asked("link").ok();
    agent.stops().ok();
    agent.leaves().ok();
    world.settled();
    let file = world.home().join(".config/toprope/config.toml");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, "[checkpoints]\nkeep_last = 1\n").unwrap();
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = [&["checkpoint", "prune"][..], arguments].concat();
        let output = world.toprope(&all);
        let lines = output
            .stdout
            .lines()
            .map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>().join(" "));
        let sizes = output
            .stderr
            .split("; ")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned();
        (output.code, lines.collect::<Vec<_>>(), sizes)
    };
    let none = Vec::<String>::new();
    assert_eq!(
        run(&["--dry-run"]),
        (Some(0), none.clone(), "Nothing to drop.".to_owned())
    );
    let would = [
        "t1.1 Edit b.txt".to_owned(),
        "start (nothing was changed yet)".to_owned(),
    ]
    .to_vec();
    assert_eq!(
        run(&["--before", "0s", "--dry-run"]),
        (Some(0), would.clone(), "2 checkpoints would go.".to_owned())
    );
    assert_eq!(run(&["--before", "0s"]).0, Some(2), "nobody to ask");
    assert_eq!(world.database().number("SELECT count(*) FROM checkpoints"), 3);
    assert_eq!(
        run(&["--before", "0s", "--yes"]),
        (Some(0), would, "Dropped 2 checkpoints".to_owned())
    );
    assert_eq!(world.database().number("SELECT count(*) FROM checkpoints"), 1);
    assert_eq!(run(&["--session", "nobody", "--yes"]).0, Some(4));
}
