//! What one policy says about one event.

use crate::effect::{Audience, Effect};
use crate::tool::InputPatch;

/// A policy's answer, without its effects.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Nothing to say.
    Silent,
    /// Text; the event goes on.
    Advise(Vec<Advice>),
    /// The call goes on with other input.
    Rewrite {
        /// What changes.
        patch: InputPatch,
        /// Why, for the record and for the agent: its own history keeps the original call.
        reason: String,
    },
    /// The person decides.
    Ask(String),
    /// The person decides about the call with other input.
    AskRewritten {
        /// What changes.
        patch: InputPatch,
        /// What the person is asked.
        reason: String,
        /// What the agent is told of the change.
        note: String,
    },
    /// It does not happen. The text tells the agent what was stopped, why, and what to do instead.
    Deny(String),
    /// The same, of what may well be meant, and passes when it is tried again; what a person typed stays at hand. Where
    /// another policy denies it anyway, that is said instead.
    Hold(String),
}

/// The kind of a verdict, as stored and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerdictKind {
    /// See [`Verdict::Silent`].
    Silent,
    /// See [`Verdict::Advise`].
    Advise,
    /// See [`Verdict::Rewrite`].
    Rewrite,
    /// See [`Verdict::Ask`].
    Ask,
    /// See [`Verdict::Deny`].
    Deny,
}

impl VerdictKind {
    /// All kinds, mildest first.
    pub const ALL: [Self; 5] = [Self::Silent, Self::Advise, Self::Rewrite, Self::Ask, Self::Deny];

    /// The word for it in the store, on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Advise => "advise",
            Self::Rewrite => "rewrite",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The kind a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Verdict {
    /// Its kind.
    pub fn kind(&self) -> VerdictKind {
        match self {
            Self::Silent => VerdictKind::Silent,
            Self::Advise(_) => VerdictKind::Advise,
            Self::Rewrite { .. } => VerdictKind::Rewrite,
            Self::Ask(_) | Self::AskRewritten { .. } => VerdictKind::Ask,
            Self::Deny(_) | Self::Hold(_) => VerdictKind::Deny,
        }
    }

    /// Its reason, as one text; empty where there is none.
    pub fn reason(&self) -> String {
        match self {
            Self::Silent => String::new(),
            Self::Advise(pieces) => pieces
                .iter()
                .map(|piece| piece.text.as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            Self::Rewrite { reason, .. }
            | Self::Ask(reason)
            | Self::AskRewritten { reason, .. }
            | Self::Deny(reason)
            | Self::Hold(reason) => reason.clone(),
        }
    }
}

/// One piece of text, and what is true once it has been sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Who reads it. The person's is shown by the client at once, needs no room, and never reaches the model.
    pub audience: Audience,
    /// The text.
    pub text: String,
    /// Carried out only if the text is part of the reply.
    pub on_delivery: Vec<Effect>,
    /// What happens to text the reply has no room for.
    pub if_cut: IfCut,
}

/// What happens to advice the reply has no room for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IfCut {
    /// It is already owed elsewhere and simply stays so.
    StaysOwed,
    /// It becomes a notice to the same actor, under this key.
    Owe {
        /// One pending notice per actor, policy and key.
        key: String,
    },
}

impl Advice {
    /// Text for the agent that becomes a notice when it does not fit.
    pub fn new(text: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            audience: Audience::Actor,
            text: text.into(),
            on_delivery: Vec::new(),
            if_cut: IfCut::Owe { key: key.into() },
        }
    }

    /// Text for the person, which the model does not see.
    pub fn to_person(text: impl Into<String>, on_delivery: Vec<Effect>) -> Self {
        Self {
            audience: Audience::Person,
            text: text.into(),
            on_delivery,
            if_cut: IfCut::StaysOwed,
        }
    }
}

/// A policy's whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What it says.
    pub verdict: Verdict,
    /// What it leaves behind whatever the round decides: a strike, a ticket.
    pub always: Vec<Effect>,
    /// What it grants; carried out only if the round ends without a denial.
    pub granted: Vec<Effect>,
}

impl Judgement {
    /// Nothing to say, nothing to do.
    pub fn silent() -> Self {
        Verdict::Silent.into()
    }
}

impl From<Verdict> for Judgement {
    fn from(verdict: Verdict) -> Self {
        Self {
            verdict,
            always: Vec::new(),
            granted: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_word_and_harsher_ones_come_later() {
        for kind in VerdictKind::ALL {
            assert_eq!(VerdictKind::parse(kind.as_str()), Some(kind));
        }
        assert!(VerdictKind::ALL.is_sorted());
        assert_eq!(VerdictKind::parse("allow"), None);
    }

    #[test]
    fn advice_in_several_pieces_is_one_reason() {
        let verdict = Verdict::Advise(vec![Advice::new("one", "a"), Advice::new("two", "b")]);
        assert_eq!(verdict.reason(), "one\ntwo");
    }
}
