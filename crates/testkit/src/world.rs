//! A world of its own for one test: a home, a git repository, a state folder, and the binary under test.

use crate::{Agent, Database, Output, eventually, process, tick};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// See the module. Dropping it stops the daemon it caused.
#[derive(Debug)]
pub struct World {
    root: TempDir,
    binary: PathBuf,
    /// Stands for the agent's process, which hooks name; the test itself must not look like an agent.
    client: Child,
    variables: Vec<(String, Option<String>)>,
    numbers: AtomicU64,
}

impl World {
    /// A world around this binary, with a repository that has one commit.
    ///
    /// # Panics
    /// If the machine cannot give it a folder and git.
    pub fn new(binary: &str) -> Self {
        let root = tempfile::Builder::new()
            .prefix("tr")
            .tempdir()
            .expect("a temporary folder");
        let client = client(&mut Command::new("/bin/cat"));
        let mut world = Self {
            root,
            binary: binary.into(),
            client,
            variables: Vec::new(),
            numbers: AtomicU64::new(1),
        };
        for folder in [world.home(), world.repo()] {
            fs_err::create_dir_all(folder).expect("a folder in the world");
        }
        world.restart_client();
        fs_err::write(world.repo().join("a.txt"), "one\n").expect("a file in the repository");
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["add", "."],
            &["commit", "-q", "-m", "first commit"],
        ] {
            world.git(arguments);
        }
        world
    }

    /// The same world with a variable set for every run.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// The same world without a variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.put(name, None);
        self
    }

    /// Sets a variable for every later run.
    pub fn set(&mut self, name: &str, value: &str) {
        self.put(name, Some(value));
    }

    fn put(&mut self, name: &str, value: Option<&str>) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.map(str::to_owned)));
        if DECISIVE.contains(&name) {
            self.replace_client();
        }
    }

    /// Sets a variable for hooks alone, as `env` in a settings file of the client's does: the client was started without.
    pub fn settings_set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), Some(value.to_owned())));
    }

    fn replace_client(&mut self) {
        let is_named = |(name, pid): &(String, Option<String>)| {
            name == "CLAUDE_PID" && pid.as_deref() == Some(&*self.client.id().to_string())
        };
        if self.variables.iter().any(is_named) {
            self.restart_client();
        }
    }

    /// Ends the agent's process without a word, and lets the agent start anew in another one.
    pub fn restart_client(&mut self) {
        end(&mut self.client);
        self.client = client(&mut self.scrubbed("/bin/cat"));
        let pid = self.client.id().to_string();
        self.set("CLAUDE_PID", &pid);
    }

    /// Another agent's process, with the variables of this world. Whoever asked for it ends it.
    pub fn another_client(&self) -> Child {
        client(&mut self.scrubbed("/bin/cat"))
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The repository.
    pub fn repo(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    /// The state folder.
    pub fn state(&self) -> PathBuf {
        self.root.path().join("state")
    }

    /// The database file.
    pub fn database_file(&self) -> PathBuf {
        self.state().join("toprope.db")
    }

    /// A look into the database, past our own code.
    pub fn database(&self) -> Database {
        Database::open(&self.database_file())
    }

    /// The daemon's socket, where it lies in the state folder.
    ///
    /// # Panics
    /// If there is none.
    pub fn socket(&self) -> PathBuf {
        let mut entries = fs_err::read_dir(self.state()).expect("a state folder").flatten();
        let socket = entries.find(|entry| entry.path().extension().is_some_and(|end| end == "sock"));
        socket.expect("a socket").path()
    }

    /// The folder around everything.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Replaces the binary under test from now on.
    pub fn use_binary(&mut self, binary: &Path) {
        binary.clone_into(&mut self.binary);
    }

    /// Puts a copy of a binary into the world and uses it from now on.
    ///
    /// # Panics
    /// If it cannot be copied.
    pub fn install(&mut self, binary: &str) -> PathBuf {
        let installed = self.root().join("toprope");
        copy(binary, &installed);
        self.use_binary(&installed);
        installed
    }

    /// Runs git in the repository.
    ///
    /// # Panics
    /// If git fails.
    pub fn git(&self, arguments: &[&str]) -> String {
        tick();
        let output = self
            .scrubbed("git")
            .args([
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.invalid",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        tick();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Writes a file of the repository as a person would, and makes its folders.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, path: &str, content: &str) {
        let file = self.repo().join(path);
        make_folder_of(&file);
        tick();
        fs_err::write(file, content).expect("a file in the repository");
        tick();
    }

    /// The person sets this for all of their projects.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn has_settings(&self, text: &str) {
        let file = self.home().join(".config/toprope/config.toml");
        make_folder_of(&file);
        fs_err::write(file, text).expect("settings of the person's");
    }

    /// The text of a file of the repository.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs_err::read_to_string(self.repo().join(path)).expect("a file in the repository")
    }

    /// Waits until everything that was left for after a reply is done.
    #[track_caller]
    pub fn settled(&self) {
        eventually("all jobs are done", || self.is_settled().then_some(()));
    }

    /// Whether nothing is left to do. Only the end of a transcript may still be awaited, which the real client writes
    /// when it pleases, and the end of what git is in the middle of.
    #[track_caller]
    pub fn is_settled(&self) -> bool {
        let left = "SELECT count(*) FROM jobs WHERE state IN ('queued', 'running')
            AND NOT (kind = 'read-transcript' AND state = 'queued' AND COALESCE(detail ->> 'tries', 0) > 0)
            AND NOT (kind = 'link-commits' AND state = 'queued' AND detail IS NOT 'early'
                AND COALESCE(not_before, 0) > CAST(unixepoch('subsec') * 1000 AS INTEGER))";
        self.database().number(left) == 0
    }

    /// A number nobody in this world was given before.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// A program as the person of this world would run it, in the repository.
    pub fn person(&self, program: &str) -> Command {
        let mut command = self.scrubbed(program);
        command
            .env("GIT_AUTHOR_NAME", "T")
            .env("GIT_AUTHOR_EMAIL", "t@example.invalid")
            .env("GIT_COMMITTER_NAME", "T")
            .env("GIT_COMMITTER_EMAIL", "t@example.invalid");
        command
    }

    /// An agent's main thread.
    pub fn agent(&self, session: &str) -> Agent<'_> {
        Agent::main(self, session)
    }

    /// Runs the hook with these bytes on its standard input.
    pub fn hook(&self, payload: &[u8]) -> Output {
        self.hook_of("claude-code", payload)
    }

    /// Runs the hook of some agent.
    pub fn hook_of(&self, agent: &str, payload: &[u8]) -> Output {
        run(self.command(&["hook", agent]), payload)
    }

    /// Runs a command of the binary.
    pub fn toprope(&self, arguments: &[&str]) -> Output {
        run(self.command(arguments), b"")
    }

    /// A run of the binary that is not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scrubbed(&self.binary);
        command.args(arguments);
        command
    }

    /// Runs shell text in the repository.
    pub fn shell(&self, text: &str) -> Output {
        let mut command = self.scrubbed("sh");
        command.args(["-c", text]);
        run(command, b"")
    }

    /// The events in the log, oldest first.
    pub fn log(&self) -> Vec<serde_json::Value> {
        self.toprope(&["log", "--json", "--all-projects", "--limit", "100000"])
            .json_lines()
    }

    /// How the daemon is; `None` if there is none.
    pub fn daemon(&self) -> Option<serde_json::Value> {
        let output = self.toprope(&["daemon", "status", "--json"]);
        output.json().filter(|status| !status.is_null())
    }

    /// The processes that serve this world, by the kernel's own list.
    pub fn daemons(&self) -> Vec<u32> {
        process::daemons_below(self.root())
    }

    /// Starts a daemon with variables of its own and says which process it is.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    pub fn start_daemon(&self, variables: &[(&str, &str)]) -> u32 {
        let mut command = self.command(&["daemon", "start"]);
        command.envs(variables.iter().copied());
        run(command, b"").ok();
        let pid = self.daemon().and_then(|status| status.get("pid")?.as_u64());
        pid.and_then(|pid| u32::try_from(pid).ok())
            .expect("a daemon that answers")
    }

    fn scrubbed(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repo()).env_clear();
        command.env("PATH", path());
        command
            .env("HOME", self.home())
            .env("TOPROPE_HOME", self.state())
            .env("TZ", "UTC");
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.command(&["daemon", "stop"]).output();
        self.daemons().into_iter().for_each(process::kill);
        end(&mut self.client);
    }
}

