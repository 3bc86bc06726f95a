//! Programs nobody knows to leave a file alone, and code that writes: if a settings file is named, it counts as written.

use super::super::CheckContext;
use super::taking::PLACING;
use super::{ResultingSettings, SettingsEffect};
use crate::policy::guard::client::{Target, fits_name, names, targets};
use crate::policy::guard::exec::{inline_code, is_interpreter};
use crate::policy::guard::facts::SettingsFileFact;
use crate::policy::guard::message::shown_word;
use crate::policy::guard::own::{is_agent_settings, is_installed};
use crate::policy::guard::path::{absolute, name, parent};
use crate::policy::guard::zone::tilde;
use shell::{Command, Stdin, Word, only_reads};

/// Programs whose writing is told apart elsewhere, or that leave a file's values as they are.
const OTHERWISE: [&str; 66] = [
    "rm",
    "grm",
    "unlink",
    "shred",
    "srm",
    "rimraf",
    "truncate",
    "rmdir",
    "dd",
    "find",
    "gfind",
    "bfs",
    "fd",
    "fdfind",
    "tee",
    "sponge",
    "chmod",
    "chown",
    "chgrp",
    "chattr",
    "setfacl",
    "sed",
    "gsed",
    "curl",
    "wget",
    "git",
    "gh",
    "glab",
    "tar",
    "gtar",
    "bsdtar",
    "zip",
    "unzip",
    "touch",
    "mkdir",
    "claude",
    "prettier",
    "biome",
    "dprint",
    "jsonlint",
    "ajv",
    "check-jsonschema",
    "jsonschema",
    "eslint",
    "yamllint",
    "gron",
    "batcat",
    "exa",
    "eza",
    "lsd",
    "ag",
    "ack",
    "zgrep",
    "sha512sum",
    "b2sum",
    "sdiff",
    "colordiff",
    "difft",
    "[[",
    "source",
    ".",
    "xargs",
    "gojq",
    "jaq",
    "time",
    "code",
];

pub(super) fn touched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let seen = look.seen;
    if is_interpreter(seen)
        && let Some(file) = written_by_code(look)
    {
        return vec![SettingsEffect::new(file, ResultingSettings::Unknown, "the code")];
    }
    // Most commands name no such file, by a look at their bytes.
    let words = seen.command.argv.iter().skip(1);
    if !words.clone().any(|word| may_name(word, look)) {
        return Vec::new();
    }
    if seen.is(&TOLD)
        && let Some((file, word)) = words.clone().find_map(|word| Some((told(word, look)?, word)))
    {
        return vec![SettingsEffect::new(
            file,
            ResultingSettings::Unknown,
            shown_word(word),
        )];
    }
    let leaves = seen.command.wraps
        || seen.command.effect.is_some()
        || seen.is(&OTHERWISE)
        || seen.is(&PLACING)
        || is_installed(seen.command, look.world)
        || only_shows(look)
        || reads_words(look);
    if leaves {
        return fetched(look);
    }
    words
        .filter_map(|word| {
            named(word, look)
                .map(|file| SettingsEffect::new(file, ResultingSettings::Unknown, shown_word(word)))
        })
        .collect()
}

/// Programs with a language of their own in which a file is written.
const TOLD: [&str; 9] = [
    "sed", "gsed", "vim", "vi", "nvim", "ex", "ed", "sqlite3", "sqlite",
];

/// The settings file that a word tells such a program to write: `w .claude/settings.json`, `.output …`.
fn told(word: &Word, look: &CheckContext<'_>) -> Option<String> {
    let text = word.literal().filter(|text| text.contains(char::is_whitespace))?;
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let writes = |piece: &str| {
        ["w", "w!", "W", "output", "once"]
            .iter()
            .any(|end| piece.ends_with(end))
    };
    pieces.windows(2).find_map(|pair| match pair {
        [verb, path] if writes(verb) => {
            let path = path.trim_matches(['\'', '"', ';', '}', '|']);
            named(&Word::new(path), look)
        }
        _ => None,
    })
}

/// Whether a word may name a settings file at all.
fn may_name(word: &Word, look: &CheckContext<'_>) -> bool {
    let spells = |text: &str| {
        let files = look.world.facts.own.settings.iter();
        let mut real = files.map(|file| name(&file.real)).filter(|name| !name.is_empty());
        text.contains("settings") || real.any(|name| text.contains(name))
    };
    match word {
        Word::Literal(text) => spells(text),
        Word::OneOf(texts) => texts.iter().any(|text| spells(text)),
        Word::Glob { .. } => true,
        Word::Unknown { prefix, .. } => prefix.contains('/'),
    }
}

/// Whether the program only reads what its words name; where its output goes is another matter.
fn reads_words(look: &CheckContext<'_>) -> bool {
    only_reads(&Command {
        redirects: Vec::new(),
        ..look.seen.command.clone()
    })
}

