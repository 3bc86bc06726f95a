//! A temporary place for one contender: a project, a home, an environment as the client gives it, and its daemon.

use crate::payload::Payloads;
use anyhow::{Context, ensure};
use daemon::client;
use daemon::clock;
use daemon::environment::Environment;
use daemon::frame::reply::ReplyFrame;
use daemon::frame::request::{Ask, Header};
use daemon::home::Home;
use daemon::process::Process;
use daemon::server::status::DaemonStatus;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use store::Store;
use tempfile::TempDir;

/// The session of a stage's own events.
pub const SESSION: &str = "0b5b0d1e-52a4-4c55-9f0f-3c2a9d6e7f10";
/// How long a daemon has to leave.
const LEAVE: Duration = Duration::from_secs(10);
/// How long a daemon has to do what was left for after the replies.
const WORK: Duration = Duration::from_mins(1);
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// How long another process may hold the database.
const DATABASE_WAIT: Duration = Duration::from_secs(10);

/// One contender's own world. What is in it disappears with it, its daemon first.
pub struct Stage {
    folder: TempDir,
    project: PathBuf,
    home: Home,
    variables: Vec<(&'static str, String)>,
    payloads: Payloads,
}

impl Stage {
    /// Makes a project under git and an empty home, for hooks that look for programs in `path`.
    pub fn new(path: &OsStr) -> anyhow::Result<Self> {
        Self::around(path, |project| {
            fs_err::create_dir(project)?;
            let made = Command::new("git")
                .args(["init", "--quiet"])
                .current_dir(project)
                .status()
                .context("could not run git")?;
            ensure!(made.success(), "`git init` failed");
            Ok(())
        })
    }

    /// The same around a project that `make` puts at the path it is given.
    pub fn around(path: &OsStr, make: impl FnOnce(&Path) -> anyhow::Result<()>) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
        let root = fs_err::canonicalize(folder.path())?;
        let project = root.join("project");
        make(&project)?;
        let variables = variables(&root, path)?;
        let named: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let home = Home::of(&Environment::of(&named));
        let payloads = Payloads::new(&project, SESSION)?;
        Ok(Self {
            folder,
            project,
            home,
            variables,
            payloads,
        })
    }

