//! Editing, comparing and listing trees gives what git gives.

use super::*;
use crate::shadow::Delta;

#[test]
fn a_changed_file_gives_the_tree_git_would_write() {
    for format in ["sha1", "sha256"] {
        let world = World::with_format(format);
        let new = Some(world.file("new\n"));
        let ours = world.edited([("src/deep/er/mod.rs", new), ("file", None)]);
        world.bench.write("repo/src/deep/er/mod.rs", "new\n");
        fs_err::remove_file(world.bench.path("repo/file")).unwrap();
        world.bench.git("repo", &["add", "-A"]);
        assert_eq!(
            ours.to_string(),
            world.bench.git("repo", &["write-tree"]),
            "{format}"
        );
        world.checkpoint(&main_line(), ours);
        world.fsck();
    }
}

#[test]
fn no_change_gives_the_same_tree_and_writes_nothing() {
    let world = World::new();
    let head = world.head_tree();
    let same = world.shadow.entry(head, &path("src/lib.rs")).unwrap();
    assert_eq!(world.edited([]), head);
    assert_eq!(world.edited([("src/lib.rs", same), ("not/there", None)]), head);
    assert_eq!(world.loose_count(), 0);
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    let world = World::new();
    let (one, two) = (Some(world.file("1")), Some(world.file("2")));
    let swapped = world.edited([("file", None), ("file/inner", one), ("src", two)]);
    let leaves = world.shadow.leaves(swapped).unwrap();
    assert_eq!(
        leaves,
        [(path("file/inner"), one.unwrap()), (path("src"), two.unwrap())]
    );
    let back = changes([
        ("file", two),
        ("file/inner", None),
        ("src", None),
        ("src/lib.rs", one),
    ]);
    let back = world.shadow.edit(Some(swapped), None, &back).unwrap();
    let leaves = world.shadow.leaves(back).unwrap();
    assert_eq!(
        leaves,
        [(path("file"), two.unwrap()), (path("src/lib.rs"), one.unwrap())]
    );
    world.checkpoint(&main_line(), swapped);
    world.checkpoint(&main_line(), back);
    world.fsck();
}

#[test]
fn a_folder_takes_the_place_of_a_file_that_nobody_removed() {
    let world = World::new();
    let new = world.file("1");
    let tree = world.edited([("file/inner", Some(new))]);
    assert_eq!(world.shadow.entry(tree, &path("file")).unwrap(), None);
    assert_eq!(world.shadow.entry(tree, &path("file/inner")).unwrap(), Some(new));
}

#[test]
fn removing_a_leaf_leaves_a_folder_of_its_name_alone() {
    let world = World::new();
    assert_eq!(
        world.edited([("src", None), ("file/inner", None)]),
        world.head_tree()
    );
}

#[test]
fn a_file_and_something_below_it_cannot_be_put_at_once() {
    let world = World::new();
    let new = Some(world.file("1"));
    let edits = changes([("a", new), ("a-b", new), ("a/b/c", new)]);
    let refused = world.shadow.edit(None, None, &edits);
    assert!(matches!(refused, Err(ShadowError::Clash(at)) if at == path("a")));
    assert!(
        world
            .shadow
            .edit(None, None, &changes([("a", new), ("ab/c", new)]))
            .is_ok()
    );
}

