//! Tokens: what one message of a model used, which of its reports counts, and which turn it belongs to.

use crate::id::{MessageId, PromptId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Token counts of one message, or the sum over several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Read as new.
    pub input: u64,
    /// Written to the cache for five minutes.
    pub cache_write_5m: u64,
    /// Written to the cache for an hour.
    pub cache_write_1h: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written by the model, its thinking included.
    pub output: u64,
    /// The part of `output` that was thinking.
    pub thinking: u64,
}

impl Tokens {
    /// Everything that went in or out, each token once.
    pub fn total(&self) -> u64 {
        let went_in = self
            .input
            .saturating_add(self.cache_write())
            .saturating_add(self.cache_read);
        went_in.saturating_add(self.output)
    }

    /// Everything written to a cache.
    pub fn cache_write(&self) -> u64 {
        self.cache_write_5m.saturating_add(self.cache_write_1h)
    }
}

impl Add for Tokens {
    type Output = Self;

    /// A sum that would not fit stays at the largest number: counts come from a file anybody can write.
    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cache_write_5m: self.cache_write_5m.saturating_add(other.cache_write_5m),
            cache_write_1h: self.cache_write_1h.saturating_add(other.cache_write_1h),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            output: self.output.saturating_add(other.output),
            thinking: self.thinking.saturating_add(other.thinking),
        }
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// One report of what a message used. The client writes several for each message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageUsage {
    /// Which message.
    pub id: MessageId,
    /// The request it answered.
    pub request: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// What it used.
    pub tokens: Tokens,
    /// When it was written.
    pub at: Option<Timestamp>,
}

impl MessageUsage {
    /// Takes another report of the same message into account: the one with the highest output counts, whole.
    pub fn hear(&mut self, other: Self) {
        if other.tokens.output > self.tokens.output {
            self.tokens = other.tokens;
        }
        self.request = self.request.take().or(other.request);
        self.model = self.model.take().or(other.model);
        self.at = self.at.take().or(other.at);
    }
}

/// Reports of messages, each message once, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageLedger<O> {
    entries: BTreeMap<MessageId, (MessageUsage, O)>,
}

impl<O> UsageLedger<O> {
    /// A ledger without entries.
    pub fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
        }
    }

    /// Enters a report. Who entered a message first stays its owner; a copy elsewhere only completes the counts.
    pub fn enter(&mut self, report: MessageUsage, owner: O) {
        match self.entries.entry(report.id.clone()) {
            Entry::Vacant(place) => {
                place.insert((report, owner));
            }
            Entry::Occupied(mut known) => known.get_mut().0.hear(report),
        }
    }

    /// What every message used, and whose it is.
    pub fn entries(&self) -> impl Iterator<Item = (&MessageUsage, &O)> {
        self.entries.values().map(|(usage, owner)| (usage, owner))
    }

    /// The same, given away.
    pub fn into_entries(self) -> impl Iterator<Item = (MessageUsage, O)> {
        self.entries.into_values()
    }

    /// The sum over all messages.
    pub fn total(&self) -> Tokens {
        self.entries().map(|(usage, _)| usage.tokens).sum()
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// What is known of one turn when a message looks for its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnMark<T> {
    /// Which turn.
    pub turn: T,
    /// The client's id of its prompt.
    pub prompt: Option<PromptId>,
    /// How long the transcript was when it began.
    pub start: Option<u64>,
}

/// The turn a message belongs to: the one whose prompt the user line before it names, else the last that had begun where
/// the message stands. `turns` are in the order they began; `offset` is absent for other files than the main one.
pub fn turn_of<T: Copy>(turns: &[TurnMark<T>], prompt: Option<&PromptId>, offset: Option<u64>) -> Option<T> {
    let named = prompt.and_then(|prompt| {
        let mut newest_first = turns.iter().rev();
        newest_first.find(|mark| mark.prompt.as_ref() == Some(prompt))
    });
    let begun = || {
        let offset = offset?;
        let mut newest_first = turns.iter().rev();
        newest_first.find(|mark| mark.start.is_some_and(|start| start <= offset))
    };
    named.or_else(begun).map(|mark| mark.turn)
}

#[cfg(test)]
mod tests;
