//! Where an agent works: subdirectories, other worktrees, repositories of every shape, and folders without one.

use crate::oracle::{assert_sound, changes, files_tree, git, git_in, kinds, line, tree_as_git_adds};
use crate::world;
use serde_json::json;
use std::path::{Path, PathBuf};
use testkit::{World, has_refs_in_tables};

/// The checkpoints of one worktree, oldest first: kind and paths changed.
fn line_of(world: &World, root: &Path) -> Vec<String> {
    world.database().rows(&format!(
        "SELECT kind || COALESCE(' ' || group_concat(CAST(path AS TEXT), ','), '') FROM checkpoints
         JOIN worktrees ON worktrees.id = checkpoints.worktree_id
         LEFT JOIN checkpoint_files ON checkpoint_seq = seq
         WHERE CAST(root AS TEXT) = '{}' GROUP BY seq ORDER BY seq",
        root.display()
    ))
}

/// A turn in which an agent that stands here writes and runs something.
fn turn(world: &World, folder: &Path) {
    let agent = world.agent("s1").standing_in(folder);
    agent.is_asked("Go").ok();
    agent.writes("written.txt", "written\n");
    world.settled();
    agent.shell("echo run > run.txt");
    agent.stops().ok();
    world.settled();
}

/// The newest tree of a worktree is what git itself would add there.
#[track_caller]
fn assert_tree(world: &World, root: &Path) {
    let which = format!(
        "worktree_id = (SELECT id FROM worktrees WHERE CAST(root AS TEXT) = '{}')",
        root.display()
    );
    assert_eq!(files_tree(world, &which), tree_as_git_adds(world, root));
}

/// A second repository in the world, made by these git commands.
fn repository(world: &World, name: &str, commands: &[&[&str]]) -> PathBuf {
    let root = world.root().join(name);
    fs_err::create_dir_all(&root).unwrap();
    for arguments in commands {
        let output = world
            .person("git")
            .current_dir(&root)
            .args(*arguments)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    root
}

#[test]
fn an_agent_in_a_subdirectory_that_edits_a_sibling_is_kept_by_the_paths_of_the_worktree() {
    let world = world();
    world.write("src/lib.rs", "fn lib() {}\n");
    world.write("docs/guide.md", "guide\n");
    let agent = world.agent("s1").standing_in(&world.repo().join("src"));
    agent.is_asked("Go").ok();
    agent.writes("../docs/guide.md", "better guide\n");
    world.settled();
    agent.writes("lib.rs", "fn better() {}\n");
    world.settled();
    agent.shell("echo x > ../made.txt");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind = 'step'"),
        [
            "modified docs/guide.md tool",
            "modified src/lib.rs tool",
            "added made.txt shell"
        ]
    );
    assert_tree(&world, &world.repo());
    assert_sound(&world);
}

#[test]
fn a_path_that_leaves_the_worktree_or_goes_through_git_is_refused() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("../outside.txt", "x\n");
    agent.writes(".git/evil", "x\n");
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "1"), ["added b.txt tool"]);
    assert_sound(&world);
}

#[test]
fn an_agent_in_a_worktree_of_its_own_leaves_its_line_there_and_none_here() {
    let world = world();
    world.git(&["worktree", "add", "-q", "../isolated", "-b", "isolated"]);
    let isolated = world.root().join("isolated").canonicalize().unwrap();
    let main = world.agent("s1");
    main.is_asked("Go").ok();
    main.writes("a.txt", "main\n");
    let helper = main.subagent("a3f2", "general-purpose").standing_in(&isolated);
    helper.begins().ok();
    helper.writes("a.txt", "isolated\n");
    helper.shell("echo x > made.txt");
    helper.ends().ok();
    // From its own folder the main agent writes into the other worktree.
    main.writes("../isolated/by-main.txt", "x\n");
    main.stops().ok();
    world.settled();
    let root = world.repo().canonicalize().unwrap();
    assert_eq!(line_of(&world, &root), ["baseline", "step a.txt", "turn"]);
    assert_eq!(
        line_of(&world, &isolated).first().unwrap(),
        "baseline",
        "the first event of an actor there"
    );
    let there = format!(
        "worktree_id = (SELECT id FROM worktrees WHERE CAST(root AS TEXT) = '{}')",
        isolated.display()
    );
    let mut found = changes(&world, &there);
    found.sort();
    assert_eq!(
        found,
        [
            "added by-main.txt tool",
            "added made.txt shell",
            "modified a.txt tool"
        ]
    );
    assert_tree(&world, &root);
    assert_tree(&world, &isolated);
    assert_sound(&world);
}

#[test]
fn a_repository_without_commits() {
    let world = world();
    let root = repository(&world, "unborn", &[&["init", "-q"]])
        .canonicalize()
        .unwrap();
    fs_err::write(root.join("mine.txt"), "mine\n").unwrap();
    turn(&world, &root);
    assert_eq!(
        line_of(&world, &root),
        ["baseline mine.txt", "step written.txt", "step run.txt", "turn"]
    );
    assert_tree(&world, &root);
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT base_commit, head IS NULL FROM checkpoints"),
        [format!("{}|1", "0".repeat(40))]
    );
    let shadow = root.join(".git/toprope/shadow.git");
    assert_eq!(git_in(&world, &shadow, &["fsck", "--full", "--no-dangling"]), "");
}