#[test]
fn folders_left_empty_vanish_and_the_root_stays_as_the_empty_tree() {
    let world = World::new();
    let tree = world.edited([("src/deep/er/mod.rs", None)]);
    assert_eq!(world.shadow.entry(tree, &path("src/deep")).unwrap(), None);
    let empty = world.edited([("src/deep/er/mod.rs", None), ("src/lib.rs", None), ("file", None)]);
    assert_eq!(empty.to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    assert_eq!(world.shadow.edit(None, None, &changes([])).unwrap(), empty);
    assert_eq!(world.shadow.leaves(empty).unwrap(), []);
    world.checkpoint(&main_line(), empty);
    world.fsck();
}

#[test]
fn folders_sort_as_if_their_names_ended_with_a_slash() {
    let world = World::new();
    let new = Some(world.file("x"));
    let names = [
        "a", "a-", "a.b", "a0", "a\u{1}", "b/x", "b-", "b.", "b0", "c/d", "c/d-", "c/d/e",
    ];
    let edits: BTreeMap<_, _> = names
        .iter()
        .filter(|name| **name != "c/d")
        .map(|name| (path(name), new))
        .collect();
    let ours = world.shadow.edit(None, None, &edits).unwrap();
    let listed = world.git(&["ls-tree", "-r", "-z", "--name-only", &ours.to_string()]);
    world.checkpoint(&main_line(), ours);
    world.fsck();
    assert_eq!(listed.split_terminator('\0').count(), names.len() - 1);
}

#[test]
fn one_changed_file_writes_its_blob_and_the_folders_above_it_in_any_repository() {
    let counts = [10, 2000].map(|size| {
        let bench = Bench::new();
        bench.git(".", &["init", "-q", "-b", "main", "repo"]);
        for number in 0..size {
            bench.write(&format!("repo/d{}/e{}/f{number}", number % 40, number % 3), "x");
        }
        bench.write("repo/a/b/c", "old");
        bench.commit("repo", "first");
        let world = World::around(bench);
        world.edited([("a/b/c", Some(world.file("new")))]);
        world.loose_count()
    });
    assert_eq!(counts, [4, 4], "a blob, `b`, `a` and the root");
}

#[test]
fn a_folder_the_base_has_at_the_same_place_is_not_written() {
    let world = World::new();
    let old = world
        .shadow
        .entry(world.head_tree(), &path("src/lib.rs"))
        .unwrap();
    let changed = world.edited([
        ("src/lib.rs", Some(world.file("new"))),
        ("other", Some(world.file("o"))),
    ]);
    let before = world.loose_count();
    let edits = changes([("src/lib.rs", old)]);
    let again = world
        .shadow
        .edit(Some(changed), Some(world.head_tree()), &edits)
        .unwrap();
    assert_eq!(
        world.loose_count() - before,
        1,
        "only the root differs from the base"
    );
    assert!(world.shadow.owns(again));
}

#[test]
fn a_difference_names_every_leaf_once_and_in_order() {
    let world = World::new();
    let head = world.head_tree();
    let new = world.file("new");
    let old = |name: &str| world.shadow.entry(head, &path(name)).unwrap();
    let tree = world.edited([
        ("file", None),
        ("file/x", Some(new)),
        ("file-", Some(new)),
        ("src/lib.rs", Some(new)),
    ]);
    let delta = |name: &str, before, after| Delta {
        path: path(name),
        before,
        after,
    };
    let expected = [
        delta("file", old("file"), None),
        delta("file-", None, Some(new)),
        delta("file/x", None, Some(new)),
        delta("src/lib.rs", old("src/lib.rs"), Some(new)),
    ];
    assert_eq!(world.shadow.diff(Some(head), Some(tree)).unwrap(), expected);
    assert_eq!(world.shadow.diff(Some(head), Some(head)).unwrap(), []);
    assert_eq!(world.shadow.diff(None, None).unwrap(), []);
    let removed = world.shadow.diff(Some(tree), None).unwrap();
    assert!(removed.iter().all(|delta| delta.after.is_none()));
    assert_eq!(removed.len(), world.shadow.leaves(tree).unwrap().len());
}

#[test]
fn modes_are_kept_and_a_change_of_mode_alone_is_a_difference() {
    let world = World::new();
    let blob = world.file("target").id;
    let commit = id(&world.bench.git("repo", &["rev-parse", "HEAD"]));
    let entries = [
        (
            "exec",
            TreeLeaf {
                mode: EntryMode::Exec,
                id: blob,
            },
        ),
        (
            "link",
            TreeLeaf {
                mode: EntryMode::Link,
                id: blob,
            },
        ),
        (
            "plain",
            TreeLeaf {
                mode: EntryMode::File,
                id: blob,
            },
        ),
        (
            "sub",
            TreeLeaf {
                mode: EntryMode::Commit,
                id: commit,
            },
        ),
    ];
    let edits = entries.map(|(name, entry)| (name, Some(entry)));
    let tree = world.shadow.edit(None, None, &changes(edits)).unwrap();
    let leaves = world.shadow.leaves(tree).unwrap();
    assert_eq!(leaves, entries.map(|(name, entry)| (path(name), entry)));
    let plain = TreeLeaf {
        mode: EntryMode::File,
        id: blob,
    };
    let changed = world
        .shadow
        .edit(Some(tree), None, &changes([("exec", Some(plain))]))
        .unwrap();
    let delta = world.shadow.diff(Some(tree), Some(changed)).unwrap();
    assert_eq!(delta.len(), 1);
    assert_eq!(delta[0].after, Some(plain));
}

#[test]
fn an_id_of_another_format_is_not_written_into_a_tree() {
    let world = World::new();
    let foreign = TreeLeaf {
        mode: EntryMode::File,
        id: id(&"ab".repeat(32)),
    };
    let refused = world.shadow.edit(None, None, &changes([("a", Some(foreign))]));
    assert!(matches!(refused, Err(ShadowError::Missing(_))));
    assert!(!world.shadow.owns(foreign.id));
    assert!(matches!(
        world.shadow.blob(foreign.id, 10),
        Err(ShadowError::Missing(_))
    ));
    assert!(matches!(
        world.shadow.leaves(foreign.id),
        Err(ShadowError::Missing(_))
    ));
}

#[test]
fn a_layout_is_read_as_it_was_written_and_empty_parts_are_left_out() {
    let world = World::new();
    let part = |name: &str| {
        let edits = changes([(name, Some(world.file(name)))]);
        world.shadow.edit(None, None, &edits).unwrap()
    };
    let full = ShadowLayout {
        files: world.head_tree(),
        ignored: Some(part("i")),
        raw: Some(part("r")),
        modes: Some(part("m")),
        staged: Some(part("s")),
        session: Some(part("metadata.json")),
    };
    for layout in [
        full,
        ShadowLayout {
            ignored: None,
            session: None,
            ..full
        },
        ShadowLayout::of(full.files),
    ] {
        let tree = world.shadow.write_layout(&layout).unwrap();
        assert_eq!(world.shadow.read_layout(tree).unwrap(), layout);
        let commit = world.commit(tree, None);
        world.git(&["fsck", "--strict", &commit.to_string()]);
    }
    let empty = world.shadow.edit(None, None, &changes([])).unwrap();
    let bare = ShadowLayout {
        raw: Some(empty),
        ..ShadowLayout::of(empty)
    };
    let tree = world.shadow.write_layout(&bare).unwrap();
    assert_eq!(world.shadow.read_layout(tree).unwrap(), ShadowLayout::of(empty));
    assert!(matches!(
        world.shadow.read_layout(empty),
        Err(ShadowError::Malformed { .. })
    ));
}
