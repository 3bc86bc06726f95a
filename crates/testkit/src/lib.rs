//! A temporary project with agents that act through the real binary. Development only.

mod agent;
mod output;
mod world;

pub use agent::Agent;
pub use output::Output;
pub use world::World;
