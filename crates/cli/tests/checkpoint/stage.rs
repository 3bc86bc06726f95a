//! A project in which agents really edit: through the hook, the daemon and the file system.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use testkit::{Agent, Output, World, tick};

/// See the module.
pub struct Stage {
    pub world: World,
}

impl Stage {
    pub fn new() -> Self {
        Self {
            world: World::new(env!("CARGO_BIN_EXE_toprope")),
        }
    }

    /// The same folder without a repository.
    pub fn without_git() -> Self {
        let stage = Self::new();
        fs_err::remove_dir_all(stage.path(".git")).unwrap();
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.world.repo().join(name)
    }

    /// The person writes a file.
    #[track_caller]
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        tick();
        fs_err::write(path, content).unwrap();
        tick();
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs_err::read_to_string(self.path(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Every file of the worktree with its content, its exec bit and where a link leads: `git` has no part in it.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.world.repo(), "", &mut found);
        found.sort();
        found
    }

    /// Every path of the worktree with its type, its whole mode, and its bytes or the text of the link. Neither git nor our
    /// own code has a part in it.
    pub fn tree(&self) -> Tree {
        let mut found = Tree::new();
        snapshot(&self.world.repo(), std::path::Path::new(""), &mut found);
        found
    }

    /// A session that is at work.
    pub fn agent(&self, session: &str) -> Worker<'_> {
        let worker = Worker {
            stage: self,
            agent: self.world.agent(session),
        };
        worker.agent.starts().ok();
        worker
    }

    /// Waits until everything agents did is recorded.
    #[track_caller]
    pub fn settle(&self) {
        self.world.settled();
    }

    /// Runs a command once everything is recorded.
    #[track_caller]
    pub fn toprope(&self, arguments: &[&str]) -> Output {
        self.settle();
        self.world.toprope(arguments)
    }

    /// Puts files back, and must succeed.
    #[track_caller]
    pub fn rewind(&self, arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = ["rewind", "--yes", "--json"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let output = self.toprope(&arguments);
        assert_eq!(output.code, Some(0), "{}", output.whole());
        output.json().unwrap()
    }

    /// Takes the last operation back, and must succeed.
    #[track_caller]
    pub fn undo(&self, arguments: &[&str]) -> Value {
        let arguments: Vec<&str> = ["undo", "--yes", "--json"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let output = self.toprope(&arguments);
        assert_eq!(output.code, Some(0), "{}", output.whole());
        output.json().unwrap()
    }

    /// Puts back what was undone last, and must succeed.
    #[track_caller]
    pub fn redo(&self) -> Value {
        let output = self.toprope(&["redo", "--yes", "--json"]);
        assert_eq!(output.code, Some(0), "{}", output.whole());
        output.json().unwrap()
    }

    /// Runs a command at a terminal, with somebody who answers each question; what it showed is its stdout.
    #[track_caller]
    pub fn at_a_terminal(&self, arguments: &[&str], answers: &[(&str, &str)]) -> Output {
        self.settle();
        let mut talk = Talk::begin(self, arguments);
        for (question, answer) in answers {
            talk.hears(question);
            talk.says(answer);
        }
        talk.ends()
    }

    /// Changes of files with their origins, in order.
    pub fn rows(&self) -> Vec<String> {
        self.world.database().rows(
            "SELECT checkpoints.kind, path, change, origin FROM checkpoint_files
                 JOIN checkpoints ON checkpoints.seq = checkpoint_seq ORDER BY checkpoint_seq, path",
        )
    }
}

/// An agent that edits.
#[derive(Clone)]
pub struct Worker<'a> {
    stage: &'a Stage,
    pub agent: Agent<'a>,
}

impl Worker<'_> {
    /// A person asks for something.
    pub fn asked(&self, prompt: &str) -> &Self {
        self.agent.is_asked(prompt).ok();
        self
    }

    /// Writes a file with a tool.
    #[track_caller]
    pub fn writes(&self, name: &str, content: &str) -> &Self {
        self.agent.writes(name, content);
        self
    }

    /// Reads a file with a tool.
    #[track_caller]
    pub fn reads(&self, name: &str) -> &Self {
        self.agent.reads(name);
        self
    }

    /// Runs a command that tells nothing of what it changed.
    #[track_caller]
    pub fn runs(&self, command: &str) -> &Self {
        self.runs_as(command, command)
    }

    /// Runs a command, and says it ran another.
    #[track_caller]
    pub fn runs_as(&self, told: &str, command: &str) -> &Self {
        let call = self.agent.is_about_to_run(told);
        let output = self.stage.world.shell(command);
        assert_eq!(output.code, Some(0), "{}", output.whole());
        call.ends(&json!({ "stdout": "", "stderr": "" })).ok();
        call.ends_step().ok();
        self
    }

    /// Is held once by the guard, reads why, and runs the command all the same.
    #[track_caller]
    pub fn insists(&self, command: &str) -> &Self {
        self.insists_as(command, command)
    }

    /// The same with a command that says more than was told.
    #[track_caller]
    pub fn insists_as(&self, told: &str, command: &str) -> &Self {
        self.agent.is_held_before(told);
        self.runs_as(told, command)
    }

    /// The turn ends, and all of it is recorded.
    #[track_caller]
    pub fn stops(&self) -> &Self {
        self.agent.stops().ok();
        self.stage.settle();
        self
    }

    /// A subagent of it begins.
    pub fn launches(&self, id: &str) -> Self {
        let worker = Worker {
            stage: self.stage,
            agent: self.agent.subagent(id, "general-purpose"),
        };
        worker.agent.begins().ok();
        worker
    }

    /// A subagent is over.
    pub fn finishes(&self) {
        self.agent.ends().ok();
    }
}

