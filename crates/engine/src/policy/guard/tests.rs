//! What the guard promises, in tables a newcomer can read (`cases/*.toml`), and what tables cannot say.

mod corpus;
mod determinism;
mod faults;
mod hostile;
mod loading;
mod messages;
mod metamorphic;
mod packs;
mod policy;
mod scenarios;
mod suggestions;
mod tools;
