//! Finds the hook handlers in a client's settings, and tells ours from foreign ones.

use super::claude_code::{ARGUMENTS, EVENTS, PROGRAM};
use super::json::{JsonDocument, JsonError, JsonKind, Node};
use std::path::Path;

#[cfg(test)]
mod tests;

/// One handler and where it stands: `hooks.<event>[group_index].hooks[index]`.
#[derive(Debug, Clone, Copy)]
pub struct Handler<'document> {
    /// The event it is registered for.
    pub event: &'document str,
    /// Its entry among the event's entries.
    pub group_index: usize,
    /// Its place in the entry.
    pub index: usize,
    /// The entry: a matcher and handlers.
    pub group: &'document Node,
    /// The handler itself.
    pub node: &'document Node,
}

/// Every handler of the file, in its order. Shapes that an edit would have to touch must be right.
pub fn handlers(document: &JsonDocument) -> Result<Vec<Handler<'_>>, JsonError> {
    let mut found = Vec::new();
    for member in hooks(document)?.map(Node::members).unwrap_or_default() {
        if EVENTS.contains(&member.key.as_str()) && !matches!(member.value.kind, JsonKind::Array(_)) {
            let place = format!("`hooks.{}`", member.key);
            return Err(JsonError::Shape {
                place,
                expected: "an array",
            });
        }
        for (group_index, group) in member.value.elements().iter().enumerate() {
            let inside = group.member("hooks").map(Node::elements).unwrap_or_default();
            found.extend(inside.iter().enumerate().map(|(index, node)| Handler {
                event: &member.key,
                group_index,
                index,
                group,
                node,
            }));
        }
    }
    Ok(found)
}

/// The object that holds the events, if there is one.
pub fn hooks(document: &JsonDocument) -> Result<Option<&Node>, JsonError> {
    let shape = |node: &Node, place: &str| match node.kind {
        JsonKind::Object(_) => Ok(()),
        JsonKind::Array(_) | JsonKind::Text(_) | JsonKind::Literal => Err(JsonError::Shape {
            place: place.to_owned(),
            expected: "an object",
        }),
    };
    shape(document.root(), "the file")?;
    let hooks = document.root().member("hooks");
    if let Some(hooks) = hooks {
        shape(hooks, "`hooks`")?;
    }
    Ok(hooks)
}

impl Handler<'_> {
    /// Whether Toprope wrote it: our program with our arguments, nothing around it.
    pub fn is_ours(&self) -> bool {
        if self.text("type") != Some("command") {
            return false;
        }
        let Some(command) = self.text("command") else {
            return false;
        };
        match self.arguments() {
            Some(arguments) => is_program(command) && arguments.starts_with(&ARGUMENTS),
            None => self.node.member("args").is_none() && is_shell_form(command),
        }
    }

    /// The program that is run with our arguments, if it is not ours.
    pub fn replaced_by(&self) -> Option<&str> {
        let is_asked_as_we_are = self
            .arguments()
            .is_some_and(|arguments| arguments.starts_with(&ARGUMENTS));
        self.text("command")
            .filter(|command| is_asked_as_we_are && !is_program(command))
    }

    /// Whether its entry holds nothing else.
    pub fn is_alone(&self) -> bool {
        self.group
            .member("hooks")
            .is_some_and(|hooks| hooks.elements().len() == 1)
    }

    /// One of its fields, if it is a string.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.node.member(field).and_then(Node::as_text)
    }

    /// One of its fields, if it is a whole number.
    pub fn number(&self, document: &JsonDocument, field: &str) -> Option<u32> {
        let value = self.node.member(field)?;
        document.text_of(value).parse().ok()
    }

    /// Its arguments, if it has a list of strings.
    pub fn arguments(&self) -> Option<Vec<&str>> {
        let arguments = self.node.member("args")?;
        match &arguments.kind {
            JsonKind::Array(elements) => elements.iter().map(Node::as_text).collect(),
            JsonKind::Object(_) | JsonKind::Text(_) | JsonKind::Literal => None,
        }
    }

    /// What it starts, for a person to recognise it.
    pub fn description(&self) -> String {
        let named = ["command", "url", "prompt", "tool", "type"]
            .into_iter()
            .find_map(|field| self.text(field));
        let mut text = named.unwrap_or("unreadable").to_owned();
        for argument in self.arguments().unwrap_or_default() {
            text.push(' ');
            text.push_str(argument);
        }
        text
    }
}

fn is_program(command: &str) -> bool {
    Path::new(command).file_name().is_some_and(|name| name == PROGRAM)
}

/// `toprope hook claude-code` as a shell would read it. With anything around it, a person wrote it.
fn is_shell_form(command: &str) -> bool {
    let [role, agent] = ARGUMENTS;
    let program = command
        .trim()
        .strip_suffix(agent)
        .and_then(strip_blank)
        .and_then(|rest| rest.strip_suffix(role))
        .and_then(strip_blank);
    program
        .and_then(one_word)
        .is_some_and(|program| is_program(&program))
}

/// The text without the blanks at its end, which must have some.
fn strip_blank(text: &str) -> Option<&str> {
    let trimmed = text.trim_end_matches([' ', '\t']);
    (trimmed.len() < text.len()).then_some(trimmed)
}

/// The text without its quotes, if a shell reads it as one word and runs nothing to do so.
fn one_word(text: &str) -> Option<String> {
    let mut word = String::new();
    let mut quote = None;
    for character in text.chars() {
        match (quote, character) {
            (_, '`' | '(' | '\\' | '\n') | (None, ' ' | '\t' | ';' | '&' | '|' | '<' | '>' | ')' | '#') => {
                return None;
            }
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (Some(_) | None, plain) => word.push(plain),
        }
    }
    quote.is_none().then_some(word)
}