/// A command at a terminal, and a person before it.
pub struct Talk {
    child: Child,
    heard: String,
}

impl Talk {
    /// Starts it in a terminal of its own.
    pub fn begin(stage: &Stage, arguments: &[&str]) -> Self {
        let command = stage.world.command(&[]);
        let program = command.get_program().to_str().unwrap().to_owned();
        let words: Vec<String> = [program.as_str()]
            .iter()
            .chain(arguments)
            .map(|word| format!("'{word}'"))
            .collect();
        let mut script = Command::new("script");
        script.args(["-qec", &words.join(" "), "/dev/null"]);
        script.current_dir(stage.world.repo()).env_clear();
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                script.env(name, value);
            }
        }
        let child = script
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a terminal");
        Self {
            child,
            heard: String::new(),
        }
    }

    /// Reads until something was said.
    #[track_caller]
    pub fn hears(&mut self, wanted: &str) {
        let from = self.heard.len();
        let stdout = self.child.stdout.as_mut().unwrap();
        let mut bytes = [0; 1];
        while !self.heard.get(from..).unwrap_or_default().contains(wanted) {
            let count = stdout.read(&mut bytes).unwrap();
            assert!(count > 0, "it never said {wanted:?}: {}", self.heard);
            self.heard.push(char::from(bytes[0]));
        }
    }

    /// Types a line.
    pub fn says(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{text}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for its end.
    pub fn ends(mut self) -> Output {
        let mut rest = Vec::new();
        self.child
            .stdout
            .as_mut()
            .unwrap()
            .read_to_end(&mut rest)
            .unwrap();
        self.heard.push_str(&String::from_utf8_lossy(&rest));
        Output {
            code: self.child.wait().unwrap().code(),
            stdout: self.heard.replace('\r', ""),
            stderr: String::new(),
        }
    }
}

/// Type, permissions, and bytes or the text of a link, by path.
pub type Tree = std::collections::BTreeMap<PathBuf, (char, u32, Vec<u8>)>;

fn snapshot(root: &std::path::Path, below: &std::path::Path, found: &mut Tree) {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs_err::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        let metadata = entry.metadata().unwrap();
        let mode = metadata.permissions().mode() & 0o7777;
        if path == std::path::Path::new(".git") {
            continue;
        }
        let thing = if metadata.is_dir() {
            snapshot(root, &path, found);
            ('d', mode, Vec::new())
        } else if metadata.is_symlink() {
            let target = fs_err::read_link(entry.path()).unwrap();
            ('l', 0, target.as_os_str().as_bytes().to_vec())
        } else {
            ('f', mode, fs_err::read(entry.path()).unwrap())
        };
        found.insert(path, thing);
    }
}

fn collect(root: &std::path::Path, below: &str, found: &mut Vec<(String, Vec<u8>)>) {
    use std::os::unix::fs::PermissionsExt;
    for entry in fs_err::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name
        } else {
            format!("{below}/{name}")
        };
        if path == ".git" {
            continue;
        }
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(root, &path, found);
        } else if kind.is_symlink() {
            let target = fs_err::read_link(entry.path()).unwrap();
            found.push((format!("{path} ->"), target.as_os_str().as_bytes().to_vec()));
        } else {
            let is_exec = entry.metadata().unwrap().permissions().mode() & 0o100 != 0;
            let mark = if is_exec { "*" } else { "" };
            found.push((format!("{path}{mark}"), fs_err::read(entry.path()).unwrap()));
        }
    }
}

/// A text as it is, but for what differs from run to run.
#[macro_export]
macro_rules! assert_said {
    ($text:expr, @$expected:literal) => {
        insta::with_settings!({filters => vec![
            (r"\b[0-9a-f]{40}\b", "[object]"),
            (r"\b[0-9a-f]{12}\b", "[id]"),
            (r"\b\d{4}-\d\d-\d\d-", "[day]-"),
            (r"\bfor \d+ s\b", "for [time]"),
            (r"HEAD stays at [0-9a-f]{7}", "HEAD stays at [head]"),
            (r"from [0-9a-f]{7} to [0-9a-f]{7} since", "from [head] to [head] since"),
            (r"\b\d+s ago", "[age] ago"),
        ]}, {
            insta::assert_snapshot!($text, @$expected);
        });
    };
}
