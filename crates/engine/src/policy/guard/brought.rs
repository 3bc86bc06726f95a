//! What a text puts somewhere before a later command of it takes that place away: when the checkpoint was taken it was
//! elsewhere, so nothing there tells of it.

use super::command_view::CommandView;
use super::created_here::is_temporary;
use super::facts::PathKind;
use super::glob::{StarReach, fits, is_pattern, literal_prefix};
use super::path::{absolute, is_within, name, parent};
use super::world::GuardWorld;
use shell::{CommandHost, Word};

/// What one command puts somewhere.
#[derive(Debug)]
pub struct Brought {
    how: RelocationKind,
    /// Absolute; none: nobody knows where.
    places: Vec<String>,
    /// Where it was before: absolute, maybe patterns; none: nobody knows.
    sources: Vec<String>,
    /// A place is surely a folder that it is put into.
    into: bool,
    cwd: Option<String>,
}

/// How it came there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelocationKind {
    /// It is nowhere else any more.
    Moved,
    /// The same, and git knew it under its old name.
    Renamed,
    /// It is elsewhere as well: a link, a mount, a worktree.
    Shown,
    /// Out of the stash, where it is no more.
    Unstashed,
}

/// What a command puts somewhere that was elsewhere before.
pub fn by(seen: &CommandView<'_>) -> Option<Brought> {
    if seen.command.place != CommandHost::Local {
        return None;
    }
    let how = match seen.program? {
        "mv" | "gmv" => RelocationKind::Moved,
        "ln" | "gln" | "mount" => RelocationKind::Shown,
        "tar" | "gtar" | "bsdtar" if seen.has(&["--remove-files"]) => return Some(packed(seen)),
        "zip" if seen.has(&["-m", "--move"]) => return Some(packed(seen)),
        "rsync" if seen.has(&["--remove-source-files"]) => RelocationKind::Moved,
        "git" if seen.sub(&["mv"]) => RelocationKind::Renamed,
        "git" if seen.sub(&["worktree", "add"]) => RelocationKind::Shown,
        // An entry that is only applied stays in the stash.
        "git" if seen.sub(&["stash", "pop"]) || seen.sub(&["stash", "branch"]) => RelocationKind::Unstashed,
        _ => return None,
    };
    let words = seen.operands().iter().map(|operand| operand.word);
    let mut words: Vec<&Word> = words.collect();
    let folder = seen.value(&["-t", "--target-directory"]);
    let into = folder.is_some() || words.len() > 2;
    let target = match folder {
        Some(folder) => Some(folder),
        None if how == RelocationKind::Unstashed => None,
        None => words.pop(),
    };
    let into = into || target.is_some_and(|target| target.literal().is_some_and(is_folder_name));
    Some(Brought {
        how,
        places: target
            .and_then(|target| paths(seen, &[target]))
            .unwrap_or_default(),
        sources: paths(seen, &words).unwrap_or_default(),
        into,
        cwd: seen.command.cwd.clone(),
    })
}

/// What goes into an archive.
fn packed(seen: &CommandView<'_>) -> Brought {
    let file = seen.value(&["-f", "--file"]);
    let is_zip = seen.program == Some("zip");
    let file = if is_zip {
        seen.operands().first().map(|operand| operand.word)
    } else {
        file
    };
    let mut places = file.and_then(|file| paths(seen, &[file])).unwrap_or_default();
    if is_zip {
        let with_ending: Vec<String> = places.iter().map(|place| format!("{place}.zip")).collect();
        places.extend(with_ending);
    }
    Brought {
        how: RelocationKind::Moved,
        places,
        sources: Vec::new(),
        into: false,
        cwd: seen.command.cwd.clone(),
    }
}

/// The absolute paths of these words; nothing if one of them is not known.
fn paths(seen: &CommandView<'_>, words: &[&Word]) -> Option<Vec<String>> {
    let cwd = seen.command.cwd.as_deref();
    let mut found = Vec::new();
    for word in words {
        match word {
            Word::Literal(text) | Word::Glob { pattern: text } => found.push(absolute(text, cwd)?),
            Word::OneOf(texts) => {
                for text in texts {
                    found.push(absolute(text, cwd)?);
                }
            }
            Word::Unknown { .. } => return None,
        }
    }
    Some(found)
}

