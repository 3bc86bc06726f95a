use super::*;
use crate::checkpoint::desk::{Desk, git};
use git::object::PathState;

/// What is at a path before a call writes it.
fn before(desk: &Desk, path: &str) -> PathState {
    let named = PlacedFile {
        place: Arc::clone(&desk.site.place),
        path: RepoPath::new(path).unwrap(),
    };
    match take(&desk.site, &named, &desk.settings).unwrap() {
        Captured::Is(seen) => seen.state,
        other @ Captured::Skipped(_) => panic!("{other:?}"),
    }
}

/// Whether the shadow has this content of its own.
fn owns(desk: &Desk, state: PathState) -> bool {
    let shadow = desk.site.make_shadow().unwrap();
    shadow.owns(state.entry().unwrap().id)
}

fn write(desk: &Desk, path: &str, content: &str) {
    fs_err::write(desk.folder.join("repo").join(path), content).unwrap();
}

#[test]
fn a_file_that_is_about_to_be_written_is_read_without_running_git() {
    let desk = Desk::new(2);
    write(&desk, "src/part0/2.txt", "a person's\n");
    write(&desk, "new.txt", "not known to git\n");
    let runs = desk.git_runs();
    for path in ["src/part0/1.txt", "src/part0/2.txt", "new.txt", "not-there.txt"] {
        before(&desk, path);
    }
    assert_eq!(desk.git_runs(), runs);
}

#[test]
fn where_it_decides_what_is_stored_the_index_is_read_without_running_git() {
    let desk = Desk::new(1);
    let repo = desk.folder.join("repo");
    write(&desk, "staged.txt", "one\r\n");
    write(&desk, "unknown.txt", "one\r\n");
    git(&repo, &["add", "staged.txt"]);
    git(&repo, &["config", "core.autocrlf", "true"]);
    before(&desk, "src/part0/1.txt");
    let runs = desk.git_runs().len();
    // As git itself has it: line ends are left alone in a file that is in the index with them.
    let PathState::Present { raw, .. } = before(&desk, "staged.txt") else {
        panic!("it is there");
    };
    assert_eq!(raw, None);
    assert_eq!(desk.git_runs().len(), runs);
    let PathState::Present { raw, .. } = before(&desk, "unknown.txt") else {
        panic!("it is there");
    };
    assert!(raw.is_some(), "it is stored with other line ends");
}

#[test]
fn what_the_commit_or_the_newest_checkpoint_holds_is_not_written_again() {
    let mut desk = Desk::new(1);
    assert!(
        !owns(&desk, before(&desk, "src/part0/1.txt")),
        "the commit has it"
    );
    desk.cut(&["src/part0/2.txt".to_owned()]);
    let objects = || git(&desk.site.site().shadow, &["count-objects", "-v"]);
    let then = objects();
    before(&desk, "src/part0/2.txt");
    assert_eq!(objects(), then);
}

#[test]
fn what_only_the_worktree_or_another_path_holds_is_kept() {
    let desk = Desk::new(1);
    write(&desk, "src/part0/3.txt", "a person's\n");
    assert!(owns(&desk, before(&desk, "src/part0/3.txt")));
    write(&desk, "copy.txt", "0 1\n");
    assert!(owns(&desk, before(&desk, "copy.txt")));
}
