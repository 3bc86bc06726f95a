//! Commands of redis: one per line.

use super::{Statement, shortened};

pub(super) fn statements(text: &str) -> Vec<Statement> {
    text.lines().filter_map(one).collect()
}

fn one(line: &str) -> Option<Statement> {
    let mut words = line.split_whitespace();
    let verb = words.next()?.to_ascii_lowercase();
    let first = words.next().unwrap_or_default();
    let destroys = match verb.as_str() {
        "flushall" | "flushdb" | "shutdown" | "swapdb" => true,
        "del" | "unlink" => !first.is_empty(),
        "config" | "script" | "function" | "cluster" | "debug" | "acl" => {
            matches!(
                first.to_ascii_lowercase().as_str(),
                "flush" | "reset" | "segfault" | "deluser" | "set"
            )
        }
        "eval" => line.to_ascii_lowercase().contains("flush"),
        _ => false,
    };
    // A plain key says what it is about; a pattern does not.
    let has_where = matches!(verb.as_str(), "del" | "unlink") && !line.contains('*') && !line.contains('$');
    let verb = match verb.as_str() {
        "unlink" => "del".to_owned(),
        "eval" => "flushall".to_owned(),
        "config" | "script" | "function" | "cluster" | "debug" | "acl" => {
            format!("{verb} {}", first.to_ascii_lowercase())
        }
        _ => verb,
    };
    destroys.then(|| Statement {
        verb,
        has_where,
        text: shortened(line),
    })
}
