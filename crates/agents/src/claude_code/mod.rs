//! Claude Code, as observed in version 2.1.325.

mod changed;
mod hook;
mod kind;
mod notification;
mod payload;
mod permission;
mod reply;
mod todo;
mod tool;
mod transcript;
mod translate;

use crate::agent::{Agent, Delivery, Reply};
use crate::malformed::Malformed;
use crate::permission::{Folders, PermissionRules, SettingsSources};
use crate::transcript::{Calling, Forked, SpawnOrigin, TranscriptLine};
use engine::decision::Decision;
use engine::event::Event;
use engine::id::{AgentId, ClientSessionId};
use payload::PayloadFields;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of our own event: the installer and `doctor` send it to see whether the path answers.
pub const PROBE: &str = "TopropeProbe";

/// Every probe is a session of its own, whose id begins so. What such a session does is decided and not recorded.
pub const PROBE_SESSION: &str = "toprope-probe-";

pub use tool::SHELL_TOOLS;

/// The adapter for Claude Code.
pub struct ClaudeCode;

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn translate(&self, payload: &[u8], delivery: &Delivery) -> Result<Event, Malformed> {
        PayloadFields::parse(payload).map(|payload| translate::event(payload, delivery))
    }

    fn reply(&self, event: &Event, decision: &Decision) -> Reply {
        reply::reply(event, decision)
    }

    fn transcript_line(&self, line: &[u8]) -> Result<TranscriptLine, Malformed> {
        transcript::line(line)
    }

    fn calls_in(&self, line: &[u8]) -> Option<Calling> {
        transcript::calls_in(line)
    }

    fn transcript_folder(&self, config: &Path) -> PathBuf {
        config.join("projects")
    }

    fn subagent_transcript(&self, main: &Path, session: &ClientSessionId, agent: &AgentId) -> Vec<PathBuf> {
        transcript::subagent(main, session.as_str(), agent.as_str())
    }

    fn origin_note(&self, main: &Path, session: &ClientSessionId, agent: &AgentId) -> Option<PathBuf> {
        transcript::origin_note(main, session.as_str(), agent.as_str())
    }

    fn read_origin(&self, note: &[u8]) -> Option<SpawnOrigin> {
        transcript::read_origin(note)
    }

    fn resume_command(&self, session: &ClientSessionId) -> Option<Vec<String>> {
        let words = ["claude", "--resume", session.as_str()];
        transcript::is_plain(session.as_str()).then(|| words.map(str::to_owned).to_vec())
    }

    fn forked_transcript(&self, main: &Path, session: &ClientSessionId) -> Option<PathBuf> {
        transcript::beside(main, session.as_str())
    }

    fn fork_line(&self, line: &[u8], leaf: &str, session: &ClientSessionId) -> Forked {
        transcript::forked(line, leaf, session.as_str())
    }

    fn config_folder(&self, home: Option<&Path>, env: &BTreeMap<String, String>) -> Option<PathBuf> {
        let said = env.get("CLAUDE_CONFIG_DIR").filter(|said| !said.is_empty());
        permission::config_folder(home, said.map(Path::new))
    }

    fn made_file(&self, response: &serde_json::Value) -> bool {
        response.get("type").and_then(serde_json::Value::as_str) == Some("create")
    }

    fn background_task(&self, response: &serde_json::Value) -> Option<String> {
        changed::background_task(response)
    }

    fn exit_code(&self, error: &str) -> Option<i32> {
        tool::exit_code(error)
    }

    fn scratch_folder(&self, env: &BTreeMap<String, String>, user: u32) -> Option<PathBuf> {
        let said = env.get("CLAUDE_CODE_TMPDIR").filter(|said| !said.is_empty());
        let folder = Path::new(said.map_or("/tmp", String::as_str));
        Some(folder.join(format!("claude-{user}")))
    }

    fn permission_sources(&self, folders: &Folders<'_>) -> SettingsSources {
        permission::sources(folders)
    }

    fn permission_rules(&self, settings: &[u8]) -> PermissionRules {
        permission::rules(settings)
    }
}

/// The names of all events this version of the client reports.
pub fn events() -> impl Iterator<Item = &'static str> {
    hook::HOOKS.iter().map(|hook| hook.name)
}

const NAME: &str = "claude-code";

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
