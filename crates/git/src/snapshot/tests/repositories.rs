//! Repositories of every sort, and shapes of working trees.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn a_repository_without_a_commit_is_all_its_files() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "-b", "main", "repo"]);
    bench.write("repo/a/b", "new\n");
    bench.write("repo/c", "staged\n");
    bench.git("repo", &["add", "c"]);
    let mut world = World::at(bench, "repo");
    world.agrees();
    world.remove("c");
    fs_err::remove_dir_all(world.file("a")).unwrap();
    world.agrees();
}

#[test]
fn links_are_links_wherever_they_lead() {
    let mut world = World::new(&[]);
    symlink("file", world.file("link")).unwrap();
    symlink("/nowhere/at all", world.file("dangling")).unwrap();
    symlink("folder", world.file("to folder")).unwrap();
    world.remove("same");
    symlink(OsStr::from_bytes(b"\xff"), world.file("same")).unwrap();
    let snapshot = world.agrees();
    let target = snapshot.states.get(&path("dangling")).unwrap().entry().unwrap();
    assert_eq!(target.mode, EntryMode::Link);
    assert_eq!(world.shadow.blob(target.id, 100).unwrap(), b"/nowhere/at all");
}

#[test]
fn names_are_bytes() {
    let mut world = World::new(&[]);
    for name in [
        &b"\xff\xfe"[..],
        b"new\nline",
        b"quote\" \\ back",
        b" ",
        "umläut".as_bytes(),
    ] {
        fs_err::write(world.bench.path("repo").join(OsStr::from_bytes(name)), "x").unwrap();
    }
    assert_eq!(world.agrees().states.len(), 5);
}

#[test]
fn a_file_that_became_a_folder_and_a_folder_that_became_a_file() {
    let mut world = World::new(&[]);
    world.remove("file");
    world.write("file/deep/er", "x\n");
    fs_err::remove_dir_all(world.file("folder")).unwrap();
    world.write("folder", "y\n");
    world.agrees();
    world.git(&["add", "-A"]);
    world.agrees();
    fs_err::remove_dir_all(world.file("file")).unwrap();
    world.write("file", "again\n");
    world.agrees();
}

#[test]
fn a_conflict_is_what_lies_in_the_worktree() {
    let mut world = World::new(&[]);
    world.git(&["checkout", "-q", "-b", "other"]);
    world.write("file", "theirs\n");
    world.commit();
    world.git(&["checkout", "-q", "main"]);
    world.write("file", "ours\n");
    world.commit();
    world.bench.try_git("repo", &["merge", "other"]).unwrap_err();
    assert!(world.agrees().staged.is_empty());
}

#[test]
fn a_submodule_is_the_commit_it_is_at_and_never_entered() {
    let mut world = World::new(&[]);
    let source = world.bench.path("source");
    world.bench.git(".", &["clone", "-q", "repo", "source"]);
    world.git(&[
        "submodule",
        "--quiet",
        "add",
        source.to_str().unwrap(),
        "sub/module",
    ]);
    world.agrees();
    world.commit();
    world.write("sub/module/dirty", "x\n");
    assert!(world.agrees().states.is_empty());
    world.bench.commit("repo/sub/module", "moved");
    let snapshot = world.agrees();
    let entry = snapshot.states.get(&path("sub/module")).unwrap().entry().unwrap();
    assert_eq!(entry.mode, EntryMode::Commit);
    assert_eq!(
        entry.id.to_string(),
        world.bench.git("repo/sub/module", &["rev-parse", "HEAD"])
    );
    world.git(&["submodule", "--quiet", "deinit", "-f", "sub/module"]);
    assert!(world.agrees().states.is_empty());
    fs_err::remove_dir_all(world.file("sub")).unwrap();
    assert_eq!(
        world.agrees().states.get(&path("sub/module")),
        Some(&PathState::Absent)
    );
}

#[test]
fn a_nested_repository_is_its_commit_and_one_without_is_left_out() {
    let mut world = World::new(&[]);
    world.bench.git(".", &["clone", "-q", "repo", "repo/nested"]);
    world.agrees();
    let expected = world.oracle();
    world.bench.git("repo", &["init", "-q", "empty"]);
    world.write("empty/file", "x\n");
    let snapshot = world.snapshot();
    assert_eq!(snapshot.skipped, [(path("empty"), Skip::NestedRepository)]);
    assert_eq!(snapshot.files.to_string(), expected);
}

