//! Insertions and removals as splices, each the other's inverse.

use super::render::{Flow, indent_before, line_indent};
use super::{JsonDocument, JsonError, Node};
use serde_json::Value;
use std::ops::Range;

/// A stretch of text and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonSplice {
    /// What goes; empty for an insertion.
    pub range: Range<usize>,
    /// What comes.
    pub text: String,
}

/// A new child of a container.
#[derive(Debug, Clone, PartialEq)]
pub enum Child {
    /// For an object.
    Member(String, Value),
    /// For an array.
    Element(Value),
}

impl Node {
    /// Takes children out, each with one comma; `interior` is what an emptied container holds.
    pub fn remove(&self, mut indices: Vec<usize>, interior: &str) -> Vec<JsonSplice> {
        let children = self.children();
        indices.sort_unstable();
        indices.dedup();
        if indices.len() >= children.len() {
            return vec![JsonSplice {
                range: self.interior(),
                text: interior.to_owned(),
            }];
        }
        let is_gone = |index: usize| indices.binary_search(&index).is_ok();
        let first_kept = (0..children.len())
            .find(|&index| !is_gone(index))
            .unwrap_or_default();
        let mut splices = Vec::new();
        if let (Some(first), Some(kept), true) = (children.first(), children.get(first_kept), first_kept > 0)
        {
            splices.push(JsonSplice {
                range: first.start..kept.start,
                text: String::new(),
            });
        }
        for (index, pair) in children.windows(2).enumerate().skip(first_kept) {
            if let ([before, gone], true) = (pair, is_gone(index + 1)) {
                splices.push(JsonSplice {
                    range: before.end..gone.end,
                    text: String::new(),
                });
            }
        }
        splices
    }
}

impl JsonDocument {
    /// The document after splices that do not overlap.
    pub fn spliced(&self, mut splices: Vec<JsonSplice>) -> Result<Self, JsonError> {
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        for splice in &splices {
            text.push_str(self.text.get(at..splice.range.start).unwrap_or_default());
            text.push_str(&splice.text);
            at = splice.range.end;
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        Self::parse(text)
    }

    /// Adds children behind the last one, in the container's own layout.
    pub fn append(&self, container: &Node, children: &[Child]) -> JsonSplice {
        match container.children().last() {
            Some(last) => self.append_after(container, last, children),
            None => self.fill(container, children),
        }
    }

    /// Puts another value in the place of one.
    pub fn replace(&self, node: &Node, value: &Value) -> JsonSplice {
        let indent = line_indent(&self.text, node.span.start);
        let is_one_line = !self.text_of(node).contains('\n');
        let flow = if is_one_line {
            Flow::Inline
        } else {
            Flow::Lines(indent)
        };
        JsonSplice {
            range: node.span.clone(),
            text: self.layout.value(value, flow),
        }
    }

    fn append_after(&self, container: &Node, last: &Range<usize>, children: &[Child]) -> JsonSplice {
        let mut text = String::new();
        let indent = indent_before(&self.text, last.start);
        let gap = self.inline_gap(container, last);
        for child in children {
            text.push(',');
            if let Some(indent) = indent {
                text.push_str(self.layout.newline);
                text.push_str(indent);
                text.push_str(&self.child(child, Flow::Lines(indent)));
            } else {
                text.push_str(gap);
                text.push_str(&self.child(child, Flow::Inline));
            }
        }
        JsonSplice {
            range: last.end..last.end,
            text,
        }
    }

    /// What the container puts after its commas, if its children share a line.
    fn inline_gap(&self, container: &Node, last: &Range<usize>) -> &str {
        if container.children().len() < 2 {
            return self.layout.gap();
        }
        let before = self.text.get(..last.start).unwrap_or_default();
        let blank = before.len() - before.trim_end_matches([' ', '\t']).len();
        before.get(before.len() - blank..).unwrap_or_default()
    }

    /// Fills an empty container; the blanks it had stay before its closing bracket.
    fn fill(&self, container: &Node, children: &[Child]) -> JsonSplice {
        let at = container.interior().start;
        let layout = &self.layout;
        let text = if layout.is_one_line {
            let children: Vec<_> = children
                .iter()
                .map(|child| self.child(child, Flow::Inline))
                .collect();
            children.join(&format!(",{}", layout.gap()))
        } else {
            let outer = line_indent(&self.text, container.span.start);
            let newline = layout.newline;
            let inner = layout.deeper(outer);
            let children: Vec<_> = children
                .iter()
                .map(|child| self.child(child, Flow::Lines(&inner)))
                .collect();
            let body = children.join(&format!(",{newline}{inner}"));
            let is_closed_below = self.blank_interior(container).contains('\n');
            let end = if is_closed_below {
                String::new()
            } else {
                format!("{newline}{outer}")
            };
            format!("{newline}{inner}{body}{end}")
        };
        JsonSplice { range: at..at, text }
    }

    fn child(&self, child: &Child, flow: Flow<'_>) -> String {
        match child {
            Child::Member(key, value) => self.layout.key(key) + &self.layout.value(value, flow),
            Child::Element(value) => self.layout.value(value, flow),
        }
    }
}
