//! The strategy `commit`: a turn makes a commit of its own work, or says why not.

use crate::world;
use testkit::World;

/// A world whose person wants commits, on a branch that is theirs.
fn wanting_commits(more: &str) -> World {
    let world = world();
    world.has_settings(&format!("[checkpoints]\nstrategy = 'commit'\n{more}"));
    world.git(&["config", "user.name", "Me"]);
    world.git(&["config", "user.email", "me@example.invalid"]);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world
}

/// A turn in which an agent does this in a shell, or writes `work.txt`.
fn turn(world: &World, prompt: &str, command: Option<&str>) {
    let agent = world.agent("one");
    agent.starts().ok();
    agent.is_asked(prompt).ok();
    match command {
        Some(command) => drop(agent.shell(command)),
        None => drop(agent.writes("work.txt", &format!("{prompt}\n"))),
    }
    agent.stops().ok();
    world.settled();
}

fn head(world: &World) -> String {
    world.git(&["rev-parse", "HEAD"])
}

fn notices(world: &World) -> Vec<String> {
    world
        .database()
        .rows("SELECT text FROM notices WHERE kind = 'checkpoints.commit' ORDER BY id")
}

fn executable(world: &World, path: &str, text: &str) {
    world.write(path, text);
    world.shell(&format!("chmod +x {path}")).ok();
}

/// The turn ends in a checkpoint, no commit, and this word to the person.
#[track_caller]
fn assert_refused(world: &World, before: &str) -> String {
    assert_eq!(head(world), before);
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM checkpoints WHERE kind = 'turn'"),
        1
    );
    let notices = notices(world);
    assert_eq!(notices.len(), 1, "{notices:?}");
    notices.join("")
}

