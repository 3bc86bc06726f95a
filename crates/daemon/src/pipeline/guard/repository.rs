//! The repository a command would work in, and what its aliases stand for.

use super::{Unsaid, WorldWitness};
use engine::policy::guard::facts::RepositoryFact;
use git::run::{Git, Limits};
use git::{alias, repository};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More staged paths are not told one by one.
const MOST_STAGED: usize = 64;
/// More worktrees are not looked into.
const MOST_WORKTREES: usize = 8;

impl WorldWitness<'_> {
    /// The repository of a folder, if there is one.
    pub(super) fn repository(&self, cwd: &str) -> Result<Option<RepositoryFact>, Unsaid> {
        let (cwd, left) = (Path::new(cwd), self.left());
        if !cwd.is_absolute() || left.is_zero() {
            return Err(Unsaid);
        }
        let place = self.world.place_of(cwd);
        let Some(found) = repository::read(&place, &self.world.git, left) else {
            return Ok(None);
        };
        let says = |word: &str| self.command().contains(word);
        // Only a commit has a use for these, and only the removal of a worktree for those below.
        let commits = says("commit") && place.worktree.is_some();
        let removes = says("worktree") && says("remove");
        Ok(Some(RepositoryFact {
            staged: commits
                .then(|| self.listed(&found.root, &["diff", "--cached", "--name-only", "-z"]))
                .flatten(),
            changed: commits
                .then(|| self.listed(&found.root, &["diff-files", "--name-only", "-z"]))
                .flatten(),
            dirty_worktrees: if removes {
                self.dirty(&found.worktrees)
            } else {
                Vec::new()
            },
            root: told(&found.root),
            common_dir: told(&found.common_dir),
            git_dir: told(&found.git_dir),
            main_worktree: told(&found.main_worktree),
            worktrees: found.worktrees.iter().map(|root| told(root)).collect(),
            branch: found.branch,
            default_branch: found.default_branch,
            branches: found.branches,
            operation: found.operation.map(|operation| operation.to_string()),
            is_bare: found.is_bare,
        }))
    }

    /// A few paths git lists; nothing where there are many, or no answer.
    fn listed(&self, root: &Path, arguments: &[&str]) -> Option<Vec<String>> {
        let git = Git::new(root, &self.world.git);
        let limits = Limits {
            time: self.left().min(Duration::from_millis(500)),
            bytes: 64 * 1024,
        };
        let text = git.run(arguments, limits).ok()?;
        let paths: Vec<String> = text
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect();
        (paths.len() <= MOST_STAGED).then_some(paths)
    }

    /// The linked worktrees with uncommitted work, or about which git does not say that there is none.
    fn dirty(&self, worktrees: &[PathBuf]) -> Vec<String> {
        let is_clean = |root: &Path| {
            let status = ["status", "--porcelain", "-z", "--untracked-files=normal"];
            self.listed(root, &status)
                .is_some_and(|changes| changes.is_empty())
        };
        worktrees
            .iter()
            .skip(1)
            .take(MOST_WORKTREES)
            .filter(|root| !is_clean(root))
            .map(|root| told(root))
            .collect()
    }

    /// What `git <name>` stands for in a folder, if it is an alias.
    pub(super) fn alias(&mut self, cwd: &str, name: &str) -> Result<Option<String>, Unsaid> {
        if !self.aliases.contains_key(cwd) {
            let found = self.aliases_at(Path::new(cwd));
            self.aliases.insert(cwd.to_owned(), found);
        }
        let known = self.aliases.get(cwd).and_then(Option::as_ref).ok_or(Unsaid)?;
        Ok(known.get(&name.to_ascii_lowercase()).cloned())
    }

    fn aliases_at(&self, cwd: &Path) -> Option<BTreeMap<String, String>> {
        let left = self.left();
        if !cwd.is_absolute() || left.is_zero() {
            return None;
        }
        let folder = cwd
            .ancestors()
            .find(|folder| fs_err::metadata(folder).is_ok_and(|found| found.is_dir()))?;
        alias::aliases(folder, &self.world.git, left).ok()
    }
}

fn told(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
