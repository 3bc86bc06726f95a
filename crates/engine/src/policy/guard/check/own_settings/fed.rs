//! Targets that another command of the text prints: those it names are meant.

use super::super::CheckContext;
use super::{ResultingSettings, SettingsEffect};
use crate::policy::guard::client::{NAMES, ReachedSettings, Relation, Target, reached, targets};
use crate::policy::guard::command_view::upstream;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::path::{name, parent};
use shell::{Command, Stdin, Word};

/// The settings files that a target may be which nobody knows before it ran.
pub(super) fn touched(word: &Word, look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let Word::Unknown { prefix, suffix, .. } = word else {
        return Vec::new();
    };
    let is_blank = prefix.is_empty() && suffix.is_empty();
    let mut sources = printers(word, look);
    let is_handed = is_blank && is_handed_on(look);
    if is_handed {
        sources.extend(look.seen.upstream());
    }
    // Most texts name no settings at all.
    if sources.is_empty() {
        return Vec::new();
    }
    let commands = sources
        .iter()
        .filter_map(|index| look.seen.intent.commands.get(*index));
    commands.flat_map(|command| named_by(command, look)).collect()
}

/// The commands that print a word, with those whose output they read.
fn printers(word: &Word, look: &CheckContext<'_>) -> Vec<usize> {
    let command = look.seen.command;
    let is_it = |index: &usize| command.argv.get(*index).is_some_and(|other| other == word);
    let feeds = command.feeds.iter().filter(|feed| is_it(&feed.word));
    let fed = feeds.flat_map(|feed| feed.commands.iter().copied());
    // Where output goes is no word of the command: whoever stands in its place prints it.
    let mut redirects = command
        .redirects
        .iter()
        .filter(|redirect| redirect.target == *word);
    let inside = redirects.find_map(|redirect| redirect.target_span);
    let stands_inside = |(index, command): (usize, &Command)| {
        let (inside, span) = inside.zip(command.span)?;
        (inside.start <= span.start && span.end <= inside.end).then_some(index)
    };
    let written = look.seen.intent.commands.iter().enumerate();
    let mut found: Vec<usize> = Vec::new();
    for index in fed.chain(written.filter_map(stands_inside)) {
        found.push(index);
        found.extend(upstream(look.seen.intent, index));
    }
    found
}

/// Whether a target is what `xargs`, its like or a loop that reads hands on.
fn is_handed_on(look: &CheckContext<'_>) -> bool {
    let mut through = look.seen.command.through.iter();
    let hands = |outer: &String| outer.starts_with("xargs") || outer.starts_with("parallel");
    matches!(look.seen.command.stdin, Stdin::Pipe(_))
        && (through.any(hands) || look.seen.text.contains("read "))
}

/// Settings files that a command names, or the folder they are in.
fn named_by(command: &Command, look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let here = Word::new(".");
    let lists_here = matches!(command.program(), Some("ls" | "find" | "fd" | "dir"))
        && !command
            .argv
            .iter()
            .skip(1)
            .any(|word| !word.prefix().starts_with('-'));
    let words = command.argv.iter().skip(1).chain(lists_here.then_some(&here));
    let mut found = Vec::new();
    for word in words {
        for target in targets(word, look.seen, look.world) {
            let is_folder = |file: &ReachedSettings| {
                matches!(&target, Target::Path(path) if path == parent(&file.path))
                    && NAMES.contains(&name(&file.path))
            };
            let files = reached(&target, false, look.world).into_iter();
            found.extend(
                files
                    .filter(|file| file.relation == Relation::Itself || is_folder(file))
                    .map(|file| SettingsEffect::new(file.path, ResultingSettings::Unknown, shown_word(word))),
            );
        }
    }
    found
}
