use super::*;
use crate::fixture::Bench;
use crate::place;

fn worktree(bench: &Bench, folder: &str) -> Option<GitWorktree> {
    GitWorktree::of(&place::find(&bench.path(folder)))
}

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

#[test]
fn the_main_worktree_has_no_name_and_a_linked_one_has_gits() {
    let bench = Bench::with_repository();
    bench.git("repo", &["worktree", "add", "-q", "--detach", "../linked folder"]);
    let main = worktree(&bench, "repo").unwrap();
    let linked = worktree(&bench, "linked folder").unwrap();
    assert_eq!((main.root, main.name), (bench.path("repo"), Vec::new()));
    assert_eq!(linked.root, bench.path("linked folder"));
    assert_eq!(linked.name, b"linked-folder");
    assert_eq!(linked.common_dir, Some(bench.path("repo/.git")));
}

#[test]
fn a_folder_outside_git_is_its_own_root_and_a_bare_repository_has_none() {
    let bench = Bench::new();
    bench.folder("plain");
    bench.git(".", &["init", "-q", "--bare", "bare.git"]);
    let plain = worktree(&bench, "plain").unwrap();
    assert_eq!(
        (plain.root.clone(), plain.is_in_git()),
        (bench.path("plain"), false)
    );
    assert_eq!(
        plain.address(Path::new("/s.git")),
        [
            OsString::from("--git-dir=/s.git"),
            format!("--work-tree={}", bench.path("plain").display()).into()
        ]
    );
    assert_eq!(worktree(&bench, "bare.git"), None);
}

#[test]
fn what_is_hidden_is_the_folder_and_all_below_it_and_nothing_beside_it() {
    let bench = Bench::new();
    bench.folder("plain/state");
    let worktree = worktree(&bench, "plain")
        .unwrap()
        .hiding(&bench.path("plain/state"));
    assert!(worktree.hides(&path("state")));
    assert!(worktree.hides(&path("state/a/b")));
    assert!(!worktree.hides(&path("state2")));
    assert!(!worktree.hides(&path("a/state")));
    assert!(!worktree.clone().hiding(&bench.path("plain")).hides(&path("a")));
}

#[test]
fn what_a_restore_gets_ready_in_the_root_is_hidden() {
    let bench = Bench::with_repository();
    let worktree = worktree(&bench, "repo").unwrap();
    assert!(worktree.hides(&path(".toprope-stage-7be1c09d42aa/0")));
    assert!(!worktree.hides(&path("docs/.toprope-stage-7be1c09d42aa")));
    assert!(!worktree.hides(&path(".toprope-stage")));
}