    /// A process started here, in exec form.
    pub fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir(&self.project);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if arguments.first() == Some(&"hook") {
            // As an installed entry says it.
            command.arg(client::STATE_FOLDER).arg(self.home.folder());
        } else {
            // A person gives the other commands.
            command
                .env_remove("CLAUDECODE")
                .env_remove("CLAUDE_CODE_SESSION_ID");
        }
        command
    }

    /// From now on its commands only read.
    pub fn only_reads(&mut self) -> anyhow::Result<()> {
        self.payloads = Payloads::reading(&self.project, SESSION)?;
        Ok(())
    }

    /// The events of this stage.
    pub fn payloads(&self) -> &Payloads {
        &self.payloads
    }

    /// The events of another session in this project.
    pub fn payloads_of(&self, session: u64) -> anyhow::Result<Payloads> {
        Payloads::new(
            &self.project,
            &format!("{session:08}-52a4-4c55-9f0f-3c2a9d6e7f10"),
        )
    }

    /// The header a hook of this stage would send.
    pub fn header(&self, delivery: String) -> Header {
        let own = Process::own();
        let mut header = client::plain_header(Ask::Hook);
        "claude-code".clone_into(&mut header.agent);
        header.delivery = delivery;
        header.parent = own.pid;
        header.parent_started = own.started;
        header.set_working_directory(&self.project);
        let travelling = self
            .variables
            .iter()
            .filter(|(name, _)| name.starts_with("CLAUDE_") || name.starts_with("TOPROPE_"));
        header.env = travelling
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        header
    }

    /// The project.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Waits until its daemon has done all that was left for after the replies.
    pub fn wait_for_jobs(&self) -> anyhow::Result<()> {
        let store = self.store()?;
        let until = Instant::now() + WORK;
        while store::jobs::at_hand(&store.read(), clock::now())? > 0 {
            ensure!(
                Instant::now() < until,
                "a daemon of this run does not end its work"
            );
            pause();
        }
        Ok(())
    }

    /// Its database, which must be there.
    pub fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::open_existing(&self.home.database(), DATABASE_WAIT)?)
    }

    /// Where its state lives.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// A file that goes with the stage.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Switches the project off, as its person would.
    pub fn switch_off(&self) -> anyhow::Result<()> {
        self.settle(&format!(
            "[project.\"{}\"]\nenabled = false\n",
            self.project.display()
        ))
    }

    /// Writes the person's settings.
    pub fn settle(&self, settings: &str) -> anyhow::Result<()> {
        let folder = self.file("config").join("toprope");
        fs_err::create_dir_all(&folder)?;
        fs_err::write(folder.join("config.toml"), settings)?;
        Ok(())
    }

    /// Whether hooks can see that the project is switched off.
    pub fn is_marked_off(&self) -> bool {
        fs_err::read_dir(self.home.disabled()).is_ok_and(|mut markers| markers.next().is_some())
    }

    /// The events in its database.
    pub fn recorded(&self) -> anyhow::Result<u64> {
        if !self.home.database().exists() {
            return Ok(0);
        }
        let store = self.store()?;
        Ok(store::events::count(&store.read())?)
    }

    /// How its daemon is; `None` when there is none.
    pub fn status(&self) -> Option<DaemonStatus> {
        let connection = client::connect(&self.home).ok()?;
        match client::ask(connection, &client::plain_header(Ask::Status), b"").ok()? {
            ReplyFrame::Done(printed) => serde_json::from_slice(&printed.stdout).ok(),
            ReplyFrame::Wait { .. } | ReplyFrame::Busy => None,
        }
    }

    /// Waits until a daemon answers.
    pub fn wait_for_daemon(&self, patience: Duration) -> anyhow::Result<DaemonStatus> {
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = self.status() {
                return Ok(status);
            }
            ensure!(Instant::now() < until, "no daemon answered");
            pause();
        }
    }

    /// Lets the daemon leave, and waits until it is gone; also one that is only just starting.
    pub fn stop_daemon(&self) -> anyhow::Result<()> {
        let until = Instant::now() + LEAVE;
        while is_held(&self.home.launch_lock()) || is_held(&self.home.daemon_lock()) {
            if let Ok(connection) = client::connect(&self.home) {
                // One that is already leaving need not answer.
                let _ = client::ask(connection, &client::plain_header(Ask::Stop), b"");
            }
            ensure!(Instant::now() < until, "a daemon of this run does not leave");
            pause();
        }
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Err(error) = self.stop_daemon() {
            eprintln!("warning: {error} ({})", self.home.folder().display());
        }
    }
}

/// The environment of a hook, as the recorded client gives it.
fn variables(root: &Path, path: &OsStr) -> anyhow::Result<Vec<(&'static str, String)>> {
    let below = |name: &str| root.join(name).display().to_string();
    Ok(vec![
        ("PATH", path.to_str().context("PATH is not text")?.to_owned()),
        ("HOME", below("person")),
        ("LANG", "C.UTF-8".to_owned()),
        ("SHELL", "/bin/sh".to_owned()),
        ("TERM", "xterm-256color".to_owned()),
        ("TOPROPE_HOME", below("state")),
        ("XDG_CONFIG_HOME", below("config")),
        ("CLAUDECODE", "1".to_owned()),
        ("CLAUDE_PROJECT_DIR", below("project")),
        ("CLAUDE_CONFIG_DIR", below("claude")),
        ("CLAUDE_CODE_SESSION_ID", SESSION.to_owned()),
        ("CLAUDE_CODE_ENTRYPOINT", "cli".to_owned()),
        ("CLAUDE_CODE_SESSION_ATTENDED", "1".to_owned()),
    ])
}

fn is_held(lock: &Path) -> bool {
    File::options()
        .append(true)
        .open(lock)
        .is_ok_and(|file| file.try_lock().is_err())
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process starts or ends; there is nothing else to wait on"
)]
fn pause() {
    std::thread::sleep(LOOK_AGAIN);
}
