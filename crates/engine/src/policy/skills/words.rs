//! Words of a text, as they are compared: small letters, without a plain plural.

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
    text.nfc().flat_map(char::to_lowercase).collect()
}

/// Every word of a text in small letters, in order, without a plain plural. In scripts that set no spaces, every
/// letter is a word.
pub(super) fn words(small: &str) -> impl Iterator<Item = &str> {
    let runs = small.split(|letter: char| !letter.is_alphanumeric());
    runs.filter(|run| !run.is_empty()).flat_map(|run| {
        let is_spaced = run.is_ascii() || !run.chars().any(is_unspaced);
        let (whole, apart) = if is_spaced {
            (Some(singular(run)), "")
        } else {
            (None, run)
        };
        whole.into_iter().chain(apart.split_inclusive(|_: char| true))
    })
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
fn is_unspaced(letter: char) -> bool {
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
