//! Shells and what a shell itself runs from text: `bash -lc`, `eval`, `source`, `trap`, `su -c`, `watch`, `at`.

use super::outer::{WrapperCommand, joined};
use crate::inner::Inner;
use crate::runner::SHELLS;
use crate::word::Word;

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

pub(super) fn shell(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let usage = &outer.usage;
    if usage.has("--version") || usage.has("--help") || usage.has("-n") || usage.has("--no-execute") {
        return Vec::new();
    }
    let flag = usage.options.iter().find(|given| given.is("-c"));
    if let Some(given) = flag {
        let is_valued = given.value.is_some();
        let text = given
            .value
            .as_deref()
            .or(usage.operands.first().map(|operand| operand.word));
        let skip = if is_valued { 0 } else { 2 };
        let through = format!("{} {}", outer.name, given.written);
        return text
            .map(|text| in_shell(text, outer.operands(skip), through))
            .into_iter()
            .collect();
    }
    let through = outer.name.to_owned();
    match usage.operands.first() {
        Some(operand) if !usage.has("-s") && !is_stdin(operand.word) => vec![Inner::File {
            path: operand.word.clone(),
            index: operand.index,
            arguments: outer.operands(1),
            is_same_shell: false,
            through,
        }],
        Some(_) | None => vec![Inner::Stdin { place: None, through }],
    }
}

fn in_shell(text: &Word, arguments: Vec<Word>, through: String) -> Inner {
    Inner::Text {
        text: text.clone(),
        arguments,
        is_same_shell: false,
        place: None,
        through,
    }
}

fn is_stdin(word: &Word) -> bool {
    matches!(
        word.literal(),
        Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
    )
}

/// `su user -c text`, and `su user -- -c text`.
pub(super) fn su(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let by_operand = || {
        let at = outer
            .usage
            .operands
            .iter()
            .position(|operand| operand.word.literal() == Some("-c"))?;
        outer.usage.operands.get(at + 1).map(|operand| operand.word)
    };
    let text = outer
        .usage
        .value("--command")
        .or(outer.usage.value("--session-command"));
    match text {
        // `runuser` has its option in the table of texts already.
        Some(_) if outer.name == "runuser" => Vec::new(),
        Some(text) => vec![outer.text(text.clone())],
        None => match by_operand() {
            Some(text) => vec![outer.text(text.clone())],
            None => vec![Inner::Stdin {
                place: None,
                through: outer.name.to_owned(),
            }],
        },
    }
}

/// `script file command…`, and `script file` that reads what is typed into its shell.
pub(super) fn script(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let runs = outer.command(1);
    if !runs.is_empty() || outer.usage.has("--command") {
        return runs;
    }
    vec![Inner::Stdin {
        place: None,
        through: outer.name.to_owned(),
    }]
}

pub(super) fn eval(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let words: Vec<Word> = outer
        .operands(0)
        .into_iter()
        .skip_while(|word| word.literal() == Some("--"))
        .collect();
    same_shell(outer, &words)
}

pub(super) fn trap(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    match outer.usage.operands.first() {
        Some(first) if outer.usage.operands.len() > 1 && !matches!(first.word.literal(), Some("-" | "")) => {
            same_shell(outer, std::slice::from_ref(first.word))
        }
        Some(_) | None => Vec::new(),
    }
}

fn same_shell(outer: &WrapperCommand<'_>, words: &[Word]) -> Vec<Inner> {
    if words.is_empty() {
        return Vec::new();
    }
    let through = outer.name.to_owned();
    vec![Inner::Text {
        text: joined(words),
        arguments: Vec::new(),
        is_same_shell: true,
        place: None,
        through,
    }]
}

pub(super) fn source(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let through = outer.name.to_owned();
    match outer.usage.operands.first() {
        Some(operand) if is_stdin(operand.word) => vec![Inner::Stdin { place: None, through }],
        Some(operand) => vec![Inner::File {
            path: operand.word.clone(),
            index: operand.index,
            arguments: outer.operands(1),
            is_same_shell: true,
            through,
        }],
        None => Vec::new(),
    }
}

pub(super) fn watch(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if outer.usage.has("--exec") {
        return outer.command(0);
    }
    let words = outer.operands(0);
    if words.is_empty() {
        Vec::new()
    } else {
        vec![outer.text(joined(&words))]
    }
}

pub(super) fn entr(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if !outer.usage.has("-s") {
        return outer.command(0);
    }
    outer
        .usage
        .operands
        .first()
        .map(|operand| outer.text(operand.word.clone()))
        .into_iter()
        .collect()
}

pub(super) fn at(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    if ["-l", "-r", "-d", "-c", "-V"]
        .iter()
        .any(|option| outer.usage.has(option))
    {
        return Vec::new();
    }
    let through = outer.name.to_owned();
    let file = outer.usage.options.iter().find(|given| given.is("-f"));
    match file.and_then(|given| Some((given.value.as_deref()?.clone(), given.words.end.saturating_sub(1)))) {
        Some((path, index)) => vec![Inner::File {
            path,
            index,
            arguments: Vec::new(),
            is_same_shell: false,
            through,
        }],
        None => vec![Inner::Stdin { place: None, through }],
    }
}
