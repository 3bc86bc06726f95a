//! Terminals that others type into: `tmux send-keys`, `screen -X stuff`, and the commands they start.

use super::outer::{WrapperCommand, joined};
use crate::inner::Inner;
use crate::word::Word;

pub(super) fn tmux(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    match outer.sub().first() {
        Some(&"send-keys") => typed(outer, &outer.operands(0)),
        Some(
            &("new-session" | "new-window" | "split-window" | "respawn-pane" | "respawn-window"
            | "run-shell" | "pipe-pane" | "display-popup"),
        ) => started(outer),
        Some(&"if-shell") => outer
            .operands(0)
            .into_iter()
            .take(1)
            .map(|text| outer.text(text))
            .collect(),
        Some(_) | None => Vec::new(),
    }
}

/// One word is shell text, several are a command.
fn started(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    match outer.usage.operands.as_slice() {
        [] => Vec::new(),
        [one] => vec![outer.text(one.word.clone())],
        _ => outer.command(0),
    }
}

pub(super) fn screen(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let Some(given) = outer.usage.options.iter().find(|given| given.is("-X")) else {
        return outer.command(0);
    };
    let words = outer
        .argv
        .get(given.index + 1..given.words.end)
        .unwrap_or_default();
    match words.split_first() {
        Some((first, text)) if first.literal() == Some("stuff") => typed(outer, text),
        Some((first, _)) if matches!(first.literal(), Some("screen" | "exec")) => {
            outer.words(given.index + 2..given.words.end, outer.name.to_owned())
        }
        Some(_) | None => Vec::new(),
    }
}

/// What is typed, as a shell would read it: key names stand for themselves, `Enter` ends a line.
fn typed(outer: &WrapperCommand<'_>, keys: &[Word]) -> Vec<Inner> {
    let mut text = String::new();
    for key in keys {
        match key.literal() {
            Some("Enter" | "C-m" | "KPEnter" | "C-j") => text.push('\n'),
            Some("Space") => text.push(' '),
            Some("C-c" | "C-u" | "C-l" | "Escape" | "C-d" | "C-a" | "C-e") => {}
            Some(key) => text.push_str(
                &key.replace("\\n", "\n")
                    .replace("\\r", "\n")
                    .replace("\\015", "\n")
                    .replace("^M", "\n"),
            ),
            None => return vec![outer.text(joined(keys))],
        }
    }
    if text.trim().is_empty() {
        Vec::new()
    } else {
        vec![outer.text(Word::Literal(text))]
    }
}
