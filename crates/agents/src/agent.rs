//! What an adapter for one agent program does.

use crate::malformed::Malformed;
use engine::decision::Decision;
use engine::event::Event;
use engine::id::DeliveryId;
use engine::time::Timestamp;
use std::path::PathBuf;

/// One agent program's language.
pub trait Agent: Sync {
    /// Its name on the command line and in the store.
    fn name(&self) -> &'static str;

    /// Reads what the agent sent. Unknown events and fields are never an error; only what is not an object is.
    fn translate(&self, payload: &[u8], delivery: &Delivery) -> Result<Event, Malformed>;

    /// Says a decision in exactly the bytes the agent honours for this event.
    fn reply(&self, event: &Event, decision: &Decision) -> Reply;
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
