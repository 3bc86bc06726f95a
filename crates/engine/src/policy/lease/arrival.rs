//! What an agent that starts is told: who it is here, and which files are somebody's.

use super::message;
use crate::lease::LeaseFacts;
use crate::text::utf16_len;
use crate::verdict::{Advice, Judgement, Verdict};

/// The most of it, in UTF-16 code units.
const LONGEST: usize = 600;
/// Files and reservations that are named.
const MOST_NAMED: usize = 8;

/// Tells it.
pub(super) fn told(facts: &LeaseFacts, label: &str) -> Judgement {
    let me = &facts.me;
    let editing = facts.editing.iter().filter(|held| !me.is(&held.who));
    let editing: Vec<String> = editing
        .map(|held| format!("{} ({})", held.shown, held.who.shown_within()))
        .collect();
    let reserved = facts.reservations.iter().filter(|reserved| !me.passes(reserved));
    let reserved: Vec<String> = reserved
        .map(|reserved| format!("{} ({})", message::pattern(reserved), reserved.who.shown_within()))
        .collect();
    let named = |most: usize| {
        let editing = message::some_of(&editing, most);
        let reserved = message::some_of(&reserved, most);
        message::arrival(label, editing.as_deref(), reserved.as_deref())
    };
    let fits = |text: &String| utf16_len(text) <= LONGEST;
    let text = (0..=MOST_NAMED).rev().map(named).find(fits);
    let text = text.unwrap_or_else(|| message::arrival(label, None, None));
    Verdict::Advise(vec![Advice::new(text, "arrival")]).into()
}
