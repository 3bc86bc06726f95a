use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::fixture::{Bench, PLENTY, make_pipe};
use crate::object::EntryMode;
use crate::place;

fn worktree(bench: &Bench, folder: &str) -> GitWorktree {
    GitWorktree::of(&place::find(&bench.path(folder))).unwrap()
}

fn scanned(bench: &Bench, folder: &str) -> WorktreeScan {
    let worktree = worktree(bench, folder);
    let git = Git::new(&worktree.root, &bench.environment());
    scan(&worktree, &git, Ground::Repository, PLENTY).unwrap()
}

fn outside(bench: &Bench, max_files: usize) -> Result<WorktreeScan, ScanError> {
    let worktree = worktree(bench, "plain");
    let shadow = bench.path("shadow.git");
    let git = Git::new(&worktree.root, &bench.environment());
    let ground = Ground::Folder {
        shadow: &shadow,
        max_files,
    };
    scan(&worktree, &git, ground, PLENTY)
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// The paths, each with what it is and what commit and index have of it.
fn lines(scan: &WorktreeScan) -> Vec<String> {
    let mode = |entry: Option<TreeLeaf>| entry.map_or("-", |entry| entry.mode.octal());
    scan.dirty
        .iter()
        .map(|(path, dirty)| {
            format!(
                "{path} {:?} {} {}",
                dirty.kind,
                mode(dirty.head),
                mode(dirty.index)
            )
        })
        .collect()
}

#[test]
fn every_way_to_differ_is_found_once() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "-b", "main", "repo"]);
    for name in ["changed", "staged", "deleted", "removed", "kept", "both", "same"] {
        bench.write(&format!("repo/{name}"), "one\n");
    }
    bench.write("repo/.gitignore", "ignored\n");
    bench.commit("repo", "first");
    bench.write("repo/changed", "two\n");
    bench.write("repo/staged", "two\n");
    bench.write("repo/both", "two\n");
    bench.git("repo", &["add", "staged", "both"]);
    bench.write("repo/both", "three\n");
    fs_err::remove_file(bench.path("repo/deleted")).unwrap();
    bench.git("repo", &["rm", "-q", "removed"]);
    bench.git("repo", &["rm", "-q", "--cached", "kept"]);
    bench.write("repo/folder/new", "new\n");
    bench.write("repo/ignored", "new\n");
    bench.write("repo/hinted", "new\n");
    bench.git("repo", &["add", "-N", "hinted"]);
    symlink("nowhere", bench.path("repo/link")).unwrap();
    make_pipe(&bench.path("repo/pipe"));

    let scan = scanned(&bench, "repo");
    assert_eq!(
        lines(&scan),
        [
            "both Tracked 100644 100644",
            "changed Tracked 100644 100644",
            "deleted Tracked 100644 100644",
            "folder/new Untracked - -",
            "hinted Tracked - -",
            "kept Untracked 100644 -",
            "link Untracked - -",
            "removed Tracked 100644 -",
            "staged Tracked 100644 100644",
        ]
    );
    assert_eq!(
        scan.head.unwrap().to_string(),
        bench.git("repo", &["rev-parse", "HEAD"])
    );
    assert_eq!(scan.branch.as_deref(), Some(&b"main"[..]));
    let as_staged: Vec<&RepoPath> = scan
        .dirty
        .iter()
        .filter(|(_, dirty)| dirty.is_as_staged)
        .map(|(path, _)| path)
        .collect();
    assert_eq!(as_staged, [&path("staged")]);
}

#[test]
fn a_conflict_is_one_path_with_our_side() {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "other"]);
    bench.write("repo/file", "theirs\n");
    bench.commit("repo", "theirs");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/file", "ours\n");
    bench.commit("repo", "ours");
    bench.try_git("repo", &["merge", "other"]).unwrap_err();
    let scan = scanned(&bench, "repo");
    assert_eq!(lines(&scan), ["file Unmerged 100644 100644"]);
    let ours = bench.git("repo", &["rev-parse", "main:file"]);
    assert_eq!(
        scan.dirty.get(&path("file")).unwrap().index,
        Some(TreeLeaf {
            mode: EntryMode::File,
            id: ours.parse().unwrap()
        })
    );
}

#[test]
fn repositories_inside_are_one_path_each_and_not_entered() {
    let bench = Bench::with_repository();
    bench.git(".", &["clone", "-q", "repo", "repo/nested"]);
    bench.git(".", &["clone", "-q", "repo", "source"]);
    bench.git(
        "repo",
        &[
            "submodule",
            "--quiet",
            "add",
            bench.path("source").to_str().unwrap(),
            "sub",
        ],
    );
    bench.git("repo", &["commit", "-q", "-m", "sub"]);
    bench.write("repo/sub/dirty", "not ours\n");
    bench.write("repo/nested/dirty", "not ours\n");
    assert_eq!(lines(&scanned(&bench, "repo")), ["nested Nested - -"]);
    bench.git("repo/sub", &["commit", "-q", "--allow-empty", "-m", "moved"]);
    assert_eq!(
        lines(&scanned(&bench, "repo")),
        ["nested Nested - -", "sub Submodule 160000 160000"]
    );
}

