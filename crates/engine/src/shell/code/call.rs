//! What known calls do.

mod javascript;
mod lua;
mod perl;
mod php;
mod python;
mod ruby;
mod word_language;

use super::evaluation::{self, Walk};
use super::token::Token;
use super::value::{Value, path};
use super::{Call, Effect, Language, Spawn};
use crate::shell::word::Word;

pub(super) use word_language::{awk_pipe, by_words};

/// A call of a value: by its full name, in its language.
pub(super) fn function(walk: &mut Walk<'_>, value: &Value, arguments: &[Value]) -> Value {
    let Value::Symbol(name) = value else {
        return Value::Unknown;
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
            Value::Unknown
        }
        Language::AppleScript | Language::Tcl => Value::Unknown,
    }
}

/// A call of a member of a value.
pub(super) fn method(walk: &mut Walk<'_>, value: &Value, name: &str, arguments: &[Value]) -> Value {
    match (value, walk.language) {
        (Value::Symbol(module), _) => {
            let full = Value::Symbol(format!("{module}.{name}"));
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
        ) => Value::Unknown,
    }
}

/// A member that is not called.
pub(super) fn member(walk: &mut Walk<'_>, value: &Value, name: &str) -> Value {
    let Value::Symbol(module) = value else {
        return match walk.language {
            Language::Ruby => ruby::method(walk, value, name),
            _ => Value::Unknown,
        };
    };
    match (module.as_str(), name) {
        ("process.env" | "Deno.env" | "Bun.env", name) => variable(name),
        ("Dir", "home") => Value::home(),
        ("Dir", "pwd") => Value::literal("."),
        ("os" | "path" | "os.path", "sep") => Value::literal("/"),
        (module, name) => Value::Symbol(format!("{module}.{name}")),
    }
}

/// An environment variable.
pub(super) fn variable(name: &str) -> Value {
    match name {
        "HOME" | "USERPROFILE" => Value::home(),
        _ => Value::Text(Word::Unknown {
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
pub(super) fn named(tokens: &[Token]) -> Vec<Call> {
    let mut found = Vec::new();
    let mut path = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Name(name) => path.push_str(name),
            Token::Sign('.') => path.push('.'),
            Token::Sign('(') if !path.is_empty() => {
                let next =
                    |ahead: usize, sign: char| tokens.get(at + ahead).is_some_and(|token| token.is(sign));
                let first_is_empty = next(1, ')') || (next(1, '{') && next(2, '}'));
                found.push(Call {
                    path: std::mem::take(&mut path),
                    first_is_empty,
                });
            }
            Token::Text(_) | Token::Command(_) | Token::Sign(_) | Token::Line => path.clear(),
        }
    }
    found
}

fn remove(walk: &mut Walk<'_>, value: Option<&Value>, recursive: bool) {
    for path in value.map_or_else(|| vec![Word::unknown()], Value::words) {
        walk.effect(Effect::Remove { path, recursive });
    }
}

fn remove_all(walk: &mut Walk<'_>, values: &[Value], recursive: bool) {
    let named = |value: &&Value| !matches!(value, Value::Object(_));
    for value in values.iter().filter(named) {
        remove(walk, Some(value), recursive);
    }
}

fn rename(walk: &mut Walk<'_>, arguments: &[Value]) {
    if let [from, to, ..] = arguments {
        walk.effect(Effect::Rename {
            from: from.word(),
            to: to.word(),
        });
    }
}

fn truncate(walk: &mut Walk<'_>, value: Option<&Value>) {
    if let Some(value) = value {
        walk.effect(Effect::Truncate { path: value.word() });
    }
}

/// Opening for writing empties the file; a mode that is not literal is taken as reading.
fn open(walk: &mut Walk<'_>, arguments: &[Value]) {
    let by_name = arguments.last().and_then(|last| last.part("mode"));
    let mode = arguments
        .get(1)
        .filter(|mode| mode.text().is_some())
        .or(by_name)
        .and_then(Value::text);
    if mode.is_some_and(|mode| mode.starts_with('w')) {
        truncate(walk, arguments.first());
    }
}

/// A list is a process's words, a text is for a shell.
fn spawn(walk: &mut Walk<'_>, value: &Value) {
    let spawn = match value {
        Value::List(_) => Spawn::Words(value.words()),
        Value::Text(_) | Value::Object(_) | Value::Symbol(_) | Value::Unknown => Spawn::Text(value.word()),
    };
    walk.effect(Effect::Spawn(spawn));
}

fn spawn_text(walk: &mut Walk<'_>, arguments: &[Value]) {
    if let Some(text) = arguments.first() {
        walk.effect(Effect::Spawn(Spawn::Text(text.word())));
    }
}

/// A program and a list of its arguments.
fn spawn_words(walk: &mut Walk<'_>, arguments: &[Value]) {
    let Some(program) = arguments.first() else { return };
    let mut words = program.words();
    if let Some(list @ Value::List(_)) = arguments.get(1) {
        words.extend(list.words());
    }
    walk.effect(Effect::Spawn(Spawn::Words(words)));
}

/// One argument is shell text, several are a process's words.
fn spawn_either(walk: &mut Walk<'_>, arguments: &[Value]) {
    let plain: Vec<&Value> = arguments
        .iter()
        .filter(|value| !matches!(value, Value::Object(_)))
        .collect();
    match plain.as_slice() {
        [] => {}
        [one] => spawn(walk, one),
        several => {
            let words = several.iter().flat_map(|value| value.words()).collect();
            walk.effect(Effect::Spawn(Spawn::Words(words)));
        }
    }
}

/// Code that runs code.
fn nested(walk: &mut Walk<'_>, arguments: &[Value]) {
    if let Some(text) = arguments.first().and_then(Value::text) {
        let found = evaluation::effects(walk.language, text, walk.level + 1);
        for effect in found {
            walk.effect(effect);
        }
    }
}

fn path_of(arguments: &[Value]) -> Value {
    Value::Text(path(arguments))
}

fn flag(arguments: &[Value], name: &str) -> bool {
    let parts = arguments.iter().filter_map(|argument| argument.part(name));
    parts
        .into_iter()
        .any(|value| matches!(value, Value::Symbol(name) if name == "true" || name == "True"))
}
