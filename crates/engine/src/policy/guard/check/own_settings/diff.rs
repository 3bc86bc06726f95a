//! Diffs that are applied: the files they name are read from them.

use super::super::CheckContext;
use super::{ResultingSettings, SettingsEffect};
use crate::policy::guard::client::in_diff;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::path::{absolute, parent};
use shell::{Stdin, Word};

pub(super) fn touched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let seen = look.seen;
    let applies = match seen.program {
        Some("git") => seen.sub(&["apply"]) || seen.sub(&["am"]),
        Some("patch" | "gpatch") => true,
        Some(_) | None => false,
    };
    let only_shows = ["--dry-run", "--check", "--stat", "--numstat", "--summary"];
    let mut words = seen.command.argv.iter().filter_map(Word::literal);
    if !applies || words.any(|word| only_shows.contains(&word)) {
        return Vec::new();
    }
    let given = match &seen.command.stdin {
        Stdin::Heredoc { text } => text.as_deref(),
        Stdin::HereString(word) => word.literal(),
        Stdin::Nothing | Stdin::Pipe(_) | Stdin::File(_) | Stdin::Substitution(_) => None,
    };
    let mut found: Vec<SettingsEffect> = given
        .and_then(|diff| named(diff, look))
        .map(|file| SettingsEffect::new(file, ResultingSettings::Unknown, "standard input"))
        .into_iter()
        .collect();
    for word in diffs(look) {
        let path = word
            .literal()
            .and_then(|path| absolute(path, seen.command.cwd.as_deref()));
        let diff = path.and_then(|path| look.world.text(&path).flatten());
        let file = diff.and_then(|diff| named(diff, look));
        found
            .extend(file.map(|file| SettingsEffect::new(file, ResultingSettings::Unknown, shown_word(word))));
    }
    found
}

/// The files that hold the diffs.
fn diffs<'a>(look: &'a CheckContext<'_>) -> Vec<&'a Word> {
    let seen = look.seen;
    let operands = seen.operands().iter().map(|operand| operand.word);
    let mut words: Vec<&Word> = match seen.program {
        Some("git") => operands.collect(),
        _ => operands.skip(1).chain(seen.value(&["-i", "--input"])).collect(),
    };
    if let Stdin::File(word) = &seen.command.stdin {
        words.push(word);
    }
    words
}

/// A settings file among those a diff names.
fn named(diff: &str, look: &CheckContext<'_>) -> Option<String> {
    let mut known = look.world.facts.own.settings.iter();
    let in_folder = known.any(|file| Some(parent(&file.path)) == look.seen.command.cwd.as_deref());
    in_diff(diff, in_folder, look.world)
}
