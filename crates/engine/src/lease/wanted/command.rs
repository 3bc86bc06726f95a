//! What a command for the shell writes.

use super::{MOST_FILES, WantedOfCall, WantedPattern};
use crate::lease::scope::BulkScope;
use crate::lease::target::{FileChangeKind, Means, WantedFile};
use crate::policy::guard::GuardFacts;
use crate::settings::{LeaseSettings, Mode};
use crate::text::one_line;
use crate::tool::ToolCall;
use shell::{
    self, Area, Budget, Command, CommandHost, Fact, Region, Scene, UserWrappers, Word, WorldFacts, Write,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Most characters of a command in a message.
const SHOWN: usize = 80;

/// How a command is read: with the person's own wrapping programs, and with what the guard was told of the world.
#[derive(Default)]
pub struct ReadingContext<'a> {
    /// Programs that only run the command behind them.
    pub wrappers: UserWrappers,
    /// What is known, if the guard was told anything.
    pub facts: Option<&'a GuardFacts>,
}

impl ReadingContext<'_> {
    /// What the text writes, run in this folder.
    pub(super) fn wanted(
        &self,
        (call, text): (&ToolCall, &str),
        cwd: Option<&Path>,
        settings: &LeaseSettings,
    ) -> WantedOfCall {
        let mut found = WantedOfCall::default();
        let is_off = settings.bash == Mode::Off && settings.bulk_mode == Mode::Off;
        if is_off || !(self.may_write(text, settings) || text.contains("commit")) {
            return found;
        }
        let plain = call.plain(text, cwd);
        let scene = self.scene(cwd);
        let intent = match plain.as_in(text, &scene) {
            Some(intent) => Cow::Borrowed(intent),
            // With nothing more known it cannot say more.
            None if self.is_plain() && plain.is_of(text, cwd) => Cow::Borrowed(plain.intent()),
            None => Cow::Owned(shell::read(text, &scene)),
        };
        found.commit = shell::committing(text, &intent).map(Box::new);
        for command in &intent.commands {
            // Another machine's files are not ours.
            if command.place != CommandHost::Local {
                continue;
            }
            let written = shell::written(command);
            if settings.bulk_mode != Mode::Off {
                let is_whole = written.tree || is_declared(command, &settings.bulk);
                add_bulk(&mut found, is_whole, &written.scopes, command);
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

    fn is_plain(&self) -> bool {
        self.facts.is_none() && self.wrappers.programs.is_empty()
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
impl WorldFacts for ReadingContext<'_> {
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

/// Notes what a command goes over; one that goes over everything covers all others.
fn add_bulk(found: &mut WantedOfCall, is_whole: bool, regions: &[Region], command: &Command) {
    if !is_whole && regions.is_empty() {
        return;
    }
    let cwd = command.cwd.as_deref();
    let scope = |region: &Region| match &region.area {
        Area::Folder(folder) => BulkScope::of_folder(cwd?, folder, region.types),
        Area::Pattern(pattern) => BulkScope::of_pattern(cwd?, pattern, region.types),
    };
    let scopes: Option<Vec<BulkScope>> = regions.iter().map(scope).collect();
    let was_whole = found.bulk.is_some() && found.bulk_scopes.is_empty();
    let is_more = if let Some(scopes) = scopes.filter(|_| !is_whole) {
        if !was_whole {
            found.bulk_scopes.extend(scopes);
        }
        found.bulk.is_none()
    } else {
        found.bulk_scopes.clear();
        !was_whole
    };
    if is_more {
        found.bulk = Some(one_line(&command.text, SHOWN));
        found.bulk_at = command.cwd.as_ref().map(PathBuf::from);
    }
}

fn add(found: &mut WantedOfCall, write: &Write, command: &Command) {
    let how = match write.how {
        shell::WriteKind::Overwrite => FileChangeKind::Overwrite,
        shell::WriteKind::Change => FileChangeKind::Change,
        shell::WriteKind::Remove => FileChangeKind::Remove,
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
        found.add(WantedFile {
            path: PathBuf::from(path),
            how,
            means: Means::Shell,
            below: write.below,
            into: write.into.clone(),
            background: command.background,
            incidental: false,
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
