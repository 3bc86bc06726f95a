//! What `${x%…}`, `${x/…}` and their like make of a known text.

use crate::parameter::ParameterOperation;
use crate::pattern::Glob;
use crate::word::Word;

/// How long a value may be for patterns to be tried on it.
const MOST_LETTERS: usize = 512;

/// The new text; none if it cannot be known.
pub(super) fn transformed(
    act: &ParameterOperation<'_>,
    text: &str,
    operand: Option<&Word>,
    steps: &mut usize,
) -> Option<String> {
    match act {
        ParameterOperation::Length => Some(text.chars().count().to_string()),
        ParameterOperation::Trim {
            is_front, is_long, ..
        } => trimmed(text, &pattern_of(operand?)?, (*is_front, *is_long), steps),
        ParameterOperation::Substitute { is_all, .. } => substituted(text, operand?.literal()?, *is_all),
        ParameterOperation::Slice { text: range } => sliced(text, range),
        ParameterOperation::Case { is_upper, is_all } => Some(cased(text, *is_upper, *is_all)),
        ParameterOperation::Transform("Q" | "P" | "E") => Some(text.to_owned()),
        _ => None,
    }
}

fn pattern_of(word: &Word) -> Option<Glob> {
    match word {
        Word::Literal(text) => {
            let escaped: String = text.chars().flat_map(|letter| ['\\', letter]).collect();
            Some(Glob::new(&escaped))
        }
        Word::Glob { pattern } => Some(Glob::new(pattern)),
        Word::OneOf(_) | Word::Unknown { .. } => None,
    }
}

fn trimmed(
    text: &str,
    pattern: &Glob,
    (is_front, is_long): (bool, bool),
    steps: &mut usize,
) -> Option<String> {
    if text.len() > MOST_LETTERS {
        return None;
    }
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    cuts.push(text.len());
    // The shortest piece first, or the longest.
    if is_front == is_long {
        cuts.reverse();
    }
    for cut in cuts {
        let (front, back) = text.split_at_checked(cut)?;
        let (piece, rest) = if is_front { (front, back) } else { (back, front) };
        if pattern.fits(piece, steps)? {
            return Some(rest.to_owned());
        }
    }
    Some(text.to_owned())
}

fn substituted(text: &str, operand: &str, is_all: bool) -> Option<String> {
    let (from, to) = operand.split_once('/').unwrap_or((operand, ""));
    if from.is_empty() || from.starts_with(['#', '%']) || text.len() > MOST_LETTERS {
        return None;
    }
    Some(if is_all {
        text.replace(from, to)
    } else {
        text.replacen(from, to, 1)
    })
}

fn sliced(text: &str, range: &str) -> Option<String> {
    let (offset, length) = range.split_once(':').unwrap_or((range, ""));
    let letters: Vec<char> = text.chars().collect();
    let place = |number: &str| -> Option<usize> {
        let number: i64 = number.trim().parse().ok()?;
        let end = i64::try_from(letters.len()).ok()?;
        let place = if number < 0 { end + number } else { number };
        usize::try_from(place.clamp(0, end)).ok()
    };
    let start = place(offset)?;
    let end = match length.trim() {
        "" => letters.len(),
        negative if negative.starts_with('-') => place(negative)?,
        count => start.saturating_add(count.parse().ok()?).min(letters.len()),
    };
    Some(
        letters
            .get(start..end.max(start))
            .unwrap_or_default()
            .iter()
            .collect(),
    )
}

fn cased(text: &str, is_upper: bool, is_all: bool) -> String {
    let change = |text: &str| {
        if is_upper {
            text.to_uppercase()
        } else {
            text.to_lowercase()
        }
    };
    if is_all {
        return change(text);
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    let (front, back) = text.split_at_checked(first).unwrap_or((text, ""));
    format!("{}{back}", change(front))
}
