use std::os::unix::fs::symlink;

use super::*;
use crate::fixture::{Bench, PLENTY, make_pipe};
use crate::place::find;

fn head(bench: &Bench, folder: &str) -> Head {
    from_files(&find(&bench.path(folder))).expect("refs are kept in files")
}

fn commit_of(bench: &Bench, folder: &str) -> String {
    bench.git(folder, &["rev-parse", "HEAD"])
}

fn on(bench: &Bench, folder: &str, name: &str) -> Head {
    Head::Branch {
        name: name.to_owned(),
        commit: Some(commit_of(bench, folder)),
    }
}

#[test]
fn a_branch_is_read_with_its_commit() {
    let bench = Bench::with_repository();
    assert_eq!(head(&bench, "repo"), on(&bench, "repo", "main"));
    bench.git("repo", &["switch", "-q", "-c", "feature/deep/ünicode"]);
    bench.commit("repo", "second");
    assert_eq!(head(&bench, "repo"), on(&bench, "repo", "feature/deep/ünicode"));
}

#[test]
fn a_packed_branch_is_found_and_a_loose_one_wins_over_it() {
    let bench = Bench::with_repository();
    for name in ["aaa", "main2", "zzz"] {
        bench.git("repo", &["branch", name]);
    }
    bench.git("repo", &["pack-refs", "--all"]);
    assert!(!bench.path("repo/.git/refs/heads/main").exists());
    assert_eq!(head(&bench, "repo"), on(&bench, "repo", "main"));
    bench.commit("repo", "second");
    assert_eq!(head(&bench, "repo"), on(&bench, "repo", "main"));
}

#[test]
fn each_worktree_has_its_own_head() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../linked"]);
    bench.commit("linked", "elsewhere");
    assert_eq!(head(&bench, "linked"), on(&bench, "linked", "linked"));
    assert_eq!(head(&bench, "repo").branch(), Some("main"));
    assert_ne!(head(&bench, "repo").commit(), head(&bench, "linked").commit());
}

#[test]
fn a_detached_head_is_told_by_its_commit() {
    let bench = Bench::with_repository();
    bench.git("repo", &["switch", "-q", "--detach"]);
    let commit = commit_of(&bench, "repo");
    assert_eq!(
        head(&bench, "repo").label(),
        Some(format!("detached at {}", &commit[..7]))
    );
    assert_eq!(head(&bench, "repo"), Head::Detached { commit });
}

#[test]
fn a_branch_without_commits_is_unborn() {
    let bench = Bench::new();
    bench.git(".", &["init", "-q", "-b", "fresh", "repo"]);
    assert_eq!(
        head(&bench, "repo"),
        Head::Unborn {
            name: "fresh".to_owned()
        }
    );
}

#[test]
fn a_bare_repository_and_one_with_long_hashes_have_heads_too() {
    let bench = Bench::with_repository();
    bench.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    assert_eq!(head(&bench, "bare.git"), on(&bench, "bare.git", "main"));
    bench.git(
        ".",
        &["init", "-q", "-b", "main", "--object-format=sha256", "long"],
    );
    bench.commit("long", "first");
    assert_eq!(head(&bench, "long"), on(&bench, "long", "main"));
}

#[test]
fn the_symbolic_links_of_old_repositories_are_understood() {
    let bench = Bench::with_repository();
    fs_err::remove_file(bench.path("repo/.git/HEAD")).unwrap();
    symlink("refs/heads/main", bench.path("repo/.git/HEAD")).unwrap();
    assert_eq!(head(&bench, "repo"), on(&bench, "repo", "main"));
    symlink("refs/heads/none", bench.path("repo/.git/NEXT")).unwrap();
    fs_err::rename(bench.path("repo/.git/NEXT"), bench.path("repo/.git/HEAD")).unwrap();
    assert_eq!(
        head(&bench, "repo"),
        Head::Unborn {
            name: "none".to_owned()
        }
    );
}

#[test]
fn a_branch_that_names_another_is_followed_but_not_in_circles() {
    let bench = Bench::with_repository();
    bench.git("repo", &["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    bench.git("repo", &["symbolic-ref", "HEAD", "refs/heads/alias"]);
    assert_eq!(head(&bench, "repo"), on(&bench, "repo", "alias"));
    bench.write("repo/.git/refs/heads/alias", "ref: refs/heads/alias\n");
    assert_eq!(head(&bench, "repo"), branch("alias"));
}

fn branch(name: &str) -> Head {
    Head::Branch {
        name: name.to_owned(),
        commit: None,
    }
}

#[test]
fn a_head_that_points_out_of_the_repository_is_not_followed() {
    let bench = Bench::with_repository();
    let id = commit_of(&bench, "repo");
    bench.write("secret", format!("{id}\n"));
    bench.write("repo/.git/HEAD", "ref: refs/heads/../../../../secret\n");
    assert_eq!(head(&bench, "repo"), branch("../../../../secret"));
}

#[test]
fn refs_that_cannot_be_read_are_not_taken_for_absent_ones() {
    let bench = Bench::with_repository();
    bench.write("repo/.git/refs/heads/main", "not a commit\n");
    assert_eq!(head(&bench, "repo"), branch("main"));
    fs_err::remove_file(bench.path("repo/.git/refs/heads/main")).unwrap();
    make_pipe(&bench.path("repo/.git/refs/heads/main"));
    assert_eq!(head(&bench, "repo"), branch("main"));
}

#[test]
fn a_list_of_packed_refs_beyond_the_limit_leaves_the_commit_open() {
    let bench = Bench::with_repository();
    fs_err::remove_file(bench.path("repo/.git/refs/heads/main")).unwrap();
    bench.write("repo/.git/packed-refs", "");
    let file = fs_err::OpenOptions::new()
        .write(true)
        .open(bench.path("repo/.git/packed-refs"))
        .unwrap();
    file.set_len(PACKED_LIMIT + 1).unwrap();
    assert_eq!(head(&bench, "repo"), branch("main"));
}

#[test]
fn outside_git_nothing_is_checked_out() {
    let bench = Bench::new();
    assert_eq!(head(&bench, "."), Head::Unknown);
    assert_eq!(head(&bench, ".").label(), None);
}

#[test]
fn refs_in_tables_are_asked_of_git() {
    let Some(bench) = Bench::with_refs_in_tables() else {
        return;
    };
    let read = || read(&find(&bench.path("repo")), &bench.environment(), PLENTY);
    assert_eq!(from_files(&find(&bench.path("repo"))), None);
    assert_eq!(
        read(),
        Head::Unborn {
            name: "main".to_owned()
        }
    );
    bench.commit("repo", "first");
    assert_eq!(read(), on(&bench, "repo", "main"));
    bench.git("repo", &["switch", "-q", "--detach"]);
    let commit = commit_of(&bench, "repo");
    assert_eq!(read(), Head::Detached { commit });
}

#[test]
fn refs_in_tables_without_a_working_git_are_unknown() {
    let Some(bench) = Bench::with_refs_in_tables() else {
        return;
    };
    let place = find(&bench.path("repo"));
    let broken = bench.environment_with("exit 3");
    assert_eq!(read(&place, &broken, PLENTY), Head::Unknown);
    assert_eq!(read(&place, &bench.environment(), Duration::ZERO), Head::Unknown);
}
