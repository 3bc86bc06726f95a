//! What is counted because it should not happen. Other counters are the daemon's own bookkeeping and nobody's trouble.

/// A kind of trouble, and the words for it.
pub struct Trouble {
    /// The counter's name.
    pub name: &'static str,
    /// There is none of it.
    pub none: &'static str,
    /// What goes after a one.
    pub one: &'static str,
    /// What goes after another number.
    pub more: &'static str,
    /// Where to look.
    pub hint: &'static str,
}

/// All of it, in the order it is shown.
pub const TROUBLES: [Trouble; 3] = [
    Trouble {
        name: "degraded",
        none: "no policy failed",
        one: "decision went without a policy that failed",
        more: "decisions went without a policy that failed",
        hint: "toprope log --events",
    },
    Trouble {
        name: "unreadable",
        none: "every event could be read",
        one: "event could not be read",
        more: "events could not be read",
        hint: "toprope log --events --event unreadable --raw",
    },
    Trouble {
        name: "unknown event",
        none: "every event is one we know",
        one: "event is one we do not know",
        more: "events are ones we do not know",
        hint: "toprope log --events",
    },
];

/// Whether a counter of this name counts trouble.
pub fn is_trouble(counter: &str) -> bool {
    TROUBLES.iter().any(|trouble| trouble.name == counter)
}
