//! Takes secrets out of text before anybody sees it. Shapes only: it knows no values.

use crate::shell::without_token;

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
/// Names whose value is a secret.
const NAMES: [&str; 15] = [
    "password",
    "passwd",
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

/// The text with everything that looks like a secret replaced. What our own commands were given to say whose they are is
/// left out: nobody wrote it.
pub fn text(text: &str) -> String {
    let text = keys(&without_token(text));
    let mut result = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let at = rest.find(is_word).unwrap_or(rest.len());
        let (before, after) = rest.split_at(at);
        let hides_next = result_hides(&result, before);
        result.push_str(before);
        let end = after.find(|letter: char| !is_word(letter)).unwrap_or(after.len());
        let (word, others) = after.split_at(end);
        if is_secret(word) || (hides_next && word.len() >= 4) || is_url_password(&result, others) {
            result.push_str(GONE);
        } else {
            result.push_str(word);
        }
        rest = others;
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

/// Whether the last word is a name whose value follows: `TOKEN=`, `password: `, `Bearer `, `--password `.
fn result_hides(result: &str, between: &str) -> bool {
    let name: String = result
        .chars()
        .rev()
        .take_while(|letter| is_word(*letter))
        .collect::<String>()
        .chars()
        .rev()
        .collect();
    let lower = name.to_lowercase();
    let is_name = NAMES.iter().any(|secret| {
        lower == *secret
            || lower.ends_with(&format!("_{secret}"))
            || lower.ends_with(&format!("-{secret}"))
            || lower.ends_with(&format!(".{secret}"))
    });
    let assigns = matches!(
        between.trim_matches(['"', '\'', ' ']),
        "=" | ":" | "=\"" | "='" | "\":" | "\": \""
    );
    let is_option = name.starts_with("--") && between.trim_matches(['"', '\'']) == " ";
    let is_bearer =
        matches!(lower.as_str(), "bearer" | "basic") && between.trim().is_empty() && !between.is_empty();
    (is_name && (assigns || is_option)) || is_bearer
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
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_gone() {
        for (written, shown) in [
            ("export TOKEN=abcdef123", "export TOKEN=[redacted]"),
            (
                "curl -H 'Authorization: Bearer abc.def-123'",
                "curl -H 'Authorization: Bearer [redacted]'",
            ),
            (
                "git clone https://me:hunter22@example.org/x",
                "git clone https://me:[redacted]@example.org/x",
            ),
            ("mysql --password hunter22 db", "mysql --password [redacted] db"),
            ("echo ghp_abcdefghijklmnopqrstuvwxyz0123456789", "echo [redacted]"),
            ("DB_PASSWORD=\"p4ss\" make", "DB_PASSWORD=\"[redacted]\" make"),
            (
                "a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b",
                "a [redacted] b",
            ),
        ] {
            assert_eq!(text(written), shown);
        }
    }

    #[test]
    fn what_the_hook_added_to_a_command_is_left_out() {
        let token = "0123456789abcdef0123456789abcdef";
        for (written, shown) in [
            (
                format!("toprope lease wait --as {token} a; ls"),
                "toprope lease wait a; ls",
            ),
            (format!("toprope lease list --as {token}"), "toprope lease list"),
            (format!("x\n--as {token} y"), "x\n y"),
            ("toprope lease wait --as 01234…".to_owned(), "toprope lease wait…"),
            (
                "toprope lease wait --as 01 … a".to_owned(),
                "toprope lease wait … a",
            ),
        ] {
            assert_eq!(text(&written), shown);
        }
    }

    #[test]
    fn everyday_text_stays_as_it_is() {
        for plain in [
            "git push --force origin feature-x",
            "rm -rf node_modules && npm ci",
            "cat src/token.rs",
            "ssh user@host ls",
            "sk-learn",
            "cargo test -p auth",
            "git log --as 0123 --as-is",
            "run --as 0123456789abcdef0123456789abcdefg",
            "run --as",
            "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
        ] {
            assert_eq!(text(plain), plain);
        }
    }
}
