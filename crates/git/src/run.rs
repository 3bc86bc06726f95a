//! Runs git: scrubbed environment, no hooks, no network, no prompt, no lock taken, and an end in time.
//!
//! One way is apart and named for it: what a person asked us to do in their name runs with their hooks.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child::{self, ChildEnd, Stopped};
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

/// What git gets to see of us when it runs in the person's name: no question can be answered, no editor opened.
const PERSONS_VARIABLES: [(&str, &str); 3] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", ":"),
    ("TERM", "dumb"),
];
/// What a hook gets, twice, to put back what it had begun when its time is over.
const GRACE: Duration = Duration::from_secs(1);

/// A call in the person's name.
pub(crate) struct PersonsCall<'call> {
    /// The index it works on.
    pub index: &'call Path,
    /// What it reads.
    pub input: Vec<u8>,
    /// What a hook may need of the person's environment, beside `PATH` and `HOME`. Git's own variables are left out.
    pub variables: &'call [(OsString, OsString)],
}

/// What git needs to know of the person's environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitEnvironment {
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
    environment: GitEnvironment,
}

impl Git {
    /// Git as it will run in this folder.
    pub fn new(folder: &Path, environment: &GitEnvironment) -> Self {
        Self {
            folder: folder.to_path_buf(),
            environment: environment.clone(),
        }
    }

    /// The bytes git wrote, if it succeeded. Whatever git started ends with the call.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: &[A], limits: Limits) -> Result<Vec<u8>, GitError> {
        let deadline = Deadline::after(limits.time);
        let command = self.command(arguments)?;
        let end = child::start(command, deadline).and_then(|running| running.collect(deadline, limits.bytes));
        answer(end, limits)
    }

    /// The same for a command that reads its standard input.
    pub fn feed<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: Vec<u8>,
        limits: Limits,
    ) -> Result<Vec<u8>, GitError> {
        self.run_with_index(arguments, None, input, limits)
    }

    /// The same for a command that works on an index of ours instead of the person's.
    pub(crate) fn run_with_index<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        index: Option<&Path>,
        input: Vec<u8>,
        limits: Limits,
    ) -> Result<Vec<u8>, GitError> {
        let deadline = Deadline::after(limits.time);
        let mut command = self.command(arguments)?;
        command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        let end = child::start_with_input(command, input, deadline)
            .and_then(|running| running.collect(deadline, limits.bytes));
        answer(end, limits)
    }

    /// Runs git as if the person had typed it: their hooks, their settings, their variables. The one way that runs
    /// what a repository says; only for what they asked us to do in their name. It never prompts.
    pub(crate) fn run_as_person<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        call: PersonsCall<'_>,
        limits: Limits,
    ) -> Result<Vec<u8>, GitError> {
        let deadline = Deadline::after(limits.time);
        let mut command = self.bare_command()?;
        let own = call
            .variables
            .iter()
            .filter(|(name, _)| !name.as_bytes().starts_with(b"GIT_") && name != "PATH");
        command
            .arg("--no-pager")
            .args(arguments)
            .envs(own.map(|(name, value)| (name, value)))
            .envs(PERSONS_VARIABLES)
            .env("GIT_INDEX_FILE", call.index);
        let end = child::start_with_input(command, call.input, deadline)
            .and_then(|running| running.collect_or_ask(deadline, limits.bytes, GRACE));
        answer(end, limits)
    }

    /// Lets git show something on our own standard output: as the person is used to it, through the pager these variables
    /// name.
    pub fn show<'v, A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        variables: impl Iterator<Item = (&'v str, &'v OsString)>,
    ) -> Result<(), GitError> {
        let mut command = self.bare_command()?;
        let status = command
            .args(arguments)
            .envs(variables)
            .status()
            .map_err(GitError::Start)?;
        // A signal is how a pager says that enough was read.
        match status.code() {
            None | Some(0) => Ok(()),
            code => Err(GitError::Failed {
                code,
                stderr: Vec::new(),
            }),
        }
    }

    fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Command, GitError> {
        let mut command = self.bare_command()?;
        command
            .args(SWITCHES)
            .args(arguments)
            .envs(VARIABLES)
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Git with nothing in its environment but where programs and the person's settings are.
    fn bare_command(&self) -> Result<Command, GitError> {
        let folders: Vec<PathBuf> = std::env::split_paths(&self.environment.path)
            .filter(|folder| folder.is_absolute())
            .collect();
        let program = folders
            .iter()
            .map(|folder| folder.join("git"))
            .find(|path| is_program(path))
            .ok_or(GitError::Missing)?;
        let path = std::env::join_paths(&folders).map_err(|_| GitError::Missing)?;
        let found = fs_err::metadata(&self.folder).map_err(GitError::Start)?;
        if !found.is_dir() {
            return Err(GitError::Start(io::ErrorKind::NotADirectory.into()));
        }
        let mut command = Command::new(program);
        // Git goes to the folder by itself: a process that is to begin in another folder is begun as a copy of all of
        // ours, which takes the longer the more we have in memory.
        command
            .arg("-C")
            .arg(&self.folder)
            .env_clear()
            .env("PATH", path)
            .envs(self.environment.home.as_ref().map(|home| ("HOME", home)));
        Ok(command)
    }
}

impl Git {
    /// What a command of git's settings makes of these bytes, in the folder and the environment git would run in.
    pub(crate) fn filter(&self, script: &OsStr, input: Vec<u8>, limits: Limits) -> Result<Vec<u8>, GitError> {
        let deadline = Deadline::after(limits.time);
        let folders: Vec<PathBuf> = std::env::split_paths(&self.environment.path)
            .filter(|folder| folder.is_absolute())
            .collect();
        let path = std::env::join_paths(&folders).map_err(|_| GitError::Missing)?;
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(script)
            .current_dir(&self.folder)
            .env_clear()
            .envs(VARIABLES)
            .env("PATH", path)
            .envs(self.environment.home.as_ref().map(|home| ("HOME", home)));
        let end = child::start_with_input(command, input, deadline)
            .and_then(|running| running.collect(deadline, limits.bytes));
        answer(end, limits)
    }

    /// The person's environment.
    pub(crate) fn environment(&self) -> &GitEnvironment {
        &self.environment
    }
}

fn answer(end: Result<ChildEnd, Stopped>, limits: Limits) -> Result<Vec<u8>, GitError> {
    match end {
        Ok(ChildEnd {
            code: Some(0),
            stdout,
            ..
        }) => Ok(stdout),
        Ok(ChildEnd { code, stderr, .. }) => Err(GitError::Failed { code, stderr }),
        Err(Stopped::Start(error)) => Err(GitError::Start(error)),
        Err(Stopped::Late) => Err(GitError::Late),
        Err(Stopped::TooLong) => Err(GitError::TooLong { limit: limits.bytes }),
    }
}

fn is_program(path: &Path) -> bool {
    fs_err::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
