//! Judges commands and tool calls: what would be lost, whether it can be undone, and what is said about it.
//!
//! It is a rope, not a jail: it stops slips and shortcuts, not malware. It never answers "allow".
//!
//! [`judge::judge`] is the one function behind the policy, `toprope guard check` and the tests. It does no I/O: what it
//! would like to know is in [`judged::Judged::asked`]. Whoever asks it answers, puts the answers into
//! [`facts::GuardFacts`], and asks again until nothing new is asked (at most [`facts::MOST_QUESTIONS`] in all).

pub mod aim;
pub mod approval;
mod aside;
mod branch;
mod brought;
pub mod case;
pub mod check;
mod client;
pub mod command_view;
mod conditions;
pub mod cover;
mod created_here;
pub mod entries;
pub mod entry;
pub mod exec;
pub mod facts;
mod fault;
pub mod glob;
mod hooks_removed;
pub mod judge;
pub mod judged;
pub mod keep_list;
pub mod layer;
pub mod loading;
mod loss;
pub mod match_result;
pub mod matching;
pub mod message;
mod own;
pub mod pack;
mod path;
mod policy;
mod push;
mod ranking;
pub mod redact;
mod renaming;
mod rewriting;
pub mod rule;
pub mod ruleset;
mod secret;
mod steering;
mod strike;
mod suggestion;
pub mod synthetic;
pub mod tool;
pub mod verdict;
pub mod world;
pub mod zone;

pub use facts::{GuardFacts, WorldQuestion};
pub use hooks_removed::has_lost_us;
pub use judge::judge;
pub use judged::{Finding, Judged};
pub use policy::{ADVISED, Guard, judge_call, shell_key, shell_text};
pub use ruleset::RuleSet;
pub use secret::is_env_file;
pub use verdict::{HarmClass, Ruling};

#[cfg(test)]
mod tests;
