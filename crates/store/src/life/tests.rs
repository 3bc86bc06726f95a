//! What lives of agents promise, told by the events that make them.

mod agents;
mod clock;
mod files;
mod lending;
mod line;
mod missing;
