//! What is counted is what then changes on the disk, and where nothing is lost nothing is held.

use super::*;

#[test]
fn counts_say_what_then_changes_on_the_disk() {
    let stage = furnished();
    let counts = [
        (
            "git reset --hard",
            "would throw away changes in 3 files (a.txt, src/lib.rs, staged.txt).",
        ),
        (
            "git checkout .",
            "would throw away changes in 2 files (a.txt, src/lib.rs).",
        ),
        (
            "git checkout -- src",
            "would throw away changes in 1 file (src/lib.rs).",
        ),
        (
            "git checkout HEAD -- .",
            "would throw away changes in 2 files (a.txt, src/lib.rs).",
        ),
        (
            "git restore --source=HEAD .",
            "would throw away changes in 3 files (a.txt, src/lib.rs, staged.txt).",
        ),
        (
            "git checkout HEAD~1 -- .",
            "would throw away changes in 1 file (a.txt).",
        ),
        (
            "git reset --merge",
            "would throw away changes in 1 file (staged.txt).",
        ),
        (
            "git branch -f topic HEAD~1",
            "would take branch topic off commits that may have no other name.",
        ),
        ("git clean -fd", "would remove 3 files ("),
        ("git clean -fdX", "would remove 3 files ("),
        ("git clean -f", "would remove 2 files (src/link, src/new.rs)"),
        ("rm -f a.txt", "would remove a.txt."),
        ("rm -rf src", "would remove 4 files in src."),
        ("rm -rf src b.txt gone", "would remove 5 files (src, b.txt)."),
    ];
    for (number, (command, said)) in counts.into_iter().enumerate() {
        let agent = stage.agent(&format!("s{number}"));
        agent.asked("one");
        let reason = is_held(&agent, command);
        let first = reason.lines().next().unwrap_or_default();
        assert!(first.starts_with(&format!("`{command}` {said}")), "{reason}");
    }
    stage.write("node_modules/x/index.js", "made again\n");
    let agent = stage.agent("last");
    agent.asked("one");
    let reason = is_held(&agent, "git clean -fdx");
    assert!(
        reason.starts_with("`git clean -fdx` would remove 6 files that no commit has, and 1 file that builds make again.\nThese are "),
        "{reason}"
    );
}

#[test]
fn as_many_files_change_as_were_counted() {
    for (command, said, changes) in [
        ("git checkout HEAD~1 -- .", "changes in 1 file", 1),
        ("git checkout HEAD -- .", "changes in 2 files", 2),
        ("git restore --source=HEAD .", "changes in 3 files", 3),
        ("git reset --merge", "changes in 1 file", 1),
        ("rm -rf linkdir", "would remove linkdir", 1),
    ] {
        let stage = furnished();
        symlink("src", stage.path("linkdir")).expect("a link");
        let before = stage.files();
        let agent = stage.agent("s1");
        agent.asked("one");
        let reason = is_held(&agent, command);
        assert!(reason.contains(said), "{reason}");
        let id = runs(&agent, command);
        let after = stage.files();
        let changed = before.iter().filter(|file| !after.contains(file)).count();
        assert_eq!(changed, changes, "{command}");
        stage.undo(&[&id]);
        assert_eq!(stage.files(), before, "{command}");
    }
}

#[test]
fn where_nothing_is_lost_nothing_is_held() {
    let stage = Stage::new();
    stage.write("b.txt", "b\n");
    stage.write(".gitignore", "/build/\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("new.txt", "not known to git\n");
    stage.write("build/out.o", "made again\n");
    stage.world.git(&["rm", "-q", "--cached", "a.txt"]);
    stage.world.git(&["reset", "-q"]);
    fs::remove_file(stage.path("a.txt")).expect("it was there");
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "git reset --hard",
        "git reset --hard HEAD",
        "git reset --hard main",
        "git checkout .",
        "git checkout -- a.txt",
        "git restore b.txt",
        "git clean -fdX",
        "git stash push",
        "rm -f gone.txt",
        "rm -rf gone",
        "rm -rf build",
        "rm -f /tmp/toprope-test-of-nobody",
        "truncate -s 0 gone.txt",
    ] {
        is_silent(&agent, command);
    }
    is_held(&agent, "git clean -f");
    stage.write("b.txt", "changed\n");
    is_held(&agent, "git reset --hard");
    is_silent(&agent, "git restore --staged b.txt");
}

#[test]
fn commits_that_only_the_branch_has_are_counted_and_kept() {
    let stage = Stage::new();
    stage.world.git(&["branch", "start"]);
    for name in ["one", "two"] {
        stage.write(name, name);
        stage.world.git(&["add", "."]);
        stage.world.git(&["commit", "-q", "-m", name]);
    }
    let agent = stage.agent("s1");
    agent.asked("one");
    let reason = is_held(&agent, "git reset --hard start");
    assert!(
        reason.starts_with("`git reset --hard start` would throw away 2 commits no other name leads to."),
        "{reason}"
    );
    is_held(&agent, "git reset --hard HEAD~1");
    stage.world.git(&["branch", "other"]);
    is_silent(&agent, "git reset --hard start");
}

#[test]
fn a_clean_names_our_hooks_and_values_nobody_has_elsewhere() {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\n.claude/settings.local.json\n*.o\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let entry = json!({ "type": "command", "command": "toprope hook claude-code" });
    let hooks = json!({ "hooks": { "PreToolUse": [{ "hooks": [entry] }] } });
    stage.write(".claude/settings.local.json", hooks.to_string());
    stage.write(".env", "TOKEN=1\n");
    stage.write("z.o", "made again\n");
    for number in 1..=4 {
        stage.write(&format!("draft{number}.md"), "new\n");
    }
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one");
    // However often it is tried: with it goes what would stop the next one.
    for _ in 0..2 {
        let reason = tries(&agent, "git clean -fdx").denial().unwrap_or_default();
        assert!(reason.ends_with("[self.settings]"), "{reason}");
        let first = reason.lines().next().unwrap_or_default();
        assert!(
            first.contains("would remove 6 files that no commit has, and 1 file that builds make again."),
            "{reason}"
        );
        assert!(first.chars().count() <= 120, "{reason}");
        assert!(
            reason.contains("\nAmong them .claude/settings.local.json with Toprope's hooks and .env."),
            "{reason}"
        );
        assert!(reason.contains("-e .claude"), "{reason}");
    }
    let left_out = "git clean -fdx -e .claude";
    let reason = is_held(&agent, left_out);
    assert!(reason.contains("would remove 5 files"), "{reason}");
    let id = runs(&agent, left_out);
    assert!(stage.has(".claude/settings.local.json") && !stage.has(".env"));
    stage.undo(&[&id]);
    let left: Vec<_> = before.iter().filter(|(name, _)| name != "z.o").cloned().collect();
    assert_eq!(
        stage.files(),
        left,
        "what builds make again is not kept, and not promised"
    );
}
