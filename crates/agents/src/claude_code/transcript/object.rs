//! A JSON object of which a few fields are wanted: the rest is passed over unread, however large or deep it is.

use crate::malformed::Malformed;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Longest id that is one; the client's own are 36 bytes.
const LONGEST_ID: usize = 256;
/// A larger count of tokens is no count.
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// Where the largest count that fits a number with a fraction ends.
const MOST_TOKENS_F64: f64 = 1e12;

/// Every field that is ever asked for. Others are not kept.
const WANTED: &[&str] = &[
    "agentId",
    "cache_creation",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "content",
    "ephemeral_1h_input_tokens",
    "ephemeral_5m_input_tokens",
    "hookErrors",
    "id",
    "input_tokens",
    "isApiErrorMessage",
    "isCompactSummary",
    "isMeta",
    "isSidechain",
    "message",
    "model",
    "output_tokens",
    "output_tokens_details",
    "parentAgentId",
    "parentUuid",
    "preventContinuation",
    "promptId",
    "promptSource",
    "requestId",
    "sessionId",
    "session_id",
    "stop_reason",
    "subtype",
    "text",
    "thinking_tokens",
    "timestamp",
    "toolUseId",
    "toolUseResult",
    "turnOrigin",
    "type",
    "usage",
    "uuid",
];

/// The wanted fields of an object, as they stand in its text.
pub(super) struct Object<'a> {
    text: &'a str,
    fields: Vec<(&'static str, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// Reads one object.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        if bytes.trim_ascii().is_empty() {
            return Err(Malformed::Empty);
        }
        let text = std::str::from_utf8(bytes).map_err(|error| Malformed::NotJson {
            cause: error.to_string(),
        })?;
        Self::read(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof => Malformed::Truncated,
            _ => Malformed::NotJson {
                cause: error.to_string(),
            },
        })
    }

    fn read(text: &'a str) -> serde_json::Result<Self> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let fields = reader.deserialize_map(ObjectFields)?;
        reader.end()?;
        Ok(Self { text, fields })
    }

    /// A field's text in JSON. The last of several with one name counts.
    fn raw(&self, name: &str) -> Option<&'a str> {
        let mut last_first = self.fields.iter().rev();
        let (_, value) = last_first.find(|(field, _)| *field == name)?;
        Some(value.get()).filter(|value| *value != "null")
    }

    /// Whether a field is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// Whether a field is `true`.
    pub fn is(&self, name: &str) -> bool {
        self.raw(name) == Some("true")
    }

    /// Whether a field is absent or a list without elements.
    pub fn is_empty_list(&self, name: &str) -> bool {
        self.raw(name).is_none_or(|value| {
            let inside = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
            inside.is_some_and(|inside| inside.trim().is_empty())
        })
    }

    /// A short text that is not empty.
    pub fn id(&self, name: &str) -> Option<String> {
        let text: Cow<'_, str> = serde_json::from_str(self.raw(name)?).ok()?;
        (1..=LONGEST_ID).contains(&text.len()).then(|| text.into_owned())
    }

    /// Whether a field is exactly this text.
    pub fn says(&self, name: &str, text: &str) -> bool {
        self.id(name).as_deref() == Some(text)
    }

    /// An object.
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::read(self.raw(name)?).ok()
    }

    /// A count of tokens: whole, not negative, and within reason.
    pub fn count(&self, name: &str) -> Option<u64> {
        let number = self.raw(name)?;
        number
            .parse()
            .ok()
            .or_else(|| whole(number))
            .filter(|count| *count <= MOST_TOKENS)
    }

    /// The beginning of a message's content, which is a text, or a list that begins with one.
    pub fn leading_text(&self, name: &str) -> Option<String> {
        let content = self.raw(name)?;
        if content.starts_with('"') {
            return serde_json::from_str(content).ok();
        }
        let First(block) = serde_json::from_str(content).ok()?;
        let block = Self::read(block?.get()).ok()?;
        serde_json::from_str(block.raw("text")?).ok()
    }

    /// The objects in a list; what is none is passed over.
    pub fn objects(&self, name: &str) -> Vec<Self> {
        let list: Vec<&'a RawValue> = self
            .raw(name)
            .and_then(|list| serde_json::from_str(list).ok())
            .unwrap_or_default();
        list.into_iter()
            .filter_map(|element| Self::read(element.get()).ok())
            .collect()
    }

    /// Where in the object's text the values of these fields stand, in that order.
    pub fn places(&self, names: &[&str]) -> Vec<Range<usize>> {
        let start = self.text.as_ptr().addr();
        let wanted = self.fields.iter().filter(|(field, _)| names.contains(field));
        wanted
            .map(|(_, value)| {
                let at = value.get().as_ptr().addr().saturating_sub(start);
                at..at.saturating_add(value.get().len())
            })
            .collect()
    }
}

/// A number written with a fraction or an exponent.
fn whole(number: &str) -> Option<u64> {
    let value: f64 = number.parse().ok()?;
    if !(0.0..=MOST_TOKENS_F64).contains(&value) {
        return None;
    }
    format!("{:.0}", value.trunc()).parse().ok()
}

/// Picks the wanted fields out of an object.
struct ObjectFields;

impl<'a> Visitor<'a> for ObjectFields {
    type Value = Vec<(&'static str, &'a RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Key(name)) = map.next_key()? {
            match name {
                Some(name) => fields.push((name, map.next_value()?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(fields)
    }
}

/// The name of a field, if it is wanted.
struct Key(Option<&'static str>);

impl<'a> serde::Deserialize<'a> for Key {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a field")
            }

            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                Ok(Key(WANTED.iter().copied().find(|wanted| *wanted == name)))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// The first element of a list.
struct First<'a>(Option<&'a RawValue>);

impl<'a> serde::Deserialize<'a> for First<'a> {
    fn deserialize<D: Deserializer<'a>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'a> Visitor<'a> for List {
            type Value = First<'a>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: serde::de::SeqAccess<'a>>(self, mut list: A) -> Result<First<'a>, A::Error> {
                let first = list.next_element()?;
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(First(first))
            }
        }
        deserializer.deserialize_seq(List)
    }
}
