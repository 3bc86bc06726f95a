//! The process an agent runs in: it says whether the agent still lives, never who it is.

/// A process, told apart from a later one that got the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientProcess {
    /// Its number.
    pub pid: u32,
    /// When it started, in whatever unit the system counts; zero where that could not be read.
    pub started: u64,
}

impl ClientProcess {
    pub(crate) fn pid_column(&self) -> i64 {
        i64::from(self.pid)
    }

    pub(crate) fn started_column(&self) -> i64 {
        i64::try_from(self.started).unwrap_or(i64::MAX)
    }

    /// The process two columns name; `None` where they were never filled.
    pub(crate) fn from_columns(pid: Option<i64>, started: Option<i64>) -> Option<Self> {
        Some(Self {
            pid: u32::try_from(pid?).ok()?,
            started: u64::try_from(started?).ok()?,
        })
    }
}
