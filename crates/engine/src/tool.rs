//! A tool call: its name, its whole input, and what it would do.

pub mod command_line;
pub mod edited;
pub mod folded;
pub mod name;
pub mod named;
pub mod touch;

use crate::id::ToolUseId;
use serde_json::{Map, Value};
use shell::Plain;
use shell::extent::ReadExtent;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The input of a tool call, every key in the order it came.
pub type ToolInput = Map<String, Value>;

/// How an adapter reads what a call of a tool does.
pub type ToolReader = fn(tool: &str, input: &ToolInput) -> Action;

/// One call of a tool, before or after it ran. Its action always is what its input says.
#[derive(Clone)]
pub struct ToolCall {
    tool: String,
    id: Option<ToolUseId>,
    input: ToolInput,
    action: Action,
    reader: ToolReader,
    /// Its command as it was read, once somebody asked.
    plain: OnceLock<Arc<Plain>>,
}

impl ToolCall {
    /// A call as the agent made it. `tool` is the tool's current name; adapters translate older spellings.
    pub fn new(tool: impl Into<String>, id: Option<ToolUseId>, input: ToolInput, reader: ToolReader) -> Self {
        let tool = tool.into();
        let action = reader(&tool, &input);
        Self {
            tool,
            id,
            input,
            action,
            reader,
            plain: OnceLock::new(),
        }
    }

    /// The tool's current name.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The call's id; permission requests carry none.
    pub fn id(&self) -> Option<&ToolUseId> {
        self.id.as_ref()
    }

    /// Everything the agent passed.
    pub fn input(&self) -> &ToolInput {
        &self.input
    }

    /// What the call does, as far as the adapter knows the tool.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The input's key that holds the command, where one alone holds all of it: what a rewrite may replace.
    pub fn command_key(&self) -> Option<&str> {
        let Action::RunCommand { command, .. } = &self.action else {
            return None;
        };
        let holds =
            |(key, value): &(&String, &Value)| value.as_str() == Some(command) && command_line::is_key(key);
        self.input.iter().find(holds).map(|(key, _)| key.as_str())
    }

    /// A text of this call, as it reads in a folder: read once, for everyone who asks.
    pub fn plain(&self, text: &str, cwd: Option<&Path>) -> Arc<Plain> {
        if let Some(known) = self.plain.get().filter(|known| known.is_of(text, cwd)) {
            return Arc::clone(known);
        }
        // Nobody waits for another reader: one that never came back must hold up nobody else.
        let plain = Arc::new(Plain::read(text, cwd));
        let _ = self.plain.set(Arc::clone(&plain));
        plain
    }

    /// Its command as it reads in a folder; `None` for a call that runs none.
    pub fn plain_command(&self, cwd: Option<&Path>) -> Option<Arc<Plain>> {
        match &self.action {
            Action::RunCommand { command, .. } => Some(self.plain(command, cwd)),
            _ => None,
        }
    }

    /// What was read of it so far.
    pub fn read_so_far(&self) -> Option<&Arc<Plain>> {
        self.plain.get()
    }

    /// What was read of it before, in another event about the same call.
    pub fn was_read(&self, plain: Arc<Plain>) {
        let _ = self.plain.set(plain);
    }

    /// The same call with a patch laid over its whole input.
    #[must_use]
    pub fn patched(&self, patch: &InputPatch) -> Self {
        Self::new(
            self.tool.clone(),
            self.id.clone(),
            patch.applied_to(&self.input),
            self.reader,
        )
    }
}

impl PartialEq for ToolCall {
    fn eq(&self, other: &Self) -> bool {
        self.tool == other.tool
            && self.id == other.id
            && self.input == other.input
            && self.action == other.action
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("tool", &self.tool)
            .field("id", &self.id)
            .field("input", &self.input)
            .field("action", &self.action)
            .finish_non_exhaustive()
    }
}

/// What a tool call does to the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Runs shell text.
    RunCommand {
        /// The text the shell gets.
        command: String,
        /// Goes on after the call returns.
        background: bool,
    },
    /// Replaces or creates a whole file.
    WriteFile {
        /// As the agent wrote it; may be relative to the event's `cwd`.
        path: PathBuf,
    },
    /// Changes part of a file.
    EditFile {
        /// As the agent wrote it.
        path: PathBuf,
    },
    /// Reads a file.
    ReadFile {
        /// As the agent wrote it.
        path: PathBuf,
        /// How much of it.
        extent: ReadExtent,
    },
    /// Starts another agent.
    SpawnAgent {
        /// The kind of agent asked for.
        agent_type: Option<String>,
        /// The caller's short description of the work.
        description: Option<String>,
        /// Whether the caller goes on working meanwhile.
        background: Background,
        /// The client tells of the agent's start and end by events of their own.
        announced: bool,
    },
    /// Known to write nothing in a project: it searches, asks, plans, notes, or reads the web.
    Other,
    /// May write anything: an MCP tool, one this version does not know, or one whose input says nothing usable.
    Unknown,
}

/// What a call may write, as far as its input says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteReach<'a> {
    /// No file of a project. The files of an agent it starts are that agent's own.
    Nothing,
    /// This one file, as the agent wrote it.
    Path(&'a Path),
    /// Any file.
    Anything,
}

/// Whether a spawned agent runs beside its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// The caller waits for the agent's end.
    No,
    /// The caller goes on.
    Yes,
    /// The call did not say; the client decides.
    Unsaid,
}

impl Action {
    /// The file the call names, if it names one.
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::WriteFile { path } | Self::EditFile { path } | Self::ReadFile { path, .. } => Some(path),
            Self::RunCommand { .. } | Self::SpawnAgent { .. } | Self::Other | Self::Unknown => None,
        }
    }

    /// What the call may write.
    pub fn reach(&self) -> WriteReach<'_> {
        match self {
            Self::WriteFile { path } | Self::EditFile { path } => WriteReach::Path(path),
            Self::RunCommand { .. } | Self::Unknown => WriteReach::Anything,
            Self::ReadFile { .. } | Self::SpawnAgent { .. } | Self::Other => WriteReach::Nothing,
        }
    }

    /// What the call is about, as one short text for lists.
    pub fn target(&self) -> Option<String> {
        match self {
            Self::RunCommand { command, .. } => Some(command.clone()),
            Self::SpawnAgent {
                description,
                agent_type,
                ..
            } => description
                .as_ref()
                .map(|text| format!("\"{text}\""))
                .or_else(|| agent_type.clone()),
            Self::WriteFile { .. } | Self::EditFile { .. } | Self::ReadFile { .. } => {
                self.path().map(|path| path.to_string_lossy().into_owned())
            }
            Self::Other | Self::Unknown => None,
        }
    }
}

/// New values for keys of a tool input. Keys can be set, never dropped: the client replaces the whole input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InputPatch {
    set: Vec<(String, Value)>,
}

impl InputPatch {
    /// Sets one key.
    #[must_use]
    pub fn set(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set.push((key.into(), value.into()));
        self
    }

    /// The whole input with this patch laid over it.
    pub fn applied_to(&self, input: &ToolInput) -> ToolInput {
        let mut whole = input.clone();
        for (key, value) in &self.set {
            whole.insert(key.clone(), value.clone());
        }
        whole
    }
}

#[cfg(test)]
mod tests;
