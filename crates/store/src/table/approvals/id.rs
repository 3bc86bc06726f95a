//! The id of an approval: short enough to be typed, and no secret.

use std::fmt;

/// `g-` and six characters of base 32.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApprovalId(String);

const PREFIX: &str = "g-";
const LENGTH: usize = 6;
const ALPHABET: [char; 32] = [
    'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u',
    'v', 'w', 'x', 'y', 'z', '2', '3', '4', '5', '6', '7',
];

impl ApprovalId {
    /// The id a text spells exactly; upper case is taken as a person may have written it.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let rest = lower.strip_prefix(PREFIX)?;
        let is_id = rest.chars().count() == LENGTH && rest.chars().all(|each| ALPHABET.contains(&each));
        is_id.then_some(Self(lower))
    }

    /// A new id from random bits; the lowest thirty count.
    pub fn from_random(bits: u32) -> Self {
        let digit = |place: u32| {
            let value = usize::try_from((bits >> (5 * place)) & 31).unwrap_or(0);
            ALPHABET.get(value).copied().unwrap_or('a')
        };
        let digits: String = (0..6).map(digit).collect();
        Self(format!("{PREFIX}{digits}"))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
