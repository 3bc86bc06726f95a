//! A coarse look at text that cannot be read: whether any word in it could matter at all.

use super::runner::{INTERPRETERS, SHELLS};
use foldhash::fast::RandomState;
use std::collections::HashSet;

/// What runs or decodes text beside shells and interpreters; text that names one is never harmless by itself.
const RUNNERS: &[&str] = &[
    "eval", "exec", "source", "awk", "gawk", "base64", "base32", "xxd", "openssl", "gunzip", "zcat", "rev",
    "xargs", "find", "ssh", "sudo", "doas",
];

/// Whether the text holds one of these words, or the name of a shell, decoder or interpreter. Quotes and backslashes
/// within a word do not hide it.
pub fn holds_trigger<'a>(text: &str, triggers: impl IntoIterator<Item = &'a str>) -> bool {
    let mut plain = String::with_capacity(text.len());
    for part in text.split(['\'', '"', '\\']) {
        plain.push_str(part);
    }
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-' || letter == '.';
    let written = plain.split(|letter| !is_part(letter));
    let words: HashSet<&str, RandomState> = written.filter(|word| !word.is_empty()).collect();
    let mut runners = SHELLS.iter().chain(INTERPRETERS).chain(RUNNERS);
    triggers.into_iter().any(|trigger| words.contains(trigger))
        || runners.any(|runner| words.contains(runner))
}

#[cfg(test)]
mod tests;
