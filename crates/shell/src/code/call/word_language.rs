//! Languages whose statements are rows of words, and awk's pipes.

use super::{CodeAction, CodeToken, CodeValue, CodeWalk, Language, ProcessSpawn, Word};

/// One statement of Tcl or `AppleScript`.
pub(in super::super) fn by_words(walk: &mut CodeWalk<'_>) {
    let start = walk.at;
    let ends = |token: &CodeToken| {
        matches!(
            token,
            CodeToken::Line | CodeToken::Sign(';' | '{' | '}' | '[' | ']')
        )
    };
    while walk.peek(0).is_some_and(|token| !ends(token)) {
        walk.at += 1;
    }
    let statement = walk.tokens.get(start..walk.at).unwrap_or_default();
    match walk.language {
        Language::AppleScript => apple_script(walk, statement),
        _ => tcl(walk, statement),
    }
    walk.at += 1;
}

/// `do shell script "…"` and `do script "…"`.
fn apple_script(walk: &mut CodeWalk<'_>, statement: &[CodeToken]) {
    let name = |at: usize| statement.get(at).and_then(CodeToken::name);
    for (at, token) in statement.iter().enumerate() {
        if token.name() != Some("do") {
            continue;
        }
        let text = match (name(at + 1), name(at + 2)) {
            (Some("shell"), Some("script")) => statement.get(at + 3),
            (Some("script"), _) => statement.get(at + 2),
            _ => None,
        };
        match text {
            Some(CodeToken::Text(word)) => {
                let is_whole = !statement.iter().any(|token| token.is('&'));
                let word = if is_whole { word.clone() } else { opened(word) };
                walk.effect(CodeAction::Spawn(ProcessSpawn::Text(word)));
            }
            Some(_) => walk.effect(CodeAction::Spawn(ProcessSpawn::Text(Word::unknown()))),
            None => {}
        }
    }
}

/// A text that something is joined to.
fn opened(word: &Word) -> Word {
    Word::Unknown {
        prefix: word.prefix(),
        suffix: String::new(),
        quoted: true,
        name: None,
    }
}

/// `spawn words…`, `exec words…`, `file delete -force paths…`, `send "text\r"`.
fn tcl(walk: &mut CodeWalk<'_>, statement: &[CodeToken]) {
    let word = |token: &CodeToken| match token {
        CodeToken::Name(name) if name.starts_with('$') => Some(Word::unknown()),
        CodeToken::Name(name) => Some(Word::new(name.clone())),
        CodeToken::Text(word) => Some(word.clone()),
        CodeToken::Command(_) | CodeToken::Sign(_) | CodeToken::Line => None,
    };
    let words: Vec<Word> = statement.iter().filter_map(word).collect();
    match words
        .iter()
        .map(|word| word.literal().unwrap_or_default())
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["spawn" | "exec", ..] => {
            let plain = words
                .into_iter()
                .skip(1)
                .skip_while(|word| matches!(word.literal(), Some("-noecho" | "--" | "-ignorestderr")));
            walk.effect(CodeAction::Spawn(ProcessSpawn::Words(plain.collect())));
        }
        ["file", "delete", ..] => {
            let recursive = words.iter().any(|word| word.literal() == Some("-force"));
            let paths = words
                .into_iter()
                .skip(2)
                .filter(|word| !word.prefix().starts_with('-'));
            paths.for_each(|path| walk.effect(CodeAction::Remove { path, recursive }));
        }
        ["file", "rename", ..] => {
            let mut paths = words
                .into_iter()
                .skip(2)
                .filter(|word| !word.prefix().starts_with('-'));
            if let (Some(from), Some(to)) = (paths.next(), paths.next()) {
                walk.effect(CodeAction::Rename { from, to });
            }
        }
        _ => {}
    }
}

/// `print | "command"`, `"command" | getline` and `print > "file"`.
pub(in super::super) fn awk_pipe(walk: &mut CodeWalk<'_>, before: &CodeValue) {
    let is_print = |walk: &CodeWalk<'_>| {
        let before = walk.tokens.get(..walk.at).unwrap_or_default();
        let statement = before
            .iter()
            .rev()
            .take(64)
            .take_while(|token| !matches!(token, CodeToken::Line | CodeToken::Sign(';' | '{' | '}')));
        statement
            .into_iter()
            .any(|token| matches!(token.name(), Some("print" | "printf")))
    };
    match (walk.peek(0), walk.peek(1)) {
        (Some(CodeToken::Sign('|')), Some(CodeToken::Text(command))) => {
            walk.effect(CodeAction::Spawn(ProcessSpawn::Text(command.clone())));
        }
        (Some(CodeToken::Sign('|')), Some(CodeToken::Name(name))) if name == "getline" => {
            walk.effect(CodeAction::Spawn(ProcessSpawn::Text(before.word())));
        }
        (Some(CodeToken::Sign('>')), Some(CodeToken::Text(path))) if is_print(walk) => {
            walk.effect(CodeAction::Truncate { path: path.clone() });
        }
        _ => {}
    }
}
