//! Takes secrets out of text before anybody sees it. Shapes only: it knows no values.

mod named;
mod option;
mod value;

use option::ProgramOptions;
use shell::without_token;

/// What stands in place of a secret.
const GONE: &str = "[redacted]";

/// A secret that is told by how it begins: the prefix, and how many more letters it has at least.
const PREFIXES: [(&str, usize); 34] = [
    ("AKIA", 16),
    ("ASIA", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-", 20),
    ("sk_live_", 12),
    ("sk_test_", 12),
    ("rk_live_", 12),
    ("pk_live_", 12),
    ("whsec_", 12),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AIza", 30),
    ("ya29.", 20),
    ("npm_", 20),
    ("pypi-", 20),
    ("dop_v1_", 20),
    ("hf_", 20),
    ("SG.", 20),
    ("shpat_", 20),
    ("eyJhbGci", 20),
    ("AGE-SECRET-KEY-", 20),
    ("hvs.", 20),
    ("lin_api_", 20),
];

/// The text with everything that looks like a secret replaced. What our own commands were given to say whose they are is
/// left out: nobody wrote it.
pub fn text(text: &str) -> String {
    let text = keys(&without_token(text));
    let mut result = String::with_capacity(text.len());
    let mut options = ProgramOptions::default();
    let mut rest = text.as_str();
    while let Some(letter) = rest.chars().next() {
        if !is_word(letter) {
            options.pass(letter);
            result.push(letter);
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            continue;
        }
        let end = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        let (word, others) = rest.split_at(end);
        if is_secret(word) || is_url_password(&result, others) {
            result.push_str(GONE);
            rest = others;
            continue;
        }
        let hidden = options
            .secret_at(word, rest)
            .or_else(|| named::secret_after(word, others));
        let Some((shown, after)) =
            hidden.and_then(|hidden| Some((rest.get(..hidden.start)?, rest.get(hidden.end..)?)))
        else {
            result.push_str(word);
            rest = others;
            continue;
        };
        result.push_str(shown);
        result.push_str(GONE);
        rest = after;
    }
    result
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+' | '~' | '/' | '%')
}

fn is_secret(word: &str) -> bool {
    PREFIXES.iter().any(|(prefix, more)| {
        word.strip_prefix(prefix)
            .is_some_and(|rest| rest.chars().filter(char::is_ascii_alphanumeric).count() >= *more)
    })
}

/// `https://user:password@host`
fn is_url_password(result: &str, after: &str) -> bool {
    if !after.starts_with('@') {
        return false;
    }
    let Some(before) = result.strip_suffix(':') else {
        return false;
    };
    let user = before.trim_end_matches(|letter: char| is_word(letter) && letter != '/');
    user.ends_with("://")
        || before
            .rsplit_once("://")
            .is_some_and(|(_, user)| !user.contains([' ', '"', '\'']))
}

/// Private keys, from their first line to their last.
fn keys(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("-----BEGIN ") {
        let (before, key) = rest.split_at(at);
        result.push_str(before);
        let is_private = key
            .get(..80.min(key.len()))
            .or(Some(key))
            .is_some_and(|head| head.contains("PRIVATE KEY"));
        let end = key
            .find("-----END ")
            .and_then(|at| key.get(at + 9..)?.find("-----").map(|more| at + 9 + more + 5))
            .unwrap_or(key.len());
        let (key, after) = key.split_at(end);
        result.push_str(if is_private { GONE } else { key });
        rest = after;
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests;
