//! Archives that are unpacked where a settings file lies: what is in them shows only then.

use super::super::CheckContext;
use super::{ResultingSettings, SettingsEffect};
use crate::policy::guard::client::{Relation, Target, reached};
use crate::policy::guard::message::shown_word;
use crate::policy::guard::path::{absolute, parent};
use shell::Word;

pub(super) fn touched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let Some(folder) = folder(look) else {
        return Vec::new();
    };
    let Some(place) = absolute(&folder, look.seen.command.cwd.as_deref()) else {
        return Vec::new();
    };
    let into = Target::Path(place.clone());
    let files = reached(&into, true, look.world).into_iter();
    let in_it = files.filter(|file| {
        file.relation == Relation::Above
            && look.world.facts.own.settings.iter().any(|known| {
                known.path == file.path && is_folder_of(&place, known.path.as_str(), &known.real)
            })
    });
    let mut found: Vec<SettingsEffect> = in_it
        .map(|file| SettingsEffect::new(file.path, ResultingSettings::Unknown, folder.clone()))
        .collect();
    // `tar xf a.tar .claude`
    let words = look.seen.command.argv.iter().skip(1);
    for word in words.filter(|word| !word.prefix().starts_with('-')) {
        let path = word.literal().and_then(|text| absolute(text, Some(&place)));
        let Some(path) =
            path.filter(|path| *path != place && Some(path.as_str()) != look.seen.command.cwd.as_deref())
        else {
            continue;
        };
        let known = look.world.facts.own.settings.iter();
        let meant = known.filter(|file| file.path == path || parent(&file.path) == path);
        found.extend(meant.map(|file| {
            SettingsEffect::new(file.path.clone(), ResultingSettings::Unknown, shown_word(word))
        }));
    }
    found
}

fn is_folder_of(place: &str, path: &str, real: &str) -> bool {
    parent(path) == place || !real.is_empty() && parent(real) == place
}

/// Where an archive is unpacked; nothing where none is.
fn folder(look: &CheckContext<'_>) -> Option<String> {
    let words: Vec<&str> = look
        .seen
        .command
        .argv
        .iter()
        .skip(1)
        .filter_map(Word::literal)
        .collect();
    let short = |letter: char| {
        let first = words
            .first()
            .is_some_and(|word| !word.starts_with('-') && word.contains(letter));
        first
            || words
                .iter()
                .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let value = |names: &[&str]| {
        words.iter().enumerate().find_map(|(at, word)| {
            let (name, joined) = word
                .split_once('=')
                .map_or((*word, None), |(name, value)| (name, Some(value)));
            if names.contains(&name) {
                return joined.or_else(|| words.get(at + 1).copied());
            }
            None
        })
    };
    let folder = match look.seen.program {
        Some("tar" | "gtar" | "bsdtar") => {
            let unpacks = short('x') || words.contains(&"--extract") || words.contains(&"--get");
            unpacks.then(|| value(&["-C", "--directory", "--cd"]))?
        }
        Some("unzip") => {
            let shows = short('l') || short('t') || short('p') || short('Z');
            (!shows).then(|| value(&["-d"]))?
        }
        Some("cpio") => short('i').then_some(None)?,
        Some("7z" | "7za" | "7zr") => {
            let unpacks = words.first().is_some_and(|word| matches!(*word, "x" | "e"));
            let out = words.iter().find_map(|word| word.strip_prefix("-o"));
            unpacks.then_some(out)?
        }
        Some(_) | None => return None,
    };
    Some(folder.unwrap_or(".").to_owned())
}
