//! Watches the agents' processes: a session whose process is gone ends, though nobody said so.

use crate::process::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

/// Why the daemon's own thread woke up.
#[derive(Debug, PartialEq, Eq)]
pub enum Woken {
    /// A watched process is gone.
    Gone(Vec<Process>),
    /// Somebody wants attention: a signal, a new process to watch, a request to stop.
    Called,
    /// The time is up.
    TimeUp,
}

/// The processes that are watched.
#[derive(Debug, Default)]
pub struct ProcessWatch {
    processes: BTreeMap<Process, Option<OwnedFd>>,
}

impl ProcessWatch {
    /// Watches a process; one that cannot be watched is looked at whenever the watch wakes.
    pub fn add(&mut self, process: Process) {
        self.processes.entry(process).or_insert_with(|| open(process));
    }

    /// How many processes are watched.
    pub fn len(&self) -> usize {
        self.processes.len()
    }

    /// Whether nothing is watched.
    pub fn is_empty(&self) -> bool {
        self.processes.is_empty()
    }

    /// Whether a process has to be looked at, because the system does not report its end.
    pub fn must_look(&self) -> bool {
        self.processes.values().any(Option::is_none)
    }

    /// Waits until a process is gone, a bell rings, or the time is up.
    pub fn wait(&mut self, bells: &[BorrowedFd<'_>], limit: Option<Duration>) -> io::Result<Woken> {
        let rang = {
            let bells = bells.iter().copied();
            let mut watched: Vec<_> = bells
                .map(|bell| PollFd::from_borrowed_fd(bell, PollFlags::IN))
                .collect();
            let bells = watched.len();
            let open = self.processes.values().flatten();
            watched.extend(open.map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
            let limit = limit.map(|limit| Timespec {
                tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: limit.subsec_nanos().into(),
            });
            match poll(&mut watched, limit.as_ref()) {
                Ok(0) => return Ok(self.gone().map_or(Woken::TimeUp, Woken::Gone)),
                Ok(_) => watched.iter().take(bells).any(|bell| !bell.revents().is_empty()),
                Err(rustix::io::Errno::INTR) => true,
                Err(error) => return Err(error.into()),
            }
        };
        Ok(if rang {
            Woken::Called
        } else {
            self.gone().map_or(Woken::Called, Woken::Gone)
        })
    }

    /// Takes out the processes that are gone.
    pub fn gone(&mut self) -> Option<Vec<Process>> {
        let gone: Vec<Process> = self
            .processes
            .keys()
            .copied()
            .filter(|process| !process.is_alive())
            .collect();
        for process in &gone {
            self.processes.remove(process);
        }
        (!gone.is_empty()).then_some(gone)
    }
}

/// A descriptor that becomes readable when the process ends.
#[cfg(target_os = "linux")]
fn open(process: Process) -> Option<OwnedFd> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    let pid = Pid::from_raw(i32::try_from(process.pid).ok()?)?;
    let descriptor = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    // The pid may have been reused between the report and now; then this is somebody else.
    process.is_alive().then_some(descriptor)
}

#[cfg(not(target_os = "linux"))]
fn open(_process: Process) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};

    #[test]
    fn the_end_of_a_process_is_noticed_without_looking_for_it() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        let (bell, _ringer) = UnixStream::pair().unwrap();
        let mut watch = ProcessWatch::default();
        watch.add(process);
        drop(child.stdin.take());
        assert_eq!(
            watch.wait(&[bell.as_fd()], None).unwrap(),
            Woken::Gone(vec![process])
        );
        assert!(watch.is_empty());
        child.wait().unwrap();
    }

    #[test]
    fn the_bell_wakes_the_watch() {
        let (bell, mut ringer) = UnixStream::pair().unwrap();
        ringer.write_all(b"x").unwrap();
        assert_eq!(
            ProcessWatch::default().wait(&[bell.as_fd()], None).unwrap(),
            Woken::Called
        );
    }

    #[test]
    fn a_process_that_is_already_gone_is_reported_at_the_next_look() {
        let mut watch = ProcessWatch::default();
        let gone = Process {
            pid: 4_000_000,
            started: 1,
        };
        watch.add(gone);
        let (bell, _ringer) = UnixStream::pair().unwrap();
        assert_eq!(
            watch.wait(&[bell.as_fd()], Some(Duration::ZERO)).unwrap(),
            Woken::Gone(vec![gone])
        );
    }
}
