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
pub use inquiry::{Inquired, Inquiry, RecordedCommand, with_candidate};
pub use memory::GuardStore;
pub use permission::Permissions;
pub use scene::PersonContext;

use super::PipelineContext;
use engine::event::Event;
use engine::policy::guard::facts::{GuardFacts, MOST_QUESTIONS, WorldQuestion};
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
pub struct WorldWitness<'w> {
    world: &'w PipelineContext,
    settings: &'w GuardSettings,
    event: &'w Event,
    /// Where the call is made.
    here: Option<&'w Place>,
    until: Instant,
    asked: usize,
    aliases: BTreeMap<String, Option<BTreeMap<String, String>>>,
}

impl<'w> WorldWitness<'w> {
    /// A witness for one event.
    pub fn new(
        world: &'w PipelineContext,
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
    pub fn answer(&mut self, asked: &[&WorldQuestion], facts: &mut GuardFacts) {
        let left = MOST_QUESTIONS.saturating_sub(self.asked);
        let asked = asked.get(..left.min(asked.len())).unwrap_or_default();
        self.asked += asked.len();
        let mut paths = Vec::new();
        for question in asked {
            match question {
                WorldQuestion::Path { path } => paths.push(path.as_str()),
                WorldQuestion::Identity { path } => {
                    if let Some(mut found) = self.identity(path) {
                        client_files::lead(path, &mut found, &facts.own.settings);
                        facts.know_path(path.clone(), found);
                    }
                }
                WorldQuestion::Repository { cwd } => {
                    if let Ok(found) = self.repository(cwd) {
                        facts.know_repository(cwd.clone(), found);
                    }
                }
                WorldQuestion::GitAlias { cwd, name } => {
                    if let Ok(found) = self.alias(cwd, name) {
                        facts.know_alias(cwd, name, found);
                    }
                }
                WorldQuestion::Script { path } => {
                    if let Ok(found) = self.script(Path::new(path)) {
                        facts.scripts.insert(path.clone(), found);
                    }
                }
                WorldQuestion::Matches { pattern } => {
                    facts.matches.insert(pattern.clone(), self.matches(pattern));
                }
                WorldQuestion::Loss { cwd, of } => {
                    let found = self.loss(cwd, of);
                    facts.know_loss(cwd, of, found);
                }
                WorldQuestion::Version { cwd, revision, path } => {
                    if let Some(found) = self.version(Path::new(cwd), revision, path) {
                        facts.know_version(cwd, revision, path, found);
                    }
                }
                WorldQuestion::Program { path } => {
                    let is_ours = self.world.person.is_our_program(Path::new(path));
                    facts.programs.insert(path.clone(), is_ours);
                }
                WorldQuestion::Text { path } => {
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
