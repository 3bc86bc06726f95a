//! Edits a JSON file as text: every byte outside an edit stays what it was.
//!
//! A value tree written back would lose the person's indentation, line ends, escapes and spacing. So the file is
//! parsed into places, and an edit is a list of splices over the text.

mod edit;
mod error;
mod parse;
mod render;
mod tree;

#[cfg(test)]
mod tests;

pub use edit::{Child, JsonSplice};
pub use error::JsonError;
pub use tree::{JsonKind, Member, Node};

use render::JsonLayout;

/// The mark some editors put before the text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A JSON text and where its parts are.
#[derive(Debug, Clone)]
pub struct JsonDocument {
    text: String,
    root: Node,
    layout: JsonLayout,
}

impl JsonDocument {
    /// Reads strict JSON; a byte order mark before it is kept.
    pub fn parse(text: String) -> Result<Self, JsonError> {
        let root = parse::parse(&text)?;
        let layout = JsonLayout::of(&text, &root);
        Ok(Self { text, root, layout })
    }

    /// Reads strict JSON from bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        let text = str::from_utf8(bytes).map_err(|_| JsonError::NotUtf8)?;
        Self::parse(text.to_owned())
    }

    /// The outermost value.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of one value, as it stands in the file.
    pub fn text_of(&self, node: &Node) -> &str {
        self.text.get(node.span.clone()).unwrap_or_default()
    }

    /// What stands between the brackets of a container without children.
    pub fn blank_interior(&self, node: &Node) -> &str {
        if node.children().is_empty() {
            self.text.get(node.interior()).unwrap_or_default()
        } else {
            ""
        }
    }
}
