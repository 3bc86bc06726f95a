//! Writes every built-in rule as one line: what it is found by, then all of it as JSON, which is read when a command first
//! concerns it.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use toml::{Table, Value};

/// Every rule, as a line of text.
#[derive(Default)]
pub struct Rules {
    lines: Vec<String>,
}

impl Rules {
    /// Adds every rule of a pack.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let pack: Table = toml::from_str(text).map_err(|error| error.to_string())?;
        let rules = pack.get("rule").and_then(Value::as_array);
        for rule in rules.ok_or("it has no rules")? {
            let rule = rule.as_table().ok_or("`rule` is a list of tables")?;
            self.lines.push(line(rule)?);
        }
        Ok(())
    }

    /// All rules, one in a line.
    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// What tells these rules from those of another version.
    pub fn source(&self) -> String {
        let mut digest = String::new();
        for byte in Sha256::digest(self.text()) {
            // Writing to a string cannot fail.
            let _ = write!(digest, "{byte:02x}");
        }
        format!("const DIGEST: &str = \"{digest}\";\n")
    }
}

/// `id`, `class`, `verdict` (may be empty), `strict`, what it is found by, its programs and subcommands, and the rule.
fn line(rule: &Table) -> Result<String, String> {
    let word = |key: &str| rule.get(key).and_then(Value::as_str);
    let id = word("id").ok_or("a rule has no `id`")?;
    let class = word("class").ok_or_else(|| format!("`{id}` has no `class`"))?;
    let verdict = word("verdict").unwrap_or_default();
    let strict = rule.get("strict").and_then(Value::as_bool).unwrap_or_default();
    let (kind, programs, subs) = found_by(rule);
    let json = serde_json::to_string(rule).map_err(|error| format!("`{id}`: {error}"))?;
    Ok(format!(
        "{id}\t{class}\t{verdict}\t{strict}\t{kind}\t{}\t{}\t{json}",
        programs.join("|"),
        subs.join("|")
    ))
}

/// Whether a rule is about tools, about some programs, or about any command.
fn found_by(rule: &Table) -> (&'static str, Vec<&str>, Vec<&str>) {
    if rule.contains_key("tool") {
        return ("tool", Vec::new(), Vec::new());
    }
    let own = [
        "program",
        "sub",
        "flags",
        "operand",
        "redirect",
        "stdin",
        "env",
        "statement",
    ];
    let any = rule.get("any").and_then(Value::as_array).into_iter().flatten();
    let mut patterns: Vec<&Table> = any.filter_map(Value::as_table).collect();
    if own.iter().any(|key| rule.contains_key(*key)) {
        patterns.push(rule);
    }
    let is_bound = |pattern: &&Table| {
        let programs = words(pattern, "program");
        !programs.is_empty() && !programs.iter().any(|name| name.contains('*'))
    };
    if patterns.is_empty() || !patterns.iter().all(is_bound) {
        return ("any", Vec::new(), Vec::new());
    }
    let all = |key: &str| patterns.iter().flat_map(|pattern| words(pattern, key)).collect();
    (
        "programs",
        all("program"),
        patterns
            .iter()
            .flat_map(|pattern| words(pattern, "sub"))
            .map(|sub| sub.split(' ').next().unwrap_or(sub))
            .collect(),
    )
}

/// `"x"` and `["x"]` mean the same.
fn words<'t>(table: &'t Table, key: &str) -> Vec<&'t str> {
    match table.get(key) {
        Some(Value::String(word)) => vec![word],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    }
}
