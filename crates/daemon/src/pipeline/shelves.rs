//! Where skills are looked for, at prompts and for whoever asks.

use super::World;
use crate::environment::Environment;
use crate::skill::{self, Found, Shelves};
use agents::Agent;
use engine::settings::{Settings, SkillsSettings};
use git::place::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

impl World {
    /// The folders of a project's, an agent's and the settings' skills.
    pub(super) fn shelves(
        &self,
        agent: &dyn Agent,
        place: Option<&Place>,
        env: &BTreeMap<String, String>,
        settings: &Settings,
    ) -> Shelves {
        let home = env
            .get("HOME")
            .map(PathBuf::from)
            .or_else(|| self.person.home.clone());
        let config = agent.config_folder(home.as_deref(), env);
        Shelves::new(
            place.map(|place| place.project.root.as_path()),
            place.and_then(|place| place.worktree.as_deref()),
            config.as_deref(),
            &settings.skills.dirs,
            home.as_deref(),
        )
    }

    /// What a prompt at this folder could be met with, what is no skill, and under which settings.
    pub fn skills_at(&self, folder: &Path, environment: &Environment) -> (Found, SkillsSettings) {
        let env = environment.travelling();
        let env: BTreeMap<String, String> = env
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let place = self.place_of(folder);
        let loaded = self.settings(Some(&place), &env);
        let agent: &dyn Agent = &agents::claude_code::ClaudeCode;
        let shelves = self.shelves(agent, Some(&place), &env, &loaded.settings);
        (skill::find(&shelves), loaded.settings.skills.clone())
    }
}
