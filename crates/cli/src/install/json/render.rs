//! Writes a new value the way the file around it is written.

use super::Node;
use serde_json::Value;

const DEFAULT_UNIT: &str = "  ";

/// How this file is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonLayout {
    /// What ends a line.
    pub newline: &'static str,
    /// One step of indentation.
    unit: String,
    /// Whether a space follows `:` and, on one line, `,`.
    is_spaced: bool,
    /// Whether the whole file stands on one line.
    pub is_one_line: bool,
}

/// How one new value is laid out.
#[derive(Debug, Clone, Copy)]
pub enum Flow<'indent> {
    /// All on the line it starts on.
    Inline,
    /// One child per line, below a line with this indentation.
    Lines(&'indent str),
}

impl JsonLayout {
    /// Reads the layout off a text.
    pub fn of(text: &str, root: &Node) -> Self {
        let newline = if text
            .split_once('\n')
            .is_some_and(|(line, _)| line.ends_with('\r'))
        {
            "\r\n"
        } else {
            "\n"
        };
        let is_spaced = root.members().first().is_none_or(|member| {
            let between = text.get(member.key_span.end..member.value.span.start);
            between.is_some_and(|between| between.len() > 1)
        });
        let inside = text.get(root.span.clone()).unwrap_or_default();
        Self {
            newline,
            unit: unit(text, root).unwrap_or(DEFAULT_UNIT).to_owned(),
            is_spaced,
            is_one_line: !root.children().is_empty() && !inside.contains('\n'),
        }
    }

    /// The indentation one step further in.
    pub fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    /// What stands between two children on one line, after the comma.
    pub fn gap(&self) -> &'static str {
        if self.is_spaced { " " } else { "" }
    }

    /// Writes a key with its colon.
    pub fn key(&self, key: &str) -> String {
        format!("{}:{}", quoted(key), self.gap())
    }

    /// Writes a value.
    pub fn value(&self, value: &Value, flow: Flow<'_>) -> String {
        match value {
            Value::Array(elements) => {
                let children =
                    |flow: Flow<'_>| elements.iter().map(|element| self.value(element, flow)).collect();
                self.container(['[', ']'], flow, children)
            }
            Value::Object(members) => {
                let children = |flow: Flow<'_>| {
                    let member = |(key, value): (&String, &Value)| self.key(key) + &self.value(value, flow);
                    members.iter().map(member).collect()
                };
                self.container(['{', '}'], flow, children)
            }
            Value::String(text) => quoted(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        }
    }

    fn container(
        &self,
        [open, close]: [char; 2],
        flow: Flow<'_>,
        children: impl FnOnce(Flow<'_>) -> Vec<String>,
    ) -> String {
        match flow {
            Flow::Inline => {
                let children = children(Flow::Inline);
                format!("{open}{}{close}", children.join(&format!(",{}", self.gap())))
            }
            Flow::Lines(indent) => {
                let inner = self.deeper(indent);
                let children = children(Flow::Lines(&inner));
                if children.is_empty() {
                    return format!("{open}{close}");
                }
                let newline = self.newline;
                let body = children.join(&format!(",{newline}{inner}"));
                format!("{open}{newline}{inner}{body}{newline}{indent}{close}")
            }
        }
    }
}

/// The blanks between the line's start and this byte, if nothing else stands there.
pub fn indent_before(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let line = before.trim_end_matches([' ', '\t']);
    line.ends_with('\n').then(|| before.get(line.len()..))?
}

/// The blanks at the start of the line this byte is on.
pub fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let blank = line
        .find(|character| !matches!(character, ' ' | '\t'))
        .unwrap_or(line.len());
    line.get(..blank).unwrap_or_default()
}

/// The first step of indentation in the file.
fn unit<'text>(text: &'text str, node: &Node) -> Option<&'text str> {
    let first = node.children().first().cloned();
    // In this order, so that a long line is not searched for its start again for every value on it.
    let step = first
        .and_then(|child| indent_before(text, child.start))
        .and_then(|indent| indent.strip_prefix(line_indent(text, node.span.start)))
        .filter(|step| !step.is_empty());
    step.or_else(|| {
        let mut values = node
            .members()
            .iter()
            .map(|member| &member.value)
            .chain(node.elements());
        values.find_map(|value| unit(text, value))
    })
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
