//! Paths in JSON: text where they are text, else their bytes in base64.

use git::path::{PathFault, RepoPath};
use serde::{Deserialize, Serialize};

/// A path as JSON shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PathText {
    /// It is text.
    Text(String),
    /// It is not.
    Bytes {
        /// In base64.
        bytes: String,
    },
}

impl PathText {
    /// Any bytes as JSON shows them.
    pub fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Bytes { bytes: encode(bytes) },
        }
    }

    /// The path it stands for.
    pub fn path(&self) -> Result<RepoPath, PathFault> {
        RepoPath::new(self.bytes().ok_or(PathFault::Empty)?)
    }

    /// The bytes it stands for; `None` where it stands for none.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.as_bytes().to_vec()),
            Self::Bytes { bytes } => decode(bytes),
        }
    }
}

impl From<&RepoPath> for PathText {
    fn from(path: &RepoPath) -> Self {
        Self::of(path.as_bytes())
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let whole = (0..3).fold(0_u32, |whole, at| {
            (whole << 8) | group.get(at).map_or(0, |byte| u32::from(*byte))
        });
        for digit in 0..4 {
            let value = (whole >> (18 - 6 * digit)) & 63;
            let letter = usize::try_from(value).ok().and_then(|at| DIGITS.get(at));
            text.push(if digit <= group.len() {
                letter.map_or('=', |letter| char::from(*letter))
            } else {
                '='
            });
        }
    }
    text
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        if group.len() == 1 {
            return None;
        }
        let mut whole = 0_u32;
        for at in 0..4 {
            let value = match group.get(at) {
                Some(letter) => DIGITS.iter().position(|digit| digit == letter)?,
                None => 0,
            };
            whole = (whole << 6) | u32::try_from(value).ok()?;
        }
        let [_, first, second, third] = whole.to_be_bytes();
        bytes.extend([first, second, third].into_iter().take(group.len() - 1));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_other_bytes_come_back_as_they_were() {
        let plain = RepoPath::new("src/ä.rs").unwrap();
        assert_eq!(PathText::from(&plain), PathText::Text("src/ä.rs".to_owned()));
        for odd in [
            &b"a\xff"[..],
            b"\xff\xfeab",
            b"\x80",
            b"\xc3\x28/x",
            b"ab\xe2\x82",
        ] {
            let path = RepoPath::new(odd).unwrap();
            let told = PathText::from(&path);
            assert!(matches!(told, PathText::Bytes { .. }));
            assert_eq!(told.path(), Ok(path));
        }
    }

    #[test]
    fn the_encoding_is_the_usual_one() {
        for (bytes, text) in [
            (&b"f"[..], "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xff", "/w=="),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        assert_eq!(decode("Z"), None);
        assert_eq!(decode("Z*=="), None);
    }

    #[test]
    fn a_hostile_path_in_json_is_refused() {
        assert!(PathText::Text("../x".to_owned()).path().is_err());
        assert!(
            PathText::Bytes {
                bytes: "!".to_owned()
            }
            .path()
            .is_err()
        );
    }
}
