//! Which paths git is told to ignore. Git itself is asked, once for all of them; of rules that are gone, their text is.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use gix::ignore::Search;
use gix::ignore::glob::pattern::Case;
use gix::ignore::search::Ignore;

use crate::path::RepoPath;
use crate::run::{Git, GitError, Limits};
use crate::worktree::GitWorktree;

/// A few rules and a few names; longer than this and something is wrong.
const TIME: Duration = Duration::from_secs(5);

/// The paths among these that are ignored and not tracked.
pub fn ignored(
    worktree: &GitWorktree,
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

/// The text of rule files as they were, whatever stands in their place now.
#[derive(Default)]
pub struct Former {
    search: Search,
}

impl Former {
    /// Adds the rules of a folder, none being the root. Those of the folders around it come first.
    pub fn add(&mut self, folder: Option<&RepoPath>, rules: &[u8]) {
        let root = Path::new("/");
        let source = match folder {
            Some(folder) => root.join(folder.to_path()).join(".gitignore"),
            None => root.join(".gitignore"),
        };
        // Nothing is read from there: it only says what the rules are relative to.
        let added = self
            .search
            .add_patterns_buffer(rules, source, Some(root), Ignore::default());
        debug_assert!(added.is_ok(), "a path below the root");
    }

    /// Whether they ignored a file, by itself or with a folder around it.
    pub fn ignored(&self, path: &RepoPath) -> bool {
        let mut folders: Vec<RepoPath> = std::iter::successors(path.parent(), RepoPath::parent).collect();
        folders.reverse();
        folders.iter().any(|folder| self.matches(folder, true)) || self.matches(path, false)
    }

    fn matches(&self, path: &RepoPath, is_folder: bool) -> bool {
        let found = self.search.pattern_matching_relative_path(
            path.as_bytes().into(),
            Some(is_folder),
            Case::Sensitive,
        );
        found.is_some_and(|found| !found.pattern.is_negative())
    }
}

/// The path, with another name for what is a link now: git refuses to say anything about what is beyond one, though the
/// file may have been written when a folder stood there.
fn as_if_below_folders(worktree: &GitWorktree, path: &RepoPath) -> Vec<u8> {
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
        let worktree = GitWorktree::of(&place::find(&root)).unwrap();
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
    fn former_rules_are_read_as_git_reads_them() {
        let mut former = Former::default();
        former.add(None, b".env\n/build/\n*.log\n!kept.log\n# no rule\n");
        former.add(Some(&path("sub")), b"/only\n!*.log\n");
        for (name, is_ignored) in [
            (".env", true),
            ("deep/.env", true),
            ("build/deep/out.o", true),
            ("deep/build/out.o", false),
            ("build", false),
            ("a.log", true),
            ("kept.log", false),
            ("sub/only", true),
            ("sub/deep/only", false),
            ("only", false),
            ("sub/b.log", false),
            ("src/a.rs", false),
        ] {
            assert_eq!(former.ignored(&path(name)), is_ignored, "{name}");
        }
    }

    #[test]
    fn a_file_below_what_became_a_link_is_judged_by_its_own_name() {
        let bench = Bench::with_repository();
        let root = bench.path("repo");
        bench.write("repo/.gitignore", "*.log\n");
        std::os::unix::fs::symlink("elsewhere", root.join("d")).unwrap();
        let worktree = GitWorktree::of(&place::find(&root)).unwrap();
        let git = Git::new(&root, &bench.environment());
        let asked = ["d/a.log", "d/b", "d/e/c.log"].map(path);
        let found = ignored(&worktree, &git, Path::new("unused"), &asked).unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["d/a.log", "d/e/c.log"].map(path)
        );
    }
}
