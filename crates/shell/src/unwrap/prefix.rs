//! Programs that run the words behind their own options and operands: `sudo`, `timeout 5`, `poetry run`.

use super::outer::{WrapperCommand, assignment, placed};
use super::splitting;
use crate::inner::Inner;
use crate::place::CommandHost;
use crate::word::Word;

/// Program, subcommand path, and how many of its own operands stand before the command.
const TABLE: &[(&str, &[&str], usize)] = &[
    ("aws-vault", &["exec"], 1),
    ("arch", &[], 0),
    ("asdf", &["exec"], 0),
    ("builtin", &[], 0),
    ("bundle", &["exec"], 0),
    ("bundler", &["exec"], 0),
    ("busybox", &[], 0),
    ("bwrap", &[], 0),
    ("caffeinate", &[], 0),
    ("catchsegv", &[], 0),
    ("cgexec", &[], 0),
    ("chamber", &["exec"], 1),
    ("chpst", &[], 0),
    ("chronic", &[], 0),
    ("composer", &["exec"], 0),
    ("conda", &["run"], 0),
    ("dbus-run-session", &[], 0),
    ("direnv", &["exec"], 1),
    ("doas", &[], 0),
    ("doppler", &["run"], 0),
    ("dotenvx", &["run"], 0),
    ("dumb-init", &[], 0),
    ("eatmydata", &[], 0),
    ("envdir", &[], 1),
    ("exec", &[], 0),
    ("fakeroot", &[], 0),
    ("faketime", &[], 1),
    ("firejail", &[], 0),
    ("gdb", &[], 0),
    ("gosu", &[], 1),
    ("hatch", &["run"], 0),
    ("heaptrack", &[], 0),
    ("infisical", &["run"], 0),
    ("ionice", &[], 0),
    ("ltrace", &[], 0),
    ("mamba", &["run"], 0),
    ("micromamba", &["run"], 0),
    ("mise", &["exec"], 0),
    ("nice", &[], 0),
    ("nodemon", &[], 0),
    ("nohup", &[], 0),
    ("nsenter", &[], 0),
    ("numactl", &[], 0),
    ("op", &["run"], 0),
    ("pdm", &["run"], 0),
    ("pipenv", &["run"], 0),
    ("pixi", &["run"], 0),
    ("pkexec", &[], 0),
    ("poetry", &["run"], 0),
    ("prlimit", &[], 0),
    ("proot", &[], 0),
    ("proxychains", &[], 0),
    ("proxychains4", &[], 0),
    ("rr", &[], 0),
    ("rtx", &["exec"], 0),
    ("rustup", &["run"], 1),
    ("rye", &["run"], 0),
    ("s6-setuidgid", &[], 1),
    ("setarch", &[], 0),
    ("setsid", &[], 0),
    ("setuidgid", &[], 1),
    ("softlimit", &[], 0),
    ("shx", &[], 0),
    ("sshpass", &[], 0),
    ("ssh-agent", &[], 0),
    ("stdbuf", &[], 0),
    ("strace", &[], 0),
    ("su-exec", &[], 1),
    ("systemd-inhibit", &[], 0),
    ("systemd-run", &[], 0),
    ("time", &[], 0),
    ("gtime", &[], 0),
    ("timeout", &[], 1),
    ("gtimeout", &[], 1),
    ("torify", &[], 0),
    ("torsocks", &[], 0),
    ("tini", &[], 0),
    ("toybox", &[], 0),
    ("ts", &[], 0),
    ("unbuffer", &[], 0),
    ("unshare", &[], 0),
    ("valgrind", &[], 0),
    ("watchexec", &[], 0),
    ("xvfb-run", &[], 0),
    ("zellij", &["run"], 0),
];

/// Programs that take assignments before the command.
const ASSIGNING: &[&str] = &["cross-env", "cross-env-shell", "dotenv", "dotenv-cli", "env-cmd"];

/// Terminals that run the words behind an option or behind `--`.
const TERMINALS: &[&str] = &[
    "xterm",
    "gnome-terminal",
    "konsole",
    "alacritty",
    "kitty",
    "xfce4-terminal",
    "foot",
    "urxvt",
    "rxvt",
];

pub(super) fn by_table(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.name == "exec" && outer.usage.has("-c") {
        return with_env(outer.command(0), vec![unset("HOME")]);
    }
    let row = TABLE
        .iter()
        .find(|(name, sub, _)| *name == outer.name && outer.is_sub(sub));
    if let Some((_, _, skip)) = row {
        return outer.command(*skip);
    }
    match outer.name {
        "chroot" => placed(outer.command(1), &CommandHost::Container),
        "chrt" | "taskset" if !outer.usage.has("--pid") => outer.command(1),
        name if ASSIGNING.contains(&name) => behind_assignments(outer, 0),
        name if TERMINALS.contains(&name) => terminal(outer, "-e"),
        "nix" if outer.usage.has("--command") => terminal(outer, "--command"),
        // The loader runs the program it is given.
        name if name.starts_with("ld-") && name.contains(".so") => outer.command(0),
        _ => Vec::new(),
    }
}