#[test]
fn a_repository_without_commits_or_branch_is_scanned() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "-b", "main", "repo"]);
    bench.write("repo/new", "new\n");
    let unborn = scanned(&bench, "repo");
    assert_eq!(unborn.head, None);
    assert_eq!(unborn.branch.as_deref(), Some(&b"main"[..]));
    assert_eq!(lines(&unborn), ["new Untracked - -"]);
    bench.commit("repo", "first");
    bench.git("repo", &["checkout", "-q", "--detach"]);
    let detached = scanned(&bench, "repo");
    assert!(detached.head.is_some() && detached.branch.is_none() && detached.dirty.is_empty());
}

#[test]
fn a_name_that_could_be_gits_own_is_reported_and_the_rest_is_scanned() {
    let bench = Bench::with_repository();
    bench.write("repo/git~1", "hostile\n");
    bench.write("repo/new", "new\n");
    let scan = scanned(&bench, "repo");
    assert_eq!(lines(&scan), ["new Untracked - -"]);
    assert_eq!(scan.refused, [(b"git~1".to_vec(), PathFault::GitFolder)]);
}

#[test]
fn toprope_s_own_folder_below_the_root_is_never_somebodys_work() {
    let bench = Bench::with_repository();
    bench.write("repo/.state/toprope.db", "ours");
    bench.write("repo/new", "theirs");
    let worktree = worktree(&bench, "repo").hiding(&bench.path("repo/.state"));
    let git = Git::new(&worktree.root, &bench.environment());
    let scan = scan(&worktree, &git, Ground::Repository, PLENTY).unwrap();
    assert_eq!(lines(&scan), ["new Untracked - -"]);
}

#[test]
fn outside_git_ignore_files_count_and_too_many_files_are_too_many() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "--bare", "shadow.git"]);
    bench.write("plain/.gitignore", "*.log\n");
    bench.write("plain/a.log", "ignored");
    bench.write("plain/folder/b", "kept");
    let before = listing(&bench.path("shadow.git"));
    assert_eq!(
        lines(&outside(&bench, 2).unwrap()),
        [".gitignore Untracked - -", "folder/b Untracked - -"]
    );
    assert_eq!(listing(&bench.path("shadow.git")), before);
    bench.write("plain/one more", "kept");
    assert!(matches!(outside(&bench, 2), Err(ScanError::TooMany { limit: 2 })));
}

fn listing(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut names: Vec<_> = fs_err::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names
}

#[test]
fn the_index_is_not_refreshed_though_every_time_stamp_in_it_is_stale() {
    let bench = Bench::with_repository();
    // The same bytes in another file: only a refresh would make the index believe its eyes again.
    bench.write("repo/other", "one\n");
    fs_err::rename(bench.path("repo/other"), bench.path("repo/file")).unwrap();
    let index = bench.path("repo/.git/index");
    let before = (
        fs_err::read(&index).unwrap(),
        fs_err::metadata(&index).unwrap().modified().unwrap(),
    );
    assert!(scanned(&bench, "repo").dirty.is_empty());
    let after = (
        fs_err::read(&index).unwrap(),
        fs_err::metadata(&index).unwrap().modified().unwrap(),
    );
    assert!(before == after, "the index was written");
    bench.git("repo", &["status"]);
    assert!(fs_err::read(&index).unwrap() != before.0, "nothing was stale");
}

#[test]
fn somebody_who_adds_and_commits_meanwhile_never_finds_a_lock() {
    let bench = Bench::with_repository();
    let is_done = AtomicBool::new(false);
    let complaint = std::thread::scope(|threads| {
        let commits = threads.spawn(|| {
            let complaint = (0..25).find_map(|round| {
                bench.write("repo/file", format!("{round}\n"));
                let added = bench.try_git("repo", &["add", "-A"]);
                let committed = bench.try_git("repo", &["commit", "-q", "-m", "next"]);
                added.and(committed).err()
            });
            is_done.store(true, Ordering::Release);
            complaint
        });
        let mut scans = 0;
        while !is_done.load(Ordering::Acquire) || scans == 0 {
            scanned(&bench, "repo");
            scans += 1;
        }
        commits.join().unwrap()
    });
    assert_eq!(complaint, None);
}

#[test]
fn a_git_that_hangs_or_is_missing_is_told_apart() {
    let bench = Bench::with_repository();
    let worktree = worktree(&bench, "repo");
    let ask = |environment, time| {
        let git = Git::new(&worktree.root, &environment);
        scan(&worktree, &git, Ground::Repository, time)
    };
    let short = Duration::from_millis(300);
    let late = ask(bench.environment_with("exec sleep 600"), short).unwrap_err();
    assert!(matches!(late, ScanError::Late(time) if time == short));
    let missing = ask(crate::run::GitEnvironment::default(), PLENTY).unwrap_err();
    assert!(matches!(missing, ScanError::Git(GitError::Missing)));
}
