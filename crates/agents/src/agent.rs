//! What an adapter for one agent program does.

use crate::malformed::Malformed;
use crate::permission::{Folders, PermissionRules, SettingsSources};
use crate::transcript::{Calling, Forked, SpawnOrigin, TranscriptLine};
use engine::decision::Decision;
use engine::event::Event;
use engine::id::{AgentId, ClientSessionId, DeliveryId};
use engine::time::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One agent program's language.
pub trait Agent: Sync {
    /// Its name on the command line and in the store.
    fn name(&self) -> &'static str;

    /// Reads what the agent sent. Unknown events and fields are never an error; only what is not an object is.
    fn translate(&self, payload: &[u8], delivery: &Delivery) -> Result<Event, Malformed>;

    /// Says a decision in exactly the bytes the agent honours for this event.
    fn reply(&self, event: &Event, decision: &Decision) -> Reply;

    /// Reads one line of a transcript. Unknown types and fields are never an error; only what is not an object is.
    fn transcript_line(&self, line: &[u8]) -> Result<TranscriptLine, Malformed>;

    /// The calls that a line of a transcript makes; `None` where it makes none.
    fn calls_in(&self, line: &[u8]) -> Option<Calling>;

    /// The folder below which it keeps its transcripts, given the folder of its settings.
    fn transcript_folder(&self, config: &Path) -> PathBuf;

    /// Where a subagent's transcript may be when its events did not say, likeliest first; the main one comes last.
    fn subagent_transcript(&self, main: &Path, session: &ClientSessionId, agent: &AgentId) -> Vec<PathBuf>;

    /// Where it notes down who started a subagent; `None` if nowhere.
    fn origin_note(&self, main: &Path, session: &ClientSessionId, agent: &AgentId) -> Option<PathBuf>;

    /// Who started a subagent, as such a note says it.
    fn read_origin(&self, note: &[u8]) -> Option<SpawnOrigin>;

    /// The words of the command that continues a session; `None` if this agent, or such an id, cannot be continued.
    fn resume_command(&self, session: &ClientSessionId) -> Option<Vec<String>>;

    /// Where the transcript of a session made from another's belongs; `None` if that cannot be done.
    fn forked_transcript(&self, main: &Path, session: &ClientSessionId) -> Option<PathBuf>;

    /// Rewrites a line of a transcript for a new session that ends with the line `leaf`.
    fn fork_line(&self, line: &[u8], leaf: &str, session: &ClientSessionId) -> Forked;

    /// The folder of the person's settings, given their home and what the hook's environment says.
    fn config_folder(&self, home: Option<&Path>, env: &BTreeMap<String, String>) -> Option<PathBuf>;

    /// Whether a tool that writes a file says that there was none before.
    fn made_file(&self, response: &serde_json::Value) -> bool;

    /// The client's id of what goes on in the background after the answer to a command.
    fn background_task(&self, response: &serde_json::Value) -> Option<String>;

    /// The code a command ended with, where the error of its call says so.
    fn exit_code(&self, error: &str) -> Option<i32>;

    /// The agent's own folder for files that nobody keeps.
    fn scratch_folder(&self, env: &BTreeMap<String, String>, user: u32) -> Option<PathBuf>;

    /// Where the person's permission rules are, in every layer this agent reads.
    fn permission_sources(&self, folders: &Folders<'_>) -> SettingsSources;

    /// The permission rules of one settings file; none where it cannot be read.
    fn permission_rules(&self, settings: &[u8]) -> PermissionRules;
}

/// What is known about a payload besides its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Random per hook process.
    pub id: DeliveryId,
    /// When it reached us.
    pub at: Timestamp,
    /// The session the hook's environment names; used only when the payload names none.
    pub session_hint: Option<String>,
    /// The hook's working directory; used only when the payload names none.
    pub cwd: Option<PathBuf>,
}

/// What the hook process writes, and how it exits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The exit code.
    pub exit: u8,
    /// Everything for stdout.
    pub stdout: Vec<u8>,
    /// Everything for stderr.
    pub stderr: Vec<u8>,
}
