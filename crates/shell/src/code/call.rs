//! What known calls do.

mod javascript;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;
mod word_language;

use super::evaluation::{self, CodeWalk};
use super::token::CodeToken;
use super::value::{CodeValue, path};
use super::{CodeAction, CodeCall, Language, ProcessSpawn};
use crate::word::Word;

pub(super) use word_language::{awk_pipe, by_words};

/// A call of a value: by its full name, in its language.
pub(super) fn function(walk: &mut CodeWalk<'_>, value: &CodeValue, arguments: &[CodeValue]) -> CodeValue {
    let CodeValue::Symbol(name) = value else {
        return CodeValue::Unknown;
    };
    let name = name.clone();
    match walk.language {
        Language::Python => python::function(walk, &name, arguments),
        Language::JavaScript => javascript::function(walk, &name, arguments),
        Language::Perl => perl::function(walk, &name, arguments),
        Language::Ruby => ruby::function(walk, &name, arguments),
        Language::Php => php::function(walk, &name, arguments),
        Language::Lua => lua::function(walk, &name, arguments),
        Language::Awk => {
            if name == "system" {
                spawn_text(walk, arguments);
            }
            CodeValue::Unknown
        }
        Language::AppleScript | Language::Tcl => CodeValue::Unknown,
    }
}

/// A call of a member of a value.
pub(super) fn method(
    walk: &mut CodeWalk<'_>,
    value: &CodeValue,
    name: &str,
    arguments: &[CodeValue],
) -> CodeValue {
    match (value, walk.language) {
        (CodeValue::Symbol(module), _) => {
            let full = CodeValue::Symbol(format!("{module}.{name}"));
            function(walk, &full, arguments)
        }
        (receiver, Language::Python) => python::method(walk, receiver, name, arguments),
        (receiver, Language::Ruby) => ruby::method(walk, receiver, name),
        (receiver, Language::JavaScript) => javascript::method(walk, receiver, name, arguments),
        (
            _,
            Language::Perl
            | Language::Php
            | Language::Lua
            | Language::AppleScript
            | Language::Awk
            | Language::Tcl,
        ) => CodeValue::Unknown,
    }
}

/// A member that is not called.
pub(super) fn member(walk: &mut CodeWalk<'_>, value: &CodeValue, name: &str) -> CodeValue {
    let CodeValue::Symbol(module) = value else {
        return match walk.language {
            Language::Ruby => ruby::method(walk, value, name),
            _ => CodeValue::Unknown,
        };
    };
    match (module.as_str(), name) {
        ("process.env" | "Deno.env" | "Bun.env", name) => variable(name),
        ("Dir", "home") => CodeValue::home(),
        ("Dir", "pwd") => CodeValue::literal("."),
        ("os" | "path" | "os.path", "sep") => CodeValue::literal("/"),
        (module, name) => CodeValue::Symbol(format!("{module}.{name}")),
    }
}

/// An environment variable.
pub(super) fn variable(name: &str) -> CodeValue {
    match name {
        "HOME" | "USERPROFILE" => CodeValue::home(),
        _ => CodeValue::Text(Word::Unknown {
            prefix: String::new(),
            suffix: String::new(),
            quoted: true,
            name: Some(name.to_owned()),
        }),
    }
}

/// Whether a template behind this name is run (`` $`rm x` `` of zx and bun).
pub(super) fn is_tag(language: Language, name: &str) -> bool {
    language == Language::JavaScript
        && matches!(
            name,
            "$" | "Bun.$" | "bun.$" | "zx.$" | "execa.$" | "execaCommand"
        )
}

/// Whether a call of this name may go without brackets.
pub(super) fn takes_bare(language: Language, name: &str) -> bool {
    match language {
        Language::Perl => perl::is_known(name),
        Language::Ruby => ruby::is_known(name),
        Language::Lua => matches!(name, "os.execute" | "os.remove"),
        Language::Python
        | Language::JavaScript
        | Language::Php
        | Language::AppleScript
        | Language::Awk
        | Language::Tcl => false,
    }
}

