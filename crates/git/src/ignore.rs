//! Which paths git is told to ignore. Git itself is asked, once for all of them.

use std::collections::BTreeSet;
use std::ffi::OsString;
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
    let mut names = Vec::new();
    for path in paths {
        names.extend_from_slice(path.as_bytes());
        names.push(0);
    }
    let told = match git.feed(&arguments, names, Limits::within(TIME)) {
        Ok(told) => told,
        // This is how it says that none is.
        Err(GitError::Failed { code: Some(1), .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let names = told.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.filter_map(|name| RepoPath::new(name).ok()).collect())
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
}
