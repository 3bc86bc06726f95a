//! The ways people take a state with git's own commands, without touching the person's index or branches.

use super::repository::{Repository, finish};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// One way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The paths are known: a copy of the index, `update-index`, `write-tree`, `commit-tree`.
    KnownPaths,
    /// Whatever changed: a copy of the index, `add -A`, `write-tree`, `commit-tree`.
    AddAll,
    /// `stash create`.
    Stash,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::KnownPaths, Self::AddAll, Self::Stash];

    /// How tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::KnownPaths => "git, known paths",
            Self::AddAll => "git add -A",
            Self::Stash => "git stash create",
        }
    }
}

/// A way in one repository, with objects of its own: none profits from what another wrote before it.
pub struct Rival {
    /// Which.
    pub way: Way,
    folder: TempDir,
}

impl Rival {
    /// Nothing taken yet.
    pub fn new(way: Way) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
        fs_err::create_dir(folder.path().join("objects"))?;
        Ok(Self { way, folder })
    }

    /// Takes the state of the working tree. Returns how long that took, and the tree.
    pub fn take(&self, repository: &Repository, paths: &[String]) -> anyhow::Result<(Duration, String)> {
        let names: Vec<u8> = paths.iter().flat_map(|path| path.bytes().chain([0])).collect();
        let began = Instant::now();
        let (commit, took) = match self.way {
            Way::KnownPaths => {
                self.copy_index(repository)?;
                finish(
                    self.indexed(repository, &["update-index", "--add", "-z", "--stdin"]),
                    &names,
                )?;
                (self.commit(repository)?, began.elapsed())
            }
            Way::AddAll => {
                self.copy_index(repository)?;
                finish(self.indexed(repository, &["add", "-A"]), b"")?;
                (self.commit(repository)?, began.elapsed())
            }
            Way::Stash => {
                let commit = finish(self.git(repository, &["stash", "create"]), b"")?;
                (commit, began.elapsed())
            }
        };
        let tree = finish(
            self.git(repository, &["rev-parse", &format!("{commit}^{{tree}}")]),
            b"",
        )?;
        Ok((took, tree))
    }

    fn commit(&self, repository: &Repository) -> anyhow::Result<String> {
        let tree = finish(self.indexed(repository, &["write-tree"]), b"")?;
        let arguments = ["commit-tree", &tree, "-p", "HEAD", "-m", "checkpoint"];
        finish(self.git(repository, &arguments), b"")
    }

    fn copy_index(&self, repository: &Repository) -> anyhow::Result<()> {
        fs_err::copy(repository.root.join(".git/index"), self.index())?;
        Ok(())
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    fn indexed(&self, repository: &Repository, arguments: &[&str]) -> Command {
        let mut command = self.git(repository, arguments);
        command.env("GIT_INDEX_FILE", self.index());
        command
    }

    fn git(&self, repository: &Repository, arguments: &[&str]) -> Command {
        let mut command = repository.command(arguments);
        command
            .env("GIT_OBJECT_DIRECTORY", self.folder.path().join("objects"))
            .env(
                "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                repository.root.join(".git/objects"),
            );
        command
    }
}