/// Every call with its name, wherever it stands.
pub(super) fn named(tokens: &[CodeToken]) -> Vec<CodeCall> {
    let mut found = Vec::new();
    let mut path = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            CodeToken::Name(name) => path.push_str(name),
            CodeToken::Sign('.') => path.push('.'),
            CodeToken::Sign('(') if !path.is_empty() => {
                let next =
                    |ahead: usize, sign: char| tokens.get(at + ahead).is_some_and(|token| token.is(sign));
                let first_is_empty = next(1, ')') || (next(1, '{') && next(2, '}'));
                found.push(CodeCall {
                    path: std::mem::take(&mut path),
                    first_is_empty,
                });
            }
            CodeToken::Text(_) | CodeToken::Command(_) | CodeToken::Sign(_) | CodeToken::Line => path.clear(),
        }
    }
    found
}

fn remove(walk: &mut CodeWalk<'_>, value: Option<&CodeValue>, recursive: bool) {
    for path in value.map_or_else(|| vec![Word::unknown()], CodeValue::words) {
        walk.effect(CodeAction::Remove { path, recursive });
    }
}

fn remove_all(walk: &mut CodeWalk<'_>, values: &[CodeValue], recursive: bool) {
    let named = |value: &&CodeValue| !matches!(value, CodeValue::Object(_));
    for value in values.iter().filter(named) {
        remove(walk, Some(value), recursive);
    }
}

fn rename(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    if let [from, to, ..] = arguments {
        walk.effect(CodeAction::Rename {
            from: from.word(),
            to: to.word(),
        });
    }
}

fn truncate(walk: &mut CodeWalk<'_>, value: Option<&CodeValue>) {
    if let Some(value) = value {
        walk.effect(CodeAction::Truncate { path: value.word() });
    }
}

/// Opening for writing empties the file; a mode that is not literal is taken as reading.
fn open(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let by_name = arguments.last().and_then(|last| last.part("mode"));
    let mode = arguments
        .get(1)
        .filter(|mode| mode.text().is_some())
        .or(by_name)
        .and_then(CodeValue::text);
    if mode.is_some_and(|mode| mode.starts_with('w')) {
        truncate(walk, arguments.first());
    }
}

/// A list is a process's words, a text is for a shell.
fn spawn(walk: &mut CodeWalk<'_>, value: &CodeValue) {
    let spawn = match value {
        CodeValue::List(_) => ProcessSpawn::Words(value.words()),
        CodeValue::Text(_) | CodeValue::Object(_) | CodeValue::Symbol(_) | CodeValue::Unknown => {
            ProcessSpawn::Text(value.word())
        }
    };
    walk.effect(CodeAction::Spawn(spawn));
}

fn spawn_text(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    if let Some(text) = arguments.first() {
        walk.effect(CodeAction::Spawn(ProcessSpawn::Text(text.word())));
    }
}

/// A program and a list of its arguments.
fn spawn_words(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let Some(program) = arguments.first() else { return };
    let mut words = program.words();
    if let Some(list @ CodeValue::List(_)) = arguments.get(1) {
        words.extend(list.words());
    }
    walk.effect(CodeAction::Spawn(ProcessSpawn::Words(words)));
}

/// One argument is shell text, several are a process's words.
fn spawn_either(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    let plain: Vec<&CodeValue> = arguments
        .iter()
        .filter(|value| !matches!(value, CodeValue::Object(_)))
        .collect();
    match plain.as_slice() {
        [] => {}
        [one] => spawn(walk, one),
        several => {
            let words = several.iter().flat_map(|value| value.words()).collect();
            walk.effect(CodeAction::Spawn(ProcessSpawn::Words(words)));
        }
    }
}

/// Code that runs code.
fn nested(walk: &mut CodeWalk<'_>, arguments: &[CodeValue]) {
    if let Some(text) = arguments.first().and_then(CodeValue::text) {
        let found = evaluation::effects(walk.language, text, walk.level + 1);
        for effect in found {
            walk.effect(effect);
        }
    }
}

fn path_of(arguments: &[CodeValue]) -> CodeValue {
    CodeValue::Text(path(arguments))
}

fn flag(arguments: &[CodeValue], name: &str) -> bool {
    let parts = arguments.iter().filter_map(|argument| argument.part(name));
    parts
        .into_iter()
        .any(|value| matches!(value, CodeValue::Symbol(name) if name == "true" || name == "True"))
}
