//! How the daemon is, as one JSON object.

use super::Server;
use crate::memory::resident_kib;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;

/// What `toprope daemon status` and `doctor` learn from a running daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonStatus {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// The protocol it speaks.
    pub protocol: u32,
    /// How long it has been serving.
    pub uptime_s: u64,
    /// Events answered.
    pub events: u64,
    /// Agents' processes it watches.
    pub agents: usize,
    /// Resident memory, where the system tells.
    pub resident_kib: Option<u64>,
}

/// The status as JSON bytes.
pub(super) fn of(server: &Server) -> Vec<u8> {
    let status = DaemonStatus {
        pid: server.own.pid,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: crate::home::PROTOCOL,
        uptime_s: server.began.elapsed().as_secs(),
        events: server.answered.load(Ordering::Relaxed),
        agents: server.processes.count(),
        resident_kib: resident_kib(),
    };
    serde_json::to_vec(&status).unwrap_or_default()
}
