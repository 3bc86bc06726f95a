//! Temporary repositories made by real git, and stand-ins for git that misbehave.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode};
use tempfile::TempDir;

use crate::run::GitEnvironment;

/// Long enough that nothing honest is late, even on a busy machine.
pub const PLENTY: Duration = Duration::from_mins(5);

/// A temporary folder to make repositories in. It is the home of its own git, too.
pub struct Bench {
    _folder: TempDir,
    root: PathBuf,
}

impl Bench {
    /// An empty folder, by its real path.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        Self {
            _folder: folder,
            root,
        }
    }

    /// A bench with one repository `repo` on the branch `main`, with one commit of one file.
    pub fn with_repository() -> Self {
        let bench = Self::new();
        bench.git(".", &["init", "-q", "-b", "main", "repo"]);
        bench.write("repo/file", "one\n");
        bench.commit("repo", "first");
        bench
    }

    /// A repository in `repo` that keeps its refs in tables, if this git can make one.
    pub fn with_refs_in_tables() -> Option<Self> {
        testkit::has_refs_in_tables().then(|| {
            let bench = Self::new();
            bench.git(
                ".",
                &["init", "-q", "-b", "main", "--ref-format=reftable", "repo"],
            );
            bench
        })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        if name == "." {
            self.root.clone()
        } else {
            self.root.join(name)
        }
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        fs_err::create_dir_all(self.path(name)).unwrap();
        self.path(name)
    }

    pub fn commit(&self, repository: &str, subject: &str) {
        self.git(repository, &["add", "-A"]);
        self.git(repository, &["commit", "-q", "--allow-empty", "-m", subject]);
    }

    /// Runs real git, which must succeed, and returns what it wrote without the line end.
    pub fn git(&self, folder: &str, arguments: &[&str]) -> String {
        self.try_git(folder, arguments)
            .unwrap_or_else(|complaint| panic!("git {arguments:?}: {complaint}"))
    }

    /// Runs real git, and returns what it wrote, or what it complained of.
    pub fn try_git(&self, folder: &str, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.path(folder))
            .env_clear()
            .env("PATH", testkit::path())
            .env("HOME", &self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_ALLOW_PROTOCOL", "file")
            // A collection that git starts by itself goes on in the background and takes packs from under a test.
            .envs([
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "maintenance.auto"),
                ("GIT_CONFIG_VALUE_0", "false"),
            ])
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
            .envs([
                ("GIT_COMMITTER_NAME", "C"),
                ("GIT_COMMITTER_EMAIL", "c@example.org"),
            ])
            .envs([
                ("GIT_AUTHOR_DATE", "1700000000 +0000"),
                ("GIT_COMMITTER_DATE", "1700000000 +0000"),
            ])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout)
                .trim_end_matches('\n')
                .to_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// An environment in which `git` is the real one.
    pub fn environment(&self) -> GitEnvironment {
        GitEnvironment {
            path: testkit::path().into(),
            home: Some(self.root.clone().into()),
        }
    }

    /// An environment in which `git` is this shell script.
    pub fn environment_with(&self, script: &str) -> GitEnvironment {
        self.program("git", script);
        GitEnvironment {
            path: format!("{}:{}", self.path("programs").display(), testkit::path()).into(),
            home: Some(self.root.clone().into()),
        }
    }

    /// A shell script in the folder `programs`.
    pub fn program(&self, name: &str, script: &str) {
        // Written by a process of its own: a program this process has open for writing cannot be run, and a test
        // that forks at the wrong moment keeps it open.
        let written = Command::new("/bin/sh")
            .args([
                "-c",
                r#"printf '#!/bin/sh\n%s\n' "$1" > "$2" && chmod 755 "$2""#,
                "sh",
                script,
            ])
            .arg(self.folder("programs").join(name))
            .status()
            .unwrap();
        assert!(written.success());
    }
}

/// A named pipe.
pub fn make_pipe(path: &Path) {
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}
