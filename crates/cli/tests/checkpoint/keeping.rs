//! The shadow repository keeps what it was given: whatever the person prunes, moves or renames, and whatever is damaged.

use crate::oracle::{assert_sound, changes, files_tree, git, kinds, line, shadow, tree_as_git_adds};
use crate::world;
use testkit::World;

/// A turn of a session that changes one file.
fn turn(world: &World, content: &str) {
    let agent = world.agent("s1");
    agent.is_asked(content).ok();
    agent.writes("a.txt", &format!("{content}\n"));
    agent.stops().ok();
    world.settled();
}

/// The shadows that were set aside.
fn set_aside(world: &World) -> usize {
    let folder = world.repo().join(".git/toprope");
    let entries = fs_err::read_dir(folder).unwrap().flatten();
    entries
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with("shadow.git.broken-")
        })
        .count()
}

/// The person's own store has it no longer.
#[track_caller]
fn assert_pruned(world: &World, blob: &str) {
    let mut there = world.person("git");
    there.args(["cat-file", "-e", blob]);
    assert!(!there.output().unwrap().status.success(), "{blob} is still there");
}

#[test]
fn what_the_person_staged_and_unstaged_and_pruned_is_still_in_the_checkpoint() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("b.txt", "captured\n");
    agent.stops().ok();
    world.settled();
    world.git(&["add", "b.txt"]);
    let blob = world.git(&["rev-parse", ":b.txt"]).trim().to_owned();
    // A second look, while the person's own store has the blob too.
    agent.is_asked("Go on").ok();
    agent.writes("c.txt", "more\n");
    agent.stops().ok();
    world.settled();
    world.git(&["reset", "-q"]);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    fs_err::remove_file(world.repo().join("b.txt")).unwrap();
    world.git(&["gc", "-q", "--prune=now"]);
    assert_pruned(&world, &blob);
    assert_eq!(git(&world, &["cat-file", "-p", &blob]), "captured");
    assert_sound(&world);
}

#[test]
fn what_was_in_the_persons_store_when_it_was_first_seen_is_kept_as_well() {
    let world = world();
    world.write("b.txt", "staged before\n");
    world.git(&["add", "b.txt"]);
    let blob = world.git(&["rev-parse", ":b.txt"]).trim().to_owned();
    turn(&world, "two");
    world.git(&["reset", "-q"]);
    fs_err::remove_file(world.repo().join("b.txt")).unwrap();
    world.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(git(&world, &["cat-file", "-p", &blob]), "staged before");
    assert_sound(&world);
}

#[test]
fn what_a_call_found_in_a_commit_that_is_gone_since_is_kept() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    world.settled();
    world.write("a.txt", "a person's\n");
    world.git(&["commit", "-qam", "second"]);
    let blob = world.git(&["rev-parse", "HEAD:a.txt"]).trim().to_owned();
    let call = agent.is_about_to_write("a.txt", "an agent's\n");
    // Nobody cut a checkpoint on this commit.
    world.git(&["reset", "-q", "HEAD~1"]);
    call.does_write("an agent's\n");
    call.ends(&serde_json::json!({})).ok();
    call.ends_step().ok();
    world.settled();
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind IN ('outside', 'step')"),
        ["modified a.txt outside", "modified a.txt tool"]
    );
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    // ORIG_HEAD names it still.
    fs_err::remove_file(world.repo().join(".git/ORIG_HEAD")).unwrap();
    world.git(&["gc", "-q", "--prune=now"]);
    assert_pruned(&world, &blob);
    assert_eq!(git(&world, &["cat-file", "-p", &blob]), "a person's");
    assert_sound(&world);
}

#[test]
fn a_commit_that_was_dropped_and_pruned_is_held_for_the_checkpoints_on_it() {
    let world = world();
    world.write("lost.txt", "committed\n");
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "to be dropped"]);
    turn(&world, "two");
    let tree = files_tree(&world, "kind = 'turn'");
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    world.git(&["reflog", "expire", "--expire=now", "--all"]);
    world.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(
        git(&world, &["cat-file", "-p", &format!("{tree}:lost.txt")]),
        "committed"
    );
    assert_sound(&world);
}

#[test]
fn a_shadow_that_was_deleted_begins_anew_with_a_baseline() {
    let world = world();
    turn(&world, "two");
    fs_err::remove_dir_all(shadow(&world)).unwrap();
    turn(&world, "three");
    assert_eq!(
        line(&world).split_off(3),
        [
            "baseline t2 (1 file was already changed)",
            "step t2 Edit a.txt",
            "turn t2 three",
        ]
    );
    assert_eq!(
        changes(&world, "kind IN ('step', 'turn') AND turn = 2"),
        ["modified a.txt tool"]
    );
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &world.repo()));
    assert_sound(&world);
}

