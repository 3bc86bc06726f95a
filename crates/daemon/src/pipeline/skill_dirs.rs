//! Where skills are looked for, at prompts and for whoever asks.

use super::PipelineContext;
use crate::environment::Environment;
use crate::skill::{self, FoundSkills, SkillDirs};
use agents::Agent;
use engine::event::{Event, EventKind};
use engine::policy::skills::Catalogue;
use engine::settings::{Mode, Settings, SkillsSettings};
use git::place::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl PipelineContext {
    /// The skills that a prompt could be met with; nothing at other events.
    pub(super) fn skills(
        &self,
        agent: &dyn Agent,
        event: &Event,
        place: Option<&Place>,
        env: &BTreeMap<String, String>,
        settings: &Settings,
    ) -> Option<Arc<Catalogue>> {
        if settings.skills.mode == Mode::Off || !matches!(event.kind, EventKind::Prompt { .. }) {
            return None;
        }
        let dirs = self.skill_dirs(agent, place, env, settings);
        Some(self.library.catalogue(&dirs, &settings.skills.map))
    }

    /// The folders of a project's, an agent's and the settings' skills.
    fn skill_dirs(
        &self,
        agent: &dyn Agent,
        place: Option<&Place>,
        env: &BTreeMap<String, String>,
        settings: &Settings,
    ) -> SkillDirs {
        let home = env
            .get("HOME")
            .map(PathBuf::from)
            .or_else(|| self.person.home.clone());
        let config = agent.config_folder(home.as_deref(), env);
        SkillDirs::new(
            place.map(|place| place.project.root.as_path()),
            place.and_then(|place| place.worktree.as_deref()),
            config.as_deref(),
            &settings.skills.dirs,
            home.as_deref(),
        )
    }

    /// What a prompt at this folder could be met with, what is no skill, and under which settings.
    pub fn skills_at(&self, folder: &Path, environment: &Environment) -> (FoundSkills, SkillsSettings) {
        let env = environment.travelling();
        let env: BTreeMap<String, String> = env
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let place = self.place_of(folder);
        let loaded = self.settings(Some(&place));
        let agent: &dyn Agent = &agents::claude_code::ClaudeCode;
        let dirs = self.skill_dirs(agent, Some(&place), &env, &loaded.settings);
        (skill::find(&dirs), loaded.settings.skills.clone())
    }
}
