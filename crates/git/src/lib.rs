//! Everything Toprope knows of git: where a folder belongs, what is checked out, and what a project looks like.
//!
//! Nothing here knows sessions or policies. Looking never writes: a repository that was looked at is, byte for byte,
//! the repository it was. What is kept goes into a repository of our own ([`shadow`]); a person's files are changed by
//! [`restore`], and what is done in their name is [`commit_paths`] alone. Repositories are hostile input. Files are read
//! with a limit, only if they are
//! regular files; git itself is started with a scrubbed environment, without hooks, network or a terminal.

pub mod alias;
pub mod blockers;
pub mod capture;
pub mod commit_facts;
pub mod commit_paths;
pub mod committed;
pub mod content;
pub mod extract;
pub mod head;
pub mod ignore;
pub mod index;
pub mod keep_refs;
pub mod linking;
pub mod nofollow;
pub mod object;
pub mod operation;
pub mod patch_id;
pub mod path;
pub mod place;
pub mod plan;
pub mod reflog;
pub mod repository;
pub mod restore;
pub mod run;
pub mod scan;
pub mod settings;
pub mod shadow;
pub mod size;
pub mod snapshot;
pub mod stat;
pub mod stat_cache;
pub mod state;
pub mod target;
pub mod tracking;
pub mod worktree;

mod child;
mod config;
mod deadline;
mod discovery;
mod small_file;
mod status;
mod tree;
mod walk;

#[cfg(test)]
mod fixture;
