//! The world as judging sees it: looks facts up, and notes what it would have liked to know.

use super::brought::{self, Brought};
use super::command_view::CommandView;
use super::created_here;
use super::facts::{
    GuardFacts, LossFact, LossOf, MOST_QUESTIONS, MatchFact, PathFact, RepositoryFact, VersionFact,
    WorldQuestion,
};
use super::path::{is_within, parent};
use super::renaming::Renaming;
use super::zone::ZonedTarget;
use crate::settings::GuardSettings;
use shell::{Command, Fact, WorldFacts};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

/// How much judging one text may be: a rule that is tried, or a command that is followed, counts one.
const EFFORT: usize = 16_000;
/// Longer names of targets are not remembered.
const REMEMBERED: usize = 1024;

/// How many paths of one text are remembered as made by it.
const MOST_MADE: usize = 256;
/// No system takes a longer path.
const LONGEST_PATH: usize = 4_096;
/// Stands for whatever `mktemp` makes.
const TEMPORARY: &str = "mktemp";

/// Facts, and the questions that had no answer yet.
pub struct GuardWorld<'a> {
    /// What is known.
    pub facts: &'a GuardFacts,
    /// The settings that say what counts as what.
    pub settings: &'a GuardSettings,
    asked: RefCell<BTreeSet<WorldQuestion>>,
    /// A tool that names files is judged: where they are is enough to know.
    is_of_tool: bool,
    made: RefCell<BTreeSet<String>>,
    /// What the text put somewhere that was elsewhere before.
    brought: RefCell<Vec<Brought>>,
    /// Other names the text gave to what was there.
    renaming: RefCell<Renaming>,
    /// Zones by folder and name: many rules look at the same few targets.
    zones: RefCell<HashMap<String, ZonedTarget>>,
    /// The text has a git command that may give commits a name, or take one.
    renames: Cell<bool>,
    effort: Cell<usize>,
}

impl<'a> GuardWorld<'a> {
    /// A world nobody asked anything yet.
    pub fn new(facts: &'a GuardFacts, settings: &'a GuardSettings) -> Self {
        Self {
            facts,
            settings,
            asked: RefCell::new(BTreeSet::new()),
            is_of_tool: false,
            made: RefCell::new(BTreeSet::new()),
            brought: RefCell::new(Vec::new()),
            renaming: RefCell::default(),
            zones: RefCell::new(HashMap::new()),
            renames: Cell::new(false),
            effort: Cell::new(EFFORT),
        }
    }

    /// The same for a tool that names files.
    pub fn of_tool(facts: &'a GuardFacts, settings: &'a GuardSettings) -> Self {
        Self {
            is_of_tool: true,
            ..Self::new(facts, settings)
        }
    }

    /// Nothing of the text has run yet.
    pub fn begin(&self) {
        self.made.borrow_mut().clear();
        self.brought.borrow_mut().clear();
        self.renaming.take();
        self.renames.set(false);
        self.zones.borrow_mut().clear();
    }

    /// Notes what a command makes, for the commands behind it.
    pub fn note_made(&self, seen: &CommandView<'_>) {
        self.renaming.borrow_mut().note(seen);
        if created_here::renames(seen) {
            self.renames.set(true);
        }
        let mut made = self.made.borrow_mut();
        let before = made.len();
        let brought = brought::by(seen);
        let fills = brought.is_some();
        if let Some(brought) = brought {
            // What was put there is lost with it.
            let is_spared = |folder: &String| {
                let is_put = |place: &String| {
                    is_within(place, folder) || folder == TEMPORARY && created_here::is_temporary(place)
                };
                !brought.places().is_empty() && !brought.places().iter().any(is_put)
            };
            made.retain(is_spared);
            let mut all = self.brought.borrow_mut();
            if all.len() < MOST_MADE {
                all.push(brought);
            }
        }
        if made.len() < MOST_MADE {
            made.extend(
                created_here::paths(seen)
                    .into_iter()
                    .filter(|path| path.len() <= LONGEST_PATH),
            );
            if seen.program == Some("mktemp") {
                made.insert(TEMPORARY.to_owned());
            }
        }
        // What it made or filled has another zone now.
        if fills || made.len() != before {
            self.zones.borrow_mut().clear();
        }
    }

