use super::*;
use crate::fixture::{Bench, PLENTY};
use crate::place;
use crate::run::Git;
use crate::shadow::ShadowSite;

fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// What becomes of these paths, in one capture.
fn taken(bench: &Bench, hidden: &str, names: &[(&str, Option<TreeLeaf>)]) -> Vec<Captured> {
    let place = place::find(&bench.path("repo"));
    let shadow = Shadow::make(&ShadowSite::of(&place, &bench.path("outside")).unwrap()).unwrap();
    let worktree = GitWorktree::of(&place).unwrap().hiding(&bench.path(hidden));
    let git = Git::new(&worktree.root, &bench.environment());
    let settings = GitSettings::read(&git, &worktree, shadow.folder(), PLENTY).unwrap();
    let rules = Rules {
        max_file: 1000,
        max_total: 1000,
        exclude: Exclude::default(),
    };
    let mut capture = Capture::new(&shadow, &worktree, &settings, &rules).unwrap();
    names
        .iter()
        .map(|(name, tracked)| capture.take(&path(name), *tracked).unwrap())
        .collect()
}

fn absent() -> Captured {
    Captured::Is(PathContent::of(PathState::Absent))
}

#[test]
fn a_missing_path_a_folder_and_what_would_lie_below_a_file_are_nothing() {
    let bench = Bench::with_repository();
    bench.folder("repo/folder");
    let found = taken(
        &bench,
        "state",
        &[("none", None), ("folder", None), ("file/below", None)],
    );
    assert_eq!(found, [absent(), absent(), absent()]);
}

#[test]
fn a_file_comes_with_its_size_and_what_the_system_says_of_it() {
    let bench = Bench::with_repository();
    let found = taken(&bench, "state", &[("file", None)]);
    let [Captured::Is(seen)] = found.as_slice() else {
        panic!("{found:?}");
    };
    let id = bench.git("repo", &["rev-parse", "HEAD:file"]).parse().unwrap();
    let entry = TreeLeaf {
        mode: EntryMode::File,
        id,
    };
    assert_eq!(seen.state, PathState::plain(entry));
    assert_eq!((seen.size, seen.stat.unwrap().size, seen.moving), (4, 4, false));
}

#[test]
fn toprope_s_own_files_are_not_captured_even_when_somebody_names_them() {
    let bench = Bench::with_repository();
    bench.write("repo/state/toprope.db", "ours");
    let found = taken(&bench, "repo/state", &[("state/toprope.db", None)]);
    assert_eq!(found, [Captured::Skipped(Skip::Excluded)]);
}

#[test]
fn a_submodule_that_is_not_checked_out_is_what_the_index_says() {
    let bench = Bench::with_repository();
    bench.folder("repo/sub");
    let id = bench.git("repo", &["rev-parse", "HEAD"]).parse().unwrap();
    let entry = TreeLeaf {
        mode: EntryMode::Commit,
        id,
    };
    let found = taken(&bench, "state", &[("sub", Some(entry))]);
    assert_eq!(found, [Captured::Is(PathContent::of(PathState::plain(entry)))]);
}
