//! Tells our own commands in a shell text whose call they belong to, by an option with a token.

use super::edit::{Edit, Splice};
use super::grammar::{self, Usage};
use super::intent::{Command, Span};
use super::place::CommandHost;
use super::scene::Scene;
use super::word::Word;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The families of commands that ask who calls them. Only those there are: another would not know the option.
pub const FAMILIES: &[&str] = &["lease", "session"];
const PROGRAM: &str = "toprope";
const OPTION: &str = "--as";
/// Digits of a token.
const TOKEN: usize = 32;

/// The text with `--as <token>` in every command of ours that asks who calls it; `None` if there is none.
///
/// It stands directly behind the subcommand, or in place of an `--as` that was there. A command that stands nowhere in
/// the text as such (in a string for another shell, in an alias) gets none.
pub fn with_token(text: &str, token: &str, scene: &Scene<'_>) -> Option<String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric();
    if !text.contains(PROGRAM) || token.is_empty() || !token.chars().all(is_plain) {
        return None;
    }
    let mut by_command: BTreeMap<Span, Option<Vec<Splice>>> = BTreeMap::new();
    for command in super::read(text, scene).commands {
        let Some(span) = command.span else {
            continue;
        };
        if !is_ours(&command) {
            continue;
        }
        let splices = splices(&command, token);
        // A command that runs twice, differently, is left alone.
        let known = by_command.entry(span).or_insert_with(|| splices.clone());
        if *known != splices {
            *known = None;
        }
    }
    let splices: Vec<Splice> = by_command.into_values().flatten().flatten().collect();
    if splices.is_empty() {
        return None;
    }
    Edit { splices }.applied(text)
}

/// Whether a text is another with a token of ours in it.
pub fn is_signed(text: &str, unsigned: &str, scene: &Scene<'_>) -> bool {
    let found = text.split(OPTION).filter_map(|after| after.strip_prefix(' '));
    let mut found = found.filter_map(|after| after.get(..TOKEN));
    let token = found.find(|token| token.chars().all(is_digit));
    token.is_some_and(|token| with_token(unsigned, token, scene).as_deref() == Some(text))
}

/// The text without our tokens: 32 small hexadecimal digits behind `--as`, or what a cut left of them.
pub fn without_token(text: &str) -> Cow<'_, str> {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPTION) {
        if let Some(behind) = behind_token(after) {
            kept.push_str(before.strip_suffix(' ').unwrap_or(before));
            rest = behind;
        } else {
            kept.extend([before, OPTION]);
            rest = after;
        }
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// What stands behind a token at the beginning of a text; `None` if there is none.
fn behind_token(text: &str) -> Option<&str> {
    let text = text.strip_prefix(' ')?;
    let behind = text.trim_start_matches(is_digit);
    let digits = text.len() - behind.len();
    let is_whole = digits == TOKEN && !behind.starts_with(char::is_alphanumeric);
    let is_cut = digits < TOKEN && behind.trim_start().starts_with('…');
    (is_whole || is_cut).then_some(behind)
}

fn is_digit(letter: char) -> bool {
    matches!(letter, '0'..='9' | 'a'..='f')
}

fn is_ours(command: &Command) -> bool {
    command.program() == Some(PROGRAM) && command.place == CommandHost::Local && command.effect.is_none()
}

/// What gives the command its token; `None` where there is no place for it.
fn splices(command: &Command, token: &str) -> Option<Vec<Splice>> {
    let usage = grammar::usage(grammar::program(PROGRAM), &command.argv);
    let family = usage.sub.first().filter(|_| usage.sub_sure)?;
    if !FAMILIES.contains(family) {
        return None;
    }
    let behind = span(command, last_sub(command, &usage)?)?;
    let given = usage.options.iter().filter(|given| given.is(OPTION));
    let mut written = Vec::new();
    for option in given {
        let first = span(command, option.words.start)?;
        let last = span(command, option.words.end.checked_sub(1)?)?;
        written.push(Span {
            start: first.start,
            end: last.end,
        });
    }
    let with = format!("{OPTION} {token}");
    let mut written = written.into_iter();
    let Some(first) = written.next() else {
        let end = behind.end;
        return Some(vec![Splice {
            span: Span { start: end, end },
            with: format!(" {with}"),
        }]);
    };
    let mut splices = vec![Splice { span: first, with }];
    splices.extend(written.map(|span| Splice {
        span,
        with: String::new(),
    }));
    Some(splices)
}

/// The last of the words that name the subcommand.
fn last_sub(command: &Command, usage: &Usage<'_>) -> Option<usize> {
    let is_other = |index: &usize| {
        usage.options.iter().any(|given| given.words.contains(index))
            || usage.operands.iter().any(|operand| operand.index == *index)
    };
    let named = (1..command.argv.len()).filter(|index| !is_other(index));
    named.take(usage.sub.len()).last()
}

/// Where a word stands, if exactly that word stands there.
fn span(command: &Command, index: usize) -> Option<Span> {
    command.argv.get(index).and_then(Word::literal)?;
    command.spans.get(index).copied().flatten()
}

#[cfg(test)]
mod tests;
