//! Leases around a call: which files it means, what is known of them in its transaction, and what is left behind after it.

mod asking;
mod content;
mod gathering;
mod locating;
mod looking;
mod origin;
mod people;
mod seeing;

pub use gathering::Gathering;
pub use locating::{Located, Surroundings, locate, spelled};
pub use looking::{Looker, Volumes};
pub use seeing::see;