#[test]
fn a_head_that_is_on_no_branch() {
    let world = world();
    world.git(&["checkout", "-q", "--detach"]);
    turn(&world, &world.repo());
    assert_eq!(
        world
            .database()
            .rows("SELECT DISTINCT branch IS NULL FROM checkpoints"),
        ["1"]
    );
    assert_tree(&world, &world.repo());
    assert_sound(&world);
}

#[test]
fn a_repository_inside_this_one_is_never_entered() {
    let world = world();
    let inner = world.repo().join("vendor/inner");
    fs_err::create_dir_all(&inner).unwrap();
    repository(
        &world,
        "repo/vendor/inner",
        &[&["init", "-q"], &["commit", "-q", "--allow-empty", "-m", "x"]],
    );
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("echo x > vendor/inner/x.txt; echo y > y.txt");
    agent.stops().ok();
    world.settled();
    assert_eq!(changes(&world, "kind = 'step'"), ["added y.txt shell"]);
    assert_tree(&world, &world.repo());
}

#[test]
fn a_submodule_is_a_commit_and_nothing_below_it() {
    let world = world();
    repository(
        &world,
        "library",
        &[&["init", "-q"], &["commit", "-q", "--allow-empty", "-m", "x"]],
    );
    world.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../library",
        "library",
    ]);
    world.git(&["commit", "-qm", "with a submodule"]);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("echo x > library/x.txt; git -C library commit -q --allow-empty -m more; echo y > y.txt");
    agent.stops().ok();
    world.settled();
    assert_eq!(
        changes(&world, "kind = 'step'"),
        ["modified library shell", "added y.txt shell"]
    );
    assert_tree(&world, &world.repo());
}

#[test]
fn a_folder_without_a_repository() {
    let world = world();
    let root = world.root().join("plain");
    fs_err::create_dir_all(&root).unwrap();
    let root = root.canonicalize().unwrap();
    fs_err::write(root.join("mine.txt"), "mine\n").unwrap();
    turn(&world, &root);
    assert_eq!(
        line_of(&world, &root),
        ["baseline mine.txt", "step written.txt", "step run.txt", "turn"]
    );
    assert!(!root.join(".git").exists());
    let mut inside: Vec<_> = fs_err::read_dir(&root)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    inside.sort();
    assert_eq!(
        inside,
        ["mine.txt", "run.txt", "written.txt"],
        "nothing of ours is in it"
    );
}

#[test]
fn a_folder_without_a_repository_and_with_too_many_files_is_left_alone() {
    let world = world();
    let root = world.root().join("plain");
    fs_err::create_dir_all(&root).unwrap();
    world.has_settings("[checkpoints]\nmax_files_without_git = 3\n");
    for number in 0..5 {
        fs_err::write(root.join(format!("{number}.txt")), "x\n").unwrap();
    }
    let agent = world.agent("s1").standing_in(&root);
    agent.is_asked("Go").ok();
    agent.writes("written.txt", "x\n");
    agent.stops().ok();
    world.settled();
    assert_eq!(kinds(&world), Vec::<String>::new());
    assert_eq!(
        world.database().rows("SELECT kind FROM notices"),
        Vec::<String>::new(),
        "nothing is wrong"
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT last_text FROM counters WHERE name = 'too-many-files'"),
        ["more than 3 files"]
    );
    assert_eq!(
        world
            .database()
            .number("SELECT count(*) FROM counters WHERE name = 'checkpoint-failed'"),
        0
    );
}

#[test]
fn a_repository_of_a_whole_home_does_not_hold_what_toprope_keeps() {
    let world = world();
    let root = repository(
        &world,
        ".",
        &[&["init", "-q"], &["commit", "-q", "--allow-empty", "-m", "x"]],
    );
    let root = root.canonicalize().unwrap();
    let agent = world.agent("s1").standing_in(&root);
    agent.is_asked("Go").ok();
    agent.shell("echo x > made.txt");
    agent.stops().ok();
    world.settled();
    assert!(world.state().starts_with(&root) && world.database_file().exists());
    let tree = files_tree(&world, "kind = 'turn'");
    let shadow = root.join(".git/toprope/shadow.git");
    let files = git_in(&world, &shadow, &["ls-tree", "-r", "--name-only", &tree]);
    assert!(files.contains("made.txt") && !files.contains("state/"), "{files}");
}

#[test]
fn names_of_objects_of_sixty_four_digits() {
    let world = world();
    let root = repository(
        &world,
        "sha256",
        &[
            &["init", "-q", "--object-format=sha256"],
            &["commit", "-q", "--allow-empty", "-m", "x"],
        ],
    );
    let root = root.canonicalize().unwrap();
    turn(&world, &root);
    assert_eq!(
        line_of(&world, &root),
        ["baseline", "step written.txt", "step run.txt", "turn"]
    );
    assert_tree(&world, &root);
    assert_eq!(
        world
            .database()
            .number("SELECT length(commit_id) FROM checkpoints LIMIT 1"),
        64
    );
}

