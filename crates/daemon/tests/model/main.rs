//! Three actors and a person in one worktree, with the product in one process (scenario 8).
//!
//! `moments` plays random days against an oracle that knows files and dates alone. `days` are single days on which a plain
//! model says what is recorded, row by row: it shares no code with the product, and knows the order of events but no
//! dates, so these are days on which the order decides.
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