/// A settings file that is brought from elsewhere under its own name.
fn fetched(look: &CheckContext<'_>) -> Vec<SettingsEffect> {
    let seen = look.seen;
    if !seen.is(&["curl", "wget"]) {
        return Vec::new();
    }
    let cwd = seen.command.cwd.as_deref();
    let folder = seen
        .value(&["-P", "--directory-prefix", "--output-dir"])
        .and_then(Word::literal)
        .map_or_else(
            || cwd.map(str::to_owned),
            |folder| absolute(&tilde(folder, look.world), cwd),
        );
    let brings = |file: &&SettingsFileFact| {
        let named = |word: &Word| word.literal().is_some_and(|url| name(url) == name(&file.path));
        Some(parent(&file.path)) == folder.as_deref() && seen.command.argv.iter().any(named)
    };
    let files = look.world.facts.own.settings.iter().filter(brings);
    files
        .map(|file| SettingsEffect::new(file.path.clone(), ResultingSettings::Unknown, name(&file.path)))
        .collect()
}

/// Programs that write only if they are told to.
fn only_shows(look: &CheckContext<'_>) -> bool {
    let seen = look.seen;
    let given = |texts: &[&str]| {
        let mut words = seen.command.argv.iter().filter_map(Word::literal);
        words.any(|word| texts.contains(&word))
    };
    match seen.program {
        Some("yq") => !given(&["-i", "--inplace", "--in-place"]),
        Some("gzip" | "bzip2" | "xz" | "zstd") => given(&["-c", "-k", "--stdout", "--keep"]),
        Some("scp") => {
            let last = seen.command.argv.last();
            last.is_none_or(|last| named(last, look).is_none())
        }
        // `python3 -m json.tool in out`
        Some("json.tool") => seen.operands().len() < 2,
        // What they change in place is told apart elsewhere; other code is looked at as code.
        Some("perl") => has_letters(look, &['e', 'i', 'n']),
        Some("ruby") => has_letters(look, &['e', 'n']) && !has_letters(look, &['i']),
        Some(_) | None => false,
    }
}

/// Whether one of these letters is among the short options.
fn has_letters(look: &CheckContext<'_>, letters: &[char]) -> bool {
    let words = look.seen.command.argv.iter().skip(1).filter_map(Word::literal);
    let mut short = words.filter(|word| word.starts_with('-') && !word.starts_with("--"));
    short.any(|word| word.contains(letters))
}

/// The settings file a word names: alone, or as an option's value.
fn named(word: &Word, look: &CheckContext<'_>) -> Option<String> {
    let whole = targets(word, look.seen, look.world);
    let value = word.literal().and_then(|text| {
        let text = text
            .split_once('=')
            .map_or_else(|| text.get(2..), |(_, value)| Some(value));
        text.filter(|_| word.prefix().starts_with('-') || word.prefix().contains('='))
    });
    let value = value.map(|text| targets(&Word::new(text), look.seen, look.world));
    let known = &look.world.facts.own.settings;
    whole
        .into_iter()
        .chain(value.into_iter().flatten())
        .find_map(|target| match target {
            Target::Path(path) => is_agent_settings(&path, look.world).then_some(path),
            Target::Pattern { pattern, dotted } => known
                .iter()
                .find(|file| names(file).any(|path| fits_name(&pattern, path, dotted)))
                .map(|file| file.path.clone()),
        })
}

/// What writes in code, beside what is read as a command of its own.
const WRITING: [&str; 27] = [
    "write(",
    "write_text",
    "write_bytes",
    "writeFile",
    "writelines",
    "dump(",
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'r+'",
    "\"r+\"",
    "'w+'",
    "shutil.",
    "copyFile",
    "cpSync",
    "os.replace",
    "os.rename",
    "renameSync",
    "symlink",
    "link(",
    "truncate",
    "system(",
    "subprocess",
    "popen",
    "spawn",
    "File.write",
];

/// The settings file that code may write: it names one, and writes something.
fn written_by_code(look: &CheckContext<'_>) -> Option<String> {
    let given = match &look.seen.command.stdin {
        Stdin::Heredoc { text } => text.as_deref(),
        Stdin::HereString(word) => word.literal(),
        Stdin::Nothing | Stdin::Pipe(_) | Stdin::File(_) | Stdin::Substitution(_) => None,
    };
    let writes = |code: &str| {
        let names = code.contains(".claude") && code.contains("settings");
        names && {
            let code = code.replace("stdout.write(", "").replace("stderr.write(", "");
            WRITING.iter().any(|word| code.contains(word))
        }
    };
    let mut code = inline_code(look.seen).chain(given);
    let file = look.world.facts.own.settings.iter();
    let mut hooked = file.filter(|file| file.hooked);
    code.any(writes)
        .then(|| hooked.next().map(|file| file.path.clone()))?
}
