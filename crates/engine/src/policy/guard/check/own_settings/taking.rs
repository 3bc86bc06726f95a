//! What removes, empties, overwrites, moves or closes a settings file, or a folder above it.

use super::super::CheckContext;
use super::{ResultingSettings, SettingsEffect, fed};
use crate::policy::guard::client::{ReachedSettings, Relation, Target, reached, targets};
use crate::policy::guard::entries;
use crate::policy::guard::glob::{StarReach, fits};
use crate::policy::guard::loss::{Harm, HarmKind, harms};
use crate::policy::guard::message::shown_word;
use crate::policy::guard::path::{below, name, parent};
use crate::policy::guard::zone::Zone;
use shell::Word;
use shell::grammar::Given;

/// Programs that put a file somewhere: what lands where is told apart from what goes.
pub(super) const PLACING: [&str; 8] = ["cp", "gcp", "install", "ginstall", "mv", "gmv", "ln", "rsync"];

pub(super) fn touched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let mut found = Vec::new();
    for harm in harms(look.seen) {
        found.extend(fed::touched(&harm.target, look));
        let lands = matches!(harm.how, HarmKind::Overwrite | HarmKind::Append) && look.seen.is(&PLACING);
        if lands && !is_redirected(&harm, look) {
            continue;
        }
        if is_everything(&harm, look) {
            continue;
        }
        for target in targets(&harm.target, look.seen, look.world) {
            let follows = !matches!(harm.how, HarmKind::Remove | HarmKind::Move);
            for file in reached(&target, follows, look.world) {
                let after = after(&harm, &target, &file, look);
                found.extend(
                    after.map(|after| SettingsEffect::new(file.path, after, shown_word(&harm.target))),
                );
            }
        }
    }
    for word in also_gone(look) {
        for target in targets(word, look.seen, look.world) {
            let files = reached(&target, false, look.world).into_iter();
            found.extend(
                files.map(|file| SettingsEffect::new(file.path, ResultingSettings::Gone, shown_word(word))),
            );
        }
    }
    found
}

/// Whether a home, a worktree or the machine goes as a whole: that is denied for their sake, and a person may allow it.
fn is_everything(harm: &Harm<'_>, look: &CheckContext<'_>) -> bool {
    let zoned = look.seen.zone(&harm.target, look.world);
    harm.how == HarmKind::Remove
        && harm.deep
        && !harm.narrowed
        && zoned.whole
        && matches!(zoned.zone, Zone::Home | Zone::Git | Zone::System)
}

fn is_redirected(harm: &Harm<'_>, look: &CheckContext<'_>) -> bool {
    let mut redirects = look.seen.command.redirects.iter();
    redirects.any(|redirect| redirect.writes() && redirect.target == *harm.target)
}

fn after(
    harm: &Harm<'_>,
    target: &Target,
    file: &ReachedSettings,
    look: &CheckContext<'_>,
) -> Option<ResultingSettings> {
    match (harm.how, file.relation) {
        (HarmKind::Remove, Relation::Above) if !harm.deep || leaves(harm, target, file, look) => None,
        (HarmKind::Remove | HarmKind::Move, _) | (HarmKind::Empty, Relation::Itself) => {
            Some(ResultingSettings::Gone)
        }
        (HarmKind::Mode, relation) => {
            let is_folder = matches!(target, Target::Path(path) if path == parent(&file.path));
            let is_meant = relation == Relation::Itself || is_folder;
            (is_meant && !opens(look, relation)).then_some(ResultingSettings::Gone)
        }
        (HarmKind::Overwrite | HarmKind::Append, Relation::Itself) => Some(written(target, file, look)),
        (HarmKind::Overwrite | HarmKind::Append | HarmKind::Empty, Relation::Above) => None,
    }
}

fn written(target: &Target, file: &ReachedSettings, look: &CheckContext<'_>) -> ResultingSettings {
    if matches!(target, Target::Pattern { .. }) {
        return ResultingSettings::Unknown;
    }
    let before = look.world.text(&file.path).flatten().unwrap_or_default();
    entries::after(look.seen, before).map_or(ResultingSettings::Unknown, ResultingSettings::Text)
}

