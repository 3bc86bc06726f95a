//! Words of a text, as they are compared: small letters, without a plain plural.

use super::stretch::Stretches;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Words that say nothing about a task.
const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "around", "as",
    "at", "be", "because", "been", "before", "being", "between", "both", "but", "by", "can", "could", "did",
    "do", "doe", "doing", "don", "done", "down", "during", "each", "either", "else", "etc", "even", "every",
    "few", "for", "from", "further", "get", "give", "had", "has", "have", "having", "he", "help", "her",
    "here", "him", "his", "how", "i", "if", "in", "instead", "into", "is", "it", "its", "just", "let",
    "like", "ll", "make", "many", "may", "me", "might", "more", "most", "much", "must", "my", "need", "no",
    "nor", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other", "our", "out", "over",
    "own", "please", "re", "same", "shall", "she", "should", "since", "so", "some", "such", "sure", "take",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "thi", "thing", "this",
    "those", "through", "to", "too", "under", "until", "up", "upon", "us", "use", "used", "using", "ve",
    "very", "via", "want", "was", "we", "well", "were", "what", "when", "where", "whether", "which", "while",
    "who", "whom", "whose", "why", "will", "with", "within", "without", "would", "you", "your",
];

/// The text in small letters, its letters put together the usual way.
pub(super) fn small(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut small = String::with_capacity(text.len());
    let mut at = 0;
    // A letter is put together with what follows it, and nothing that follows is a plain sign.
    for stretch in Stretches::of(text).filter(|stretch| !stretch.is_plain) {
        push_plain(&mut small, text.get(at..stretch.start));
        let mixed = text.get(stretch.start..stretch.end).unwrap_or_default();
        small.extend(mixed.nfc().flat_map(char::to_lowercase));
        at = stretch.end;
    }
    push_plain(&mut small, text.get(at..));
    small
}

fn push_plain(small: &mut String, plain: Option<&str>) {
    let at = small.len();
    small.push_str(plain.unwrap_or_default());
    if let Some(pushed) = small.get_mut(at..) {
        pushed.make_ascii_lowercase();
    }
}

/// Every word of a text in small letters, in order, without a plain plural. In scripts that set no spaces, every
/// letter is a word.
pub(super) fn words(small: &str) -> Words<'_> {
    Words {
        text: small,
        stretches: Stretches::of(small),
        mixed: "",
        apart: "",
    }
}

/// See [`words`].
pub(super) struct Words<'t> {
    text: &'t str,
    stretches: Stretches<'t>,
    /// What is left of a stretch that may have signs in it.
    mixed: &'t str,
    /// What is left of a run whose letters are words.
    apart: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        loop {
            if let Some(letter) = self.apart.chars().next() {
                let (word, rest) = self.apart.split_at(letter.len_utf8());
                self.apart = rest;
                return Some(word);
            }
            if !self.mixed.is_empty() {
                if let Some(word) = self.of_mixed() {
                    return Some(word);
                }
                continue;
            }
            let stretch = self.stretches.next()?;
            let text = self.text.get(stretch.start..stretch.end)?;
            if stretch.is_plain {
                return Some(singular(text));
            }
            self.mixed = text;
        }
    }
}

impl<'t> Words<'t> {
    /// The next run of letters in a mixed stretch, unless each of them is a word.
    fn of_mixed(&mut self) -> Option<&'t str> {
        let is_sign = |letter: char| !letter.is_alphanumeric();
        let begun = self.mixed.trim_start_matches(is_sign);
        let (run, rest) = begun.split_at(begun.find(is_sign).unwrap_or(begun.len()));
        self.mixed = rest;
        if run.chars().any(is_unspaced) {
            self.apart = run;
            return None;
        }
        Some(run).filter(|run| !run.is_empty()).map(singular)
    }
}

/// All words of any text, owned.
pub(super) fn words_of(text: &str) -> Vec<String> {
    words(&small(text)).map(str::to_owned).collect()
}

/// Whether a word says something about a task.
pub(super) fn counts(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_err()
}

/// A text on one line for people, as short as asked.
pub(super) fn shown(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(limit.saturating_sub(1)).chain(['…']).collect())
}

fn singular(word: &str) -> &str {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with('s') => stem,
        Some(_) | None => word,
    }
}

/// Letters of scripts that set no spaces between words.
pub(super) fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_are_small_whole_and_singular() {
        let cases: &[(&str, &[&str])] = &[
            ("Add the Services!", &["add", "the", "service"]),
            ("class glass bus gas", &["class", "glass", "bus", "gas"]),
            ("effect-ts/di_layer", &["effect", "ts", "di", "layer"]),
            ("Zoe\u{308} ÜBER", &["zoë", "über"]),
            ("依存 注入", &["依", "存", "注", "入"]),
            ("  \n\t--", &[]),
            ("x1 2nd", &["x1", "2nd"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words_of(text), *expected, "{text}");
        }
    }
}
