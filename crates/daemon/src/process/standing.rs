//! Who is above a process in the process table, and whether an agent left it behind.

use super::Process;
#[cfg(target_os = "linux")]
use super::{ProcessStat, stat};

/// Parent links form no circle, but the table changes while it is read.
#[cfg(target_os = "linux")]
const DEEPEST: usize = 64;

/// How often the table is read until it has no gap.
#[cfg(target_os = "linux")]
const TRIES: usize = 8;

/// A process and everybody above it, up to the one that nobody but the system is above.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(super) struct ProcessAncestry {
    /// The process itself first.
    links: Vec<(Process, ProcessStat)>,
    /// Whoever is above the last one is outside of what can be seen.
    is_open: bool,
}

#[cfg(target_os = "linux")]
impl ProcessAncestry {
    /// Whoever ends while the table is read leaves a gap in it, so it is read again.
    pub(super) fn of(pid: u32) -> Option<Self> {
        (0..TRIES).find_map(|_| Self::read(pid))
    }

    fn read(pid: u32) -> Option<Self> {
        let own = stat(pid)?;
        let mut links = vec![(own.process(pid), own)];
        let mut parent = own.parent;
        while parent != 0 && !adopts(parent) && links.len() < DEEPEST {
            let above = stat(parent)?;
            links.push((above.process(parent), above));
            parent = above.parent;
        }
        Some(Self {
            links,
            is_open: parent == 0,
        })
    }

    pub(super) fn own() -> Option<Self> {
        Self::of(std::process::id())
    }

    pub(super) fn processes(&self) -> impl Iterator<Item = Process> {
        self.links.iter().map(|(process, _)| *process)
    }

    /// The terminal of the process; zero for none.
    pub(super) fn terminal(&self) -> i64 {
        self.links.first().map_or(0, |(_, stat)| stat.terminal)
    }

    /// The one that nobody but the system is above, with its terminal; none where that cannot be seen.
    pub(super) fn topmost(&self) -> Option<(Process, i64)> {
        let (process, stat) = self.links.last().filter(|_| !self.is_open)?;
        Some((*process, stat.terminal))
    }

    /// The nearest one above that has another terminal than the process, or none: whoever opened the terminal.
    pub(super) fn outside_of_the_terminal(&self) -> Option<Process> {
        let own = self.terminal();
        let mut links = self.links.iter();
        let found = links.find(|(_, stat)| stat.terminal != own);
        found.map(|(process, _)| *process)
    }

    /// Whether the one who started the process is gone. A container's first process has children of its own, in its session.
    fn is_left_behind(&self) -> bool {
        let own = self.links.first();
        self.links.len() == 1 && !self.is_open && own.is_some_and(|(_, stat)| stat.session > 1)
    }
}

/// The agents that had started before a process.
#[cfg(target_os = "linux")]
pub(super) fn older(agents: &[Process], than: Process) -> impl Iterator<Item = &Process> {
    agents
        .iter()
        .filter(move |agent| agent.started != 0 && agent.started <= than.started)
}

/// Whether this process has no terminal, or only an agent's, and either lost whoever started it, or stands below a process
/// that did so after an agent that is at work had started: a shell that the agent left behind. Older services start what
/// they like.
#[cfg(target_os = "linux")]
pub fn is_left_by(agents: &[Process]) -> bool {
    let Some(chain) = ProcessAncestry::own() else {
        return false;
    };
    let Some((topmost, terminal)) = chain.topmost() else {
        return false;
    };
    if chain.terminal() == 0 {
        return chain.is_left_behind() || older(agents, topmost).next().is_some();
    }
    // A shell that was started from the terminal is below what opened it; one that nobody is above was left there.
    terminal != 0
        && older(agents, topmost).any(|agent| stat(agent.pid).is_some_and(|stat| stat.terminal == terminal))
}

/// Nobody tells here.
#[cfg(not(target_os = "linux"))]
pub fn is_left_by(_agents: &[Process]) -> bool {
    false
}

/// Whether a process takes orphans in: the system's first one, or a manager of services.
#[cfg(target_os = "linux")]
fn adopts(pid: u32) -> bool {
    let is_manager =
        || fs_err::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == "systemd");
    pid == 1 || is_manager()
}
