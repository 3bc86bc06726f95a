//! Checkpoints as far as they can be decided without looking at a file: which there are, what they are called, and
//! what an event means for them. The files themselves are the business of the crates `git` and `daemon`.

mod doubt;
mod kind;
pub mod label;
pub mod todo;
pub mod trigger;
mod work;

pub use doubt::Doubt;
pub use kind::{ChangeOrigin, CheckpointKind};
pub use work::{
    CheckpointOwner, CheckpointTask, CutKey, CutOrder, CutTime, LabelRule, NamedFiles, Roam, Roaming,
    ScanNeed, TouchTime, TranscriptJob, TranscriptOf,
};
