//! What the index has, beside what git says of it.

use super::*;
use crate::fixture::Bench;
use crate::place;

fn index(bench: &Bench) -> GitIndex {
    of_git(bench, &bench.environment())
}

/// One that cannot ask git.
fn alone(bench: &Bench) -> GitIndex {
    of_git(bench, &crate::run::GitEnvironment::default())
}

/// What is found without decoding all of it, if anything is.
fn scanned(bench: &Bench) -> Option<Vec<Vec<u8>>> {
    let bytes = fs_err::read(bench.path("repo/.git/index")).unwrap();
    stages::unmerged(&bytes, 20)
}

/// What a rewind asks.
fn asked(bench: &Bench) -> Vec<String> {
    let root = bench.path("repo");
    let worktree = GitWorktree::of(&place::find(&root)).unwrap();
    let git = Git::new(&root, &bench.environment());
    let unmerged = unmerged(&worktree, ObjectFormat::Sha1, &git).unwrap();
    unmerged.iter().map(ToString::to_string).collect()
}

fn of_git(bench: &Bench, environment: &crate::run::GitEnvironment) -> GitIndex {
    let root = bench.path("repo");
    let worktree = GitWorktree::of(&place::find(&root)).unwrap();
    GitIndex::read(&worktree, ObjectFormat::Sha1, &Git::new(&root, environment))
}

fn of(index: &GitIndex, name: &[u8]) -> Option<String> {
    let found = index.entry(&RepoPath::new(name).unwrap()).unwrap();
    found.map(|entry| format!("{} {}", entry.mode.octal(), entry.id))
}

/// A merge that stops at `file`, with a second branch that changed it too.
fn stopped_merge() -> Bench {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/file", "other\n");
    bench.write("repo/folder/clean", "clean\n");
    bench.commit("repo", "other");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/file", "ours\n");
    bench.commit("repo", "ours");
    bench.try_git("repo", &["merge", "-q", "other"]).unwrap_err();
    bench
}

#[test]
fn what_is_staged_counts_and_not_what_is_in_the_worktree() {
    let bench = Bench::with_repository();
    bench.write("repo/new*.txt", "staged\n");
    bench.git("repo", &["add", "."]);
    let id = bench.git("repo", &["hash-object", "new*.txt"]).trim().to_owned();
    bench.write("repo/new*.txt", "more\n");
    bench.write("repo/newer.txt", "unknown\n");
    let index = alone(&bench);
    assert_eq!(of(&index, b"new*.txt"), Some(format!("100644 {id}")));
    assert_eq!(of(&index, b"newer.txt"), None);
    assert_eq!(of(&index, b"new"), None);
}

#[test]
fn a_folder_is_no_entry() {
    let bench = Bench::with_repository();
    bench.write("repo/folder/a", "x\n");
    bench.git("repo", &["add", "."]);
    let index = alone(&bench);
    assert_eq!(of(&index, b"folder"), None);
    assert!(of(&index, b"folder/a").is_some());
}

#[test]
fn each_mode_is_what_git_says_it_is() {
    let bench = Bench::with_repository();
    let root = bench.path("repo");
    std::os::unix::fs::symlink("file", root.join("link")).unwrap();
    bench.git("repo", &["add", "."]);
    bench.git("repo", &["update-index", "--chmod=+x", "file"]);
    let commit = bench.git("repo", &["rev-parse", "HEAD"]);
    let submodule = format!("160000,{},sub", commit.trim());
    bench.git("repo", &["update-index", "--add", "--cacheinfo", &submodule]);
    let index = alone(&bench);
    let modes = [&b"file"[..], b"link", b"sub"].map(|name| of(&index, name).unwrap()[..6].to_owned());
    assert_eq!(modes, ["100755", "120000", "160000"]);
}

