//! Leases around a call: which files it means, what is known of them in its transaction, and what is left behind after it.

mod asking;
mod circles;
mod committing;
mod content;
mod cut_off;
mod deserted;
mod gathering;
mod identity;
mod inheriting;
mod locating;
mod looking;
mod merging;
mod origin;
mod orphan;
mod people;
mod presence;
mod reach;
mod reading;
mod renewing;
mod seeing;
mod sweeping;

pub use circles::forget_broken;
pub use content::COARSENESS_MS;
pub use cut_off::{close_lost, count_writes};
pub use deserted::{end_deserted, may_end};
pub use gathering::Gathering;
pub use identity::own_up;
pub use locating::{Located, Surroundings, locate, spelled};
pub use looking::{Looker, Volumes};
pub use orphan::{end_orphan, is_orphan};
pub use seeing::see;
