//! Names that stand for something: imports with their aliases, and variables set to a literal.

use super::Language;
use super::evaluation::CodeWalk;
use super::token::CodeToken;
use super::value::CodeValue;
use crate::word::Word;

/// How many loops are looked at before the rest.
const MOST_LOOPS: usize = 32;
/// How far an import is followed.
const MOST_TOKENS: usize = 256;

/// Every import of the text.
pub(super) fn imports(walk: &mut CodeWalk<'_>) {
    match walk.language {
        Language::Python => {
            python(walk);
            comprehensions(walk);
        }
        Language::JavaScript => javascript(walk),
        Language::Perl
        | Language::Ruby
        | Language::Php
        | Language::Lua
        | Language::AppleScript
        | Language::Awk
        | Language::Tcl => {}
    }
}

/// `for name in …` of comprehensions, whose name is used before it is bound. What is done on the way counts later.
fn comprehensions(walk: &mut CodeWalk<'_>) {
    let starts: Vec<usize> = (0..walk.tokens.len())
        .filter(|at| walk.tokens.get(*at).and_then(CodeToken::name) == Some("for"))
        .take(MOST_LOOPS)
        .collect();
    for start in starts {
        walk.at = start;
        looped(walk);
    }
    walk.found.clear();
}

/// Binds the name of a Python loop to what it runs over; false if none starts here.
pub(super) fn looped(walk: &mut CodeWalk<'_>) -> bool {
    let name = |ahead: usize| walk.peek(ahead).and_then(CodeToken::name);
    let (Some("for"), Some(item), Some("in")) = (name(0), name(1), name(2)) else {
        return false;
    };
    let item = item.to_owned();
    walk.at += 3;
    let value = match walk.expression() {
        CodeValue::Text(word @ Word::Glob { .. }) => CodeValue::Text(word),
        CodeValue::List(values) => {
            let known: Option<Vec<String>> = values
                .iter()
                .map(|value| value.text().map(str::to_owned))
                .collect();
            known.map_or(CodeValue::Unknown, |known| CodeValue::Text(Word::one_of(known)))
        }
        CodeValue::Text(_) | CodeValue::Object(_) | CodeValue::Symbol(_) | CodeValue::Unknown => {
            CodeValue::Unknown
        }
    };
    walk.names.insert(item, value);
    true
}

/// `name = …` and how many tokens stand before the value.
pub(super) fn assigned(walk: &CodeWalk<'_>) -> Option<(String, usize)> {
    let is_keyword = |token: &CodeToken| {
        token
            .name()
            .is_some_and(|name| matches!(name, "const" | "let" | "var" | "my" | "our" | "local"))
    };
    let skip = usize::from(walk.peek(0).is_some_and(is_keyword));
    let name = walk.peek(skip)?.name()?;
    let sign = |ahead: usize, sign: char| walk.peek(ahead).is_some_and(|token| token.is(sign));
    let is_equal =
        sign(skip + 1, '=') && !sign(skip + 2, '=') && !sign(skip + 2, '>') && !sign(skip + 2, '~');
    is_equal.then(|| (name.to_owned(), skip + 2))
}

fn names_until_line<'a>(walk: &CodeWalk<'a>, start: usize) -> Vec<&'a CodeToken> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for token in walk.tokens.iter().skip(start).take(MOST_TOKENS) {
        match token {
            CodeToken::Sign('(' | '{') => depth += 1,
            CodeToken::Sign(')' | '}') => depth = depth.saturating_sub(1),
            CodeToken::Line if depth == 0 => break,
            CodeToken::Sign(';') => break,
            CodeToken::Name(_)
            | CodeToken::Text(_)
            | CodeToken::Command(_)
            | CodeToken::Sign(_)
            | CodeToken::Line => {}
        }
        found.push(token);
    }
    found
}

/// `import os as o, shutil` and `from shutil import rmtree as r, copy`.
fn python(walk: &mut CodeWalk<'_>) {
    for at in 0..walk.tokens.len() {
        match walk.tokens.get(at).and_then(CodeToken::name) {
            Some("from") => {
                let line = names_until_line(walk, at + 1);
                let Some(split) = line.iter().position(|token| token.name() == Some("import")) else {
                    continue;
                };
                let module = dotted(line.get(..split).unwrap_or_default());
                if line.get(split + 1).is_some_and(|token| token.is('*')) {
                    everything(walk, &module);
                    continue;
                }
                for (name, alias) in aliased(line.get(split + 1..).unwrap_or_default()) {
                    walk.names
                        .insert(alias, CodeValue::Symbol(format!("{module}.{name}")));
                }
            }
            Some("import") if !is_from_line(walk, at) => {
                let line = names_until_line(walk, at + 1);
                for (name, alias) in aliased(&line) {
                    if name != alias {
                        walk.names.insert(alias, CodeValue::Symbol(name));
                    }
                }
            }
            Some(_) | None => {}
        }
    }
}

