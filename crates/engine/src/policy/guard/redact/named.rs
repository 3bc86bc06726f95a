//! Secrets that stand after their name: `TOKEN=…`, `"password": "…"`, `--password …`, `Bearer …`, `the password is …`.

use super::value::{ValueStyle, blanks, moved, value};
use std::ops::Range;

/// Names whose value is a secret, alone or as the last part of a longer one.
const NAMES: [&str; 17] = [
    "password",
    "passwd",
    "passwort",
    "kennwort",
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
    "client_secret",
    "auth",
    "credential",
    "passphrase",
    "secret_key",
];
/// Names that also end one without a mark between them: `PGPASSWORD`, `accessToken`.
const GLUED: [&str; 6] = ["password", "passwd", "passphrase", "secret", "token", "sshpass"];
/// Only as the last part of a longer name: alone it is a verb.
const LAST_PARTS: [&str; 3] = ["_pass", "-pass", ".pass"];
/// Names that people use for a secret in a sentence.
const SPOKEN: [&str; 8] = [
    "password",
    "passwort",
    "kennwort",
    "passphrase",
    "passcode",
    "passwd",
    "token",
    "secret",
];
/// What joins such a name and its secret.
const IS: [&str; 4] = ["is", "ist", "lautet", "was"];
/// What may follow `the password is` without being one.
const EVERYDAY: [&str; 52] = [
    "a",
    "about",
    "absent",
    "already",
    "also",
    "an",
    "as",
    "at",
    "bad",
    "being",
    "better",
    "correct",
    "empty",
    "enough",
    "for",
    "from",
    "good",
    "here",
    "in",
    "incorrect",
    "invalid",
    "it",
    "kept",
    "known",
    "long",
    "missing",
    "no",
    "not",
    "now",
    "null",
    "ok",
    "old",
    "on",
    "only",
    "one",
    "optional",
    "part",
    "safe",
    "sent",
    "set",
    "short",
    "still",
    "that",
    "the",
    "there",
    "to",
    "too",
    "unset",
    "valid",
    "weak",
    "what",
    "wrong",
];
/// A shorter value is rather code than a secret.
const SHORTEST: usize = 4;
/// A secret that only its digits tell from a word.
const SHORTEST_MIXED: usize = 6;

/// The secret that follows a word, counted from the word's beginning.
pub fn secret_after(word: &str, others: &str) -> Option<Range<usize>> {
    let lower = word.to_lowercase();
    let found = assigned(&lower, others)
        .or_else(|| announced(&lower, others))
        .or_else(|| spoken(&lower, others))?;
    Some(moved(&found, word.len()))
}

fn is_name(lower: &str) -> bool {
    let is_last_part = |name: &str| {
        lower
            .strip_suffix(name)
            .is_some_and(|first| first.is_empty() || first.ends_with(['_', '-', '.']))
    };
    NAMES.iter().any(|name| is_last_part(name))
        || GLUED.iter().chain(&LAST_PARTS).any(|end| lower.ends_with(end))
}

/// `TOKEN=…`, `password: …`, `"password": "…"`, `--password …`
fn assigned(lower: &str, others: &str) -> Option<Range<usize>> {
    if !is_name(lower) {
        return None;
    }
    let closing = ["\\\"", "\"", "'"]
        .into_iter()
        .find(|quote| others.starts_with(quote));
    let mut at = closing.map_or(0, str::len);
    at += blanks(others.get(at..)?);
    if others.get(at..)?.starts_with(['=', ':']) {
        at += 1;
        at += blanks(others.get(at..)?);
    } else if closing.is_some() || at == 0 || !lower.starts_with("--") || others.get(at..)?.starts_with('-') {
        return None;
    }
    long_enough(others, at, ValueStyle::Shell)
}

/// `Bearer …`, `Basic …`
fn announced(lower: &str, others: &str) -> Option<Range<usize>> {
    let at = blanks(others);
    if at == 0 || !matches!(lower, "bearer" | "basic") {
        return None;
    }
    let found = long_enough(others, at, ValueStyle::Shell)?;
    // A basic test is no secret.
    let is_word = others.get(found.clone())?.chars().all(char::is_lowercase);
    (lower == "bearer" || !is_word).then_some(found)
}

/// `the password is …`, `with password …`
fn spoken(lower: &str, others: &str) -> Option<Range<usize>> {
    let at = blanks(others);
    if at == 0 || !SPOKEN.contains(&lower) {
        return None;
    }
    let after = others.get(at..)?;
    let joined = IS.iter().find_map(|is| {
        let rest = after.strip_prefix(is)?;
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let skipped = after.len() - rest.len() + blanks(rest);
        (blanks(rest) > 0).then_some(at + skipped)
    });
    let found = long_enough(others, joined.unwrap_or(at), ValueStyle::Prose)?;
    let word = others.get(found.clone())?;
    let is_hidden = if joined.is_some() {
        !is_everyday(word)
    } else {
        is_mixed(word)
    };
    is_hidden.then_some(found)
}

fn long_enough(others: &str, at: usize, style: ValueStyle) -> Option<Range<usize>> {
    let found = moved(&value(others.get(at..)?, style)?, at);
    (found.len() >= SHORTEST).then_some(found)
}

/// A word of a sentence about a secret: `wrong`, `required`, `being checked`.
fn is_everyday(value: &str) -> bool {
    let word = value.trim_end_matches(['.', '!', '?', ':', ';', ')']);
    EVERYDAY.contains(&word.to_lowercase().as_str())
        || (word.chars().all(char::is_lowercase) && (word.ends_with("ed") || word.ends_with("ing")))
}

/// Letters and digits in one word that is no file's name.
fn is_mixed(value: &str) -> bool {
    value.len() >= SHORTEST_MIXED
        && !value.contains(['/', '.', '='])
        && value.chars().any(|letter| letter.is_ascii_digit())
        && value.chars().any(char::is_alphabetic)
}
