//! Decides: events in, verdicts and effects out. No I/O, no clock, no randomness.
//!
//! An adapter (crate `agents`) translates what an agent says into an [`event::Event`]. The pipeline (crate `daemon`)
//! gathers [`facts::Facts`], calls [`round::decide`], and carries out what the [`round::Round`] says.

pub mod access;
pub mod answer;
pub mod checkpoint;
pub mod decision;
pub mod effect;
pub mod event;
pub mod facts;
pub mod hex;
pub mod id;
pub mod lease;
pub mod lifecycle;
pub mod policy;
pub mod question;
pub mod round;
pub mod settings;
pub mod summary;
pub mod text;
pub mod time;
pub mod todo;
pub mod tool;
pub mod usage;
pub mod verdict;

#[cfg(test)]
mod testing;
