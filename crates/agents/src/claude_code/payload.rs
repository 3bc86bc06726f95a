//! The payload as a bag of fields: whatever is missing, null or of the wrong type is simply absent.
//!
//! Keys are asked for in the client's spelling (`tool_name`) and also found in camel case (`toolName`), which earlier
//! relays of the same events used.

use crate::malformed::Malformed;
use engine::hex::hex;
use serde_json::error::Category;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::PathBuf;

/// Longest id we keep as it is, in bytes. The client's own are 36 at most.
const LONGEST_ID: usize = 128;
/// Longest name of an event we keep, in bytes.
const LONGEST_NAME: usize = 128;

/// The fields of one payload that have not been taken yet.
pub(super) struct PayloadFields(Map<String, Value>);

impl PayloadFields {
    /// Reads the bytes as one JSON object. The last of several equal keys counts.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if body.trim_ascii().is_empty() {
            return Err(Malformed::Empty);
        }
        match value(body)? {
            Value::Object(fields) => Ok(Self(fields)),
            other => Err(Malformed::NotAnObject { found: sort(&other) }),
        }
    }

    /// Whether a field is there at all.
    pub fn has(&self, name: &str) -> bool {
        field(&self.0, name).is_some()
    }

    /// A field of any type.
    pub fn value(&mut self, name: &str) -> Option<Value> {
        self.0
            .remove(name)
            .or_else(|| self.0.remove(camel(name).as_ref()))
            .filter(|value| !value.is_null())
    }

    /// A text, which may be empty.
    pub fn text(&mut self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// An id: never empty, never longer than we keep, without control characters.
    pub fn id(&mut self, name: &str) -> Option<String> {
        self.text(name).and_then(id)
    }

    /// A name that people read: never empty, cut where it is longer than we keep.
    pub fn name(&mut self, name: &str) -> Option<String> {
        let mut text = self.text(name)?;
        text.truncate(text.floor_char_boundary(LONGEST_NAME));
        (!text.is_empty()).then_some(text)
    }

    /// A path, never empty.
    pub fn path(&mut self, name: &str) -> Option<PathBuf> {
        self.text(name).filter(|text| !text.is_empty()).map(PathBuf::from)
    }

    /// Whether a field is `true`.
    pub fn is(&mut self, name: &str) -> bool {
        self.value(name) == Some(Value::Bool(true))
    }

    /// A whole number.
    pub fn number(&mut self, name: &str) -> Option<u64> {
        self.value(name)?.as_u64()
    }

    /// An object.
    pub fn object(&mut self, name: &str) -> Option<Map<String, Value>> {
        match self.value(name)? {
            Value::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// The objects of a list; other elements are passed over.
    pub fn objects(&mut self, name: &str) -> Option<Vec<Self>> {
        let Value::Array(elements) = self.value(name)? else {
            return None;
        };
        let objects = elements.into_iter().filter_map(|element| match element {
            Value::Object(fields) => Some(Self(fields)),
            _ => None,
        });
        Some(objects.collect())
    }
}

/// A field of an object, in either spelling.
pub(super) fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields
        .get(name)
        .or_else(|| fields.get(camel(name).as_ref()))
        .filter(|value| !value.is_null())
}

/// The text as an id; empty is none.
///
/// One that is too long, or holds control characters, is its hash: no row gets large by it, no terminal is told what to do,
/// and two that only begin alike stay two.
pub(super) fn id(text: String) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    let is_plain = text.len() <= LONGEST_ID && !text.chars().any(char::is_control);
    Some(if is_plain {
        text
    } else {
        hex(&Sha256::digest(text.as_bytes()))
    })
}

fn camel(name: &str) -> Cow<'_, str> {
    if !name.contains('_') {
        return Cow::Borrowed(name);
    }
    let mut camel = String::with_capacity(name.len());
    let mut starts_word = false;
    for character in name.chars() {
        if character == '_' {
            starts_word = true;
        } else if std::mem::take(&mut starts_word) {
            camel.push(character.to_ascii_uppercase());
        } else {
            camel.push(character);
        }
    }
    Cow::Owned(camel)
}

/// Reads the JSON as it is, or else with its broken characters replaced: one bad byte in a file name, or half an emoji
/// that JavaScript cut in two, must not hide an event from the policies.
fn value(body: &[u8]) -> Result<Value, Malformed> {
    let first = match serde_json::from_slice(body) {
        Ok(value) => return Ok(value),
        Err(error) => malformed(&error),
    };
    if !matches!(first, Malformed::NotJson { .. }) {
        return Err(first);
    }
    let mended = with_whole_characters(&String::from_utf8_lossy(body));
    serde_json::from_str(&mended).map_err(|error| malformed(&error))
}

fn malformed(error: &serde_json::Error) -> Malformed {
    let cause = error.to_string();
    // The parser has no other sign for this than its text.
    if cause.starts_with("recursion limit exceeded") {
        return Malformed::TooDeep;
    }
    match error.classify() {
        Category::Eof => Malformed::Truncated,
        Category::Io | Category::Syntax | Category::Data => Malformed::NotJson { cause },
    }
}

fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The JSON text with every escaped half of a surrogate pair that lacks its other half replaced.
fn with_whole_characters(json: &str) -> String {
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, escape)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        whole.push_str(before);
        let (kept, after) = one_escape(escape);
        whole.push_str(kept);
        rest = after;
    }
    whole.push_str(rest);
    whole
}

/// The escape at the start of the text, or its replacement, and what follows it.
fn one_escape(text: &str) -> (&str, &str) {
    const ONE: usize = "\\uXXXX".len();
    let length = match code_unit(text) {
        None => 1 + text.chars().nth(1).map_or(0, char::len_utf8),
        Some(0xD800..=0xDBFF) => match text.get(ONE..).and_then(code_unit) {
            Some(0xDC00..=0xDFFF) => 2 * ONE,
            _ => return ("\\ufffd", text.get(ONE..).unwrap_or_default()),
        },
        Some(0xDC00..=0xDFFF) => return ("\\ufffd", text.get(ONE..).unwrap_or_default()),
        Some(_) => ONE,
    };
    text.split_at_checked(length).unwrap_or((text, ""))
}

fn code_unit(text: &str) -> Option<u16> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(hex, 16).ok()
}

#[cfg(test)]
mod tests;
