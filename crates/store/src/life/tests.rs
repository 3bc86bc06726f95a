//! What lives of agents promise, told by the events that make them.

mod agents;
mod clock;
mod contest;
#[cfg(feature = "faults")]
mod faults;
mod files;
mod growth;
mod lending;
mod line;
mod merging;
mod missing;
mod model;
mod moving;
mod owed;
mod person;
