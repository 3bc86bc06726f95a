//! Brace expansion: `a{b,c}d` and `{1..3}`, on the written word, before anything else.

use super::scan;

/// How many words one word may become.
const MOST: usize = 64;
/// How often the whole word may be looked at, and how many bytes in any case.
const LOOKS: usize = 8;
const ANYWAY: usize = 256 * 1024;

/// The words a written word becomes; itself, if nothing in it expands. None if there are more than 64. The bytes that were
/// looked at for it are added up.
pub(super) fn expanded(raw: &str, depth: usize, looked: &mut usize) -> Option<Vec<String>> {
    if !raw.contains('{') || !raw.contains('}') {
        return Some(vec![raw.to_owned()]);
    }
    // Every word that is looked at, and every brace in it that is none, may be a look at all that follows.
    let most = LOOKS.saturating_mul(raw.len()).saturating_add(ANYWAY);
    let mut bytes = most;
    let words = all_words(raw, depth, &mut bytes);
    *looked += most - bytes;
    words
}

fn all_words(raw: &str, depth: usize, bytes: &mut usize) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut left = vec![raw.to_owned()];
    let mut steps = 0;
    while let Some(word) = left.pop() {
        steps += 1;
        if done.len() + left.len() >= MOST || steps > 4 * MOST {
            return None;
        }
        match first_brace(&word, depth, bytes).ok()? {
            None => done.push(word),
            Some(brace) => {
                let choices = brace.choices(&word);
                if choices.len() + left.len() + done.len() > MOST {
                    return None;
                }
                left.extend(choices.into_iter().rev());
            }
        }
    }
    Some(done)
}

/// Looking for braces would take too long.
struct TooMany;

/// One pair of braces that expands.
struct Brace {
    start: usize,
    end: usize,
    parts: Vec<String>,
}

impl Brace {
    fn choices(&self, word: &str) -> Vec<String> {
        let before = word.get(..self.start).unwrap_or_default();
        let after = word.get(self.end..).unwrap_or_default();
        self.parts
            .iter()
            .map(|part| format!("{before}{part}{after}"))
            .collect()
    }
}

/// The first pair that expands, from the left; quotes and substitutions are passed over.
///
/// Fails if looking for it takes more than so many bytes.
fn first_brace(word: &str, depth: usize, bytes: &mut usize) -> Result<Option<Brace>, TooMany> {
    let mut at = 0;
    let mut tries = 0;
    *bytes = bytes.checked_sub(word.len()).ok_or(TooMany)?;
    while let Some(start) = next_open(word, at, depth) {
        *bytes = bytes.checked_sub(word.len() - start).ok_or(TooMany)?;
        if let Some(brace) = brace_at(word, start, depth) {
            return Ok(Some(brace));
        }
        tries += 1;
        if tries > MOST {
            break;
        }
        at = start + 1;
    }
    Ok(None)
}

fn next_open(word: &str, from: usize, depth: usize) -> Option<usize> {
    let mut at = from;
    while let Some(byte) = word.as_bytes().get(at) {
        match byte {
            b'{' => return Some(at),
            _ => at = after(word, at, depth)?,
        }
    }
    None
}

/// The next position behind one character, quote or substitution.
fn after(word: &str, at: usize, depth: usize) -> Option<usize> {
    let bytes = word.as_bytes();
    match (bytes.get(at)?, bytes.get(at + 1)) {
        (b'\\', _) => Some(at + 2),
        (b'\'' | b'"' | b'`', _) | (b'$', Some(b'(' | b'{')) | (b'<' | b'>', Some(b'(')) => {
            scan::end_of(word, at, depth)
        }
        (b'$', Some(b'\'')) => scan::end_of(word, at + 1, depth),
        _ => Some(at + 1),
    }
}

fn brace_at(word: &str, start: usize, depth: usize) -> Option<Brace> {
    let mut at = start + 1;
    let mut from = at;
    let mut parts = Vec::new();
    let mut open = 0_usize;
    loop {
        match word.as_bytes().get(at)? {
            b'{' => open += 1,
            b'}' if open > 0 => open -= 1,
            b'}' => break,
            b',' if open == 0 => {
                parts.push(word.get(from..at)?.to_owned());
                from = at + 1;
            }
            _ => {
                at = after(word, at, depth)?;
                continue;
            }
        }
        at += 1;
    }
    if parts.is_empty() {
        parts = sequence(word.get(from..at)?)?;
    } else {
        parts.push(word.get(from..at)?.to_owned());
    }
    Some(Brace {
        start,
        end: at + 1,
        parts,
    })
}

/// `1..5`, `a..e`, `1..9..2`
fn sequence(inner: &str) -> Option<Vec<String>> {
    let mut ends = inner.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step = step
        .map_or(Some(1), |step| step.parse::<i64>().ok())?
        .unsigned_abs()
        .max(1);
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        return numbers(first, last, step);
    }
    let letter = |text: &str| {
        let mut letters = text.chars();
        letters
            .next()
            .filter(|letter| letter.is_ascii_alphabetic() && letters.next().is_none())
    };
    let (first, last) = (letter(first)?, letter(last)?);
    let found = numbers(u32::from(first).into(), u32::from(last).into(), step)?;
    let as_letter = |number: String| number.parse().ok().and_then(char::from_u32).map(String::from);
    found.into_iter().map(as_letter).collect()
}

fn numbers(first: i64, last: i64, step: u64) -> Option<Vec<String>> {
    let count = (first.abs_diff(last) / step).saturating_add(1);
    if count > u64::try_from(MOST).ok()? {
        // Too many: the caller sees that from the count.
        return Some(vec![String::new(); MOST + 1]);
    }
    let step = i64::try_from(step).ok()?;
    let step = if first <= last { step } else { -step };
    let numbers =
        (0..count).filter_map(|index| i64::try_from(index).ok()?.checked_mul(step)?.checked_add(first));
    Some(numbers.map(|number| number.to_string()).collect())
}

#[cfg(test)]
mod tests;
