//! A probe through the installed command line itself: "installed" means that it answers and writes down what it saw.

use super::child::{self, ChildExit};
use super::context::Site;
use super::entries::Invocation;
use ::daemon::clock;
use ::daemon::pipeline::record::PROBED;
use agents::claude_code::{PROBE, PROBE_SESSION};
use engine::text::one_line;
use serde_json::{Value, json};
use std::io;
use std::time::Duration;
use store::table::counters;
use store::{Store, StoreError};

/// A command that is denied whatever the settings say.
pub const FORBIDDEN: &str = "rm -rf /";

/// The hook's own deadlines are far shorter.
const LIMIT: Duration = Duration::from_secs(20);
const WAIT: Duration = Duration::from_secs(5);
const LONGEST_SHOWN: usize = 200;

/// What came of a probe that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeAnswer {
    /// It is in the store.
    Recorded {
        /// From the start of the hook's process to its end.
        took: Duration,
    },
    /// Toprope is switched off here, so nothing is kept.
    SwitchedOff {
        /// From the start of the hook's process to its end.
        took: Duration,
    },
}

impl ProbeAnswer {
    /// From the start of the hook's process to its end.
    pub fn took(self) -> Duration {
        match self {
            Self::Recorded { took } | Self::SwitchedOff { took } => took,
        }
    }
}

/// Why a probe counts as lost.
#[derive(Debug, thiserror::Error)]
pub enum ProbeFailure {
    /// There is no such program.
    #[error("`{invocation}` could not be started: {error}")]
    NotStarted {
        /// What was to be started.
        invocation: String,
        /// What the system said.
        error: io::Error,
    },
    /// It did not end.
    #[error("the hook did not answer within {} s", LIMIT.as_secs())]
    Late,
    /// It ended as a hook never should.
    #[error("the hook ended with {code}{said}")]
    Failed {
        /// The exit code in words.
        code: String,
        /// What it said.
        said: String,
    },
    /// The client would have taken this for an answer.
    #[error("the hook printed `{0}` where nothing was expected")]
    Spoke(String),
    /// What must be denied was not.
    #[error("`{FORBIDDEN}` was not denied: the hook printed `{0}`")]
    NotDenied(String),
    /// The event went nowhere.
    #[error("the hook answered, but its event is not in the store{0}")]
    NotRecorded(String),
    /// The event may be there, but nobody can tell.
    #[error("the hook answered, but the store cannot be read: {0}")]
    Unread(StoreError),
}

/// Sends a probe the way the client would.
pub fn send(site: &Site<'_>, invocation: &Invocation, is_enabled: bool) -> Result<ProbeAnswer, ProbeFailure> {
    let session = session();
    let payload = json!({ "session_id": session, "cwd": site.root, "hook_event_name": PROBE });
    let ended = hook(site, invocation, &payload)?;
    check(&ended)?;
    let took = ended.took;
    if !is_enabled {
        return Ok(ProbeAnswer::SwitchedOff { took });
    }
    match is_recorded(site, &session) {
        Ok(true) => Ok(ProbeAnswer::Recorded { took }),
        Ok(false) => Err(ProbeFailure::NotRecorded(said(&ended.stderr))),
        Err(error) => Err(ProbeFailure::Unread(error)),
    }
}

/// Sends a call that must be denied the way the client would, and says how long the denial took. Nothing is run.
pub fn must_deny(site: &Site<'_>, invocation: &Invocation) -> Result<Duration, ProbeFailure> {
    let session = session();
    let call = json!({
        "session_id": session, "cwd": site.root, "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_use_id": "toolu_probe", "tool_input": { "command": FORBIDDEN },
    });
    let ended = hook(site, invocation, &call)?;
    // The session is over: the request it left waits for nobody.
    let over = json!({
        "session_id": session, "cwd": site.root, "hook_event_name": "SessionEnd", "reason": "other",
    });
    hook(site, invocation, &over)?;
    let answer: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    let said = answer.pointer("/hookSpecificOutput/permissionDecision");
    if said.and_then(Value::as_str) == Some("deny") {
        return Ok(ended.took);
    }
    Err(match check(&ended) {
        Err(ProbeFailure::Failed { code, said }) => ProbeFailure::Failed { code, said },
        Ok(()) | Err(_) => ProbeFailure::NotDenied(text(&ended.stdout)),
    })
}

fn session() -> String {
    format!("{PROBE_SESSION}{:x}-{}", clock::now().0, std::process::id())
}

/// Runs the hook as the client would, with this on its standard input.
fn hook(site: &Site<'_>, invocation: &Invocation, payload: &Value) -> Result<ChildExit, ProbeFailure> {
    let mut command = invocation.command();
    command
        .current_dir(&site.root)
        .env("CLAUDE_PROJECT_DIR", &site.root);
    // This process plays the client; one that may be around it does not.
    command
        .env_remove("CLAUDE_PID")
        .env_remove("CLAUDE_CODE_SESSION_ID");
    let ended = child::run(command, payload.to_string().as_bytes(), LIMIT);
    let not_started = |error| ProbeFailure::NotStarted {
        invocation: invocation.to_string(),
        error,
    };
    ended.map_err(not_started)?.ok_or(ProbeFailure::Late)
}

fn check(ended: &ChildExit) -> Result<(), ProbeFailure> {
    if ended.code != Some(0) {
        let code = ended
            .code
            .map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        return Err(ProbeFailure::Failed {
            code,
            said: said(&ended.stderr),
        });
    }
    if !ended.stdout.is_empty() {
        return Err(ProbeFailure::Spoke(text(&ended.stdout)));
    }
    Ok(())
}

fn is_recorded(site: &Site<'_>, session: &str) -> Result<bool, StoreError> {
    let store = Store::open_existing(&site.home.database(), WAIT)?;
    let newest = counters::list(&store.read())?
        .into_iter()
        .find(|counter| counter.name == PROBED);
    Ok(newest.and_then(|counter| counter.last_text).as_deref() == Some(session))
}

fn said(stderr: &[u8]) -> String {
    match text(stderr) {
        nothing if nothing.is_empty() => nothing,
        something => format!(": {something}"),
    }
}

fn text(bytes: &[u8]) -> String {
    one_line(String::from_utf8_lossy(bytes).trim(), LONGEST_SHOWN)
}

/// A duration as the check prints it.
pub fn milliseconds(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1000.0)
}
