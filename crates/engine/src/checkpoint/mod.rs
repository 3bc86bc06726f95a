//! Checkpoints as far as they can be decided without looking at a file: which there are, what they are called, and
//! what an event means for them. The files themselves are the business of the crates `git` and `daemon`.

mod doubt;
mod kind;
pub mod label;
pub mod todo;
pub mod trigger;
mod work;

pub use doubt::Doubt;
pub use kind::{CheckpointKind, Origin};
pub use work::{
    Cut, Key, LabelRule, Reading, Roam, Roaming, Scan, Touch, Touched, TranscriptOf, When, Whose, Work,
};
