//! One file is one lease, however it is spelled.

use crate::{denied, siblings, world};

#[test]
fn links_detours_and_second_names_are_the_same_file() {
    let world = world();
    let [one, two] = siblings(&world);
    let repo = world.repo();
    std::os::unix::fs::symlink("parser.rs", repo.join("src/link.rs")).expect("a link");
    fs_err::hard_link(repo.join("src/parser.rs"), repo.join("second.rs")).expect("a second name");
    fs_err::create_dir(repo.join("docs")).expect("a folder");
    one.is_about_to_write("src/parser.rs", "two\n");
    for path in [
        "src/link.rs",
        "second.rs",
        "docs/../src/parser.rs",
        "./src/./parser.rs",
    ] {
        assert!(denied(&two, path).is_some(), "{path}");
    }
}

#[test]
fn two_that_create_the_same_file_in_a_folder_that_does_not_exist_meet() {
    let world = world();
    let [one, two] = siblings(&world);
    one.is_about_to_write("new/caf\u{e9}.rs", "one\n");
    assert!(denied(&two, "new/cafe\u{301}.rs").is_some());
    assert_eq!(denied(&two, "new/other.rs"), None);
}

#[test]
fn worktrees_do_not_block_each_other_and_are_told_of_a_merge_to_come_once() {
    let world = world();
    let [one, two] = siblings(&world);
    let tree = world.root().join("tree");
    let path = tree.to_str().expect("a path").to_owned();
    world.git(&["worktree", "add", "-q", &path, "-b", "other"]);
    one.writes("src/parser.rs", "two\n");
    let two = two.standing_in(&tree);
    let file = tree.join("src/parser.rs");
    let edit = |id: &str| {
        let input = serde_json::json!({ "file_path": file, "old_string": "a", "new_string": "b" });
        two.before(id, "Edit", &input)
    };
    let first = edit("toolu_1");
    assert_eq!(first.denial(), None);
    assert!(
        first.context().contains("expect a merge conflict"),
        "{}",
        first.whole()
    );
    assert!(!edit("toolu_2").context().contains("expect a merge conflict"));
}

#[test]
fn what_was_held_in_a_worktree_that_is_gone_is_free() {
    let world = world();
    let [one, two] = siblings(&world);
    let tree = world.root().join("tree");
    let path = tree.to_str().expect("a path").to_owned();
    world.git(&["worktree", "add", "-q", &path, "-b", "other"]);
    one.standing_in(&tree).writes("src/parser.rs", "two\n");
    world.git(&["-C", &path, "add", "."]);
    world.git(&["-C", &path, "commit", "-q", "-m", "done"]);
    let removes = one.is_about_to_run(&format!("git worktree remove {path}"));
    world.git(&["worktree", "remove", &path]);
    removes.ends(&serde_json::json!({ "stdout": "" })).ok();
    let ended = world.database().rows("SELECT end_reason FROM leases");
    assert_eq!(ended, ["expired"]);
    world.git(&["worktree", "add", "-q", &path, "other"]);
    assert_eq!(denied(&two.standing_in(&tree), "src/parser.rs"), None);
}

#[test]
fn a_file_of_another_worktree_is_named_so_that_a_command_finds_it() {
    let world = world();
    let [one, two] = siblings(&world);
    let tree = world.root().join("tree");
    let path = tree.to_str().expect("a path").to_owned();
    world.git(&["worktree", "add", "-q", &path, "-b", "other"]);
    one.standing_in(&tree).writes("src/parser.rs", "two\n");
    let file = tree.join("src/parser.rs");
    let input = serde_json::json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    let denial = two
        .before("toolu_1", "Edit", &input)
        .denial()
        .expect("one has it");
    let command = format!("`toprope lease wait {}`", file.display());
    assert!(denial.contains(&command), "{denial}");
}
