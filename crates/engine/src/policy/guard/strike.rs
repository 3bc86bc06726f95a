//! One strike: the first match of a rule is held, a later one passes once the warning was heard.

use super::facts::StrikeFact;

/// What an earlier warning means for this match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strike {
    /// There was none.
    First,
    /// The model has not read it yet: both calls were made in one step.
    Unheard,
    /// The model has read it, and means it.
    Heard,
}

/// What the actor's warnings mean for a match of this rule, whatever its target.
pub fn of(rule: &str, strikes: &[StrikeFact]) -> Strike {
    let mut found = Strike::First;
    for strike in strikes.iter().filter(|strike| strike.rule == rule) {
        if strike.heard {
            return Strike::Heard;
        }
        found = Strike::Unheard;
    }
    found
}
