//! Builtins that change what the shell remembers: folders, variables, aliases.

use super::Input;
use super::running::CommandRun;
use crate::path;
use crate::state::{ShellState, VariableValue};
use crate::word::Word;
use std::rc::Rc;

/// Follows a builtin. None if it is none; otherwise what it prints.
pub(super) fn builtin(
    program: &str,
    run: &CommandRun,
    input: &Input,
    state: &mut ShellState,
) -> Option<Vec<u8>> {
    if run.is_inner && !matches!(program, "true" | "false") {
        return None;
    }
    let words = run.argv.get(1..).unwrap_or_default();
    match program {
        "cd" | "chdir" => change(words, state),
        "pushd" => push(words, state),
        "popd" => {
            let folder = Rc::make_mut(&mut state.folders).pop().flatten();
            state.go(folder);
        }
        "read" => receive(words, input, state),
        "mapfile" | "readarray" => fill(words, input, state),
        "unset" => words
            .iter()
            .filter_map(Word::literal)
            .for_each(|name| state.unset(name)),
        "set" => set(words, state),
        "shift" => shift(words, state),
        "alias" => alias(words, state),
        "unalias" => words
            .iter()
            .filter_map(Word::literal)
            .for_each(|name| state.drop_alias(name)),
        "export" | "readonly" | "declare" | "typeset" | "local" => declare(program, words, state),
        "getopts" | "let" => forget(words.get(1..).unwrap_or_default(), state),
        "printf" if words.first().and_then(Word::literal) == Some("-v") => print_into(words, state),
        ":" | "true" | "false" | "[" | "test" | "shopt" | "umask" | "ulimit" | "wait" | "hash" | "sleep" => {}
        _ => return None,
    }
    Some(Vec::new())
}

fn change(words: &[Word], state: &mut ShellState) {
    let mut operands = words
        .iter()
        .filter(|word| !matches!(word.literal(), Some("-L" | "-P" | "-e" | "--")));
    let folder = match operands.next() {
        None => state.text("HOME").map(str::to_owned),
        Some(word) => match word.literal() {
            Some("-") => state.previous.clone(),
            Some("") => state.cwd.clone(),
            Some(folder) => path::joined(state.cwd.as_deref(), folder),
            None => None,
        },
    };
    state.go(folder);
}

fn push(words: &[Word], state: &mut ShellState) {
    let target = words
        .iter()
        .find(|word| !word.literal().is_some_and(|text| text == "-n" || text == "--"));
    let before = state.cwd.clone();
    match target.map(Word::literal) {
        // Without an operand the two uppermost change places.
        None => {
            let folder = Rc::make_mut(&mut state.folders).pop().flatten();
            state.go(folder);
        }
        Some(Some(folder)) if !folder.starts_with('+') => {
            let folder = path::joined(state.cwd.as_deref(), folder);
            state.go(folder);
        }
        Some(_) => state.go(None),
    }
    if state.folders.len() < 64 {
        Rc::make_mut(&mut state.folders).push(before);
    }
}

/// Options of `read` and `mapfile` that take a value.
const VALUED: &[&str] = &["-p", "-d", "-n", "-N", "-t", "-u", "-i", "-O", "-s", "-c", "-C"];

/// The names behind the options; the second part says whether a list is read.
fn names(words: &[Word]) -> (Vec<&str>, bool) {
    let mut names = Vec::new();
    let mut is_list = false;
    let mut skips = false;
    for word in words.iter().filter_map(Word::literal) {
        if std::mem::take(&mut skips) {
            continue;
        }
        match word {
            "-s" | "-r" | "-e" => {}
            option if VALUED.contains(&option) => skips = true,
            option if option.starts_with('-') => is_list |= option.ends_with('a'),
            name => names.push(name),
        }
    }
    if names.is_empty() {
        names.push("REPLY");
    }
    (names, is_list)
}

fn text_of(input: &Input) -> Option<&str> {
    let bytes = input.bytes.as_ref()?;
    str::from_utf8(bytes)
        .ok()
        .filter(|text| text.len() <= super::KNOWN_BYTES)
}

