//! Tells a guard what it asks of the world: paths, repositories, aliases, scripts. All of it within one limit of time;
//! what is not answered stays unknown.

mod client_files;
mod inquiry;
mod loss;
mod matching;
mod memory;
mod path;
mod permission;
mod repository;
mod scene;
pub mod session;
mod text;
mod uncovered;
mod version;

pub use client_files::ClientFiles;
pub use inquiry::{Inquired, Inquiry, Memoir, with_candidate};
pub use memory::Memory;
pub use permission::Permissions;
pub use scene::Person;

use super::World;
use engine::event::Event;
use engine::policy::guard::facts::{Asked, GuardFacts, MOST_QUESTIONS};
use engine::settings::GuardSettings;
use git::place::Place;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// For all questions about one event together.
pub const TIME: Duration = Duration::from_secs(2);
/// How often policies may ask again with what they have learned.
pub const ROUNDS: usize = 3;

/// There was no time, or nobody to ask: it stays unknown.
struct Unsaid;

/// One event's witness: it remembers what it looked up while the guard asks on.
pub struct Witness<'w> {
    world: &'w World,
    settings: &'w GuardSettings,
    event: &'w Event,
    /// Where the call is made.
    here: Option<&'w Place>,
    until: Instant,
    asked: usize,
    aliases: BTreeMap<String, Option<BTreeMap<String, String>>>,
}

impl<'w> Witness<'w> {
    /// A witness for one event.
    pub fn new(
        world: &'w World,
        event: &'w Event,
        here: Option<&'w Place>,
        settings: &'w GuardSettings,
    ) -> Self {
        Self {
            world,
            settings,
            event,
            here,
            until: Instant::now() + TIME,
            asked: 0,
            aliases: BTreeMap::new(),
        }
    }

    /// Answers what it can of these, all paths together. Beyond the most questions, nothing is answered.
    pub fn answer(&mut self, asked: &[&Asked], facts: &mut GuardFacts) {
        let left = MOST_QUESTIONS.saturating_sub(self.asked);
        let asked = asked.get(..left.min(asked.len())).unwrap_or_default();
        self.asked += asked.len();
        let mut paths = Vec::new();
        for question in asked {
            match question {
                Asked::Path { path } => paths.push(path.as_str()),
                Asked::Identity { path } => {
                    if let Some(mut found) = self.identity(path) {
                        client_files::lead(path, &mut found, &facts.own.settings);
                        facts.know_path(path.clone(), found);
                    }
                }
                Asked::Repository { cwd } => {
                    if let Ok(found) = self.repository(cwd) {
                        facts.know_repository(cwd.clone(), found);
                    }
                }
                Asked::GitAlias { cwd, name } => {
                    if let Ok(found) = self.alias(cwd, name) {
                        facts.know_alias(cwd, name, found);
                    }
                }
                Asked::Script { path } => {
                    if let Ok(found) = self.script(Path::new(path)) {
                        facts.scripts.insert(path.clone(), found);
                    }
                }
                Asked::Matches { pattern } => {
                    facts.matches.insert(pattern.clone(), self.matches(pattern));
                }
                Asked::Loss { cwd, of } => {
                    let found = self.loss(cwd, of);
                    facts.know_loss(cwd, of, found);
                }
                Asked::Version { cwd, revision, path } => {
                    if let Some(found) = self.version(Path::new(cwd), revision, path) {
                        facts.know_version(cwd, revision, path, found);
                    }
                }
                Asked::Program { path } => {
                    let is_ours = self.world.person.is_our_program(Path::new(path));
                    facts.programs.insert(path.clone(), is_ours);
                }
                Asked::Text { path } => {
                    let found = text::read(Path::new(path), text::LONGEST_SETTINGS);
                    facts.texts.insert(path.clone(), found);
                }
            }
        }
        for (path, mut fact) in self.paths(&paths) {
            client_files::lead(&path, &mut fact, &facts.own.settings);
            facts.know_path(path, fact);
        }
    }

    /// The time that is left for all that is still asked.
    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// What the call would run, if that is text.
    fn command(&self) -> &str {
        scene::command(self.event).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod ground;
#[cfg(test)]
mod tests;
