//! Foreign text as plain words: what does not belong into a name or a sentence is removed, not escaped.

use super::is_unsafe;

/// Characters looked at; beyond them no name or sentence of ours reaches.
const MOST: usize = 4_096;

/// The text on one line without escape sequences, control and invisible characters, white space collapsed.
pub fn plain(text: &str) -> String {
    let head: String = text.chars().take(MOST).collect();
    let mut words = String::with_capacity(head.len());
    let mut rest = head.as_str();
    while let Some((before, escape)) = rest.find(is_introducer).and_then(|at| rest.split_at_checked(at)) {
        words.push_str(before);
        rest = after_escape(escape);
    }
    words.push_str(rest);
    let words: String = words.chars().filter_map(shown).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text within `limit` characters: cut between words where that leaves at least half of it, never within one
/// visible character, and marked as cut.
pub fn shortened(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let room = limit.saturating_sub(1);
    let characters: Vec<char> = text.chars().take(room + 1).collect();
    let (head, next) = characters.split_at(room.min(characters.len()));
    let kept = if next.first().is_some_and(|next| next.is_whitespace()) {
        head
    } else {
        match head.iter().rposition(|character| character.is_whitespace()) {
            Some(space) if space >= limit / 2 => head.get(..space).unwrap_or(head),
            Some(_) | None => whole(&characters, room),
        }
    };
    let kept: String = kept.iter().collect();
    format!("{}…", kept.trim_end())
}

/// As many of the first `room` characters as end with a whole visible character.
fn whole(characters: &[char], room: usize) -> &[char] {
    let joins = |at: &usize| {
        let (before, after) = characters.split_at_checked(*at).unwrap_or((characters, &[]));
        match (before.last(), after.first()) {
            (Some(last), Some(next)) => is_one(before, *last, *next),
            (None | Some(_), None) | (None, Some(_)) => false,
        }
    };
    let end = (1..=room).rev().find(|at| !joins(at)).unwrap_or(room);
    characters.get(..end).unwrap_or(characters)
}

/// Whether `next` belongs to the visible character that `last` is part of.
fn is_one(before: &[char], last: char, next: char) -> bool {
    const JOINER: char = '\u{200d}';
    let is_letter_of_flag = |character: &char| matches!(character, '\u{1f1e6}'..='\u{1f1ff}');
    last == JOINER
        || matches!(next,
            JOINER | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
        || (is_letter_of_flag(&next)
            && before
                .iter()
                .rev()
                .take_while(|letter| is_letter_of_flag(letter))
                .count()
                % 2
                == 1)
}

fn shown(character: char) -> Option<char> {
    if character.is_whitespace() {
        Some(' ')
    } else if is_unsafe(character) || matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}') {
        None
    } else {
        Some(character)
    }
}

/// The characters that begin an escape sequence of a terminal.
fn is_introducer(character: char) -> bool {
    matches!(
        character,
        '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}' | '\u{9e}' | '\u{9f}'
    )
}

/// What follows the escape sequence at the start of the text. A broken sequence loses its first characters only.
fn after_escape(text: &str) -> &str {
    let mut characters = text.chars();
    let first = characters.next();
    match first {
        Some('\u{9b}') => after_control(characters.as_str()),
        Some('\u{1b}') => match characters.next() {
            Some('[') => after_control(characters.as_str()),
            Some(']' | 'P' | 'X' | '^' | '_') => after_string(characters.as_str()),
            Some(' '..='/') => {
                let rest = characters
                    .as_str()
                    .trim_start_matches(|next| matches!(next, ' '..='/'));
                rest.strip_prefix(|next| matches!(next, '0'..='~'))
                    .unwrap_or(rest)
            }
            Some('0'..='~') => characters.as_str(),
            Some(_) | None => text.strip_prefix('\u{1b}').unwrap_or_default(),
        },
        Some(_) => after_string(characters.as_str()),
        None => "",
    }
}

/// What follows parameters and the one letter that ends a control sequence.
fn after_control(text: &str) -> &str {
    let rest = text.trim_start_matches(|character| matches!(character, ' '..='?'));
    rest.strip_prefix(|character| matches!(character, '@'..='~'))
        .unwrap_or(rest)
}

/// What follows a control string (a title, a link); one without an end is taken for text.
fn after_string(text: &str) -> &str {
    let ends = ["\u{7}", "\u{1b}\\", "\u{9c}"];
    let end = ends
        .iter()
        .filter_map(|end| text.find(end).map(|at| at + end.len()))
        .min();
    end.and_then(|at| text.get(at..)).unwrap_or(text)
}

#[cfg(test)]
mod tests;
