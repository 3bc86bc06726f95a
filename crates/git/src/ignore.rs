//! Which paths git is told to ignore. Git itself is asked, once for all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};
use crate::worktree::Worktree;

/// A few rules and a few names; longer than this and something is wrong.
const TIME: Duration = Duration::from_secs(5);

/// The paths among these that are ignored and not tracked.
pub fn ignored(
    worktree: &Worktree,
    git: &Git,
    shadow: &Path,
    paths: &[RepoPath],
) -> Result<BTreeSet<RepoPath>, GitError> {
    if paths.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut arguments = worktree.address(shadow);
    arguments.extend(["check-ignore", "-z", "--stdin"].map(OsString::from));
    let asked: BTreeMap<Vec<u8>, &RepoPath> = paths
        .iter()
        .map(|path| (as_if_below_folders(worktree, path), path))
        .collect();
    let mut names = Vec::new();
    for name in asked.keys() {
        names.extend_from_slice(name);
        names.push(0);
    }
    let told = match git.feed(&arguments, names, Limits::within(TIME)) {
        Ok(told) => told,
        // This is how it says that none is.
        Err(GitError::Failed { code: Some(1), .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let names = told.split(|byte| *byte == 0);
    Ok(names
        .filter_map(|name| asked.get(name).copied().cloned())
        .collect())
}

/// The path, with another name for what is a link now: git refuses to say anything about what is beyond one, though the
/// file may have been written when a folder stood there.
fn as_if_below_folders(worktree: &Worktree, path: &RepoPath) -> Vec<u8> {
    let mut name: Vec<u8> = Vec::new();
    for part in path.components() {
        if !name.is_empty() {
            while fs_err::symlink_metadata(worktree.root.join(OsStr::from_bytes(&name)))
                .is_ok_and(|found| found.is_symlink())
            {
                name.push(b'_');
            }
            name.push(b'/');
        }
        name.extend_from_slice(part);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Bench;
    use crate::place;

    fn path(name: &str) -> RepoPath {
        RepoPath::new(name).unwrap()
    }

    #[test]
    fn ignored_files_are_told_from_others_and_tracked_ones_are_not_ignored() {
        let bench = Bench::with_repository();
        let root = bench.path("repo");
        bench.write("repo/.gitignore", "*.log\nbuild/\n");
        bench.write("repo/kept.log", "x");
        bench.git("repo", &["add", "-f", "kept.log"]);
        let worktree = Worktree::of(&place::find(&root)).unwrap();
        let git = Git::new(&root, &bench.environment());
        let asked = ["a.log", "build/x", "src/a.rs", "kept.log"].map(path);
        let found = ignored(&worktree, &git, Path::new("unused"), &asked).unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["a.log", "build/x"].map(path)
        );
        assert!(
            ignored(&worktree, &git, Path::new("unused"), &[path("src/b.rs")])
                .unwrap()
                .is_empty()
        );
    }
    #[test]
    fn a_file_below_what_became_a_link_is_judged_by_its_own_name() {
        let bench = Bench::with_repository();
        let root = bench.path("repo");
        bench.write("repo/.gitignore", "*.log\n");
        std::os::unix::fs::symlink("elsewhere", root.join("d")).unwrap();
        let worktree = Worktree::of(&place::find(&root)).unwrap();
        let git = Git::new(&root, &bench.environment());
        let asked = ["d/a.log", "d/b", "d/e/c.log"].map(path);
        let found = ignored(&worktree, &git, Path::new("unused"), &asked).unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["d/a.log", "d/e/c.log"].map(path)
        );
    }
}