/// `from subprocess import *`: the names that matter.
fn everything(walk: &mut CodeWalk<'_>, module: &str) {
    let names: &[&str] = match module {
        "os" => &[
            "system",
            "popen",
            "remove",
            "unlink",
            "rmdir",
            "removedirs",
            "rename",
            "replace",
            "truncate",
            "execv",
            "execvp",
            "execl",
            "execlp",
            "spawnv",
            "spawnvp",
            "spawnl",
            "spawnlp",
        ],
        "shutil" => &["rmtree", "move", "copy", "copyfile", "copytree"],
        "subprocess" => &[
            "run",
            "call",
            "check_call",
            "check_output",
            "Popen",
            "getoutput",
            "getstatusoutput",
        ],
        "pathlib" => &["Path"],
        _ => return,
    };
    for name in names {
        walk.names
            .insert((*name).to_owned(), CodeValue::Symbol(format!("{module}.{name}")));
    }
}

fn is_from_line(walk: &CodeWalk<'_>, at: usize) -> bool {
    let before = walk.tokens.get(..at).unwrap_or_default();
    let line = before
        .iter()
        .rev()
        .take(32)
        .take_while(|token| !matches!(token, CodeToken::Line | CodeToken::Sign(';')));
    line.into_iter().any(|token| token.name() == Some("from"))
}

fn dotted(tokens: &[&CodeToken]) -> String {
    tokens
        .iter()
        .filter_map(|token| token.name())
        .collect::<Vec<_>>()
        .join(".")
}

/// `a.b as c, d`: names with the names they are used by.
fn aliased(tokens: &[&CodeToken]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in tokens.split(|token| token.is(',')) {
        let split = part.iter().position(|token| token.name() == Some("as"));
        let name = dotted(part.get(..split.unwrap_or(part.len())).unwrap_or_default());
        let alias = match split {
            Some(at) => dotted(part.get(at + 1..).unwrap_or_default()),
            None => name.clone(),
        };
        if !name.is_empty() && !alias.is_empty() {
            found.push((name, alias));
        }
    }
    found
}

/// `import fs, { rm as r } from 'fs'`, `const { rm: r } = require('fs')`, `import * as fs from 'fs'`.
fn javascript(walk: &mut CodeWalk<'_>) {
    for at in 0..walk.tokens.len() {
        let Some("import" | "const" | "let" | "var") = walk.tokens.get(at).and_then(CodeToken::name) else {
            continue;
        };
        let line = names_until_line(walk, at + 1);
        let Some(module) = module_of(&line) else { continue };
        let end = line
            .iter()
            .position(|token| token.is('=') || token.name() == Some("from"))
            .unwrap_or(line.len());
        bind(walk, line.get(..end).unwrap_or_default(), &module);
    }
}

/// The module a line takes something from: behind `from`, or in `require(…)` or `import(…)`, as the whole right side.
fn module_of(line: &[&CodeToken]) -> Option<String> {
    let mut last = None;
    for (at, token) in line.iter().enumerate() {
        let CodeToken::Text(Word::Literal(text)) = token else {
            continue;
        };
        let before = line.get(at.wrapping_sub(1)).and_then(|token| token.name());
        let called = line.get(at.wrapping_sub(2)).and_then(|token| token.name());
        let is_end = line.get(at + 2).is_none() || before == Some("from");
        if before == Some("from") || (matches!(called, Some("require" | "import")) && is_end) {
            last = Some(module_name(text));
        }
    }
    last
}

/// `node:fs/promises` is `fs`.
pub(super) fn module_name(text: &str) -> String {
    let text = text.strip_prefix("node:").unwrap_or(text);
    let text = text.strip_suffix("/promises").unwrap_or(text);
    match text {
        "fs-extra" | "graceful-fs" => "fs".to_owned(),
        _ => text.to_owned(),
    }
}

fn bind(walk: &mut CodeWalk<'_>, left: &[&CodeToken], module: &str) {
    let mut in_braces = false;
    for part in left.split(|token| token.is(',')) {
        let opens = part.iter().any(|token| token.is('{'));
        in_braces |= opens;
        let names: Vec<&str> = part
            .iter()
            .filter_map(|token| token.name())
            .filter(|name| *name != "as" && *name != "type")
            .collect();
        let value = match names.as_slice() {
            [name, ..] if in_braces => CodeValue::Symbol(format!("{module}.{name}")),
            _ => CodeValue::Symbol(module.to_owned()),
        };
        if let Some(name) = names.last() {
            walk.names.insert((*name).to_owned(), value);
        }
        in_braces &= !part.iter().any(|token| token.is('}'));
    }
}
