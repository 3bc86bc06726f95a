//! One file per table: its row, its queries and its migrations together.

pub mod actors;
pub mod approvals;
pub mod calls;
pub mod checkpoint_files;
pub mod checkpoints;
pub mod commit_links;
pub mod counters;
pub mod events;
pub mod jobs;
pub mod leases;
pub mod notices;
pub mod payloads;
pub mod projects;
pub mod seen;
pub mod session_notes;
pub mod session_paths;
pub mod sessions;
pub mod tickets;
pub mod tokens;
pub mod touches;
pub mod transcripts;
pub mod trusts;
pub mod turn_prompts;
pub mod turns;
pub mod usage;
pub mod verdicts;
pub mod warnings;
pub mod worktrees;

use crate::migration::{META, Migration};

/// The migrations of every table. Tables that others refer to come first.
pub(crate) const MIGRATIONS: &[&[Migration]] = &[
    META,
    projects::MIGRATIONS,
    worktrees::MIGRATIONS,
    actors::MIGRATIONS,
    sessions::MIGRATIONS,
    turns::MIGRATIONS,
    turn_prompts::MIGRATIONS,
    events::MIGRATIONS,
    payloads::MIGRATIONS,
    calls::MIGRATIONS,
    verdicts::MIGRATIONS,
    notices::MIGRATIONS,
    warnings::MIGRATIONS,
    trusts::MIGRATIONS,
    jobs::MIGRATIONS,
    counters::MIGRATIONS,
    checkpoints::MIGRATIONS,
    checkpoint_files::MIGRATIONS,
    commit_links::MIGRATIONS,
    touches::MIGRATIONS,
    session_notes::MIGRATIONS,
    transcripts::MIGRATIONS,
    usage::MIGRATIONS,
    approvals::MIGRATIONS,
    session_paths::MIGRATIONS,
    leases::MIGRATIONS,
    tickets::MIGRATIONS,
    seen::MIGRATIONS,
    tokens::MIGRATIONS,
];
