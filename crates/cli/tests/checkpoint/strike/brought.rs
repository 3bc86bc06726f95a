//! What no checkpoint holds where it goes: repositories inside the project, and what the same text brought there first.

use super::*;

/// A project with a repository of its own inside, and a linked worktree.
fn with_repositories() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", "/wts/\n/target/\n");
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    let nested = stage.path("nested").display().to_string();
    stage.world.git(&["init", "-q", &nested]);
    stage.write("nested/own.txt", "only here\n");
    let linked = stage.path("wts/linked").display().to_string();
    stage.world.git(&["worktree", "add", "-q", "-b", "side", &linked]);
    stage.write("wts/linked/own.txt", "only here\n");
    stage
}

#[test]
fn a_clean_that_takes_a_repository_inside_the_project_never_passes() {
    let stage = with_repositories();
    for (command, named) in [
        ("git clean -ffd", "nested"),
        ("git clean -fdf", "nested"),
        ("git clean -d --force --force", "nested"),
        ("git clean -ffdx -e nested", "wts/linked"),
        ("git clean -ffdX", "wts/linked"),
        ("git clean -ff nested", "nested"),
    ] {
        let agent = stage.agent(command);
        agent.asked("one");
        let reason = never_passes(&agent, command);
        assert!(
            reason.contains(&format!("No checkpoint holds {named}, a repository of its own.")),
            "{command}: {reason}"
        );
    }
    let agent = stage.agent("unknown");
    agent.asked("one");
    never_passes(&agent, "git clean -ffd \"$WHERE\"");
    assert!(stage.has("nested/own.txt") && stage.has("wts/linked/own.txt"));
    // Git itself leaves them to a clean that is forced once.
    let agent = stage.agent("last");
    agent.asked("one");
    for command in ["git clean -fd", "git clean -fdx", "git clean -ffd -e nested"] {
        is_silent(&agent, command);
    }
    stage.write("new.txt", "new\n");
    is_held(&agent, "git clean -ffd -e nested");
}

/// A project whose files are all committed, and two files outside of it.
fn clean() -> Stage {
    let stage = Stage::new();
    stage.write(".gitignore", ".env\n/target/\n");
    for name in ["README.md", "docs/a.md", "docs/b.md", "src/lib.rs", "old/x.rs"] {
        stage.write(name, name);
    }
    stage.world.git(&["add", "."]);
    stage.world.git(&["commit", "-q", "-m", "more"]);
    stage.write(".env", "TOKEN=1\n");
    stage.write("target/debug/out", "made again\n");
    stage.write("../mine.txt", "only here\n");
    stage.write("../notes/one", "only here\n");
    stage
}

#[track_caller]
fn is_never_passed(stage: &Stage, command: &str) {
    let agent = stage.agent(command);
    agent.asked("one");
    let reason = never_passes(&agent, command);
    assert!(
        reason.contains("What the same command puts there first is in no checkpoint."),
        "{command}: {reason}"
    );
}

#[test]
fn what_the_same_text_moved_to_a_place_first_is_never_taken_away_with_it_on_a_strike() {
    let stage = clean();
    for command in [
        "mv ../mine.txt docs/ && rm -rf docs",
        "mv .env docs/ && rm -rf docs",
        "mv ../mine.txt docs && rm -rf docs/*",
        "mv -t docs ../mine.txt && rm -rf docs",
        "mv ../mine.txt docs/x.bak && rm -f docs/*.bak",
        "mv ../mine.txt README.md && rm README.md",
        "mv ../mine.txt new.md && rm new.md",
        "mv ../notes target/ && rm -rf target",
        "mv ../notes \"$PLACE\" && rm -rf docs",
        "mv ../mine.txt README.md && git checkout README.md",
        "mv ../mine.txt README.md && git checkout -- .",
        "mv ../mine.txt README.md && git restore README.md",
        "mv ../mine.txt README.md && git checkout HEAD -- README.md",
        "mv ../mine.txt README.md && git checkout -f",
        "mv ../mine.txt README.md; git reset --hard",
        "mv .env README.md; git reset --hard HEAD",
        "cd docs && mv ../../mine.txt a.md; git reset --hard",
        "mv ../mine.txt . && git clean -fd",
        "mv ../notes docs/ && git clean -fd docs",
        "tar --remove-files -cf docs/x.tar ../mine.txt && rm -rf docs",
        "tar cf docs/x.tar ../mine.txt --remove-files; git clean -fd",
        "zip -m docs/x.zip ../mine.txt && rm -rf docs",
        "zip -qm docs/x ../mine.txt && rm -f docs/x.zip",
        "rsync -a --remove-source-files ../notes/ docs/ && rm -rf docs",
    ] {
        is_never_passed(&stage, command);
    }
}

#[test]
fn what_the_same_text_took_out_of_the_stash_is_never_thrown_away_on_a_strike() {
    let stage = clean();
    stage.write("README.md", "stashed\n");
    stage.world.git(&["stash"]);
    for command in [
        "git stash pop && git reset --hard",
        "git stash pop -q && git checkout .",
        "git stash pop && git restore README.md",
        "git stash pop && git checkout -f main",
        "git stash pop --index; git clean -fd",
        "git stash branch x && git reset --hard",
        "git stash pop -q; rm README.md",
        "git stash pop; rm -rf docs",
    ] {
        is_never_passed(&stage, command);
    }
}

#[test]
fn what_was_put_elsewhere_changes_nothing_for_what_is_taken_away() {
    let stage = clean();
    let agent = stage.agent("s1");
    agent.asked("one");
    for command in [
        "mv docs/a.md docs/c.md && git add -A",
        "mkdir -p x && mv README.md x/ && rm -rf target",
        "mv target/debug/out . && rm -rf target",
        "mv ../mine.txt docs/ && git checkout README.md",
        "mv ../mine.txt docs/ && git restore src",
        "mv ../mine.txt docs/ && git checkout main",
        "mv ../mine.txt docs/ && git clean -fd src",
        "mv README.md READ.md && rm -rf gone target/debug",
        "mv README.md docs/ && rm -rf docs/gone target",
        "mv ../mine.txt docs/ && rm README.md",
        "git mv README.md READ.md && git checkout .",
        "ln -s README.md link && rm link",
        "ln -s README.md link; git checkout .",
        "git stash && git checkout . && git stash pop",
        "git stash pop; rm -rf target",
        "git stash pop && git checkout main",
        "git stash apply && git checkout .",
        "git reset --hard && mv ../mine.txt docs/",
    ] {
        is_silent(&agent, command);
    }
    // What comes from below the place itself is held under its old name.
    for command in [
        "mv docs/a.md docs/c.md && rm -rf docs",
        "mv old/* . && rm -rf old",
    ] {
        is_held(&agent, command);
    }
    stage.write("untracked.patch", "new\n");
    is_silent(&agent, "git stash pop; rm untracked.patch");
}
