//! What whoever starts is told of files that are somebody's; an agent also who it is here.

use super::message;
use crate::lease::LeaseFacts;
use crate::text::utf16_len;
use crate::verdict::{Advice, Judgement, Verdict};

/// The most of it, in UTF-16 code units.
const LONGEST: usize = 600;
/// Files and reservations that are named.
const MOST_NAMED: usize = 8;

/// What others have, each with whose it is.
pub struct OthersFiles {
    editing: Vec<String>,
    reserved: Vec<String>,
}

impl OthersFiles {
    /// The files and patterns that are not this actor's to write.
    pub fn from(facts: &LeaseFacts) -> Self {
        let me = &facts.me;
        let editing = facts.editing.iter().filter(|held| !me.is(&held.who));
        let reserved = facts.reservations.iter().filter(|reserved| !me.passes(reserved));
        Self {
            editing: editing
                .map(|held| format!("{} ({})", held.shown, held.who.shown_within()))
                .collect(),
            reserved: reserved
                .map(|reserved| format!("{} ({})", message::pattern(reserved), reserved.who.shown_within()))
                .collect(),
        }
    }

    /// Files that are edited, at most so many of them, and how many more.
    pub fn editing(&self, most: usize) -> Option<String> {
        message::some_of(&self.editing, most)
    }

    /// Patterns that are reserved, likewise.
    pub fn reserved(&self, most: usize) -> Option<String> {
        message::some_of(&self.reserved, most)
    }
}

/// Tells it.
pub(super) fn told(facts: &LeaseFacts, label: &str) -> Judgement {
    let taken = OthersFiles::from(facts);
    let named = |most: usize| {
        message::arrival(
            label,
            taken.editing(most).as_deref(),
            taken.reserved(most).as_deref(),
        )
    };
    let fits = |text: &String| utf16_len(text) <= LONGEST;
    let text = (0..=MOST_NAMED).rev().map(named).find(fits);
    let text = text.unwrap_or_else(|| message::arrival(label, None, None));
    Verdict::Advise(vec![Advice::new(text, "arrival")]).into()
}
