//! `[skills]`: whether prompts are met with skills that fit them.

use super::{Mode, Profile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `[skills]`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillsSettings {
    /// Whether skills are suggested.
    pub mode: Mode,
    /// More folders with skills.
    pub dirs: Vec<String>,
    /// Words and phrases that call a skill to mind, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, Vec<String>>,
}

impl SkillsSettings {
    /// The built-in values of a profile.
    pub fn of(profile: Profile) -> Self {
        Self {
            mode: match profile {
                Profile::Observe => Mode::Off,
                Profile::Standard | Profile::Strict => Mode::Advise,
            },
            dirs: Vec::new(),
            map: BTreeMap::new(),
        }
    }
}
