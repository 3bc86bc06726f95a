//! The place the demo plays in: a temporary folder with a home, a repository and a state folder of its own.

use crate::command::daemon::{status, stop_and_wait};
use crate::failure::{Failure, FailureKind};
use ::daemon::client;
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use anyhow::Context;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// See the module.
pub struct DemoStage {
    folder: TempDir,
    program: PathBuf,
    path: OsString,
    /// Stands for the agent's own process, as long as the demo plays.
    agent: Child,
}

/// What a hook answered, and how long the whole process took.
pub struct HookAnswer {
    /// The text for the model, if there was any.
    pub context: Option<String>,
    /// Why the call was stopped, if it was.
    pub denial: Option<String>,
    /// From start to end of the hook's process.
    pub took: Duration,
}

impl DemoStage {
    /// Makes the folder and a repository with one commit.
    pub fn build(environment: &Environment) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("toprope-demo-").tempdir()?;
        let path = environment.value("PATH").cloned().unwrap_or_default();
        let program = std::env::current_exe().context("finding this program")?;
        let agent = Command::new("cat")
            .env_clear()
            .env("PATH", &path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .context("starting a process that stands for the agent")?;
        let stage = Self {
            folder,
            program,
            path,
            agent,
        };
        fs_err::create_dir_all(stage.home())?;
        fs_err::create_dir_all(stage.repository().join("src"))?;
        stage.write(
            "src/client.rs",
            "pub fn fetch(url: &str) -> Result<String, Error> {\n    send(url)\n}\n",
        )?;
        stage.write("README.md", "# A small client\n")?;
        for arguments in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["add", "."],
            &["commit", "--quiet", "-m", "a small client"],
        ] {
            stage.git(arguments)?;
        }
        Ok(stage)
    }

    /// The repository.
    pub fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    /// Writes a file of the repository, as the agent's tools would.
    pub fn write(&self, file: &str, text: &str) -> Result<(), Failure> {
        Ok(fs_err::write(self.repository().join(file), text)?)
    }

    /// Sends one event through `toprope hook claude-code`, as the client would.
    pub fn hook(&self, payload: &Value) -> Result<HookAnswer, Failure> {
        let began = Instant::now();
        let mut hook = self.command(&["hook", "claude-code", client::STATE_FOLDER]);
        hook.arg(self.state().folder());
        hook.env("CLAUDE_PID", self.agent.id().to_string())
            .env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let output = feed(hook, payload.to_string().as_bytes())?;
        let took = began.elapsed();
        let reply: Value = match output.stdout.as_slice() {
            [] => Value::Null,
            stdout => serde_json::from_slice(stdout).context("reading the hook's answer")?,
        };
        let said = |part: &str| {
            let text = reply.get("hookSpecificOutput")?.get(part)?.as_str()?;
            Some(text.to_owned())
        };
        Ok(HookAnswer {
            context: said("additionalContext"),
            denial: said("permissionDecisionReason"),
            took,
        })
    }

    /// Runs a shell command in the repository, as the agent's shell would.
    pub fn shell(&self, command: &str) -> Result<(), Failure> {
        let mut shell = self.scrubbed(Path::new("sh"));
        shell.args(["-c", command]);
        feed(shell, b"").map(drop)
    }

    /// Every file of the repository with its content and whether it can be run.
    pub fn files(&self) -> Result<BTreeMap<String, (Vec<u8>, bool)>, Failure> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.repository()];
        while let Some(folder) = folders.pop() {
            for entry in fs_err::read_dir(&folder)? {
                let (path, found) = {
                    let entry = entry?;
                    (entry.path(), entry.metadata()?)
                };
                if path.ends_with(".git") {
                    continue;
                }
                if found.is_dir() {
                    folders.push(path);
                } else {
                    let can_run = found.permissions().mode() & 0o100 != 0;
                    files.insert(
                        path.to_string_lossy().into_owned(),
                        (fs_err::read(&path)?, can_run),
                    );
                }
            }
        }
        Ok(files)
    }

    /// The output of one of our own commands, run in the repository.
    pub fn toprope(&self, arguments: &[&str]) -> Result<String, Failure> {
        let output = feed(self.command(arguments), b"")?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Ends the daemon, removes the folder, and says which one it was.
    pub fn clear(mut self) -> Result<PathBuf, Failure> {
        drop(self.agent.stdin.take());
        self.agent.wait()?;
        let home = self.state();
        if let Some(status) = status(&home) {
            stop_and_wait(&home, &status)?;
        }
        let folder = self.folder.path().to_owned();
        self.folder.close()?;
        Ok(folder)
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn state(&self) -> Home {
        let state = self.folder.path().join("state");
        Home::of(&Environment::of(&[("TOPROPE_HOME", &state.to_string_lossy())]))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scrubbed(&self.program);
        command.args(arguments).env("TOPROPE_HOME", self.state().folder());
        command.env("CLAUDE_PROJECT_DIR", self.repository());
        command
    }

    fn git(&self, arguments: &[&str]) -> Result<(), Failure> {
        let who = [
            "-c",
            "user.name=Demo",
            "-c",
            "user.email=demo@example.invalid",
            "-c",
            "commit.gpgsign=false",
        ];
        let mut command = self.scrubbed(Path::new("git"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").args(who).args(arguments);
        feed(command, b"").map(drop)
    }

    fn scrubbed(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.repository())
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home());
        command
    }
}

/// Runs a command to its end; one that fails is told with what it said.
fn feed(mut command: Command, input: &[u8]) -> Result<Output, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("starting {name}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input)?;
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        return Err(Failure::saying(
            FailureKind::Failed,
            format!("{name} failed: {said}"),
        ));
    }
    Ok(output)
}
