//! Trees somebody wrote by hand are errors: never a panic, a hang or a path that leads out.

use super::*;
use gix::objs::Kind;

/// Writes a tree of these raw entries.
fn raw_tree(world: &World, entries: &[(&str, &[u8], Id)]) -> Id {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(mode.as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend_from_slice(id.0.as_slice());
    }
    world.shadow.objects.write(Kind::Tree, &bytes).unwrap()
}

fn assert_refused(world: &World, tree: Id, what: &str) {
    let shadow = &world.shadow;
    let is_refused = |error: ShadowError| matches!(error, ShadowError::Malformed { .. });
    assert!(is_refused(shadow.leaves(tree).unwrap_err()), "{what}");
    assert!(
        is_refused(shadow.diff(Some(tree), Some(world.head_tree())).unwrap_err()),
        "{what}"
    );
    let edits = changes([("new", Some(world.file("x")))]);
    assert!(
        is_refused(shadow.edit(Some(tree), None, &edits).unwrap_err()),
        "{what}"
    );
    assert!(is_refused(shadow.entry(tree, &path("b")).unwrap_err()), "{what}");
}

#[test]
fn names_that_lead_out_or_into_git_are_refused() {
    let world = World::new();
    let blob = world.file("x").id;
    for name in [
        &b".."[..],
        b".",
        b"",
        b".git",
        b".GIT",
        b"git~1",
        b"a/b",
        b"/",
        b".git. ",
        b"\xe2\x80\x8c.git",
    ] {
        let tree = raw_tree(&world, &[("100644", name, blob)]);
        assert_refused(&world, tree, &name.escape_ascii().to_string());
    }
}

#[test]
fn names_twice_or_out_of_order_are_refused() {
    let world = World::new();
    let blob = world.file("x").id;
    let folder = raw_tree(&world, &[("100644", b"x", blob)]);
    let twice = [("100644", &b"a"[..], blob), ("100644", b"a", blob)];
    let apart = [
        ("100644", &b"a"[..], blob),
        ("100644", b"a-", blob),
        ("40000", b"a", folder),
    ];
    let unsorted = [("100644", &b"b"[..], blob), ("100644", b"a", blob)];
    let as_files = [("40000", &b"a"[..], folder), ("100644", b"a-", blob)];
    for entries in [&twice[..], &apart, &unsorted, &as_files] {
        assert_refused(&world, raw_tree(&world, entries), &format!("{entries:?}"));
    }
}

#[test]
fn entries_cut_short_or_of_no_kind_are_refused() {
    let world = World::new();
    let blob = world.file("x").id;
    for mode in ["", "0", "777", "100000777", "10064x", "-40000", "170000"] {
        assert_refused(&world, raw_tree(&world, &[(mode, b"a", blob)]), mode);
    }
    for bytes in [
        &b"100644"[..],
        b"100644 ",
        b"100644 a",
        b"100644 a\0",
        b"100644 a\0short",
        b" \0",
        b"\0",
    ] {
        let tree = world.shadow.objects.write(Kind::Tree, bytes).unwrap();
        assert_refused(&world, tree, &bytes.escape_ascii().to_string());
    }
}

#[test]
fn folders_thousands_deep_are_an_error_and_no_overflow() {
    let world = World::new();
    let mut tree = raw_tree(&world, &[("100644", b"x", world.file("x").id)]);
    for _ in 0..4000 {
        tree = raw_tree(&world, &[("40000", b"d", tree)]);
    }
    let too_deep = |error: ShadowError| matches!(error, ShadowError::Malformed { .. });
    assert!(too_deep(world.shadow.leaves(tree).unwrap_err()));
    assert!(too_deep(
        world
            .shadow
            .diff(Some(world.head_tree()), Some(tree))
            .unwrap_err()
    ));
    let deepest = path(vec!["d"; 2000].join("/"));
    assert_eq!(world.shadow.entry(tree, &deepest).unwrap(), None);
    let new = world.file("new");
    let edits = [(deepest.clone(), Some(new))].into_iter().collect();
    let edited = world.shadow.edit(Some(tree), None, &edits).unwrap();
    assert_eq!(world.shadow.entry(edited, &deepest).unwrap(), Some(new));
}

#[test]
fn a_few_trees_that_spell_millions_of_paths_are_an_error_and_no_hang() {
    let world = World::new();
    let mut tree = raw_tree(&world, &[("100644", b"x", world.file("x").id)]);
    for _ in 0..12 {
        let names: Vec<String> = (0..50).map(|number| format!("d{number:02}")).collect();
        let entries: Vec<(&str, &[u8], Id)> = names
            .iter()
            .map(|name| ("40000", name.as_bytes(), tree))
            .collect();
        tree = raw_tree(&world, &entries);
    }
    let refused = world.shadow.diff_within(None, Some(tree), 10_000);
    assert!(matches!(refused, Err(ShadowError::Malformed { .. })));
}

#[test]
fn an_object_of_another_kind_than_its_entry_says_is_an_error() {
    let world = World::new();
    let blob = world.file("x").id;
    let head = world.head_tree();
    let folder_of_a_blob = raw_tree(&world, &[("40000", b"d", blob)]);
    assert!(matches!(
        world.shadow.leaves(folder_of_a_blob),
        Err(ShadowError::Malformed { .. })
    ));
    assert!(matches!(
        world.shadow.blob(head, 1000),
        Err(ShadowError::Malformed { .. })
    ));
    assert!(matches!(
        world.shadow.read_commit(head),
        Err(ShadowError::Malformed { .. })
    ));
    assert!(matches!(
        world.shadow.tree_of(blob),
        Err(ShadowError::Malformed { .. })
    ));
}

#[test]
fn objects_that_are_gone_or_damaged_are_told_apart() {
    let world = World::new();
    let lost = world.file("lost").id;
    fs_err::remove_file(world.shadow.objects.loose_path(lost)).unwrap();
    assert!(matches!(world.shadow.blob(lost, 100), Err(ShadowError::Missing(id)) if id == lost));
    assert!(!world.shadow.owns(lost));
    for content in [&b"no zlib at all"[..], b"x\x9c"] {
        let broken = world.file("broken").id;
        let at = world.shadow.objects.loose_path(broken);
        fs_err::remove_file(&at).unwrap();
        fs_err::write(&at, content).unwrap();
        assert!(matches!(
            world.shadow.blob(broken, 100),
            Err(ShadowError::Corrupt { .. })
        ));
        fs_err::remove_file(&at).unwrap();
    }
}

#[test]
fn content_under_a_wrong_id_is_not_handed_out() {
    let world = World::new();
    let (good, bad) = (world.file("good").id, world.file("bad").id);
    let (from, to) = (
        world.shadow.objects.loose_path(bad),
        world.shadow.objects.loose_path(good),
    );
    fs_err::remove_file(&to).unwrap();
    fs_err::copy(from, to).unwrap();
    assert!(matches!(
        world.shadow.blob(good, 100),
        Err(ShadowError::Corrupt { .. })
    ));
}

#[test]
fn alternates_that_name_each_other_are_an_error_and_no_hang() {
    let world = World::new();
    let own = world.site.shadow.join("objects");
    world.bench.write(
        "repo/.git/objects/info/alternates",
        format!("{}\n", own.display()),
    );
    let head = id(&world.bench.git("repo", &["rev-parse", "HEAD^{tree}"]));
    let _ = world.shadow.leaves(head);
    let blob = world.file("x").id;
    assert!(world.shadow.owns(blob));
    let _ = world.again().blob(blob, 10);
}