/// Damages the shadow of a world that had a turn, and has another one.
#[track_caller]
fn after_damage(damage: impl Fn(&World)) {
    let world = world();
    turn(&world, "two");
    damage(&world);
    turn(&world, "three");
    assert_eq!(set_aside(&world), 1, "set aside, never deleted");
    let kinds = kinds(&world);
    assert_eq!(kinds.get(3).map(String::as_str), Some("baseline"), "{kinds:?}");
    assert_eq!(kinds.last().map(String::as_str), Some("turn"), "{kinds:?}");
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &world.repo()));
    assert_eq!(
        world
            .database()
            .rows("SELECT error FROM jobs WHERE state = 'failed'"),
        Vec::<String>::new()
    );
    assert_sound(&world);
}

#[test]
fn a_shadow_without_its_settings_is_set_aside() {
    after_damage(|world| fs_err::remove_file(shadow(world).join("config")).unwrap());
}

#[test]
fn a_shadow_whose_line_is_garbage_is_set_aside() {
    after_damage(|world| {
        let name = git(world, &["for-each-ref", "--format=%(refname)"]);
        fs_err::write(shadow(world).join(name), "garbage\n").unwrap();
    });
}

#[test]
fn a_shadow_without_its_objects_is_set_aside() {
    after_damage(|world| {
        fs_err::remove_dir_all(shadow(world).join("objects")).unwrap();
        fs_err::create_dir(shadow(world).join("objects")).unwrap();
    });
}

#[test]
fn a_shadow_whose_newest_tree_is_damaged_is_set_aside() {
    after_damage(|world| {
        let tree = files_tree(world, "1");
        let (folder, rest) = tree.split_at(2);
        let object = shadow(world).join("objects").join(folder).join(rest);
        fs_err::remove_file(&object).unwrap();
        fs_err::write(&object, "garbage").unwrap();
    });
}

#[test]
fn a_shadow_that_is_damaged_while_no_daemon_runs_is_set_aside_too() {
    after_damage(|world| {
        world.toprope(&["daemon", "stop"]).ok();
        fs_err::write(shadow(world).join("HEAD"), "garbage\n").unwrap();
    });
}

#[test]
fn a_repository_that_was_renamed_goes_on_with_its_checkpoints() {
    let world = world();
    turn(&world, "two");
    let moved = world.root().join("renamed");
    fs_err::rename(world.repo(), &moved).unwrap();
    fs_err::create_dir(world.repo()).unwrap();
    // Asked before anything happens there, as after it.
    let list = || {
        let mut command = world.command(&["checkpoint", "list", "--json"]);
        command.current_dir(&moved);
        let said = testkit::run(command, b"").json().unwrap();
        said["checkpoints"].as_array().unwrap().len()
    };
    assert_eq!(list(), 2);
    let agent = world.agent("s1").standing_in(&moved);
    agent.is_asked("three").ok();
    agent.writes("a.txt", "three\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(list(), 3);
    assert_eq!(kinds(&world), ["baseline", "step", "turn", "step", "turn"]);
    assert_eq!(world.database().number("SELECT count(*) FROM worktrees"), 1);
    assert_eq!(world.database().number("SELECT count(*) FROM projects"), 1);
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &moved));
}

#[test]
fn a_worktree_that_git_moved_goes_on_with_its_line() {
    let world = world();
    world.git(&["worktree", "add", "-q", "../first", "-b", "side"]);
    let session = |folder: &str, content: &str| {
        let agent = world.agent("s1").standing_in(&world.root().join(folder));
        agent.is_asked(content).ok();
        agent.writes("a.txt", &format!("{content}\n"));
        agent.stops().ok();
        world.settled();
    };
    session("first", "two");
    world.git(&["worktree", "move", "../first", "../second"]);
    session("second", "three");
    assert_eq!(kinds(&world), ["baseline", "step", "turn", "step", "turn"]);
    assert_eq!(world.database().number("SELECT count(*) FROM worktrees"), 1);
    assert_sound(&world);
}

#[test]
fn a_clone_has_no_checkpoints_and_a_copy_beside_the_original_a_line_of_its_own() {
    let world = world();
    turn(&world, "two");
    let (clone, copy) = (world.root().join("clone"), world.root().join("copy"));
    world.git(&["clone", "-q", ".", &clone.to_string_lossy()]);
    assert!(!clone.join(".git/toprope").exists());
    let copied = world.person("cp").args(["-r", "."]).arg(&copy).output().unwrap();
    assert!(copied.status.success());
    let agent = world.agent("s2").standing_in(&copy);
    agent.is_asked("three").ok();
    agent.writes("a.txt", "three\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(world.database().number("SELECT count(*) FROM projects"), 2);
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &copy));
    turn(&world, "four");
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &world.repo()));
    assert_sound(&world);
}