/// Makes the folder a file is to be in.
pub(crate) fn make_folder_of(file: &Path) {
    if let Some(folder) = file.parent() {
        fs_err::create_dir_all(folder).expect("a folder in the world");
    }
}

/// A process that does nothing until it is ended, or the test is.
/// What a client is started with and settings files of its own cannot change.
const DECISIVE: [&str; 6] = [
    "TOPROPE_HOME",
    "PATH",
    "HOME",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

fn client(command: &mut Command) -> Child {
    let client = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("a process to stand for the agent");
    // Hooks ask the system for its variables, which are there a moment after it was started.
    let variables = format!("/proc/{}/environ", client.id());
    eventually("the agent's process has begun", || {
        let known = fs_err::read(&variables);
        known.map_or(Some(()), |known| (!known.is_empty()).then_some(()))
    });
    client
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Copies a program as package managers do: written beside, then renamed over. Another process does it, because a
/// program that this one has open for writing cannot be started meanwhile.
///
/// # Panics
/// If it cannot be copied.
pub fn copy(program: &str, to: &Path) {
    let beside = to.with_extension("new");
    let copied = Command::new("cp").arg(program).arg(&beside).status();
    assert!(copied.is_ok_and(|status| status.success()), "a copy of {program}");
    fs_err::rename(beside, to).expect("a copy in its place");
}

/// Runs a command with these bytes on its standard input.
///
/// # Panics
/// If it cannot be started.
pub fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe to it");
    let input = input.to_vec();
    // The hook may answer without reading everything; then the rest has nowhere to go.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("it ends");
    feeder.join().expect("the feeder ends");
    Output {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Where the programs of this machine are, as whoever runs the tests finds them.
#[expect(
    clippy::disallowed_methods,
    reason = "tests find git and the shell where the machine has them"
)]
pub fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}
