//! The person's own permission rules, read once per change of a settings file.

use super::text;
use crate::config::FileStamp;
use agents::Agent;
use agents::permission::{PermissionRules, SettingsSources};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// More settings files than anybody has; beyond it, all are read again.
const MOST: usize = 512;
/// Files in a folder of settings.
const MOST_IN_FOLDER: usize = 64;

/// Rules by settings file, as long as the file is the same.
#[derive(Debug, Default)]
pub struct Permissions {
    known: Mutex<HashMap<PathBuf, (FileStamp, PermissionRules)>>,
}

impl Permissions {
    /// Whether a rule of the person's, in any layer the agent reads, speaks about a command.
    pub fn speak_about(
        &self,
        agent: &dyn Agent,
        sources: &SettingsSources,
        tool: &str,
        command: &str,
    ) -> bool {
        let speaks = |file: &Path| self.speaks(agent, file, tool, command);
        let is_in = |folder: &PathBuf| settings_in(folder).iter().any(|file| speaks(file));
        sources.files.iter().any(|file| speaks(file)) || sources.folders.iter().any(is_in)
    }

    fn speaks(&self, agent: &dyn Agent, file: &Path, tool: &str, command: &str) -> bool {
        let stamp = FileStamp::of(file);
        if !stamp.exists {
            return false;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = known.get(file).is_some_and(|(then, _)| *then == stamp);
        if !is_current {
            if known.len() >= MOST {
                known.clear();
            }
            let text = text::read(file, text::LONGEST_SETTINGS).unwrap_or_default();
            let rules = agent.permission_rules(text.as_bytes());
            known.insert(file.to_path_buf(), (stamp, rules));
        }
        known
            .get(file)
            .is_some_and(|(_, rules)| rules.about(tool, command).is_some())
    }
}

fn settings_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return Vec::new();
    };
    let is_settings = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(is_settings)
        .take(MOST_IN_FOLDER)
        .collect()
}
