//! Runs: the hook's client, the daemon's server, the pipeline both share, and the work that comes after a reply.

pub mod checkpoint;
pub mod client;
pub mod clock;
pub mod config;
pub mod environment;
pub mod fallback;
pub mod frame;
pub mod home;
pub mod jobs;
pub mod judge;
pub mod launch;
pub mod log_file;
pub mod marker;
pub mod peer;
pub mod pipeline;
pub mod process;
mod random;
pub mod server;
mod silence;
pub mod skill;
pub mod spool;
pub mod told;
pub mod transcript;
pub mod trust;
pub mod watch;
pub mod writer;
