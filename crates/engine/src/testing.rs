//! Short ways to say an event, a call or a fact in this crate's own tests.

pub mod lease;

use crate::answer::Answers;
use crate::event::{Abilities, Context, Event, EventKind, PromptOrigin, StartSource};
use crate::facts::Facts;
use crate::id::{ActorKey, AgentId, AgentKind, ClientSessionId, DeliveryId, ToolUseId};
use crate::policy::Asking;
use crate::settings::{Profile, Settings};
use crate::time::Timestamp;
use crate::tool::{Action, Background, ToolCall, ToolInput};
use serde_json::{Value, json};
use shell::extent::ReadExtent;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The moment every test happens at.
pub const NOW: Timestamp = Timestamp(1_000_000_000);

/// An event of the main thread that can be answered in every way.
pub fn event(kind: EventKind) -> Event {
    Event {
        name: "Test".to_owned(),
        at: NOW,
        delivery: DeliveryId::new("delivery"),
        actor: ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new("session"),
            agent: None,
        },
        agent_type: None,
        cwd: Some(PathBuf::from("/project")),
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        can: Abilities {
            block: true,
            ask: true,
            rewrite: true,
            context: Context::Heard,
        },
        kind,
    }
}

impl Event {
    /// The same event, of a subagent.
    #[must_use]
    pub fn by(mut self, agent: &str, agent_type: &str) -> Self {
        self.actor.agent = Some(AgentId::new(agent));
        self.agent_type = Some(agent_type.to_owned());
        self
    }

    /// The same event, to which text can be answered like this.
    #[must_use]
    pub fn hearing(mut self, context: Context) -> Self {
        self.can.context = context;
        self
    }
}

/// What is known before anything was asked.
pub fn nothing_known(settings: &Settings) -> Asking<'_> {
    static NOTHING: LazyLock<Answers> = LazyLock::new(Answers::default);
    Asking {
        settings,
        answers: &NOTHING,
        is_first: true,
    }
}

/// The command is about to run as call `call-1`.
pub fn command(text: &str) -> Event {
    event(EventKind::ToolBefore {
        call: call(
            "Bash",
            json!({"command": text, "description": "as told", "timeout": 5000}),
        ),
    })
}

/// A person's prompt.
pub fn prompt(text: &str) -> Event {
    event(EventKind::Prompt {
        text: text.to_owned(),
        origin: PromptOrigin::Person,
    })
}

/// A window opens.
pub fn start(source: StartSource) -> Event {
    event(EventKind::SessionStart { source, model: None })
}

/// The main thread is done.
pub fn stop() -> Event {
    event(EventKind::TurnEnd {
        already_continued: false,
        last_message: Some("All done.".to_owned()),
        background: None,
    })
}

/// A call with the id `call-1`.
pub fn call(tool: &str, input: Value) -> ToolCall {
    ToolCall::new(tool, Some(ToolUseId::new("call-1")), object(input), read)
}

/// A JSON object as tool input.
pub fn object(input: Value) -> ToolInput {
    match input {
        Value::Object(map) => map,
        other => panic!("a tool input is an object, not {other}"),
    }
}

/// Facts that know nothing, under the built-in settings of `standard`.
pub fn facts() -> Facts {
    Facts::empty(NOW, Settings::of(Profile::Standard))
}

/// The few tools that tests of this crate speak of.
fn read(tool: &str, input: &ToolInput) -> Action {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    let path = || PathBuf::from(text("file_path").unwrap_or_default());
    match tool {
        "Bash" => Action::RunCommand {
            command: text("command").unwrap_or_default(),
            background: false,
        },
        "Write" => Action::WriteFile { path: path() },
        "Edit" => Action::EditFile { path: path() },
        "Read" => Action::ReadFile {
            path: path(),
            extent: match input.get("limit").and_then(Value::as_u64) {
                Some(last) => ReadExtent::Lines { first: 1, last },
                None => ReadExtent::Whole,
            },
        },
        "Agent" => Action::SpawnAgent {
            agent_type: text("subagent_type"),
            description: text("description"),
            background: match input.get("run_in_background").and_then(Value::as_bool) {
                Some(true) => Background::Yes,
                Some(false) => Background::No,
                None => Background::Unsaid,
            },
            announced: true,
        },
        "Task" => Action::SpawnAgent {
            agent_type: text("subagent_type"),
            description: text("description"),
            background: Background::No,
            announced: false,
        },
        "Grep" | "TodoWrite" => Action::Other,
        _ => Action::Unknown,
    }
}
