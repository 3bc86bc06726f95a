//! Finds the word someone most likely meant.

/// Beyond this a typed name is not a typing mistake, and comparing it would only cost time.
const LONGEST: usize = 64;

/// The candidate nearest to the typed text, if it is near enough to be meant.
///
/// A candidate whose last part is the typed text (`max_chars` for `structure.max_chars`) is meant too.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = typed.chars().count();
    if length == 0 || length > LONGEST {
        return None;
    }
    let typed = typed.to_lowercase().replace('-', "_");
    let within = (length / 3).max(1);
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(&typed, candidate, within)?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How far apart they are, if not farther than this.
fn distance(typed: &str, candidate: &str, within: usize) -> Option<usize> {
    let last = candidate.rsplit('.').next().unwrap_or(candidate);
    if last == typed {
        return Some(1);
    }
    // Each letter more or less is an edit, so most candidates need not be compared.
    let longer = typed.chars().count().abs_diff(candidate.chars().count());
    if longer > within {
        return None;
    }
    Some(edits(typed, candidate)).filter(|edits| *edits <= within)
}

/// Letters to add, drop, change or swap with their neighbour to get from one text to the other.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    let mut previous = None;
    for (index, letter) in from.chars().enumerate() {
        let mut next = vec![index + 1];
        for (column, other) in to.iter().enumerate() {
            let cell = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (cell(&row, column) + usize::from(letter != *other))
                .min(cell(&row, column + 1) + 1)
                .min(cell(&next, column) + 1);
            let swapped = column > 0 && previous == Some(*other) && to.get(column - 1) == Some(&letter);
            if swapped {
                cost = cost.min(cell(&before, column - 1) + 1);
            }
            next.push(cost);
        }
        before = row;
        row = next;
        previous = Some(letter);
    }
    row.last().copied().unwrap_or_default()
}
