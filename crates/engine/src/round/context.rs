//! Which texts fit one reply, and what becomes of those that do not.

use crate::effect::{Audience, Effect, Owed};
use crate::text::{cut_utf16, utf16_len};
use crate::verdict::{Advice, IfCut};

/// What joins two texts in the reply, in UTF-16 code units.
const SEPARATOR: usize = 2;

/// One text of one policy, on its way into the reply.
pub struct ContextItem {
    /// Whose.
    pub policy: &'static str,
    /// Why it is said.
    pub about: ContextReason,
    /// Whether this reply may carry it.
    pub when: ContextTiming,
    /// The text.
    pub advice: Advice,
}

/// Why a text is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextReason {
    /// The policy advises.
    Advice,
    /// The policy changed the call, and the agent's own history does not show it.
    Rewrite,
    /// The policy says what it may not do.
    Instead,
}

/// Whether this reply may carry a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextTiming {
    /// It may, if there is room.
    Now,
    /// A later one.
    Later,
}

/// The texts of one reply, and what follows from sending them or not.
#[derive(Default)]
pub struct Fitted {
    /// What is sent, in order.
    pub context: Vec<String>,
    /// What the person is shown, in order.
    pub person: Vec<String>,
    /// Deliveries, and what became owed.
    pub effects: Vec<Effect>,
    /// Policies of which a text was not sent.
    pub unsent: Vec<&'static str>,
}

/// Fills one reply up to `budget` UTF-16 code units, the person's texts not counted; what does not fit becomes or stays owed.
pub fn fit(budget: usize, pieces: Vec<ContextItem>) -> Fitted {
    let mut fitted = Fitted::default();
    let mut left = budget;
    for piece in pieces {
        if piece.advice.audience == Audience::Person {
            fitted.show(piece.advice);
            continue;
        }
        let is_first = fitted.context.is_empty();
        let separator = if is_first { 0 } else { SEPARATOR };
        let text = &piece.advice.text;
        let cost = utf16_len(text) + separator;
        if piece.when == ContextTiming::Later || budget == 0 {
            fitted.leave(piece);
        } else if cost <= left {
            left -= cost;
            fitted.send(text.clone(), piece.advice.on_delivery);
        } else if is_first {
            // No reply can ever hold it whole: owed, it would wait for good.
            left = 0;
            fitted.send(cut_utf16(text, budget), piece.advice.on_delivery);
        } else {
            fitted.leave(piece);
        }
    }
    fitted
}

impl Fitted {
    fn send(&mut self, text: String, on_delivery: Vec<Effect>) {
        self.context.push(text);
        self.effects.extend(on_delivery);
    }

    fn show(&mut self, advice: Advice) {
        self.person.push(advice.text);
        self.effects.extend(advice.on_delivery);
    }

    fn leave(&mut self, piece: ContextItem) {
        self.unsent.push(piece.policy);
        if let IfCut::Owe { key } = piece.advice.if_cut {
            self.effects.push(Effect::Owe(Owed {
                audience: Audience::Actor,
                kind: piece.policy.to_owned(),
                key,
                text: piece.advice.text,
            }));
        }
    }
}