#[test]
fn refs_in_tables() {
    if !has_refs_in_tables() {
        return;
    }
    let world = world();
    let mut init = world.person("git");
    init.args(["init", "-q", "--ref-format=reftable"])
        .arg(world.root().join("tables"));
    assert!(init.status().unwrap().success());
    let root = repository(&world, "tables", &[&["commit", "-q", "--allow-empty", "-m", "x"]]);
    let root = root.canonicalize().unwrap();
    turn(&world, &root);
    assert_eq!(
        line_of(&world, &root),
        ["baseline", "step written.txt", "step run.txt", "turn"]
    );
    assert_tree(&world, &root);
    let kept = git_in(
        &world,
        &root.join(".git"),
        &["for-each-ref", "refs/toprope/keep", "--format=%(refname)"],
    );
    assert_eq!(kept.lines().count(), 1);
}

#[test]
fn a_shallow_clone_and_a_sparse_checkout() {
    let world = world();
    for number in 0..3 {
        world.write(&format!("in/{number}.txt"), "in\n");
        world.write(&format!("out/{number}.txt"), "out\n");
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "more"]);
    }
    let origin = format!("file://{}", world.repo().display());
    let root = repository(
        &world,
        "shallow",
        &[&["clone", "-q", "--depth", "1", &origin, "."]],
    );
    let root = root.canonicalize().unwrap();
    repository(&world, "shallow", &[&["sparse-checkout", "set", "in"]]);
    turn(&world, &root);
    assert_eq!(
        line_of(&world, &root),
        ["baseline", "step written.txt", "step run.txt", "turn"]
    );
    let tree = files_tree(&world, "kind = 'turn'");
    let shadow = root.join(".git/toprope/shadow.git");
    let files = git_in(&world, &shadow, &["ls-tree", "-r", "--name-only", &tree]);
    assert!(
        files.contains("out/2.txt"),
        "what is not checked out stays: {files}"
    );
}

#[test]
fn the_line_goes_on_when_head_moves_and_each_checkpoint_has_the_base_it_was_made_on() {
    let world = world();
    let agent = world.agent("s1");
    let head = || world.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let mut heads = vec![head()];
    agent.is_asked("One").ok();
    agent.writes("one.txt", "1\n");
    agent.stops().ok();
    world.settled();
    // A commit of it, by the person.
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "one"]);
    heads.push(head());
    agent.is_asked("Two").ok();
    agent.writes("two.txt", "2\n");
    agent.stops().ok();
    world.settled();
    // Another branch, which lacks one.txt; two.txt is carried along.
    world.git(&["checkout", "-qb", "other", "HEAD~1"]);
    heads.push(head());
    agent.is_asked("Three").ok();
    agent.writes("three.txt", "3\n");
    agent.stops().ok();
    world.settled();
    // A pull that brings a file.
    world.git(&["merge", "-q", "--ff-only", "main"]);
    heads.push(head());
    agent.is_asked("Four").ok();
    agent.writes("four.txt", "4\n");
    agent.stops().ok();
    world.settled();
    let rows = world
        .database()
        .rows("SELECT turn, base_commit FROM checkpoints WHERE kind = 'turn' ORDER BY seq");
    let expected: Vec<String> = heads
        .iter()
        .enumerate()
        .map(|(turn, head)| format!("{}|{head}", turn + 1))
        .collect();
    assert_eq!(rows, expected);
    assert_eq!(
        changes(&world, "1"),
        [
            "added one.txt tool",
            "added two.txt tool",
            "added three.txt tool",
            "added four.txt tool"
        ],
        "what git moved is nobody's change"
    );
    let kept = world.git(&[
        "for-each-ref",
        "refs/toprope/keep",
        "--format=%(refname:lstrip=3)",
    ]);
    let mut kept: Vec<&str> = kept.lines().collect();
    heads.sort();
    heads.dedup();
    kept.sort_unstable();
    assert_eq!(kept, heads);
    assert_eq!(
        git(&world, &["for-each-ref"]).lines().count(),
        1,
        "one line: {:?}",
        line(&world)
    );
    assert_tree(&world, &world.repo());
    assert_sound(&world);
}

#[test]
fn what_was_staged_and_changed_again_is_kept_as_it_is_in_the_worktree() {
    let world = world();
    world.write("a.txt", "staged\n");
    world.git(&["add", "a.txt"]);
    world.write("a.txt", "worktree\n");
    world.git(&["rm", "-q", "--cached", "--force", "a.txt"]);
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.call("Read", &json!({})).begins().ok();
    agent.writes("b.txt", "b\n");
    agent.stops().ok();
    world.settled();
    assert_tree(&world, &world.repo());
    assert_sound(&world);
}