/// A name that only a folder has.
fn is_folder_name(text: &str) -> bool {
    text.ends_with('/') || matches!(name(text), "." | "..")
}

impl Brought {
    /// The places it is put to; none: nobody knows where.
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// Whether a removal of a path, or of what fits a pattern, may take it away.
    pub fn goes_with(&self, path: &str, world: &GuardWorld<'_>) -> bool {
        // What was below the same folder before is kept with it under its old name.
        let is_from_there = |source: &String| is_within(source, path) && !is_pattern(path);
        let was_there = !self.sources.is_empty() && self.sources.iter().all(is_from_there);
        !was_there && self.is_at(path, world)
    }

    /// Whether git may throw it away with the changes at a path, or with the files there that it does not know.
    pub fn is_thrown_away_at(&self, path: &str, world: &GuardWorld<'_>) -> bool {
        match self.how {
            RelocationKind::Shown => false,
            RelocationKind::Moved | RelocationKind::Unstashed => self.is_at(path, world),
            // What git knew is counted, and kept, under its old name.
            RelocationKind::Renamed => self.goes_with(path, world),
        }
    }

    /// Whether it is elsewhere as well.
    pub fn is_elsewhere_too(&self) -> bool {
        self.how == RelocationKind::Shown
    }

    fn is_at(&self, path: &str, world: &GuardWorld<'_>) -> bool {
        if self.how == RelocationKind::Unstashed {
            return self.is_unstashed_at(path, world);
        }
        self.places.is_empty() || self.places.iter().any(|place| self.is_put(place, path, world))
    }

    fn is_put(&self, place: &str, path: &str, world: &GuardWorld<'_>) -> bool {
        if is_temporary(place) && is_temporary(path) {
            return true;
        }
        if !meet(path, place) {
            return false;
        }
        let is_inside = is_within(place, path);
        let is_folder = || {
            self.into
                || world
                    .path(place)
                    .is_some_and(|fact| fact.kind == PathKind::Folder)
        };
        if is_inside || self.sources.is_empty() || !is_folder() {
            return true;
        }
        self.sources.iter().any(|source| {
            if is_pattern(source) {
                // What was moved out of a folder is not in it any more.
                return !is_within(certain(source), path);
            }
            meet(path, &format!("{}/{}", place.trim_end_matches('/'), name(source)))
        })
    }

    /// Git puts back files that it does not ignore, in its worktree, and over none that it does not know.
    fn is_unstashed_at(&self, path: &str, world: &GuardWorld<'_>) -> bool {
        let root = world
            .repository(self.cwd.as_deref())
            .map(|known| known.root.as_str());
        let is_there = root.is_none_or(|root| meet(path, root));
        let is_spared = |path: &str| {
            let fact = world.path(path).filter(|fact| fact.exists);
            fact.is_some_and(|fact| fact.ignored || fact.kind == PathKind::File && !fact.tracked)
        };
        is_there && (is_pattern(path) || !is_spared(path))
    }
}

/// The folder that a pattern surely starts from.
fn certain(pattern: &str) -> &str {
    let fixed = literal_prefix(pattern);
    fixed.rsplit_once('/').map_or(fixed, |(folder, _)| folder)
}

/// Whether a path, or one that fits a pattern, is a place, above it or below it.
fn meet(path: &str, place: &str) -> bool {
    if !is_pattern(path) {
        return is_within(place, path) || is_within(path, place);
    }
    let fixed = certain(path);
    if !is_within(place, fixed) {
        return is_within(fixed, place);
    }
    let mut above = place;
    while above.len() > fixed.len() {
        if fits(path, above, StarReach::Name) {
            return true;
        }
        above = parent(above);
    }
    // A pattern may reach below the place.
    path.match_indices('/')
        .filter_map(|(at, _)| path.get(..at))
        .any(|front| front.len() > fixed.len() && fits(front, place, StarReach::Name))
        || is_within(fixed, place)
}
