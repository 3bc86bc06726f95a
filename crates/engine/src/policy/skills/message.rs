//! What the agent reads: names and matched words only.

use super::suggestion::Suggestion;
use std::borrow::Cow;

/// Most characters of one word or phrase, and of all of one skill.
const LONGEST_HIT: usize = 40;
const MOST_OF_HITS: usize = 100;

/// The text for some suggestions; at most 600 characters for three.
pub(super) fn text(suggestions: &[Suggestion]) -> String {
    let each: Vec<String> = suggestions
        .iter()
        .map(|suggestion| format!("{} ({})", suggestion.name, hits(suggestion)))
        .collect();
    format!(
        "Skills that may help: {}. Use one only if it fits.",
        each.join("; ")
    )
}

fn hits(suggestion: &Suggestion) -> String {
    let mut text = String::new();
    for hit in &suggestion.hits {
        let hit = shown(hit, LONGEST_HIT);
        let length = text.chars().count() + hit.chars().count() + 2;
        if length > MOST_OF_HITS {
            break;
        }
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&hit);
    }
    text
}

/// A text that is as short as asked.
fn shown(text: &str, limit: usize) -> Cow<'_, str> {
    if text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(limit.saturating_sub(1)).chain(['…']).collect())
}
