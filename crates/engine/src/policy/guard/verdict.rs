//! From the class of a rule to what is said: attendance, modes, ranking.

use serde::{Deserialize, Serialize};

/// What kind of harm a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HarmClass {
    /// It is only said.
    Advice,
    /// A habit of the project's.
    Workflow,
    /// The right intent, done in an unsafe way.
    Method,
    /// A checkpoint brings it back.
    Recoverable,
    /// Nobody can tell what would run.
    Opaque,
    /// Credentials would be shown.
    Secret,
    /// Nothing brings it back.
    Irreversible,
    /// Nothing brings it back, and nobody ever wants it.
    Floor,
}

impl HarmClass {
    /// Its name in rules, the store and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Workflow => "workflow",
            Self::Method => "method",
            Self::Recoverable => "recoverable",
            Self::Opaque => "opaque",
            Self::Secret => "secret",
            Self::Irreversible => "irreversible",
            Self::Floor => "floor",
        }
    }

    /// The class of that name.
    pub fn named(word: &str) -> Option<Self> {
        [
            Self::Advice,
            Self::Workflow,
            Self::Method,
            Self::Recoverable,
            Self::Opaque,
            Self::Secret,
            Self::Irreversible,
            Self::Floor,
        ]
        .into_iter()
        .find(|class| class.word() == word)
    }

    /// What a rule of this class says unless it says otherwise.
    pub fn ruling(self) -> Ruling {
        match self {
            Self::Advice | Self::Workflow => Ruling::Advise,
            Self::Method => Ruling::Rewrite,
            Self::Recoverable => Ruling::OneStrike,
            Self::Opaque | Self::Secret => Ruling::Ask,
            Self::Irreversible | Self::Floor => Ruling::Deny,
        }
    }
}

/// What is said about a command, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// Nothing.
    #[default]
    Silent,
    /// Text beside it.
    Advise,
    /// It runs in a safer form.
    Rewrite,
    /// It is held once.
    OneStrike,
    /// A person decides.
    Ask,
    /// It does not happen.
    Deny,
}

impl Ruling {
    /// All of them, the mildest first.
    pub const ALL: [Self; 6] = [
        Self::Silent,
        Self::Advise,
        Self::Rewrite,
        Self::OneStrike,
        Self::Ask,
        Self::Deny,
    ];

    /// Its name in rules, on the command line and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Advise => "advise",
            Self::Rewrite => "rewrite",
            Self::OneStrike => "one-strike",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The ruling of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ruling| ruling.word() == word)
    }

    /// Whether the command does not simply run.
    pub fn stops(self) -> bool {
        match self {
            Self::Silent | Self::Advise | Self::Rewrite => false,
            Self::OneStrike | Self::Ask | Self::Deny => true,
        }
    }

    /// The exit code of `guard check`.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Silent | Self::Advise => 0,
            Self::Rewrite => 10,
            Self::Ask => 11,
            Self::OneStrike => 12,
            Self::Deny => 13,
        }
    }

    /// What it becomes where nobody could answer a question: today's clients turn one into a bare refusal.
    #[must_use]
    pub fn for_attendance(self, attended: bool) -> Self {
        if self == Self::Ask && !attended {
            Self::Deny
        } else {
            self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ruling_is_found_by_its_word_and_harsher_ones_come_later() {
        for ruling in Ruling::ALL {
            assert_eq!(Ruling::named(ruling.word()), Some(ruling));
        }
        assert!(Ruling::ALL.is_sorted());
        assert_eq!(Ruling::named("allow"), None);
    }

    #[test]
    fn a_question_nobody_can_answer_is_a_denial() {
        assert_eq!(Ruling::Ask.for_attendance(false), Ruling::Deny);
        assert_eq!(Ruling::Ask.for_attendance(true), Ruling::Ask);
        assert_eq!(Ruling::OneStrike.for_attendance(false), Ruling::OneStrike);
    }
}
