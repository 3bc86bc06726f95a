//! Reads a file in the encoding its attributes name, as UTF-8. The Unicode encodings are read as git does, with its
//! rules about byte order marks; of the others, those a browser knows.

use gix::filter::plumbing::worktree::encode_to_git::RoundTripCheck;
use gix::filter::plumbing::worktree::{encode_to_git, encoding::for_label};

/// An encoding of files in a working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding {
    name: String,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Every byte is the character of its number.
    Latin,
    Two(ByteOrderMarkRule),
    Four(ByteOrderMarkRule),
    Foreign,
}

/// What git says about the byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrderMarkRule {
    Required,
    Welcome,
    Refused(ByteOrder),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Big,
    Little,
}

/// The encoding of this name; nothing for UTF-8, which is how text is stored.
pub fn named(name: &[u8]) -> Option<Result<Encoding, String>> {
    let name = String::from_utf8_lossy(name).to_ascii_uppercase();
    let unicode = name
        .strip_prefix("UTF")
        .map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    let form = match (unicode, name.as_str()) {
        (Some("8"), _) | (_, "") => return None,
        (Some("16"), _) => Form::Two(ByteOrderMarkRule::Required),
        (Some("16LE-BOM"), _) => Form::Two(ByteOrderMarkRule::Welcome),
        (Some("16BE"), _) => Form::Two(ByteOrderMarkRule::Refused(ByteOrder::Big)),
        (Some("16LE"), _) => Form::Two(ByteOrderMarkRule::Refused(ByteOrder::Little)),
        (Some("32"), _) => Form::Four(ByteOrderMarkRule::Required),
        (Some("32BE"), _) => Form::Four(ByteOrderMarkRule::Refused(ByteOrder::Big)),
        (Some("32LE"), _) => Form::Four(ByteOrderMarkRule::Refused(ByteOrder::Little)),
        (_, "ISO-8859-1" | "ISO8859-1" | "ISO_8859-1" | "LATIN1" | "LATIN-1") => Form::Latin,
        (_, other) if for_label(other).is_ok() => Form::Foreign,
        (_, other) => return Some(Err(format!("the encoding `{other}` is not known"))),
    };
    Some(Ok(Encoding { name, form }))
}

impl Encoding {
    /// The same text as UTF-8.
    pub fn decode(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let text = match self.form {
            Form::Latin => Some(bytes.iter().copied().map(char::from).collect()),
            Form::Two(mark) => {
                let (order, rest) = self.order(mark, bytes, [0xfe, 0xff], [0xff, 0xfe])?;
                units(rest, order, u16::from_be_bytes, u16::from_le_bytes)
                    .and_then(|units| char::decode_utf16(units).collect::<Result<String, _>>().ok())
            }
            Form::Four(mark) => {
                let (order, rest) = self.order(mark, bytes, [0, 0, 0xfe, 0xff], [0xff, 0xfe, 0, 0])?;
                units(rest, order, u32::from_be_bytes, u32::from_le_bytes)
                    .and_then(|units| units.into_iter().map(char::from_u32).collect())
            }
            Form::Foreign => return self.foreign(bytes),
        };
        text.map(String::into_bytes)
            .ok_or_else(|| format!("it is not valid {}", self.name))
    }

    /// The byte order, and the text after the mark.
    fn order<'text, const LENGTH: usize>(
        &self,
        mark: ByteOrderMarkRule,
        bytes: &'text [u8],
        big: [u8; LENGTH],
        little: [u8; LENGTH],
    ) -> Result<(ByteOrder, &'text [u8]), String> {
        let big = bytes.strip_prefix(&big).map(|rest| (ByteOrder::Big, rest));
        let little = bytes.strip_prefix(&little).map(|rest| (ByteOrder::Little, rest));
        match (mark, big.or(little)) {
            (ByteOrderMarkRule::Required | ByteOrderMarkRule::Welcome, Some(marked)) => Ok(marked),
            (ByteOrderMarkRule::Required, None) => Err(format!("{} needs a byte order mark", self.name)),
            (ByteOrderMarkRule::Welcome, None) => Ok((ByteOrder::Little, bytes)),
            (ByteOrderMarkRule::Refused(_), Some(_)) => {
                Err(format!("{} must not have a byte order mark", self.name))
            }
            (ByteOrderMarkRule::Refused(order), None) => Ok((order, bytes)),
        }
    }

    fn foreign(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let encoding = for_label(self.name.as_str()).map_err(|error| error.to_string())?;
        let mut text = Vec::new();
        encode_to_git(bytes, encoding, &mut text, RoundTripCheck::Skip).map_err(|error| error.to_string())?;
        Ok(text)
    }
}

/// The numbers a text consists of; nothing if it ends in the middle of one.
fn units<T, const LENGTH: usize>(
    bytes: &[u8],
    order: ByteOrder,
    big: fn([u8; LENGTH]) -> T,
    little: fn([u8; LENGTH]) -> T,
) -> Option<Vec<T>> {
    let (units, rest) = bytes.as_chunks::<LENGTH>();
    let read = match order {
        ByteOrder::Big => big,
        ByteOrder::Little => little,
    };
    rest.is_empty().then(|| units.iter().copied().map(read).collect())
}