#[test]
fn a_tracked_file_that_became_a_repository_is_its_commit() {
    let mut world = World::new(&[]);
    world.remove("file");
    world.bench.git(".", &["clone", "-q", "repo", "repo/file"]);
    world.agrees();
}

#[test]
fn what_a_sparse_checkout_leaves_out_stays_as_it_is_committed() {
    let mut world = World::new(&[]);
    world.write("out/.gitattributes", "* text\n");
    world.write("out/file", "left out\n");
    world.write(".gitattributes", "*.c text\n");
    world.commit();
    world.git(&["sparse-checkout", "set", "folder"]);
    assert!(!world.file("out/file").exists());
    world.write("folder/inner", "changed\n");
    world.write("folder/a.c", "x\r\n");
    let snapshot = world.agrees();
    let names: Vec<String> = snapshot.states.keys().map(ToString::to_string).collect();
    assert_eq!(names, ["folder/a.c", "folder/inner"]);
}

#[test]
fn attributes_that_a_sparse_checkout_leaves_out_count_all_the_same() {
    let mut world = World::new(&[]);
    world.write(".gitattributes", "*.c text\n");
    world.commit();
    world.git(&["sparse-checkout", "set", "--no-cone", "/folder/"]);
    assert!(!world.file(".gitattributes").exists());
    world.write("folder/a.c", "x\r\n");
    assert!(world.agrees().raw.contains_key(&path("folder/a.c")));
}

#[test]
fn a_staged_change_that_is_left_out_of_the_worktree_is_not_a_deletion() {
    let mut world = World::new(&[]);
    world.write("file", "staged\n");
    world.git(&["add", "file"]);
    world.git(&["update-index", "--skip-worktree", "file"]);
    world.remove("file");
    let snapshot = world.agrees();
    assert!(snapshot.states.get(&path("file")).unwrap().entry().is_some());
}

#[test]
fn a_file_assumed_unchanged_keeps_its_committed_entry() {
    let mut world = World::new(&[]);
    world.git(&["update-index", "--assume-unchanged", "file"]);
    world.write("file", "nobody looks\n");
    assert!(world.agrees().states.is_empty());
}

#[test]
fn a_linked_worktree_has_its_own_files_and_shares_the_shadow() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "-b", "side", "../linked"]);
    bench.write("linked/file", "linked\n");
    bench.write("repo/file", "main\n");
    let mut world = World::at(bench, "linked");
    let linked = world.agrees();
    world.folder = "repo".to_owned();
    assert_ne!(world.agrees().files, linked.files);
}

#[test]
fn repositories_of_every_format_work() {
    let mut formats = vec![&["--object-format=sha256"][..]];
    if testkit::has_refs_in_tables() {
        formats.push(&["--ref-format=reftable"]);
        formats.push(&["--object-format=sha256", "--ref-format=reftable"]);
    }
    for options in formats {
        let mut world = World::new(options);
        world.write("file", "changed\n");
        world.write("new", "new\n");
        world.bench.git(".", &["clone", "-q", "repo", "repo/nested"]);
        world.agrees();
    }
}

#[test]
fn a_shallow_clone_and_one_with_borrowed_objects_work() {
    let world = World::new(&[]);
    world.write("second", "x\n");
    world.commit();
    let source = format!("file://{}", world.bench.path("repo").display());
    let bench = world.bench;
    bench.git(".", &["clone", "-q", "--depth=1", &source, "shallow"]);
    bench.git(".", &["clone", "-q", "--shared", "repo", "shared"]);
    bench.write("shallow/file", "changed\n");
    bench.write("shared/file", "changed\n");
    let mut shallow = World::at(bench, "shallow");
    shallow.agrees();
    let mut shared = World::at(shallow.bench, "shared");
    shared.agrees();
}

#[test]
fn outside_git_the_files_are_those_git_would_add() {
    let bench = Bench::new();
    bench.write("plain/.gitignore", "*.log\n");
    bench.write("plain/a.log", "ignored\n");
    bench.write("plain/folder/file", "x\n");
    bench.write(".gitconfig", "[core]\n\tautocrlf = input\n");
    bench.write("plain/dos", "x\r\n");
    let mut world = World::at(bench, "plain");
    let snapshot = world.snapshot();
    assert!(snapshot.raw.contains_key(&path("dos")));
    world.git(&["init", "-q"]);
    assert_eq!(snapshot.files.to_string(), world.oracle());
}
