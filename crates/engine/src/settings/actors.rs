//! `[actors]`: what agents' own commands are told about who runs them.

use serde::{Deserialize, Serialize};

/// `[actors]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActorsSettings {
    /// Whether a session's commands find its id in their environment.
    pub export_env: bool,
}
