//! `toprope checkpoint pin`, `unpin`, `link` and `unlink`.

use crate::story::{SESSION, grow_old, shown, told};
use testkit::World;

/// A session that is over, committed and a year old; of every session one checkpoint is kept.
fn old() -> World {
    let world = told();
    world.has_settings("checkpoints.keep_last = 1\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "third"]);
    world.agent(SESSION).leaves().ok();
    world.settled();
    world.database().run(
        "UPDATE checkpoints SET created_at = created_at - 31536000000;
         UPDATE checkpoint_files SET committed_in = 'somewhere'",
    );
    world
}

#[test]
fn a_checkpoint_is_pinned_and_let_go() {
    let world = told();
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "pin", "t1"])), @r#"
    exit 0
    --- stdout
    c00000000004 "Create user model, drop old_auth" is kept whatever its age
    --- stderr
    "#);
    let pinned = || world.database().rows("SELECT turn FROM checkpoints WHERE pinned");
    assert_eq!(pinned(), ["1"]);
    assert!(
        world
            .toprope(&["checkpoint", "show", "t1"])
            .ok()
            .contains("it is never dropped")
    );
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "unpin", "t1"])), @r#"
    exit 0
    --- stdout
    c00000000004 "Create user model, drop old_auth" grows old as the others do
    --- stderr
    "#);
    assert_eq!(pinned(), Vec::<String>::new());
    assert_eq!(world.toprope(&["checkpoint", "pin", "t9"]).code, Some(4));
}

#[test]
fn a_commit_is_linked_by_hand_and_unlinked() {
    let world = told();
    world.git(&["commit", "-q", "--allow-empty", "-m", "third"]);
    grow_old(&world);
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "link", "HEAD", "t2"])), @r#"
    exit 0
    --- stdout
    commit 3333333 is linked to c00000000009 "Add the login form"
    --- stderr
    "#);
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "list", "--limit", "1"])), @"
    exit 0
    --- stdout
    main worktree · feature/login · base 3333333 · session 2026-11-15-ab310c99 · newest first
    ID            AGE  POINT  WHO          FILES  LABEL
    c00000000009  30s  t2     claude·main  +1 ~1  Add the login form  commit 3333333
    --- stderr
    ");
    let how = world
        .database()
        .rows("SELECT how, paths_matched, paths_total FROM commit_links");
    assert_eq!(how, ["manual|0|0"]);
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "unlink", "HEAD"])), @"
    exit 0
    --- stdout
    commit 3333333 is linked to no checkpoint any more
    --- stderr
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "unlink", "HEAD"])), @"
    exit 4
    --- stdout
    --- stderr
    error: commit 3333333 is linked to no checkpoint
    ");
    insta::assert_snapshot!(shown(&world, &world.toprope(&["checkpoint", "link", "nowhere", "t2"])), @r#"
    exit 4
    --- stdout
    --- stderr
    error: git knows no commit "nowhere"
    "#);
}

#[test]
fn a_link_says_how_much_of_the_commit_is_in_the_checkpoint() {
    let world = told();
    world.write("src/login.rs", "fn other() {}\n");
    world.git(&["add", "src/login.rs", "src/model.rs"]);
    world.git(&["commit", "-qm", "third"]);
    let said = world.toprope(&["checkpoint", "link", "HEAD", "t2"]).ok();
    assert!(
        said.ends_with("1 of its 2 files are as in the checkpoint\n"),
        "{said}"
    );
}

#[test]
fn what_is_pinned_outlives_pruning_and_keeps_its_address() {
    let world = old();
    let before = world.toprope(&["checkpoint", "show", "t1", "--files"]).ok();
    world.toprope(&["checkpoint", "pin", "t1"]).ok();
    world.toprope(&["checkpoint", "prune", "--yes"]).ok();
    let kept = world
        .database()
        .rows("SELECT kind, turn FROM checkpoints ORDER BY seq");
    assert_eq!(kept, ["turn|1", "turn|2"]);
    assert_eq!(
        world.toprope(&["checkpoint", "show", "t1", "--files"]).ok(),
        before
    );
    assert!(
        world
            .toprope(&["checkpoint", "diff", "t1", "t2"])
            .ok()
            .contains("+struct Login;")
    );
}

#[test]
fn no_agent_drops_checkpoints() {
    let mut world = old();
    world.set("CLAUDECODE", "1");
    world.set("CLAUDE_PID", &std::process::id().to_string());
    let count = |world: &World| world.database().number("SELECT count(*) FROM checkpoints");
    let before = count(&world);
    let refused = world.toprope(&["checkpoint", "prune", "--yes"]);
    assert_eq!(refused.code, Some(5), "{}", refused.whole());
    assert_eq!(count(&world), before);
}
