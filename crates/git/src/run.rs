//! Runs git: scrubbed environment, no hooks, no network, no prompt, no lock taken, and an end in time.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child::{self, Ended, Stopped};
use crate::deadline::Deadline;

/// Given to git before the command. A repository's own settings must not make reading it run something.
///
/// One way is left, which git has no switch for: a `clean` filter of the repository's own settings, for a file whose
/// time stamp changed. Git itself guards it by the owner of the repository.
const SWITCHES: [&str; 10] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.quotePath=false",
];

/// All git gets to see beside `PATH` and `HOME`. System and user settings stay: they hold ignore rules and trust.
const VARIABLES: [(&str, &str); 7] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // A partial clone would fetch what it lacks; no transport has this name.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("LANG", "C"),
    ("LC_ALL", "C"),
    ("TERM", "dumb"),
];

/// What git needs to know of the person's environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// `PATH`. Relative entries are left out: in a foreign repository they would name its files.
    pub path: OsString,
    /// `HOME`, where git finds the person's settings and ignore rules.
    pub home: Option<OsString>,
}

/// How much one call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until git must have ended.
    pub time: Duration,
    /// What it may write to its standard output.
    pub bytes: usize,
}

impl Limits {
    /// The usual limit of output, within this time.
    pub fn within(time: Duration) -> Self {
        Self {
            time,
            bytes: 8 * 1024 * 1024,
        }
    }
}

/// Why a call gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no git on the path.
    #[error("no `git` in the absolute entries of PATH")]
    Missing,
    /// It could not be started.
    #[error("git could not be started")]
    Start(#[source] io::Error),
    /// It had not ended in time, and was killed.
    #[error("git did not answer in time")]
    Late,
    /// It wrote more than was asked for, and was killed.
    #[error("git wrote more than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// It ended with an error of its own.
    #[error("git failed: {}", String::from_utf8_lossy(stderr.trim_ascii()))]
    Failed {
        /// Its exit code, absent if a signal ended it.
        code: Option<i32>,
        /// The beginning of what it said.
        stderr: Vec<u8>,
    },
}

/// Git, in one folder.
#[derive(Debug, Clone)]
pub struct Git {
    folder: PathBuf,
    environment: Environment,
}

impl Git {
    /// Git as it will run in this folder.
    pub fn new(folder: &Path, environment: &Environment) -> Self {
        Self {
            folder: folder.to_path_buf(),
            environment: environment.clone(),
        }
    }

    /// The bytes git wrote, if it succeeded. Whatever git started ends with the call.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: &[A], limits: Limits) -> Result<Vec<u8>, GitError> {
        let deadline = Deadline::after(limits.time);
        let command = self.command(arguments)?;
        let end = child::start(command, deadline)
            .and_then(|running| running.collect(deadline, limits.bytes))
            .map_err(|stopped| match stopped {
                Stopped::Start(error) => GitError::Start(error),
                Stopped::Late => GitError::Late,
                Stopped::TooLong => GitError::TooLong { limit: limits.bytes },
            })?;
        match end {
            Ended {
                code: Some(0),
                stdout,
                ..
            } => Ok(stdout),
            Ended { code, stderr, .. } => Err(GitError::Failed { code, stderr }),
        }
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Command, GitError> {
        let folders: Vec<PathBuf> = std::env::split_paths(&self.environment.path)
            .filter(|folder| folder.is_absolute())
            .collect();
        let program = folders
            .iter()
            .map(|folder| folder.join("git"))
            .find(|path| is_program(path))
            .ok_or(GitError::Missing)?;
        let path = std::env::join_paths(&folders).map_err(|_| GitError::Missing)?;
        let mut command = Command::new(program);
        command
            .args(SWITCHES)
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(VARIABLES)
            .env("PATH", path)
            .envs(self.environment.home.as_ref().map(|home| ("HOME", home)))
            .stdin(Stdio::null());
        Ok(command)
    }
}

fn is_program(path: &Path) -> bool {
    fs_err::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
