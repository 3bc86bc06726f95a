//! Three actors and a person in one worktree, at random, against a plain model (scenario 8).
//!
//! After every step the files, the changes with their origins, and the line of checkpoints are what the model says. The
//! model shares no code with the product: it knows what everybody saw and when, and who can have done what nobody saw.
//!
//! What it takes over instead of saying it: whether a rewind that was killed was finished or taken back, because both are
//! right, and whether a checkpoint that a person asked for was there before they were killed. What it does not play, and
//! other tests do: rewinds of everybody's changes, checkpoints before destructive commands, converted files, nested
//! repositories, retention.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

mod compare;
mod crash;
mod cutting;
mod days;
#[cfg(feature = "testing")]
mod history;
mod moments;
mod plain;
mod play;
mod real;
mod repo;
mod rewinding;
mod step;
mod tree;

use play::Play;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Cases in a normal run, for each of the tests; `PROPTEST_CASES` asks for more, and other days each time.
const CASES: u32 = 60;

fn more_cases() -> Option<u32> {
    let more = std::env::vars().find(|(name, _)| name == "PROPTEST_CASES");
    more.and_then(|(_, cases)| cases.parse().ok())
}

/// Runs random days; a failing one is made as short as it gets.
fn run(seed: u8, most: usize) {
    let config = Config {
        cases: more_cases().unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    let mut runner = match more_cases() {
        Some(_) => TestRunner::new(config),
        // The same days each time, so that a change is judged by what it changes.
        None => TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32])),
    };
    let template = real::template();
    let outcome = runner.run(&step::steps(most), |steps| {
        Play::new(&template).all(&steps);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
#[ignore = "whose a change is, is told by dates now, which the plain model does not know yet; see moments.rs"]
fn short_days_are_recorded_as_they_were() {
    run(1, 8);
}

#[test]
#[ignore = "whose a change is, is told by dates now, which the plain model does not know yet; see moments.rs"]
fn long_days_are_recorded_as_they_were() {
    run(2, 30);
}
