//! Checkpoints: every turn leaves a state that files can be put back to, and nothing is taken from the person for it.
//!
//! An event leaves rows ([`intake`]); the file it is about to change is kept first ([`preimage`]), and calls that may
//! write wait until what came before them was read ([`gate`]). After the reply a worker per worktree ([`worker`]) cuts
//! ([`cutter`]) what was ordered ([`order`]): states are followed from the newest checkpoint ([`tip`], `ground`) to the event
//! (`following`, [`chain`]): what calls named (`touching`), and what only a look at the worktree finds ([`look`]).
//! Whose doing each change was is told by when it was made (`blame`, `dating`, `ownership`, `moved`). The result is put on the line (`putting`) together with the conversation ([`session_part`], `reading`,
//! `sealing`). What a killed process did not record is brought back from the commits (`recovery`); a shadow that is damaged is
//! set aside ([`damage`]). Files are put back to
//! any of them, and that is taken back in turn, by [`rewind`].

pub mod adoption;
mod agent_label;
mod blame;
pub mod chain;
pub mod clash;
pub mod committing;
pub mod comparison;
mod coverage;
pub mod cutter;
pub mod damage;
mod dating;
#[cfg(test)]
mod desk;
pub mod disagreement;
pub(crate) mod endangered;
mod following;
pub mod gate;
mod ground;
pub mod hold;
pub mod intake;
pub mod links;
pub mod look;
pub mod metadata;
mod moved;
pub mod naming;
mod narrow;
pub mod order;
mod ownership;
pub mod path_text;
pub mod people;
pub mod preimage;
mod putting;
pub mod reading;
mod recovery;
pub mod retention;
pub mod rewind;
mod sealing;
pub mod session_part;
pub(crate) mod stamps;
pub mod states;
pub mod step_label;
mod telling;
pub mod tip;
mod touching;
pub mod vanished;
pub mod worker;
pub mod worksite;
