//! Remembers: one `SQLite` file, one module per table, and an API that speaks of ours alone.
//!
//! A [`Store`] is one connection. Writes happen in a [`Tx`], one [`Tx::unit`] per event, so that a group of events
//! shares one commit and each of them is still all or nothing. Queries take a [`Db`], which a [`Tx`] and a
//! [`ReadConnection`] both are.

pub mod fault;
#[cfg(any(test, feature = "faults"))]
pub mod ledger;
pub mod life;
pub mod payload;
pub mod prune;
pub mod table;

mod client;
mod db;
mod error;
mod examine;
mod file_state;
mod label;
mod migration;
mod moment;
mod open;
mod pattern;
mod snapshot;
mod terms;
mod transaction;
mod write_queue;

pub use client::ClientProcess;
pub use db::{Db, ReadConnection};
pub use error::StoreError;
pub use examine::{Depth, Examined};
pub use file_state::{FileState, TreePart};
pub use moment::{Boot, Moment};
pub use open::Store;
pub use payload::Payload;
pub use snapshot::ReadSnapshot;
pub use table::{
    actors, approvals, calls, checkpoint_files, checkpoints, commit_links, counters, events, jobs, leases,
    notices, payloads, projects, seen, session_notes, session_paths, sessions, tickets, tokens, touches,
    transcripts, trusts, turns, usage, verdicts, warnings, worktrees,
};
pub use terms::{LeaseTerms, MOST_PER_ACTOR};
pub use transaction::{Tx, try_out};
pub use write_queue::LINE;

#[cfg(test)]
mod stage;
#[cfg(test)]
mod tests;
