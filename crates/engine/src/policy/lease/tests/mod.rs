//! What the policy says and leaves behind, one promise per test.

mod afterwards;
mod arrivals;
mod borrowing;
mod circles;
mod line;
mod model;
mod sweeps;
mod texts;
mod waiting;
mod writers;

use super::LeasePolicy;
use crate::facts::Facts;
use crate::lease::LeaseFacts;
use crate::round::{Round, RoundWatch, decide};
use crate::testing::lease::{denial, edit, knowing};

/// The round of this policy alone.
fn round(facts: &Facts) -> Round {
    decide(&[&LeasePolicy], &edit(), facts, &RoundWatch::default())
}

/// The same under the settings of `standard`.
fn judged(lease: LeaseFacts) -> Round {
    round(&knowing(lease))
}

/// The text of its denial.
fn denied(lease: LeaseFacts) -> String {
    let round = judged(lease);
    denial(&round)
        .unwrap_or_else(|| panic!("passed: {round:?}"))
        .to_owned()
}

/// What it advised, after making sure that the call goes on.
fn advised(facts: &Facts) -> String {
    let round = round(facts);
    assert_eq!(denial(&round), None);
    round.decision.context.join("\n")
}
