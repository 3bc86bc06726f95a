//! The parts of a JSON text: what they are and where they stand.

use std::ops::Range;

/// One value and its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// From its first byte to after its last.
    pub span: Range<usize>,
    /// What it is.
    pub kind: JsonKind,
}

/// The kinds of values an edit tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonKind {
    /// Members in the order of the file.
    Object(Vec<Member>),
    /// Elements in the order of the file.
    Array(Vec<Node>),
    /// A string, unescaped.
    Text(String),
    /// A number, `true`, `false` or `null`: only ever copied.
    Literal,
}

/// One key of an object with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The key, unescaped.
    pub key: String,
    /// The key's place, with its quotes.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Member {
    /// From the key's first byte to after the value's last.
    pub fn span(&self) -> Range<usize> {
        self.key_span.start..self.value.span.end
    }
}

impl Node {
    /// The members, none if this is no object.
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            JsonKind::Object(members) => members,
            JsonKind::Array(_) | JsonKind::Text(_) | JsonKind::Literal => &[],
        }
    }

    /// The elements, none if this is no array.
    pub fn elements(&self) -> &[Node] {
        match &self.kind {
            JsonKind::Array(elements) => elements,
            JsonKind::Object(_) | JsonKind::Text(_) | JsonKind::Literal => &[],
        }
    }

    /// The value of a key.
    pub fn member(&self, key: &str) -> Option<&Self> {
        self.members()
            .iter()
            .find(|member| member.key == key)
            .map(|member| &member.value)
    }

    /// The string, unescaped, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            JsonKind::Text(text) => Some(text),
            JsonKind::Object(_) | JsonKind::Array(_) | JsonKind::Literal => None,
        }
    }

    /// The places of the members or elements.
    pub fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            JsonKind::Object(members) => members.iter().map(Member::span).collect(),
            JsonKind::Array(elements) => elements.iter().map(|element| element.span.clone()).collect(),
            JsonKind::Text(_) | JsonKind::Literal => Vec::new(),
        }
    }

    /// What stands between the brackets of a container.
    pub fn interior(&self) -> Range<usize> {
        self.span.start + 1..self.span.end.saturating_sub(1)
    }
}