/// One of the person's own wrapping programs: its options, then as many operands as they say, then the command.
pub(super) fn by_person(outer: &WrapperCommand<'_>, skip: usize) -> Vec<Inner> {
    let is_option = |word: &&Word| {
        word.literal()
            .is_some_and(|text| text.starts_with('-') && text.len() > 1)
    };
    let options = outer.argv.iter().skip(1).take_while(is_option).count();
    let start = 1 + options + skip;
    outer.words(start..outer.argv.len(), outer.name.to_owned())
}

pub(super) fn command(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.usage.has("-v") || outer.usage.has("-V") {
        return Vec::new();
    }
    outer.command(0)
}

pub(super) fn sudo(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let only_asks = [
        "--list",
        "--validate",
        "--edit",
        "--remove-timestamp",
        "--version",
    ];
    if only_asks.iter().any(|option| outer.usage.has(option)) {
        return Vec::new();
    }
    let found = behind_assignments(outer, 0);
    if found.is_empty() && (outer.usage.has("--shell") || outer.usage.has("--login")) {
        return vec![Inner::Stdin {
            place: None,
            through: outer.name.to_owned(),
        }];
    }
    let folder = outer.usage.value("--chdir").cloned();
    in_folder(found, folder)
}

pub(super) fn env(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let folder = outer.usage.value("--chdir").cloned();
    let Some(split) = outer.usage.value("--split-string") else {
        let mut found = behind_assignments(outer, 0);
        if let Some(Inner::Words { env, .. }) = found.first_mut() {
            env.splice(0..0, taken_away(outer));
        }
        return in_folder(found, folder);
    };
    let mut words = match split {
        Word::Literal(text) => splitting::words(text).into_iter().map(Word::Literal).collect(),
        Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. } => vec![Word::unknown_words()],
    };
    words.extend(outer.operands(0));
    let assigned = words.iter().take_while(|word| assignment(word).is_some()).count();
    let mut variables = taken_away(outer);
    variables.extend(words.drain(..assigned).filter_map(|word| assignment(&word)));
    in_folder(with_env(outer.made(words), variables), folder)
}

/// Variables that `env` takes away: those it is told, and with all of them the one that says where everything is.
fn taken_away(outer: &WrapperCommand<'_>) -> Vec<(String, Word)> {
    let told = outer.values("--unset").filter_map(Word::literal);
    let mut found: Vec<(String, Word)> = told.map(unset).collect();
    if outer.usage.has("--ignore-environment") || outer.usage.has("-") {
        found.push(unset("HOME"));
    }
    found
}

fn unset(name: &str) -> (String, Word) {
    (name.to_owned(), Word::new(""))
}

pub(super) fn flock(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if matches!(outer.literal(1), Some("-c" | "--command")) {
        return outer
            .usage
            .operands
            .get(2)
            .map(|operand| outer.text(operand.word.clone()))
            .into_iter()
            .collect();
    }
    outer.command(1)
}

pub(super) fn runuser(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.usage.has("--user") {
        return outer.command(0);
    }
    super::shell::su(outer)
}

/// The command behind `NAME=value` words; those are set for it.
fn behind_assignments(outer: &WrapperCommand<'_>, from: usize) -> Vec<Inner> {
    let operands = outer.usage.operands.iter().skip(from);
    let variables: Vec<(String, Word)> = operands.map_while(|operand| assignment(operand.word)).collect();
    let found = outer.command(from + variables.len());
    with_env(found, variables)
}

fn terminal(outer: &WrapperCommand<'_>, option: &str) -> Vec<Inner> {
    let by_option = outer.usage.options.iter().find(|given| given.is(option));
    match by_option {
        Some(given) => outer.words(given.index + 1..given.words.end, outer.name.to_owned()),
        None => outer.command(0),
    }
}

fn with_env(inner: Vec<Inner>, variables: Vec<(String, Word)>) -> Vec<Inner> {
    let mut inner = inner;
    if let Some(Inner::Words { env, .. }) = inner.first_mut() {
        *env = variables;
    }
    inner
}

fn in_folder(inner: Vec<Inner>, folder: Option<Word>) -> Vec<Inner> {
    let mut inner = inner;
    if let Some(Inner::Words { cwd, .. }) = inner.first_mut() {
        *cwd = folder;
    }
    inner
}
