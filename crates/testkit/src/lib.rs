//! A temporary project with agents that act through the real binary. Development only.

mod agent;
mod call;
pub mod corpus;
mod database;
pub mod day;
mod git_version;
mod output;
mod patience;
pub mod process;
pub mod repository;
mod skip;
mod world;

pub use agent::Agent;
pub use call::Call;
pub use database::Database;
pub use git_version::has_refs_in_tables;
pub use output::Output;
pub use patience::{eventually, tick};
pub use skip::skip;
pub use world::{World, copy, path, run};
