//! A tree that goes on upon another commit keeps what only its old base was holding.

use super::*;

#[test]
fn a_tree_outlives_the_commit_it_was_made_on() {
    let world = World::new();
    let line = main_line();
    let tree = world.edited([("file", Some(world.file("changed")))]);
    world.bench.git("repo", &["checkout", "-q", "--orphan", "other"]);
    world.bench.git("repo", &["rm", "-rqf", "."]);
    world.bench.write("repo/src/lib.rs", "lib\n");
    world.bench.commit("repo", "unrelated");
    let copies = world.shadow.adopt(tree, Some(world.head_tree()), 1000).unwrap();
    assert_eq!(
        copies, 4,
        "`src`, `src/deep`, `src/deep/er` and `mod.rs`; `src/lib.rs` is in the new base"
    );
    assert_eq!(
        world.shadow.adopt(tree, Some(world.head_tree()), 1000).unwrap(),
        0
    );
    world.checkpoint(&line, tree);
    world.bench.git("repo", &["branch", "-qD", "main"]);
    world
        .bench
        .git("repo", &["reflog", "expire", "--expire=now", "--all"]);
    world.bench.git("repo", &["gc", "-q", "--prune=now"]);
    for (at, entry) in world.shadow.leaves(tree).unwrap() {
        assert!(world.shadow.blob(entry.id, 100).is_ok(), "{at}");
    }
    world.fsck();
}

#[test]
fn adopting_a_tree_that_is_its_base_copies_nothing() {
    let world = World::new();
    let head = world.head_tree();
    assert_eq!(world.shadow.adopt(head, Some(head), 1000).unwrap(), 0);
    assert_eq!(world.loose_count(), 0);
}