#[test]
fn a_turn_commits_its_own_paths_and_the_persons_staging_stays() {
    let world = wanting_commits("");
    world.write("staged.txt", "staged\n");
    world.git(&["add", "staged.txt"]);
    world.write("a.txt", "mine, not staged\n");
    world.write("untracked.txt", "mine\n");
    turn(&world, "Write the work file\n\nIt matters.", None);
    assert_eq!(notices(&world), Vec::<String>::new());
    let id = world
        .database()
        .rows("SELECT id FROM checkpoints WHERE kind = 'turn'")
        .join("");
    let shown = world.git(&["log", "-1", "--format=%an <%ae>%n%B", "--name-status"]);
    insta::assert_snapshot!(shown.replace(&id, "[id]"), @"
    Me <me@example.invalid>
    Write the work file

    Write the work file

    It matters.

    Toprope-Checkpoint: [id]


    A	work.txt
    ");
    insta::assert_snapshot!(world.git(&["status", "--porcelain"]), @"
     M a.txt
    A  staged.txt
    ?? untracked.txt
    ");
    let linked = world
        .database()
        .rows("SELECT commit_id, checkpoint_id, how FROM commit_links");
    assert_eq!(linked, [format!("{}|{id}|trailer", head(&world).trim())]);
    let pending =
        "SELECT count(*) FROM checkpoint_files WHERE session_id IS NOT NULL AND committed_in IS NULL";
    assert_eq!(world.database().number(pending), 0);
}

#[test]
fn a_long_prompt_is_cut_and_a_turn_without_changes_commits_nothing() {
    let world = wanting_commits("");
    turn(
        &world,
        &format!("Long\n{}", "x".repeat(5_000)),
        Some("rm a.txt; echo new > new.txt"),
    );
    let body = world.git(&["log", "-1", "--format=%b"]);
    assert!(body.chars().filter(|letter| *letter == 'x').count() < 2_000 && body.contains('…'));
    let changed = world.git(&["log", "-1", "--format=", "--name-status"]);
    assert_eq!(changed.lines().collect::<Vec<_>>(), ["D\ta.txt", "A\tnew.txt"]);
    let before = head(&world);
    turn(&world, "only look", Some("true"));
    assert_eq!(head(&world), before);
    assert_eq!(notices(&world), Vec::<String>::new());
}

#[test]
fn a_subagents_end_makes_no_commit_of_its_own() {
    let world = wanting_commits("");
    let before = head(&world);
    let agent = world.agent("one");
    agent.starts().ok();
    agent.is_asked("go").ok();
    let helper = agent.subagent("a3f2", "general-purpose");
    helper.begins().ok();
    helper.writes("helped.txt", "work\n");
    helper.ends().ok();
    world.settled();
    assert_eq!(head(&world), before);
    agent.stops().ok();
    world.settled();
    assert_eq!(
        world.git(&["log", "-1", "--format=", "--name-only"]),
        "helped.txt\n"
    );
}

#[test]
fn a_repository_cannot_ask_for_commits_itself() {
    let world = world();
    world.write("toprope.toml", "[checkpoints]\nstrategy = 'commit'\n");
    world.git(&["checkout", "-q", "-b", "topic"]);
    let before = head(&world);
    turn(&world, "go", None);
    assert_eq!(head(&world), before);
}

#[test]
fn a_protected_branch_gets_no_commit() {
    let world = wanting_commits("");
    world.git(&["checkout", "-q", "main"]);
    let before = head(&world);
    turn(&world, "go", None);
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on main: it is protected. The checkpoint is in the shadow repository.");
    let told = world.toprope(&["status"]).ok();
    assert!(
        told.contains("No commit was made on main"),
        "the person is told: {told}"
    );
}

#[test]
fn a_detached_head_gets_no_commit() {
    let world = wanting_commits("");
    world.git(&["checkout", "-q", "--detach"]);
    let before = head(&world);
    turn(&world, "go", None);
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made: no branch is checked out. The checkpoint is in the shadow repository.");
}

#[test]
fn an_unborn_branch_gets_no_commit() {
    let world = wanting_commits("");
    world.git(&["checkout", "-q", "--orphan", "fresh"]);
    turn(&world, "go", None);
    insta::assert_snapshot!(notices(&world).join("\n"), @"No commit was made on fresh: the branch has no commit yet. The checkpoint is in the shadow repository.");
    world.shell("! git rev-parse -q --verify HEAD").ok();
}

#[test]
fn in_the_middle_of_a_merge_there_is_no_commit() {
    let world = wanting_commits("");
    world.shell("git checkout -q -b side; echo side > s.txt; git add -A; git -c user.name=T -c user.email=t@e commit -qm side; git checkout -q topic; git -c user.name=T -c user.email=t@e merge -q --no-ff --no-commit side").ok();
    let before = head(&world);
    turn(&world, "go", None);
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on topic: a merge is in progress. The checkpoint is in the shadow repository.");
    assert!(world.repo().join(".git/MERGE_HEAD").exists());
}

#[test]
fn an_index_somebody_holds_is_waited_for_and_then_left_alone() {
    let world = wanting_commits("");
    let before = head(&world);
    world.write(".git/index.lock", "");
    turn(&world, "go", None);
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on topic: the index was locked. The checkpoint is in the shadow repository.");
    assert!(world.repo().join(".git/index.lock").exists());
}

#[test]
fn a_hook_that_refuses_is_heard_unless_it_is_switched_off() {
    for (more, is_heard) in [("", true), ("commit = { git_hooks = false }\n", false)] {
        let world = wanting_commits(more);
        executable(
            &world,
            ".git/hooks/pre-commit",
            "#!/bin/sh\necho 'no tests' >&2\nexit 1\n",
        );
        let before = head(&world);
        turn(&world, "go", None);
        if is_heard {
            insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on topic: a hook refused it: no tests. The checkpoint is in the shadow repository.");
        } else {
            assert_ne!(head(&world), before);
        }
    }
}

#[test]
fn a_path_the_person_staged_differently_stops_the_commit() {
    let world = wanting_commits("");
    let agent = world.agent("one");
    agent.starts().ok();
    agent.is_asked("go").ok();
    agent.writes("a.txt", "agent\n");
    world.settled();
    world.git(&["add", "a.txt"]);
    agent.writes("a.txt", "agent, later\n");
    let before = head(&world);
    agent.stops().ok();
    world.settled();
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on topic: `a.txt` is staged differently. The checkpoint is in the shadow repository.");
    assert_eq!(world.git(&["show", ":a.txt"]), "agent\n");
}

#[test]
fn a_commit_that_would_leave_no_file_is_not_made() {
    let world = wanting_commits("");
    let before = head(&world);
    turn(&world, "go", Some("rm a.txt"));
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on topic: no file would be left. The checkpoint is in the shadow repository.");
}

#[test]
fn a_hook_that_takes_too_long_is_ended() {
    let world = wanting_commits("commit = { timeout_ms = 300 }\n");
    executable(&world, ".git/hooks/pre-commit", "#!/bin/sh\nexec sleep 60\n");
    let before = head(&world);
    turn(&world, "go", None);
    insta::assert_snapshot!(assert_refused(&world, &before), @"No commit was made on topic: it took too long. The checkpoint is in the shadow repository.");
}
