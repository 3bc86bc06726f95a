//! The client's settings files as a command or a tool reaches them: by their path, by a folder above them, by a pattern,
//! through a link.

use super::command_view::CommandView;
use super::entries;
use super::facts::{PathKind, SettingsFileFact};
use super::glob::{StarReach, fits, literal_prefix};
use super::own::is_agent_settings;
use super::path::{absolute, is_within, name, parent};
use super::world::GuardWorld;
use super::zone::tilde;
use shell::Word;

/// The names of settings files in a folder of the client's.
pub const NAMES: [&str; 2] = ["settings.json", "settings.local.json"];
/// The folder of the client's in a project.
const FOLDER: &str = ".claude";

/// What a word stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This absolute path.
    Path(String),
    /// Whatever fits this absolute pattern.
    Pattern {
        /// As in a shell; `**` reaches over folders.
        pattern: String,
        /// A star stands for names that begin with a dot as well.
        dotted: bool,
    },
}

/// How a target has to do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// It is the file.
    Itself,
    /// It is a folder above it.
    Above,
}

/// A settings file that a target reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedSettings {
    /// The file, where the client looks for it.
    pub path: String,
    /// How.
    pub relation: Relation,
}

/// What a word of a command stands for; nothing where that cannot be told.
pub fn targets(word: &Word, seen: &CommandView<'_>, world: &GuardWorld<'_>) -> Vec<Target> {
    let cwd = seen.command.cwd.as_deref();
    let place = |text: &str| absolute(&tilde(text, world), cwd);
    let path = |text: &String| place(text).map(Target::Path);
    match word {
        Word::Literal(text) => path(text).into_iter().collect(),
        Word::OneOf(texts) => texts.iter().filter_map(path).collect(),
        Word::Glob { pattern } => {
            // Only a search hands on a pattern over folders, and it leaves out no name.
            let dotted = pattern.contains("**") || takes_dots(seen.text);
            let pattern = place(pattern).map(|pattern| Target::Pattern { pattern, dotted });
            pattern.into_iter().collect()
        }
        Word::Unknown { prefix, suffix, .. } => in_settings_folder(prefix, suffix, &place, world)
            .into_iter()
            .collect(),
    }
}

/// A name nobody knows, in a folder that has settings files: any of them that it may be.
fn in_settings_folder(
    prefix: &str,
    suffix: &str,
    place: &impl Fn(&str) -> Option<String>,
    world: &GuardWorld<'_>,
) -> Option<Target> {
    let (folder, begun) = prefix.rsplit_once('/')?;
    let folder = place(folder)?;
    let mut known = world.facts.own.settings.iter();
    let is_theirs = name(&folder) == FOLDER || known.any(|file| parent(&file.path) == folder);
    is_theirs.then(|| Target::Pattern {
        pattern: format!("{folder}/{}*{}", escaped(begun), escaped(suffix)),
        dotted: true,
    })
}

