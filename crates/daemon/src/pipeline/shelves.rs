//! Where skills are looked for, at prompts and for whoever asks.

use super::World;
use crate::environment::Environment;
use crate::skill::{self, Found, Library, Shelves};
use agents::Agent;
use engine::event::{Event, EventKind};
use engine::policy::skills::Catalogue;
use engine::settings::{Mode, Settings, SkillsSettings};
use git::place::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a client says that skills changed.
const SOURCE: &str = "skills";

impl World {
    /// The skills that a prompt could be met with. Other events make sure that they are known in time.
    pub(super) fn skills(
        &self,
        agent: &dyn Agent,
        event: &Event,
        place: Option<&Place>,
        env: &BTreeMap<String, String>,
        settings: &Settings,
    ) -> Option<Arc<Catalogue>> {
        if settings.skills.mode == Mode::Off {
            return None;
        }
        let shelves = || self.shelves(agent, place, env, settings);
        let map = &settings.skills.map;
        match &event.kind {
            EventKind::Prompt { .. } => return Some(self.library.catalogue(&shelves(), map)),
            EventKind::SessionStart { .. } | EventKind::TurnEnd { .. } => {
                self.library.expect(&shelves(), map);
            }
            EventKind::ConfigChange { source, .. } if source == SOURCE => self.library.mark_old(),
            _ => {}
        }
        None
    }

    /// The skills as they were last read.
    pub(crate) fn library(&self) -> &Library {
        &self.library
    }

    /// The folders of a project's, an agent's and the settings' skills.
    fn shelves(
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
        let loaded = self.settings(Some(&place));
        let agent: &dyn Agent = &agents::claude_code::ClaudeCode;
        let shelves = self.shelves(agent, Some(&place), &env, &loaded.settings);
        (skill::find(&shelves), loaded.settings.skills.clone())
    }
}
