//! A world with a repository, a person's home and a store, for tests.

use super::*;
use crate::environment::Environment;
use crate::frame::request::{Header, HookRequest};
use crate::home::Home;
use crate::judge::Judge;
use crate::pipeline::record::{RecordedEvent, record};
use crate::pipeline::{EventSubject, PreparedEvent};
use engine::policy::ORDER;
use engine::time::Timestamp;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use store::Store;
use tempfile::TempDir;

pub struct Ground {
    folder: TempDir,
    pub world: PipelineContext,
    deliveries: std::cell::Cell<u32>,
}

impl Ground {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        let text = |name: &str| root.join(name).to_str().unwrap().to_owned();
        for name in ["home/.claude", "repo", "state"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        let environment = Environment::of(&[
            ("TOPROPE_HOME", &text("state")),
            ("HOME", &text("home")),
            ("PATH", &testkit::path()),
        ]);
        let home = Home::of(&environment);
        Store::open(&home.database(), Duration::from_secs(5)).unwrap();
        let ground = Self {
            folder,
            world: PipelineContext::new(home, &environment),
            deliveries: std::cell::Cell::default(),
        };
        ground.git("repo", &["init", "-q", "-b", "main"]);
        ground.write("repo/src/a.rs", "one");
        ground.write("repo/.gitignore", "*.log\n/build/\n");
        ground.git("repo", &["add", "-A"]);
        ground.git("repo", &["commit", "-q", "-m", "first"]);
        ground
    }

    pub fn path(&self, name: &str) -> PathBuf {
        fs_err::canonicalize(self.folder.path()).unwrap().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    pub fn git(&self, folder: &str, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .current_dir(self.path(folder))
            .env("HOME", self.path("home"))
            .env_remove("GIT_DIR")
            .status()
            .unwrap();
        assert!(done.success(), "{arguments:?}");
    }

    pub fn prepared(&self, payload: &Value, env: &[(&str, &str)]) -> PreparedEvent {
        self.prepared_at(1_000, payload, env)
    }

    pub fn prepared_at(&self, at: i64, payload: &Value, env: &[(&str, &str)]) -> PreparedEvent {
        self.deliveries.set(self.deliveries.get() + 1);
        let mut header = Header {
            agent: "claude-code".to_owned(),
            delivery: format!("d{}", self.deliveries.get()),
            ..Header::default()
        };
        header.env = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let body = payload.to_string().into_bytes();
        self.world.prepare(HookRequest { header, body }, Timestamp(at))
    }

    pub fn calls(&self, tool: &str, input: &Value) -> PreparedEvent {
        self.prepared(&self.payload("PreToolUse", tool, input), &[])
    }

    pub fn payload(&self, name: &str, tool: &str, input: &Value) -> Value {
        let number = self.deliveries.get();
        json!({
            "hook_event_name": name, "session_id": "7c1e", "cwd": self.path("repo"), "tool_name": tool,
            "tool_input": input, "tool_use_id": format!("toolu_{number}"),
        })
    }

    /// What a guard knows once it asked this of a command.
    pub fn asked(&self, command: &str, asked: &[WorldQuestion]) -> GuardFacts {
        let prepared = self.calls("Bash", &json!({ "command": command }));
        let (event, place) = event_of(&prepared);
        let mut facts = GuardFacts::default();
        let asked: Vec<&WorldQuestion> = asked.iter().collect();
        let settings = GuardSettings::of(engine::settings::Profile::Standard);
        WorldWitness::new(&self.world, event, place, &settings).answer(&asked, &mut facts);
        facts
    }

    pub fn path_fact(&self, name: &str) -> engine::policy::guard::facts::PathFact {
        let path = self.text(name);
        let facts = self.asked("true", &[WorldQuestion::Path { path: path.clone() }]);
        facts.paths.get(&path).cloned().expect("it was answered")
    }

    /// Records an event as the daemon would.
    pub fn happens(&self, prepared: &PreparedEvent) {
        self.judged(prepared, &Judge::new(ORDER));
    }

    /// The same with other policies.
    pub fn judged(&self, prepared: &PreparedEvent, judge: &Judge) -> RecordedEvent {
        let mut store = self.store();
        let tx = store.begin().unwrap();
        tx.only(|db| record(db, prepared, judge)).unwrap()
    }

    pub fn store(&self) -> Store {
        Store::open(&self.world.home().database(), Duration::from_secs(5)).unwrap()
    }

    /// A file tool writes a file, from the event before to the event after it.
    pub fn agent_writes(&self, name: &str, content: &str) {
        let input = json!({ "file_path": self.path(name), "content": content });
        let mut before = self.calls("Write", &input);
        self.world.look_at_named(&mut before);
        self.happens(&before);
        self.write(name, content);
        let mut payload = self.payload("PostToolUse", "Write", &input);
        // The event after carries the id of the one before.
        let id = format!("toolu_{}", self.deliveries.get() - 1);
        payload["tool_use_id"] = json!(id);
        payload["tool_response"] = json!({ "type": "create", "filePath": self.path(name) });
        let after = self.prepared(&payload, &[]);
        self.happens(&after);
    }
}

pub fn event_of(prepared: &PreparedEvent) -> (&Event, Option<&Place>) {
    match &prepared.subject {
        EventSubject::Event(subject) => (&subject.event, subject.place.as_deref()),
        _ => panic!("it is an event"),
    }
}

pub fn scene_of(prepared: &PreparedEvent) -> &GuardFacts {
    match &prepared.subject {
        EventSubject::Event(subject) => subject.answers.guard.as_deref().expect("it is a call"),
        _ => panic!("it is an event"),
    }
}
