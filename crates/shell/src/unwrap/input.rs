//! Programs that run a command on what they find or are fed: `xargs`, `find -exec`, `fd -x`, `parallel`.

mod find;
mod parallel;

pub(super) use find::{fd, find, places};
pub(super) use parallel::parallel;

use super::outer::WrapperCommand;
use crate::gap;
use crate::inner::{Inner, Inputs};
use crate::word::Word;

/// More places than this are as good as unknown ones.
const MOST_PLACES: usize = 16;

pub(super) fn xargs(outer: &WrapperCommand<'_>) -> Vec<Inner> {
    let usage = &outer.usage;
    let replace = usage
        .options
        .iter()
        .rev()
        .find(|given| ["-I", "--replace", "-J"].iter().any(|name| given.is(name)));
    let replace = replace.map(|given| match given.value.as_deref() {
        Some(value) => value.literal().unwrap_or("{}").to_owned(),
        None => "{}".to_owned(),
    });
    let mut found = outer.command(0);
    let from_file = usage.has("--arg-file");
    if let Some(Inner::Words { inputs, words, .. }) = found.first_mut() {
        match replace {
            Some(replace) if from_file => *words = replaced(words, &replace, &[Word::unknown()]),
            None if from_file => *inputs = Inputs::Known(vec![Word::unknown_words()]),
            replace => *inputs = Inputs::Stdin { replace },
        }
    }
    found
}

/// Words with a placeholder replaced: a whole word by all inputs, a part of one by each in turn.
pub(crate) fn replaced(words: &[Word], placeholder: &str, inputs: &[Word]) -> Vec<Word> {
    let mut done = Vec::with_capacity(words.len());
    for word in words {
        match word.literal() {
            Some(text) if text == placeholder => done.extend(inputs.iter().cloned()),
            Some(text) if text.contains(placeholder) => done.push(within(text, placeholder, inputs)),
            Some(_) | None => done.push(word.clone()),
        }
    }
    done
}

fn within(text: &str, placeholder: &str, inputs: &[Word]) -> Word {
    let known: Option<Vec<&str>> = inputs.iter().map(Word::literal).collect();
    if let Some(known) = known {
        return Word::one_of(known.into_iter().map(|input| text.replace(placeholder, input)));
    }
    if text.contains(char::is_whitespace) {
        // A text for a shell: it can still be read around the gap.
        return Word::Literal(text.replace(placeholder, &gap::gap(None)));
    }
    let (prefix, rest) = text.split_once(placeholder).unwrap_or((text, ""));
    let suffix = rest.rsplit(placeholder).next().unwrap_or_default();
    Word::Unknown {
        prefix: prefix.to_owned(),
        suffix: suffix.to_owned(),
        quoted: true,
        name: None,
    }
}