/// In a loop `read` gets every line, one after the other: each variable may be any of them.
fn receive(words: &[Word], input: &Input, state: &mut ShellState) {
    let (names, is_list) = names(words);
    let lines: Vec<&str> = text_of(input)
        .map(|text| text.lines().collect())
        .unwrap_or_default();
    if is_list {
        let first = lines.first().filter(|_| lines.len() == 1);
        let value = first.map_or(VariableValue::One(Word::unknown_words()), |line| {
            VariableValue::List(line.split_whitespace().map(Word::new).collect())
        });
        for name in names {
            state.set(name, value.clone(), Vec::new());
        }
        return;
    }
    let last = names.len().saturating_sub(1);
    for (index, name) in names.iter().enumerate() {
        let part = |line: &&str| field_of(line, index, index == last);
        let value = Word::one_of(lines.iter().map(part));
        state.set(name, VariableValue::One(value), Vec::new());
    }
}

/// The part of a line that the variable at this place gets; the last one gets all that is left.
fn field_of(line: &str, index: usize, is_last: bool) -> String {
    let mut rest = line.trim();
    for _ in 0..index {
        rest = rest
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim_start());
    }
    if is_last {
        return rest.to_owned();
    }
    rest.split(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn fill(words: &[Word], input: &Input, state: &mut ShellState) {
    let (names, _) = names(words);
    let name = names
        .first()
        .filter(|name| **name != "REPLY")
        .unwrap_or(&"MAPFILE");
    let value = match text_of(input) {
        Some(text) => VariableValue::List(text.lines().map(Word::new).collect()),
        None => VariableValue::One(Word::unknown_words()),
    };
    state.set(name, value, Vec::new());
}

/// `set -- a b` gives the positional parameters; options do not matter here.
fn set(words: &[Word], state: &mut ShellState) {
    let dashes = words.iter().position(|word| word.literal() == Some("--"));
    let start = match dashes {
        Some(place) => place + 1,
        None if words.first().is_some_and(|word| !starts_option(word)) => 0,
        None => return,
    };
    state.positional = Some(Rc::new(words.get(start..).unwrap_or_default().to_vec()));
}

fn starts_option(word: &Word) -> bool {
    word.prefix().starts_with(['-', '+']) || word.is_unknown()
}

fn shift(words: &[Word], state: &mut ShellState) {
    let count = words
        .first()
        .map_or(Some(1), |word| word.literal()?.parse::<usize>().ok());
    state.positional = match (&state.positional, count) {
        (Some(before), Some(count)) => Some(Rc::new(before.iter().skip(count).cloned().collect())),
        _ => None,
    };
}

fn alias(words: &[Word], state: &mut ShellState) {
    for word in words.iter().filter_map(Word::literal) {
        if let Some((name, text)) = word.split_once('=') {
            state.add_alias(name, text);
        }
    }
}

/// A declaration whose words are not written as assignments.
fn declare(program: &str, words: &[Word], state: &mut ShellState) {
    for word in words {
        match word {
            Word::Literal(text) => {
                if let Some((name, value)) = text.split_once('=') {
                    let is_known = state
                        .variable(name)
                        .is_some_and(|variable| variable.value.word() == Word::new(value));
                    if !is_known {
                        state.set(name, VariableValue::One(Word::new(value)), Vec::new());
                    }
                    if program == "export" {
                        state.export(name);
                    }
                }
            }
            Word::OneOf(_) | Word::Glob { .. } | Word::Unknown { .. } => {}
        }
    }
}

fn forget(words: &[Word], state: &mut ShellState) {
    for name in words.iter().filter_map(Word::literal) {
        state.set(name, VariableValue::One(Word::unknown()), Vec::new());
    }
}

/// `printf -v name format …`
fn print_into(words: &[Word], state: &mut ShellState) {
    let Some(name) = words.get(1).and_then(Word::literal) else {
        return;
    };
    let mut argv = vec![Word::new("printf")];
    argv.extend(words.iter().skip(2).cloned());
    let text = crate::decode::output(&argv, None).and_then(|bytes| String::from_utf8(bytes).ok());
    state.set(
        name,
        VariableValue::One(text.map_or_else(Word::unknown, Word::Literal)),
        Vec::new(),
    );
}
