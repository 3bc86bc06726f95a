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
fn commits_that_a_branch_would_leave_without_a_name_are_counted() {
    let stage = Stage::new();
    stage.world.git(&["branch", "start"]);
    stage.world.git(&["checkout", "-q", "-b", "topic"]);
    for name in ["one", "two"] {
        stage.write(name, name);
        stage.world.git(&["add", "."]);
        stage.world.git(&["commit", "-q", "-m", name]);
    }
    stage.world.git(&["checkout", "-q", "start"]);
    for (command, count) in [
        ("git branch -f topic start", "2 commits"),
        ("git branch -f topic topic~1", "1 commit"),
        ("git branch -D topic", "2 commits"),
        ("git branch -M start topic", "2 commits"),
    ] {
        let agent = stage.agent(command);
        agent.asked("one");
        let reason = is_held(&agent, command);
        let said = format!("`{command}` would take branch topic off {count} no other name leads to.");
        assert!(reason.starts_with(&said), "{reason}");
    }
    let agent = stage.agent("last");
    agent.asked("one");
    // A new name, and one that moves forward, lose nothing.
    for command in [
        "git branch -f new topic",
        "git branch -f start topic",
        "git branch -M fresh",
    ] {
        is_silent(&agent, command);
    }
    stage.world.git(&["tag", "kept", "topic"]);
    is_silent(&agent, "git branch -f topic start");
    is_silent(&agent, "git branch -D topic");
}

#[test]
fn names_that_are_not_alone_or_not_there_are_nothing_to_lose() {
    let stage = Stage::new();
    stage.world.git(&["branch", "merged"]);
    stage.world.git(&["tag", "v9"]);
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "git tag -d nope",
        "git tag -d v9",
        "git branch -D nope",
        "git branch -D merged",
        "git checkout main && git branch -D merged",
        "git stash drop",
        "git stash clear",
    ] {
        is_silent(&agent, command);
    }
    // What the same text makes first, or what has no other name, is lost.
    stage.world.git(&["tag", "-a", "-m", "told at length", "v10"]);
    stage.world.git(&["checkout", "-q", "-b", "topic"]);
    stage.write("one", "one");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "one"]);
    stage.world.git(&["tag", "alone"]);
    stage.world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    stage.write("two", "two");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "two"]);
    fs::write(stage.world.home().join("there.txt"), "theirs\n").expect("a file");
    for command in [
        "git tag -d v10",
        "git tag -d alone",
        "git checkout main && git branch -D topic",
        "git checkout -b new && git commit --allow-empty -m x && git checkout main && git branch -D new",
        "git stash && git stash drop",
        "rm -f ~/there.txt",
        "mv ~/there.txt ~/nope.txt && rm -f ~/nope.txt",
        "ln -s ~ ~/nope && rm -f ~/nope/there.txt",
    ] {
        let answer = tries(&agent, command);
        assert!(decision(&answer).is_some(), "{command}: {}", answer.whole());
    }
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
        assert!(
            reason.contains("\nLook at what would go with `git clean -n -d -x`, and ask the person. ["),
            "{reason}"
        );
        is_silent(&agent, "git clean -n -d -x");
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

/// A project with committed folders, and work in progress elsewhere.
fn committed() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", "*.orig\n*.tmp\n/node_modules/\nbuild/\n");
    for name in [
        "src/old/one.rs",
        "src/old/deep/two.rs",
        "src/lib.rs",
        "web/[id]/page.ts",
        "b.txt",
    ] {
        stage.write(name, name);
    }
    symlink("one.rs", stage.path("src/old/link")).expect("a link");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write("draft.md", "never committed\n");
    stage.write("src/lib.rs", "changed\n");
    stage
}

#[test]
fn a_pattern_that_matches_nothing_is_nothing_to_lose() {
    let stage = committed();
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "rm -rf build-*/",
        "rm -f *.orig",
        "rm -f *.bak src/*.bak",
        "rm -rf src/*/gone",
        "find . -name '*.bak' -delete",
        "find src -name '*.rej' | xargs rm -f",
        "cd 'web/[id]' && rm -f *.orig",
        "rm -rf tmp-[0-9]* ?.o",
    ] {
        is_silent(&agent, command);
    }
    // What does match counts, however it is spelled.
    stage.write("build-1/out", "1\n");
    stage.write("a.orig", "a\n");
    stage.write(".b.bak", "b\n");
    stage.write("web/[id]/x.rej", "x\n");
    for command in [
        "rm -rf build-*/",
        "rm -f *.orig",
        "find . -name '*.bak' -delete",
        "find . -iname '*.BAK' -delete",
        "cd 'web/[id]' && rm -f *.rej",
        "rm -f web/\\[id\\]/*.rej",
        "find 'web/[id]' -name '*.rej' -delete",
        "mv draft.md x.bak && rm -f *.bak",
    ] {
        let agent = stage.agent(command);
        agent.asked("one");
        assert!(decision(&tries(&agent, command)).is_some(), "{command}");
    }
    // The repository's own files are no part of a checkpoint.
    stage.world.git(&["gc", "-q"]);
    assert!(decision(&tries(&agent, "find . -name '*.pack' -delete")).is_some());
}