    /// Whether a removal of a path, or of what fits a pattern, may take away what the text put there first.
    pub fn is_brought(&self, path: &str) -> bool {
        let brought = self.brought.borrow();
        brought.iter().any(|brought| brought.goes_with(path, self))
    }

    /// The same of what is nowhere else any more.
    pub fn is_moved_to(&self, path: &str) -> bool {
        let brought = self.brought.borrow();
        brought
            .iter()
            .any(|brought| !brought.is_elsewhere_too() && brought.goes_with(path, self))
    }

    /// Whether git may throw away what the text put there first, with the changes at a path or the files it does not know.
    pub fn is_thrown_away_at(&self, path: &str) -> bool {
        let brought = self.brought.borrow();
        brought
            .iter()
            .any(|brought| brought.is_thrown_away_at(path, self))
    }

    /// Whether the text has put anything somewhere so far that was elsewhere.
    pub fn has_moved(&self) -> bool {
        !self.brought.borrow().is_empty()
    }

    /// Whether commits and their names may be others than they were before the text.
    pub fn has_renamed(&self) -> bool {
        self.renames.get()
    }

    /// The names that the program of a command had before the text linked, copied or moved it, the oldest last.
    pub fn older_names(&self, command: &Command) -> Vec<String> {
        let renaming = self.renaming.borrow();
        renaming.older(command).into_iter().map(str::to_owned).collect()
    }

    /// Where a path leads through links that the text itself made.
    pub fn led(&self, path: &str, follows: bool) -> Vec<String> {
        self.renaming.borrow().led(path, follows)
    }

    /// Whether the text has made anything so far.
    pub fn has_made(&self) -> bool {
        !self.made.borrow().is_empty()
    }

    /// Whether a path, or all paths that begin like this, came out of a `mktemp` of the text.
    pub fn is_temporary(&self, path: &str) -> bool {
        created_here::is_temporary(path) && self.made.borrow().contains(TEMPORARY)
    }

    /// Whether the text itself made a path, or a folder above it, where nothing was before.
    pub fn is_made(&self, path: &str) -> bool {
        let made = self.made.borrow();
        if path.len() > LONGEST_PATH {
            return false;
        }
        let mut folder = path;
        while folder.len() > 1 {
            if made.contains(folder) {
                return self.path(folder).is_some_and(|fact| !fact.exists);
            }
            folder = parent(folder);
        }
        false
    }

