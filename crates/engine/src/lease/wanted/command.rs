//! What a command for the shell writes.

use super::{MOST_FILES, WantedOfCall, WantedPattern};
use crate::lease::target::{How, Means, Wanted};
use crate::policy::guard::GuardFacts;
use crate::settings::{LeaseSettings, Mode};
use crate::shell::{self, Budget, Command, Fact, Known, Place, Scene, UserWrappers, Word, Write};
use crate::text::one_line;
use std::path::{Path, PathBuf};

/// Most characters of a command in a message.
const SHOWN: usize = 80;

/// How a command is read: with the person's own wrapping programs, and with what the guard was told of the world.
#[derive(Default)]
pub struct Reading<'a> {
    /// Programs that only run the command behind them.
    pub wrappers: UserWrappers,
    /// What is known, if the guard was told anything.
    pub facts: Option<&'a GuardFacts>,
}

impl Reading<'_> {
    /// What the text writes, run in this folder.
    pub(super) fn wanted(&self, text: &str, cwd: Option<&Path>, settings: &LeaseSettings) -> WantedOfCall {
        let mut found = WantedOfCall::default();
        let is_off = settings.bash == Mode::Off && settings.bulk_mode == Mode::Off;
        if is_off || !self.may_write(text, settings) {
            return found;
        }
        for command in &shell::read(text, &self.scene(cwd)).commands {
            // Another machine's files are not ours.
            if command.place != Place::Local {
                continue;
            }
            let written = shell::written(command);
            let is_bulk = written.tree || is_declared(command, &settings.bulk);
            if is_bulk && found.bulk.is_none() && settings.bulk_mode != Mode::Off {
                found.bulk = Some(one_line(&command.text, SHOWN));
                found.bulk_at = command.cwd.as_ref().map(PathBuf::from);
            }
            if settings.bash != Mode::Off {
                for write in &written.files {
                    add(&mut found, write, command);
                }
            }
        }
        found.files.sort_by(|one, two| one.path.cmp(&two.path));
        found
    }

    /// Whether the text is worth reading: most commands write nothing.
    fn may_write(&self, text: &str, settings: &LeaseSettings) -> bool {
        let declared = settings.bulk.iter();
        let declared = declared.filter_map(|prefix| prefix.split_whitespace().next());
        let aliases = self.facts.into_iter().flat_map(GuardFacts::known_aliases);
        shell::may_write(text, declared.chain(aliases))
    }

    fn scene(&self, cwd: Option<&Path>) -> Scene<'_> {
        let said =
            |name: fn(&GuardFacts) -> &Option<String>| self.facts.and_then(|facts| name(facts).clone());
        Scene {
            cwd: cwd.and_then(Path::to_str).map(str::to_owned),
            home: said(|facts| &facts.home),
            user: said(|facts| &facts.user),
            tmpdir: said(|facts| &facts.tmpdir),
            budget: Budget::default(),
            wrappers: &self.wrappers,
            known: self,
        }
    }
}

/// What a script writes is judged once it ran.
impl Known for Reading<'_> {
    fn git_alias(&self, cwd: &str, name: &str) -> Fact<String> {
        self.facts
            .map_or(Fact::NotAsked, |facts| facts.git_alias(cwd, name))
    }

    fn script(&self, _path: &str) -> Fact<String> {
        Fact::NotAsked
    }

    fn root(&self, cwd: &str) -> Fact<String> {
        self.facts.map_or(Fact::NotAsked, |facts| facts.root(cwd))
    }
}

fn add(found: &mut WantedOfCall, write: &Write, command: &Command) {
    let how = match write.how {
        shell::How::Overwrite => How::Overwrite,
        shell::How::Change => How::Change,
        shell::How::Remove => How::Remove,
    };
    let cwd = command.cwd.as_deref();
    if let Word::Glob { pattern } = &write.target {
        let pattern = WantedPattern::new(pattern, cwd, how, write.below);
        if let Some(pattern) = pattern.filter(|_| found.patterns.len() < MOST_FILES)
            && !found.patterns.contains(&pattern)
        {
            found.patterns.push(pattern);
        }
    }
    for path in write.target.texts() {
        let Some(path) = shell::path::joined(cwd, path).filter(|_| !path.is_empty()) else {
            continue;
        };
        found.add(Wanted {
            path: PathBuf::from(path),
            how,
            means: Means::Shell,
            below: write.below,
            into: write.into.clone(),
            background: command.background,
        });
    }
}

/// Whether a command begins with the words of one of these.
fn is_declared(command: &Command, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| {
        let mut wanted = prefix.split_whitespace();
        let program = wanted.next();
        let mut words = command.argv.iter().skip(1);
        program.is_some()
            && command.program() == program
            && wanted.all(|wanted| words.next().and_then(Word::literal) == Some(wanted))
    })
}
