//! Programs that turn text into other text, where that is simple enough to follow.

use crate::grammar::Usage;

pub(super) fn rev(input: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(input).ok()?;
    let mut done = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        done.extend(bare.chars().rev());
        done.push_str(if line.len() > bare.len() { "\n" } else { "" });
    }
    Some(done.into_bytes())
}

pub(super) fn tac(input: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(input).ok()?;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.reverse();
    Some(
        lines
            .iter()
            .flat_map(|line| line.bytes().chain([b'\n']))
            .collect(),
    )
}

/// `tr SET1 SET2`, `tr -d SET1`.
pub(super) fn tr(usage: &Usage<'_>, operands: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    if usage.has("--complement") || usage.has("--squeeze-repeats") {
        return None;
    }
    let first = set(operands.first()?)?;
    if usage.has("--delete") {
        return Some(
            input
                .iter()
                .copied()
                .filter(|byte| !first.contains(byte))
                .collect(),
        );
    }
    let second = set(operands.get(1)?)?;
    let last = *second.last()?;
    let change = |byte: &u8| match first.iter().rposition(|from| from == byte) {
        Some(at) => second.get(at).copied().unwrap_or(last),
        None => *byte,
    };
    Some(input.iter().map(change).collect())
}

/// A set of `tr`: letters, ranges, classes, backslashes.
fn set(text: &str) -> Option<Vec<u8>> {
    let named = match text {
        "[:upper:]" => Some("A-Z"),
        "[:lower:]" => Some("a-z"),
        "[:digit:]" => Some("0-9"),
        "[:alpha:]" => Some("A-Za-z"),
        "[:alnum:]" => Some("0-9A-Za-z"),
        "[:space:]" => Some(" \t\n\r"),
        _ => None,
    };
    let source = unescaped(named.unwrap_or(text));
    if source.windows(2).any(|pair| pair == b"[:" || pair == b"[=") {
        return None;
    }
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(byte) = source.get(at) {
        match (source.get(at + 1), source.get(at + 2)) {
            (Some(b'-'), Some(end)) if end >= byte => {
                bytes.extend(*byte..=*end);
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    (bytes.len() <= 1024).then_some(bytes)
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut letters = text.bytes();
    while let Some(byte) = letters.next() {
        bytes.push(match byte {
            b'\\' => match letters.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'r') => b'\r',
                Some(other) => other,
                None => b'\\',
            },
            other => other,
        });
    }
    bytes
}

/// `head -n N`, `tail -n N`, `head -c N`.
pub(super) fn lines(name: &str, usage: &Usage<'_>, input: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(input).ok()?;
    if let Some(count) = usage.value("--bytes").and_then(|word| word.literal()) {
        let count: usize = count.parse().ok()?;
        return (name == "head").then(|| input.iter().copied().take(count).collect());
    }
    let count = usage.value("--lines").or(usage.value("-NUM"));
    let count: usize = match count {
        Some(count) => count.literal()?.parse().ok()?,
        None => 10,
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let kept = match name {
        "head" => lines.get(..count.min(lines.len())),
        _ => lines.get(lines.len().saturating_sub(count)..),
    };
    Some(kept?.concat().into_bytes())
}

/// `cut -d X -f N` and `cut -c N-M`, one field or range.
pub(super) fn cut(usage: &Usage<'_>, input: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(input).ok()?;
    let mut done = String::new();
    if let Some(field) = usage.value("--fields") {
        let field: usize = field.literal()?.parse().ok()?;
        let delimiter = usage
            .value("--delimiter")
            .map_or(Some("\t"), |word| word.literal())?;
        for line in text.lines() {
            let part = line.split(delimiter).nth(field.checked_sub(1)?);
            done.push_str(if line.contains(delimiter) {
                part.unwrap_or_default()
            } else {
                line
            });
            done.push('\n');
        }
        return Some(done.into_bytes());
    }
    let range = usage
        .value("--characters")
        .or(usage.value("--bytes"))?
        .literal()?;
    let (start, end) = range.split_once('-').unwrap_or((range, range));
    let start: usize = if start.is_empty() { 1 } else { start.parse().ok()? };
    let end: usize = if end.is_empty() {
        usize::MAX
    } else {
        end.parse().ok()?
    };
    for line in text.lines() {
        done.extend(
            line.chars()
                .skip(start.checked_sub(1)?)
                .take(end.checked_sub(start)?.saturating_add(1)),
        );
        done.push('\n');
    }
    Some(done.into_bytes())
}

/// `sed 's/literal/literal/g'`, one command without a pattern's signs.
pub(super) fn sed(usage: &Usage<'_>, operands: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let by_option = usage.value("--expression").and_then(|word| word.literal());
    let script = match (by_option, operands) {
        (Some(script), []) => script,
        (None, [script]) => script,
        _ => return None,
    };
    let separator = script.strip_prefix('s')?.chars().next()?;
    let parts: Vec<&str> = script.get(1 + separator.len_utf8()..)?.split(separator).collect();
    let [from, to, flags] = parts.as_slice() else {
        return None;
    };
    let is_plain =
        |text: &str| !text.contains(['.', '*', '[', ']', '^', '$', '\\', '&', '+', '?', '(', ')', '|']);
    if from.is_empty() || !is_plain(from) || !is_plain(to) || !matches!(*flags, "" | "g") {
        return None;
    }
    let text = str::from_utf8(input).ok()?;
    let change = |line: &str| {
        if *flags == "g" {
            line.replace(from, to)
        } else {
            line.replacen(from, to, 1)
        }
    };
    Some(
        text.split_inclusive('\n')
            .map(change)
            .collect::<String>()
            .into_bytes(),
    )
}
