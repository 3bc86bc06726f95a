//! `[stale_write]`: what a writer meets whose picture of a file is out of date.

use super::{Mode, Profile};
use serde::{Deserialize, Serialize};

/// `[stale_write]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaleWriteSettings {
    /// What replacing a whole file meets.
    pub mode: Mode,
    /// What changing a part of it meets.
    pub changes: Mode,
    /// Of larger files only size and time are compared.
    pub max_mib: u32,
}

impl StaleWriteSettings {
    /// The built-in values of a profile.
    pub fn of(profile: Profile) -> Self {
        let (mode, changes, max_mib) = match profile {
            Profile::Observe => (Mode::Off, Mode::Off, 8),
            Profile::Standard => (Mode::Enforce, Mode::Advise, 8),
            Profile::Strict => (Mode::Enforce, Mode::Enforce, 32),
        };
        Self {
            mode,
            changes,
            max_mib,
        }
    }
}
