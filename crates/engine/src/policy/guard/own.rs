//! What is Toprope's own: places an agent may not change, and its commands in an agent's hands.

use super::command_view::CommandView;
use super::facts::SettingsFileFact;
use super::path::{absolute, below, is_within, name, parent};
use super::world::GuardWorld;
use super::zone::is_void;
use crate::access::{self, CommandAccess};
use shell::{Command, Intent, Stdin, Word};

/// What the reader says for `$(which toprope)`.
const FOUND_BY_NAME: &str = "/usr/bin/toprope";

/// Whether an absolute path is one of Toprope's own.
pub fn is_protected(path: &str, cwd: Option<&str>, world: &GuardWorld<'_>) -> bool {
    let own = &world.facts.own;
    let folders = [&own.home, &own.socket, &own.config];
    if folders
        .into_iter()
        .flatten()
        .any(|folder| !folder.is_empty() && is_within(path, folder))
        || own.binaries.iter().any(|binary| binary == path)
        || path == FOUND_BY_NAME
    {
        return true;
    }
    if matches!(name(path), "toprope.toml" | "toprope.local.toml") {
        let folder = parent(path);
        let root = world
            .repository(cwd)
            .map_or(cwd.unwrap_or_default(), |repository| repository.root.as_str());
        return folder == root;
    }
    path.contains("/toprope")
        && (path.contains("/.git/toprope/")
            || path.ends_with("/.git/toprope")
            || world.repository(cwd).is_some_and(|repository| {
                !repository.common_dir.is_empty()
                    && is_within(path, &format!("{}/toprope", repository.common_dir))
            }))
}

/// Whether one of our places lies below the path, so that losing it loses ours.
pub fn holds_ours(path: &str, world: &GuardWorld<'_>) -> bool {
    let own = &world.facts.own;
    own.binaries
        .iter()
        .chain(own.home.iter())
        .chain(own.socket.iter())
        .chain(own.config.iter())
        .any(|place| place != path && is_within(place, path))
}

/// Whether an absolute path is a settings file of an agent's.
pub fn is_agent_settings(path: &str, world: &GuardWorld<'_>) -> bool {
    let is_known = |file: &SettingsFileFact| super::client::names(file).any(|known| known == path);
    if world.facts.own.settings.iter().any(is_known) || is_managed(path) {
        return true;
    }
    if !matches!(
        name(path),
        "settings.json" | "settings.local.json" | "managed-settings.json"
    ) {
        return false;
    }
    name(parent(path)) == ".claude"
        || world
            .facts
            .own
            .agent_settings
            .iter()
            .any(|folder| parent(path) == folder)
}

/// Whether an absolute path is a settings file of the machine's administrator.
fn is_managed(path: &str) -> bool {
    let folders = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];
    folders.into_iter().any(|folder| {
        below(path, folder)
            .is_some_and(|file| file == "managed-settings.json" || file.starts_with("managed-settings.d/"))
    })
}

/// Whether the word 0 of a command is the installed Toprope.
pub fn is_installed(command: &Command, world: &GuardWorld<'_>) -> bool {
    match command.argv.first().and_then(Word::literal) {
        Some(program) => is_our_name(program, world),
        None => false,
    }
}

fn is_our_name(program: &str, world: &GuardWorld<'_>) -> bool {
    program == "toprope" || world.facts.own.binaries.iter().any(|binary| binary == program)
}

/// What an installed `toprope …` command is.
pub fn errand(command: &Command) -> CommandAccess {
    let words: Vec<Option<&str>> = command.argv.iter().skip(1).map(Word::literal).collect();
    let names: Vec<&str> = words
        .iter()
        .map_while(|word| *word)
        .filter(|word| !word.starts_with('-'))
        .take(3)
        .collect();
    match access::errand(&names.join(" "), &words) {
        // A word nobody can read may be the one that matters.
        CommandAccess::Agent | CommandAccess::Other
            if names.len() < 2 && words.iter().take(3).any(Option::is_none) && !asks_for_help(&words) =>
        {
            CommandAccess::Person
        }
        errand => errand,
    }
}

fn asks_for_help(words: &[Option<&str>]) -> bool {
    let mut read = words.iter().flatten();
    read.any(|word| matches!(*word, "--help" | "-h" | "--version"))
}

/// Whether a command is a person's alone: of our program by name, or of a file that is our program under another name.
pub fn is_persons(command: &Command, world: &GuardWorld<'_>) -> bool {
    let is_ours = is_installed(command, world);
    // Most programs are plain names of others.
    let may_be = is_ours
        || command
            .argv
            .first()
            .and_then(Word::literal)
            .is_some_and(|program| program.contains('/'))
        || !world.older_names(command).is_empty();
    may_be && errand(command) == CommandAccess::Person && (is_ours || is_our_file(command, world))
}

/// Whether the word 0 leads to our program: it is that file, or the text itself made it of that file.
fn is_our_file(command: &Command, world: &GuardWorld<'_>) -> bool {
    let written = command.argv.first().and_then(Word::literal);
    let path = written
        .filter(|path| path.contains('/'))
        .and_then(|path| absolute(path, command.cwd.as_deref()));
    let is_ours =
        |path: &String| is_our_name(path, world) || path == FOUND_BY_NAME || world.is_our_program(path);
    // What is there now is asked for as well: a text may run what was made before it.
    path.into_iter()
        .chain(world.older_names(command))
        .any(|path| is_ours(&path))
}

/// Whether the text is nothing but the agent's own `toprope …` commands: what feeds them and a leading `cd` are fine.
pub fn is_agents_own(intent: &Intent, world: &GuardWorld<'_>) -> bool {
    let is_ours = |command: &Command| is_installed(command, world) && errand(command) == CommandAccess::Agent;
    let feeds = |index: usize| {
        intent.commands.iter().any(|command| {
            is_ours(command) && matches!(&command.stdin, Stdin::Pipe(from) if from.contains(&index))
        })
    };
    let is_fine = |(index, command): (usize, &Command)| {
        let writes = command
            .redirects
            .iter()
            .any(|redirect| redirect.writes() && !redirect.target.literal().is_some_and(is_void));
        let is_quiet = matches!(command.program(), Some("cat" | "echo" | "printf"));
        let is_elsewhere = command.env.iter().any(|(name, _)| name.starts_with("TOPROPE_"));
        !writes
            && !is_elsewhere
            && (is_ours(command) || command.program() == Some("cd") || (is_quiet && feeds(index)))
    };
    intent.commands.iter().any(is_ours)
        && intent.notes.iter().all(|note| !note.cause.is_opaque())
        && intent.commands.iter().enumerate().all(is_fine)
}

/// Whether one of a command's words names something of ours in git: `refs/toprope/…`.
pub fn names_our_refs(seen: &CommandView<'_>) -> bool {
    seen.command.argv.iter().any(|word| {
        let holds = |text: &str| text.contains("refs/toprope");
        word.texts().iter().any(|text| holds(text)) || holds(&word.prefix())
    })
}
