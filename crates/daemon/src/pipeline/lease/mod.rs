//! Leases around a call: which files it means, what is known of them in its transaction, and what is left behind after it.

mod content;
mod locating;

pub use locating::{Located, Surroundings, locate};
