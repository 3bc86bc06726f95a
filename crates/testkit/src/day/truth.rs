//! Who changed a file last, as only the day itself knows.

use super::files::Node;

/// Who changed a file last.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Nobody since the morning.
    #[default]
    Nobody,
    Person,
    /// Another session, whose work is not taken back either.
    Other,
    /// The session that is rewound.
    Session,
}

/// What is known of one file.
#[derive(Debug, Default, Clone)]
pub(super) struct Truth {
    pub(super) by: By,
    /// What others left there last, and when. What a command in the background wrote over it counts as theirs too.
    pub(super) theirs: Option<(u64, Vec<Option<Node>>)>,
    /// What the session or a rewind left there last: a person who comes back to it has nothing to lose.
    pub(super) left: Option<Node>,
    /// Somebody else than an agent whose call ended had a part in it.
    pub(super) is_mixed: bool,
}
