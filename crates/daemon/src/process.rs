//! Processes of this machine: when one started, who its parent is, whether it still runs.
//!
//! A pid alone is no identity, because pids are reused. A pid with its start time is.

mod standing;
mod terminal;

pub use standing::is_left_by;
pub use terminal::is_opened_by;

use std::fs::File;
use std::io::Read;
use std::os::unix::process::parent_id;

/// A process that cannot be mistaken for a later one with the same pid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    /// Its pid.
    pub pid: u32,
    /// When it started, in the system's own ticks; zero where that cannot be known.
    pub started: u64,
}

impl Process {
    /// The process that runs under this pid now.
    pub fn of(pid: u32) -> Option<Self> {
        Some(Self {
            pid,
            started: stat(pid)?.started,
        })
    }

    /// Our own process.
    pub fn own() -> Self {
        let pid = std::process::id();
        Self::of(pid).unwrap_or(Self { pid, started: 0 })
    }

    /// Whether it still runs. A pid that now belongs to another process counts as gone, and so does a zombie.
    pub fn is_alive(self) -> bool {
        match stat(self.pid) {
            Some(stat) => !stat.is_dead && (self.started == 0 || stat.started == self.started),
            None => false,
        }
    }

    /// This process's ancestors, nearest first.
    pub fn ancestors() -> Vec<Self> {
        const DEEPEST: usize = 64;
        let mut found = Vec::new();
        let mut pid = parent_id();
        while pid > 1 && found.len() < DEEPEST {
            let Some(stat) = stat(pid) else { break };
            found.push(stat.process(pid));
            pid = stat.parent;
        }
        found
    }
}

/// Whether the process of a client is gone. One whose start nobody noted cannot be told from another with its number.
pub fn is_gone(client: &store::ClientProcess) -> bool {
    client.started != 0 && !Process::from(*client).is_alive()
}

impl From<Process> for store::ClientProcess {
    fn from(process: Process) -> Self {
        Self {
            pid: process.pid,
            started: process.started,
        }
    }
}

impl From<store::ClientProcess> for Process {
    fn from(client: store::ClientProcess) -> Self {
        Self {
            pid: client.pid,
            started: client.started,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct ProcessStat {
    parent: u32,
    #[cfg(target_os = "linux")]
    session: i64,
    #[cfg(target_os = "linux")]
    terminal: i64,
    started: u64,
    is_dead: bool,
}

impl ProcessStat {
    fn process(self, pid: u32) -> Process {
        Process {
            pid,
            started: self.started,
        }
    }
}

/// Reads the state, parent and start time from the process table.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<ProcessStat> {
    // One line of well under a kilobyte, read in one go: every hook does this.
    let mut text = [0; 1024];
    let length = File::open(format!("/proc/{pid}/stat"))
        .ok()?
        .read(&mut text)
        .ok()?;
    let text = text.get(..length)?;
    // The second field is the program's name in brackets and may itself hold brackets and spaces.
    let after_name = text.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(text.get(after_name + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    let terminal = fields.next()?.parse().ok()?;
    let started = fields.nth(14)?.parse().ok()?;
    Some(ProcessStat {
        parent,
        session,
        terminal,
        started,
        is_dead: matches!(state, "Z" | "X"),
    })
}

/// Asks `ps`, which every Unix has; start times have a resolution of one second there.
#[cfg(not(target_os = "linux"))]
fn stat(pid: u32) -> Option<ProcessStat> {
    let output = std::process::Command::new("/bin/ps")
        .args(["-o", "ppid=,stat=,lstart=", "-p", &pid.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut fields = text.split_ascii_whitespace();
    let parent = fields.next()?.parse().ok()?;
    let is_dead = fields.next()?.starts_with('Z');
    let started = crate::home::fingerprint(fields.collect::<Vec<_>>().join(" ").as_bytes());
    Some(ProcessStat {
        parent,
        started,
        is_dead,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_process_that_ended_is_not_alive_and_neither_is_its_successor() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        assert!(process.is_alive());
        assert!(
            !Process {
                started: process.started + 1,
                ..process
            }
            .is_alive()
        );
        child.kill().unwrap();
        assert!(child.wait().is_ok());
        assert!(!process.is_alive());
    }

    #[test]
    fn a_zombie_counts_as_gone() {
        let mut child = Command::new("true").spawn().unwrap();
        let pid = child.id();
        // The child has ended once its end can be waited for; it stays a zombie until then.
        let status = format!("/proc/{pid}/stat");
        while !fs_err::read_to_string(&status).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        assert!(!Process { pid, started: 0 }.is_alive());
        child.wait().unwrap();
    }

    #[test]
    fn ancestors_lead_from_the_parent_upwards() {
        let ancestors = Process::ancestors();
        assert_eq!(ancestors.first().map(|process| process.pid), Some(parent_id()));
        assert!(ancestors.iter().all(|process| process.is_alive()));
    }
}
