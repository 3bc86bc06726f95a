//! Commands as people should see them.

use crate::gap;
use crate::word::Word;
use std::borrow::Cow;

/// How many bytes of a segment are shown.
const SHOWN: usize = 400;

/// The text, cut in the middle if it is long.
pub(super) fn shortened(text: &str) -> String {
    let shown = if gap::has_gaps(text) {
        Cow::Owned(gap::shown(text))
    } else {
        Cow::Borrowed(text)
    };
    let text = shown.trim();
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let front = text.floor_char_boundary(SHOWN / 2);
    let back = text.ceil_char_boundary(text.len() - SHOWN / 2);
    let (front, back) = (
        text.get(..front).unwrap_or_default(),
        text.get(back..).unwrap_or_default(),
    );
    format!("{front} … {back}")
}

/// Words as one would write them.
pub(super) fn written(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&one(word));
        if text.len() > SHOWN * 2 {
            break;
        }
    }
    shortened(&text)
}

fn one(word: &Word) -> String {
    match word {
        Word::Literal(text) => quoted(text),
        Word::OneOf(texts) => format!("{{{}}}", texts.join(",")),
        Word::Glob { pattern } => pattern.clone(),
        Word::Unknown {
            prefix, suffix, name, ..
        } => match name {
            Some(name) => format!("{prefix}${{{name}}}{suffix}"),
            None => format!("{prefix}…{suffix}"),
        },
    }
}

fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=@%+,~^".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