    /// What is at an absolute path, if that is known.
    pub fn path(&self, path: &str) -> Option<&'a PathFact> {
        let known = self.facts.paths.get(path);
        if known.is_none() {
            let path = path.to_owned();
            self.ask(if self.is_of_tool {
                WorldQuestion::Identity { path }
            } else {
                WorldQuestion::Path { path }
            });
        }
        known
    }

    /// Where an absolute path leads, if that is known; itself if it is no link.
    pub fn leads_to(&self, path: &str) -> Option<String> {
        let known = self.path(path)?;
        let real = if known.real.is_empty() { path } else { &known.real };
        Some(real.to_owned())
    }

    /// The repository of a folder, if there is one and it is known.
    pub fn repository(&self, cwd: Option<&str>) -> Option<&'a RepositoryFact> {
        let cwd = cwd?;
        let known = self.facts.repositories.get(cwd);
        if known.is_none() {
            self.ask(WorldQuestion::Repository { cwd: cwd.to_owned() });
        }
        known.and_then(Option::as_ref)
    }

    /// The text of a settings file, if that is known; the inner `None`: there is no such file.
    pub fn text(&self, path: &str) -> Option<Option<&'a str>> {
        let known = self.facts.texts.get(path);
        if known.is_none() {
            self.ask(WorldQuestion::Text {
                path: path.to_owned(),
            });
        }
        known.map(Option::as_deref)
    }

    /// What a file of a worktree holds in a commit, if that is known; an empty commit is the index.
    pub fn version(&self, cwd: &str, revision: &str, path: &str) -> Option<&'a VersionFact> {
        let known = self.facts.version(cwd, revision, path);
        if known.is_none() {
            self.ask(WorldQuestion::Version {
                cwd: cwd.to_owned(),
                revision: revision.to_owned(),
                path: path.to_owned(),
            });
        }
        known
    }

    /// Whether an absolute path is known to lead to our own program.
    pub fn is_our_program(&self, path: &str) -> bool {
        let known = self.facts.programs.get(path);
        if known.is_none() {
            self.ask(WorldQuestion::Program {
                path: path.to_owned(),
            });
        }
        known == Some(&true)
    }

    /// Takes from what judging may be. False if there is not enough left: then nothing more is looked at.
    pub fn spend(&self, count: usize) -> bool {
        let left = self.effort.get().checked_sub(count);
        self.effort.set(left.unwrap_or_default());
        left.is_some()
    }

    /// How much judging it was so far.
    #[cfg(test)]
    pub(super) fn spent(&self) -> usize {
        EFFORT - self.effort.get()
    }

    /// Whether something was left out because it would have been too much.
    pub fn is_exhausted(&self) -> bool {
        self.effort.get() == 0
    }

    /// What fits a pattern now, and maybe a little more; `None`: it is not known, or the text itself moves something,
    /// maybe to a name that fits.
    pub fn matches(&self, pattern: &str) -> Option<&'a MatchFact> {
        if self.has_moved() || pattern.len() > LONGEST_PATH {
            return None;
        }
        let known = self.facts.matches.get(pattern);
        if known.is_none() {
            let pattern = pattern.to_owned();
            self.ask(WorldQuestion::Matches { pattern });
        }
        known.and_then(Option::as_ref)
    }

    /// What a git command in a folder would lose, if that is known.
    pub fn loss(&self, cwd: Option<&str>, of: LossOf) -> Option<&'a LossFact> {
        let cwd = cwd?;
        let known = self.facts.loss(cwd, &of);
        self.ask(WorldQuestion::Loss {
            cwd: cwd.to_owned(),
            of,
        });
        known
    }

    /// The zone of a target in a folder, looked at once.
    pub(super) fn zone(
        &self,
        text: &str,
        cwd: Option<&str>,
        look: impl FnOnce() -> ZonedTarget,
    ) -> ZonedTarget {
        if text.len() > REMEMBERED {
            return look();
        }
        let key = format!("{}\0{text}", cwd.unwrap_or_default());
        if let Some(known) = self.zones.borrow().get(&key) {
            return known.clone();
        }
        let zoned = look();
        self.zones.borrow_mut().insert(key, zoned.clone());
        zoned
    }

    /// Notes a question that has no answer.
    pub fn ask(&self, asked: WorldQuestion) {
        if self.facts.answers(&asked) {
            return;
        }
        let mut open = self.asked.borrow_mut();
        if open.len() < MOST_QUESTIONS {
            open.insert(asked);
        }
    }

    /// What would have to be known, in a fixed order.
    pub fn open(&self) -> Vec<WorldQuestion> {
        self.asked.borrow().iter().cloned().collect()
    }
}

impl WorldFacts for GuardWorld<'_> {
    fn git_alias(&self, cwd: &str, name: &str) -> Fact<String> {
        self.facts.git_alias(cwd, name)
    }

    fn script(&self, path: &str) -> Fact<String> {
        self.facts.script(path)
    }

    fn root(&self, cwd: &str) -> Fact<String> {
        self.facts.root(cwd)
    }
}
