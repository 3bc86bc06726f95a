//! What the log does not show unasked: secrets, and more of an input than tells what it is.

use engine::policy::guard::redact;
use serde_json::Value;

/// More characters of an input tell nobody more.
const LONGEST: usize = 200;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Veil {
    /// Over every foreign text.
    Drawn,
    /// Everything is shown as it came.
    Lifted,
}

impl Veil {
    /// A text for a line.
    pub fn line(self, text: &str) -> String {
        match self {
            Self::Drawn => cut(&redact::text(text)),
            Self::Lifted => text.to_owned(),
        }
    }

    /// A text of which all counts.
    pub fn text(self, text: &str) -> String {
        match self {
            Self::Drawn => redact::text(text),
            Self::Lifted => text.to_owned(),
        }
    }

    /// The input of a tool.
    pub fn input(self, value: Value) -> Value {
        match self {
            Self::Drawn => veiled(value),
            Self::Lifted => value,
        }
    }
}

/// Every text in a value; what stands under the name of a secret is one, whatever it looks like.
fn veiled(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(cut(&redact::text(&text))),
        Value::Array(all) => Value::Array(all.into_iter().map(veiled).collect()),
        Value::Object(all) => {
            let entry = |(name, value): (String, Value)| match value {
                Value::String(text) if is_secret(&name) && !text.is_empty() => {
                    (name, Value::String("[redacted]".to_owned()))
                }
                other => (name, veiled(other)),
            };
            Value::Object(all.into_iter().map(entry).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn is_secret(name: &str) -> bool {
    let assigned = format!("{name}=value");
    redact::text(&assigned) != assigned
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_input_is_shown_without_secrets_and_not_at_length() {
        let input = json!({
            "command": "curl -H 'Authorization: Bearer abc.def-123' example.org",
            "api_key": "two words",
            "env": [{ "DB_PASSWORD": "hunter22" }, "TOKEN=abcdef123"],
            "content": "é".repeat(5_000),
            "timeout": 3,
        });
        let shown = Veil::Drawn.input(input.clone());
        assert_eq!(
            shown["command"],
            "curl -H 'Authorization: Bearer [redacted]' example.org"
        );
        assert_eq!(shown["api_key"], "[redacted]");
        assert_eq!(
            shown["env"],
            json!([{ "DB_PASSWORD": "[redacted]" }, "TOKEN=[redacted]"])
        );
        assert_eq!(shown["content"].as_str().unwrap().chars().count(), 201);
        assert_eq!(shown["timeout"], 3);
        assert_eq!(Veil::Lifted.input(input.clone()), input);
    }

    #[test]
    fn a_line_is_cut_and_a_text_is_not() {
        let long = "word ".repeat(100);
        assert_eq!(Veil::Drawn.line(&long).chars().count(), 201);
        assert_eq!(Veil::Drawn.text(&long), long);
        assert_eq!(Veil::Lifted.line(&long), long);
    }
}