/// A text as a pattern that only it fits.
fn escaped(text: &str) -> String {
    let special = |letter: char| matches!(letter, '*' | '?' | '[' | ']' | '{' | '\\');
    let letters = text.chars();
    letters.fold(String::new(), |mut pattern, letter| {
        if special(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
        pattern
    })
}

/// Whether a text tells its shell that a star stands for names with a dot in front.
fn takes_dots(text: &str) -> bool {
    ["dotglob", "globdots", "glob_dots", "GLOB_DOTS"]
        .iter()
        .any(|option| text.contains(option))
}

/// The settings files a target reaches. Links are followed where what they lead to is meant, not they themselves.
pub fn reached(target: &Target, follows: bool, world: &GuardWorld<'_>) -> Vec<ReachedSettings> {
    let mut found: Vec<ReachedSettings> = Vec::new();
    let mut note = |path: &str, relation: Relation| {
        if !found.iter().any(|known| known.path == path) {
            found.push(ReachedSettings {
                path: path.to_owned(),
                relation,
            });
        }
    };
    let paths = spellings(target, follows, world);
    let patterns = pattern_spellings(target, world);
    for file in &world.facts.own.settings {
        let relation = match target {
            Target::Path(_) => paths.iter().find_map(|path| relation(path, file)),
            Target::Pattern { dotted, .. } => patterns
                .iter()
                .find_map(|pattern| names(file).find_map(|path| fitting(pattern, path, *dotted))),
        };
        if let Some(relation) = relation {
            note(&file.path, relation);
        }
    }
    // Files of other projects.
    for path in &paths {
        if is_agent_settings(path, world) {
            note(path, Relation::Itself);
        }
        if name(path) == FOLDER {
            for file in NAMES {
                note(&format!("{path}/{file}"), Relation::Above);
            }
        }
    }
    found
}

/// The paths a target is known by.
pub fn spellings(target: &Target, follows: bool, world: &GuardWorld<'_>) -> Vec<String> {
    let Target::Path(path) = target else {
        return Vec::new();
    };
    let mut paths = vec![path.clone()];
    paths.extend(world.led(path, follows));
    if let Some(fact) = world.path(path)
        && !fact.real.is_empty()
        && (follows || fact.kind != PathKind::Link)
    {
        paths.extend(absolute(&fact.real, None).filter(|real| real != path));
    }
    paths
}

/// A pattern as it is written, and in the folder that a link in front of it leads to.
fn pattern_spellings(target: &Target, world: &GuardWorld<'_>) -> Vec<String> {
    let Target::Pattern { pattern, dotted } = target else {
        return Vec::new();
    };
    let mut patterns = vec![pattern.clone()];
    let certain = literal_prefix(pattern);
    let folder = certain.rsplit_once('/').map_or("", |(folder, _)| folder);
    let inside = pattern.get(folder.len()..).unwrap_or_default();
    // Where the folder leads is asked only of a pattern that one of them could fit.
    let parts = inside.split('/').count();
    let fits = |path: &str| {
        let tail = path.rmatch_indices('/').nth(parts.saturating_sub(2));
        let tail = tail.and_then(|(at, _)| path.get(at..)).unwrap_or_default();
        fits_name(inside, tail, *dotted)
    };
    let mut known = world.facts.own.settings.iter();
    if !folder.is_empty() && known.any(|file| names(file).any(|path| fits(path) || fits(parent(path)))) {
        let folders = spellings(&Target::Path(folder.to_owned()), true, world).into_iter();
        patterns.extend(
            folders
                .skip(1)
                .map(|folder| format!("{}{inside}", escaped(&folder))),
        );
    }
    patterns
}

/// The paths a settings file is known by.
pub fn names(file: &SettingsFileFact) -> impl Iterator<Item = &str> {
    [file.path.as_str(), file.real.as_str()]
        .into_iter()
        .filter(|path| !path.is_empty())
}

fn relation(path: &str, file: &SettingsFileFact) -> Option<Relation> {
    names(file).find_map(|known| {
        if known == path {
            return Some(Relation::Itself);
        }
        is_within(known, path).then_some(Relation::Above)
    })
}

fn fitting(pattern: &str, path: &str, dotted: bool) -> Option<Relation> {
    if fits_name(pattern, path, dotted) {
        return Some(Relation::Itself);
    }
    let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    above
        .filter(|folder| !folder.is_empty())
        .any(|folder| fits_name(pattern, folder, dotted))
        .then_some(Relation::Above)
}

/// Whether a path fits a pattern as a shell sees it: a star does not stand for a dot in front.
pub fn fits_name(pattern: &str, path: &str, dotted: bool) -> bool {
    if !fits(pattern, path, StarReach::Name) {
        return false;
    }
    let hides = |(pattern, name): (&str, &str)| {
        name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.")
    };
    dotted || !pattern.split('/').zip(path.split('/')).any(hides)
}

/// Lines of a diff that name a file.
const HEADS: [&str; 6] = ["--- ", "+++ ", "diff --git ", "rename ", "copy ", "*** "];

/// A settings file among those a diff names; one that is applied in their folder names them without it.
pub fn in_diff(diff: &str, in_folder: bool, world: &GuardWorld<'_>) -> Option<String> {
    let names = |line: &str| {
        NAMES
            .into_iter()
            .find(|name| line.contains(&format!(".claude/{name}")) || in_folder && line.contains(name))
    };
    let mut lines = diff
        .lines()
        .filter(|line| HEADS.iter().any(|head| line.starts_with(head)));
    let name = lines.find_map(names)?;
    let mut known = world.facts.own.settings.iter();
    let file = known.find(|file| file.path.ends_with(&format!("/.claude/{name}")));
    file.map(|file| file.path.clone())
}

/// Whether a settings file has us called. One nobody could read counts as one that does.
pub fn is_hooked(path: &str, world: &GuardWorld<'_>) -> bool {
    if let Some(known) = world.facts.own.settings.iter().find(|file| file.path == path) {
        return known.hooked;
    }
    match world.text(path) {
        Some(text) => text.is_some_and(entries::are_in),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_no_dot_in_front_unless_it_is_told_to() {
        for (pattern, path, dotted, holds) in [
            ("/p/*", "/p/.claude", false, false),
            ("/p/*", "/p/.claude", true, true),
            ("/p/.c*", "/p/.claude", false, true),
            ("/p/.[a-z]*", "/p/.claude", false, true),
            ("/p/.claude/*", "/p/.claude/settings.json", false, true),
            ("/p/**/settings*.json", "/p/.claude/settings.json", true, true),
            ("/p/src/*", "/p/.claude", true, false),
        ] {
            assert_eq!(fits_name(pattern, path, dotted), holds, "{pattern} {path}");
        }
    }
}