#[test]
fn a_stopped_merge_is_known_in_every_form_of_the_file_without_asking_git() {
    let bench = stopped_merge();
    let ours = bench.git("repo", &["rev-parse", ":2:file"]);
    for version in ["2", "3", "4"] {
        bench.git(
            "repo",
            &["update-index", "--force-write-index", "--index-version", version],
        );
        let index = alone(&bench);
        assert_eq!(asked(&bench), ["file"], "version {version}");
        assert_eq!(
            scanned(&bench),
            Some(vec![b"file".to_vec(); 3]),
            "version {version}"
        );
        assert_eq!(of(&index, b"file"), Some(format!("100644 {}", ours.trim())));
        assert!(of(&index, b"folder/clean").is_some());
    }
}

#[test]
fn an_index_in_two_files_is_read_from_both() {
    let bench = stopped_merge();
    bench.git("repo", &["update-index", "--split-index"]);
    bench.write("repo/later", "later\n");
    bench.git("repo", &["add", "later"]);
    let index = index(&bench);
    assert_eq!(scanned(&bench), None);
    assert_eq!(asked(&bench), ["file"]);
    assert!(of(&index, b"later").is_some());
    assert!(of(&index, b"folder/clean").is_some());
}

#[test]
fn names_of_every_length_are_told_apart_in_every_form_of_the_file() {
    let bench = Bench::with_repository();
    let names: Vec<String> = (1..40)
        .map(|length| format!("d/{}", "x".repeat(length)))
        .collect();
    for (branch, content) in [("other", "other\n"), ("main", "ours\n")] {
        if branch == "other" {
            bench.git("repo", &["checkout", "-q", "-b", branch]);
        } else {
            bench.git("repo", &["checkout", "-q", branch]);
        }
        for name in names.iter().step_by(3) {
            bench.write(&format!("repo/{name}"), content);
        }
        for name in names.iter().skip(1).step_by(3) {
            bench.write(&format!("repo/{name}"), "same\n");
        }
        bench.commit("repo", branch);
    }
    bench.try_git("repo", &["merge", "-q", "other"]).unwrap_err();
    bench.write("repo/new", "new\n");
    bench.git("repo", &["add", "--intent-to-add", "new"]);
    let expected: Vec<String> = names.iter().step_by(3).cloned().collect();
    for version in ["2", "3", "4"] {
        bench.git(
            "repo",
            &["update-index", "--force-write-index", "--index-version", version],
        );
        assert!(scanned(&bench).is_some(), "version {version}");
        assert_eq!(asked(&bench), expected, "version {version}");
    }
}

#[test]
fn a_sparse_index_has_what_is_in_its_folders() {
    let bench = Bench::with_repository();
    bench.write("repo/in/a", "a\n");
    bench.write("repo/out/b", "b\n");
    bench.commit("repo", "folders");
    bench.git(
        "repo",
        &["sparse-checkout", "set", "--cone", "--sparse-index", "in"],
    );
    let index = index(&bench);
    assert!(of(&index, b"in/a").is_some());
    assert!(of(&index, b"out/b").is_some());
    assert_eq!(asked(&bench), [""; 0]);
}

#[test]
fn what_cannot_be_read_here_git_is_asked_of() {
    let bench = stopped_merge();
    let told = index(&bench);
    let told = GitIndex { read: None, ..told };
    assert_eq!(of(&told, b"file"), of(&index(&bench), b"file"));
}

#[test]
fn nothing_is_in_an_index_that_was_never_written_and_a_pipe_is_not_waited_for() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "repo"]);
    assert_eq!(asked(&bench), [""; 0]);
    crate::fixture::make_pipe(&bench.path("repo/.git/index"));
    assert!(alone(&bench).read.is_none());
}

#[test]
fn the_stamp_changes_with_whatever_git_writes_to_the_index() {
    let bench = Bench::with_repository();
    let worktree = GitWorktree::of(&place::find(&bench.path("repo"))).unwrap();
    let before = IndexStamp::of(&worktree);
    assert_eq!(IndexStamp::of(&worktree), before);
    bench.write("repo/file", "two\n");
    bench.git("repo", &["add", "file"]);
    assert_ne!(IndexStamp::of(&worktree), before);
}
