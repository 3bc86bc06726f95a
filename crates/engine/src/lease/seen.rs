//! What an actor last knew of a file's content.

use super::target::ContentStamp;
use serde::{Deserialize, Serialize};

/// A file whose time is this near to the moment it was looked at may have been written again within the same tick.
const SETTLED_NS: i64 = 2_000_000_000;

/// What is known of a content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentIdentity {
    /// Nothing: it was not asked, not needed, or came too late.
    #[default]
    Nothing,
    /// Its hash.
    Hash(String),
    /// It is larger than `stale_write.max_mib`: size and time stand for it.
    TooBig,
}

/// The content an actor last knew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileObservation {
    /// The content.
    pub content: ContentIdentity,
    /// What was on the disk.
    pub stamp: Option<ContentStamp>,
    /// When, in milliseconds since the epoch by the clock that also dates files.
    pub at_ms: i64,
    /// The actor changed the file since on top of a change that it has not seen.
    pub behind: bool,
}

impl ContentIdentity {
    /// Whether nothing is known.
    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

impl FileObservation {
    /// Whether the actor ever saw anything of the file, and did not only change it.
    pub fn is_of_content(&self) -> bool {
        !self.behind || !self.content.is_nothing() || self.stamp.is_some()
    }

    /// Whether a file with this stamp certainly has the content that was seen, without reading it.
    pub fn still_is(&self, stamp: &ContentStamp) -> bool {
        let seen_at_ns = self.at_ms.saturating_mul(1_000_000);
        self.stamp.as_ref() == Some(stamp) && seen_at_ns.saturating_sub(stamp.mtime_ns) > SETTLED_NS
    }
}