#[test]
fn the_removal_of_what_a_commit_has_is_nothing_to_lose() {
    let stage = committed();
    stage.write("src/old/build/made.o", "made again\n");
    let before = stage.files();
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "rm -rf src/old",
        "rm -rf src/old/",
        "rm -f b.txt",
        "rm -rf src/old b.txt gone",
        "rm -rf src/ol*",
        "rm -f src/old/*.rs",
        "find src/old -name '*.rs' -delete",
        "find src/old -type f -delete",
        "truncate -s 0 b.txt",
        "> b.txt",
    ] {
        is_silent(&agent, command);
    }
    // Everything comes back, by git and by a rewind.
    agent.runs("rm -rf src/old").stops();
    assert!(!stage.has("src/old/one.rs"));
    stage.rewind(&["start"]);
    let is_kept = |name: &str| !name.starts_with("src/old/build");
    let kept: Vec<_> = before.into_iter().filter(|(name, _)| is_kept(name)).collect();
    assert_eq!(stage.files(), kept);
}

#[test]
fn what_the_same_text_brings_out_of_a_stash_first_is_no_commits() {
    let stage = committed();
    stage.write("src/old/one.rs", "stashed\n");
    stage.world.git(&["stash"]);
    let agent = stage.agent("s1");
    agent.asked("one");
    let answer = tries(&agent, "git stash pop && rm -rf src/old");
    assert!(decision(&answer).is_some(), "{}", answer.whole());
    is_silent(&agent, "git stash list && rm -rf src/old");
}

/// A way in which a committed folder becomes one that holds something no commit has.
type Spoiling = (&'static str, fn(&Stage));

const SPOILINGS: [Spoiling; 9] = [
    ("changed", |stage| stage.write("src/old/one.rs", "changed\n")),
    ("untracked", |stage| stage.write("src/old/deep/new.rs", "new\n")),
    ("ignored", |stage| stage.write("src/old/deep/a.tmp", "ignored\n")),
    ("like a build's", |stage| stage.write("src/old/dist/a", "a\n")),
    ("staged", |stage| {
        stage.write("src/old/one.rs", "staged\n");
        stage.world.git(&["add", "src/old"]);
    }),
    ("another link", |stage| {
        fs::remove_file(stage.path("src/old/link")).expect("it was there");
        symlink("deep", stage.path("src/old/link")).expect("a link");
    }),
    ("marked as unchanged", |stage| {
        let marked = ["update-index", "--assume-unchanged", "src/old/one.rs"];
        stage.world.git(&marked);
        stage.write("src/old/one.rs", "changed in secret\n");
    }),
    ("marked as left out", |stage| {
        let marked = ["update-index", "--skip-worktree", "src/old/one.rs"];
        stage.world.git(&marked);
        stage.write("src/old/one.rs", "changed in secret\n");
    }),
    ("a repository of its own", |stage| {
        let nested = stage.path("src/old/nested").display().to_string();
        stage.world.git(&["init", "-q", &nested]);
    }),
];

#[test]
fn a_folder_with_one_file_that_no_commit_has_is_held() {
    for (what, spoil) in SPOILINGS {
        let stage = committed();
        spoil(&stage);
        for command in ["rm -rf src/old", "rm -rf src/o*", "find src/old -delete"] {
            let agent = stage.agent(command);
            agent.asked("one");
            let answer = tries(&agent, command);
            assert!(
                decision(&answer).is_some(),
                "{what}: {command}: {}",
                answer.whole()
            );
        }
    }
}

/// A way in which git calls a file unchanged whose bytes no commit has.
const DISGUISES: [Spoiling; 5] = [
    ("a filter that leaves lines out", |stage| {
        stage
            .world
            .git(&["config", "filter.strip.clean", "sed /output/d"]);
        stage.world.git(&["config", "filter.strip.smudge", "cat"]);
        stage.write(".gitattributes", "*.rs filter=strip\n");
        stage.write("src/old/one.rs", "cell\noutput of hours\n");
    }),
    ("an identity", |stage| {
        stage.write(".gitattributes", "*.rs ident\n");
        stage.write("src/old/one.rs", "$Id: told by hand $\n");
    }),
    ("mixed line ends", |stage| {
        stage.write(".gitattributes", "*.rs text\n");
        stage.write("src/old/one.rs", "one\r\ntwo\n");
    }),
    ("a mode git does not look at", |stage| {
        stage.world.git(&["config", "core.fileMode", "false"]);
        let may_run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(stage.path("src/old/one.rs"), may_run).expect("a mode");
    }),
    ("more than is compared", |stage| {
        let file = fs::File::create(stage.path("src/old/one.rs")).expect("a file");
        file.set_len(65 * 1024 * 1024).expect("a length");
    }),
];

#[test]
fn what_git_calls_unchanged_is_no_commits_where_the_bytes_differ() {
    for (what, disguise) in DISGUISES {
        let stage = committed();
        disguise(&stage);
        stage.world.git(&["add", "src/old"]);
        stage
            .world
            .git(&["commit", "-q", "--allow-empty", "-m", "disguised"]);
        let status = stage.world.git(&["status", "--porcelain", "--", "src/old"]);
        assert_eq!(status, "", "{what}");
        for command in ["rm -rf src/old", "rm -f src/old/*.rs", "> src/old/one.rs"] {
            let agent = stage.agent(command);
            agent.asked("one");
            let answer = tries(&agent, command);
            let is_stopped = decision(&answer).is_some();
            assert!(is_stopped, "{what}: {command}: {}", answer.whole());
        }
        let agent = stage.agent("beside");
        agent.asked("one");
        is_silent(&agent, "rm -rf src/old/deep");
    }
}