/// Whether a search below a folder surely leaves the file alone.
fn leaves(harm: &Harm<'_>, target: &Target, file: &ReachedSettings, look: &CheckContext<'_>) -> bool {
    let Target::Path(root) = target else {
        return false;
    };
    if !harm.narrowed {
        return kind_of(look) == Some("d") && look.seen.is(&["find", "gfind", "bfs"]);
    }
    if look.seen.has(&["-empty"]) || kind_of(look) == Some("d") {
        return true;
    }
    let inside = below(&file.path, root).unwrap_or_default();
    let written = format!("{}/{inside}", shown_word(&harm.target).trim_end_matches('/'));
    look.seen.usage.options.iter().any(|given| {
        let pattern = given.value.as_deref().map(pattern);
        let is_path = given.is("-path") || given.is("-wholename");
        let is_name = given.is("-name");
        let text = if is_name { name(&file.path) } else { &written };
        let fits = |pattern: &String| fits(pattern, text, StarReach::Text);
        (is_path || is_name) && pattern.is_some_and(|pattern| fits(&pattern) == is_negated(given, look))
    })
}

fn pattern(word: &Word) -> String {
    match word {
        Word::Glob { pattern } => pattern.clone(),
        Word::Literal(text) => text.clone(),
        Word::OneOf(_) | Word::Unknown { .. } => "*".to_owned(),
    }
}

fn is_negated(given: &Given<'_>, look: &CheckContext<'_>) -> bool {
    let before = given
        .index
        .checked_sub(1)
        .and_then(|at| look.seen.command.argv.get(at));
    before
        .and_then(Word::literal)
        .is_some_and(|word| matches!(word, "!" | "-not"))
}

fn kind_of<'a>(look: &'a CheckContext<'_>) -> Option<&'a str> {
    look.seen.value(&["-type"]).and_then(Word::literal)
}

/// Whether a change of modes leaves the owner what it takes to read.
fn opens(look: &CheckContext<'_>, relation: Relation) -> bool {
    if !look.seen.is(&["chmod"]) {
        return false;
    }
    let Some(mode) = look.seen.literals().next() else {
        return false;
    };
    if mode.chars().all(|digit| digit.is_digit(8)) {
        let owner = mode.chars().rev().nth(2).and_then(|digit| digit.to_digit(8));
        let needed = if relation == Relation::Above { 5 } else { 4 };
        return owner.is_some_and(|owner| owner & needed == needed);
    }
    !mode.contains(['-', '='])
}

/// Words of programs that take what they pack or send, or name it anew.
fn also_gone<'a>(look: &'a CheckContext<'_>) -> Vec<&'a Word> {
    let seen = look.seen;
    let given = |texts: &[&str]| {
        let mut words = seen.command.argv.iter().filter_map(Word::literal);
        words.any(|word| texts.contains(&word))
    };
    let operands = || {
        let words = seen.command.argv.iter().skip(1);
        words.filter(|word| !word.prefix().starts_with('-'))
    };
    match seen.program {
        Some("tar" | "gtar" | "bsdtar") if given(&["--remove-files"]) => operands().collect(),
        Some("trash" | "trash-put" | "rmtrash" | "gio" | "rename" | "prename" | "mmv") => {
            operands().collect()
        }
        Some("zip") if given(&["--move"]) || has_letter(look, 'm') => operands().skip(1).collect(),
        Some("7z" | "7za" | "7zr") if given(&["-sdel"]) => operands().skip(2).collect(),
        Some("rsync") if given(&["--remove-source-files"]) => {
            let words: Vec<&Word> = operands().collect();
            words
                .split_last()
                .map_or(Vec::new(), |(_, sources)| sources.to_vec())
        }
        Some("git") if !seen.has(&["-n", "--dry-run", "--cached"]) => {
            let words = || seen.operands().iter().map(|operand| operand.word);
            match seen.usage.sub.first().copied() {
                Some("rm") => words().collect(),
                Some("mv") => {
                    let words: Vec<&Word> = words().collect();
                    words
                        .split_last()
                        .map_or(Vec::new(), |(_, sources)| sources.to_vec())
                }
                Some(_) | None => Vec::new(),
            }
        }
        Some(_) | None => Vec::new(),
    }
}

/// A letter among short options.
fn has_letter(look: &CheckContext<'_>, letter: char) -> bool {
    let words = look.seen.command.argv.iter().skip(1).filter_map(Word::literal);
    let mut short = words.filter(|word| word.starts_with('-') && !word.starts_with("--"));
    short.any(|word| word.contains(letter))
}
