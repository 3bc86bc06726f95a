use super::*;
use crate::fixture::{Bench, PLENTY};
use crate::place;

fn at(bench: &Bench, folder: &str) -> Repository {
    let place = place::find(&bench.path(folder));
    read(&place, &bench.environment(), PLENTY).unwrap()
}

#[test]
fn a_plain_repository_is_told_from_its_files() {
    let bench = Bench::with_repository();
    bench.git("repo", &["branch", "feature/one"]);
    bench.git("repo", &["branch", "packed"]);
    bench.git("repo", &["pack-refs", "--all"]);
    bench.git("repo", &["branch", "later"]);
    bench.folder("repo/src");
    let found = at(&bench, "repo/src");
    let root = bench.path("repo");
    assert_eq!(
        found,
        Repository {
            root: root.clone(),
            common_dir: root.join(".git"),
            git_dir: root.join(".git"),
            main_worktree: root.clone(),
            worktrees: vec![root],
            branch: Some("main".to_owned()),
            default_branch: None,
            branches: ["feature/one", "later", "main", "packed"]
                .map(str::to_owned)
                .into(),
            operation: None,
            is_bare: false,
        }
    );
}

#[test]
fn a_linked_worktree_knows_the_main_one_and_its_siblings() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "../wt", "-b", "side"]);
    bench.git("repo", &["worktree", "add", "-q", "../gone", "-b", "gone"]);
    fs_err::remove_dir_all(bench.path("gone")).unwrap();
    let found = at(&bench, "wt");
    assert_eq!(found.root, bench.path("wt"));
    assert_eq!(found.branch.as_deref(), Some("side"));
    assert_eq!(found.main_worktree, bench.path("repo"));
    assert_eq!(found.worktrees, [bench.path("repo"), bench.path("wt")]);
    assert_eq!(found.common_dir, bench.path("repo/.git"));
    assert_eq!(found.git_dir, bench.path("repo/.git/worktrees/wt"));
}

#[test]
fn a_clone_knows_the_default_branch_of_where_it_came_from() {
    let bench = Bench::with_repository();
    bench.git("repo", &["branch", "-m", "trunk/next"]);
    bench.git(".", &["clone", "-q", "repo", "copy"]);
    bench.git("copy", &["checkout", "-q", "--detach"]);
    let found = at(&bench, "copy");
    assert_eq!(found.default_branch.as_deref(), Some("trunk/next"));
    assert_eq!(found.branch, None, "nothing is checked out but a commit");
    bench.git(
        "copy",
        &["remote", "rename", "--no-progress", "origin", "upstream"],
    );
    let renamed = at(&bench, "copy").default_branch;
    assert!(renamed.is_none() || renamed.as_deref() == Some("trunk/next"));
}

#[test]
fn a_merge_under_way_is_told() {
    let bench = Bench::with_repository();
    bench.git("repo", &["checkout", "-q", "-b", "side"]);
    bench.write("repo/file", "two\n");
    bench.commit("repo", "two");
    bench.git("repo", &["checkout", "-q", "main"]);
    bench.write("repo/file", "three\n");
    bench.commit("repo", "three");
    assert!(bench.try_git("repo", &["merge", "-q", "side"]).is_err());
    assert_eq!(at(&bench, "repo").operation, Some(GitOperation::Merge));
}

#[test]
fn bare_repositories_other_hashes_and_refs_in_tables_are_answered_too() {
    let bench = Bench::with_repository();
    bench.git(".", &["clone", "-q", "--bare", "repo", "bare.git"]);
    let bare = at(&bench, "bare.git");
    assert!(bare.is_bare && bare.worktrees.is_empty());
    assert_eq!(bare.branch.as_deref(), Some("main"));

    bench.git(
        ".",
        &["init", "-q", "-b", "main", "--object-format=sha256", "long"],
    );
    assert_eq!(at(&bench, "long").branch.as_deref(), Some("main"));

    if let Some(tables) = Bench::with_refs_in_tables() {
        assert_eq!(at(&tables, "repo").branch.as_deref(), Some("main"));
    }
}

#[test]
fn there_is_no_repository_outside_git_and_a_deleted_folder_is_in_the_one_it_was_in() {
    let bench = Bench::with_repository();
    bench.folder("plain");
    assert_eq!(
        read(&place::find(&bench.path("plain")), &bench.environment(), PLENTY),
        None
    );
    assert_eq!(at(&bench, "repo/gone/deep").root, bench.path("repo"));
}

#[test]
fn a_hostile_folder_of_worktrees_leads_nowhere() {
    let bench = Bench::with_repository();
    bench.write(
        "repo/.git/worktrees/a/gitdir",
        "../../../../../../etc/shadow/.git\n",
    );
    bench.write("repo/.git/worktrees/b/gitdir", vec![b'x'; 9000]);
    bench.write(
        "repo/.git/refs/remotes/origin/HEAD",
        "ref: refs/remotes/origin/\n",
    );
    let found = at(&bench, "repo");
    assert_eq!(found.worktrees, [bench.path("repo")]);
    assert_eq!(found.default_branch, None);
}
