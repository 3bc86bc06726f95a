//! A process that is waited for until a deadline, and whose whole group ends with it.
//!
//! The process belongs to a thread that starts it and later buries it. The caller never blocks on the process
//! itself: it polls the two output pipes and a third one that tells of the end. Until the caller lets go the
//! process is not buried, so its id cannot have passed to another when the group is killed.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::deadline::Deadline;

/// Kept of what the process says on its standard error; the rest is read and dropped.
const COMPLAINT: usize = 4096;

/// A process that ended by itself.
#[derive(Debug)]
pub struct ChildEnd {
    /// Its exit code, absent if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// A process that gave no result.
#[derive(Debug)]
pub enum Stopped {
    Start(io::Error),
    Late,
    TooLong,
}

/// A process under way. Dropping it kills its group.
pub struct RunningChild {
    pid: Pid,
    stdout: ChildStdout,
    stderr: ChildStderr,
    exit: PipeReader,
    /// Dropped after the kill: then the process may be buried.
    _unburied: Sender<()>,
}

impl Drop for RunningChild {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Starts a process in a group of its own. Starting, too, may hang on a dead file system.
pub fn start(command: Command, deadline: Deadline) -> Result<RunningChild, Stopped> {
    begin(command, None, deadline)
}

/// The same for a process that reads these bytes from its standard input, or as many of them as it likes.
pub fn start_with_input(
    mut command: Command,
    input: Vec<u8>,
    deadline: Deadline,
) -> Result<RunningChild, Stopped> {
    command.stdin(Stdio::piped());
    begin(command, Some(input), deadline)
}

fn begin(mut command: Command, input: Option<Vec<u8>>, deadline: Deadline) -> Result<RunningChild, Stopped> {
    command
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::Builder::new()
        .name("git-process".to_owned())
        .spawn(move || attend(command, input, &sender))
        .map_err(Stopped::Start)?;
    match receiver.recv_timeout(deadline.remaining()) {
        Ok(started) => started.map_err(Stopped::Start),
        Err(_) => Err(Stopped::Late),
    }
}

/// The life of the process's own thread. If nobody takes the running process, it is dropped and thereby killed.
fn attend(mut command: Command, input: Option<Vec<u8>>, caller: &SyncSender<io::Result<RunningChild>>) {
    let (unburied, buried) = mpsc::channel();
    let started = io::pipe().and_then(|(exit, end)| {
        let mut child = command.spawn()?;
        if let (Some(pipe), Some(input)) = (child.stdin.take(), input) {
            feed(pipe, input);
        }
        let running = running(&mut child, exit, unburied);
        Ok((child, running, end))
    });
    let (mut child, running, end) = match started {
        Ok((child, Some(running), end)) => (child, running, end),
        Ok((_, None, _)) => return,
        Err(error) => {
            let _ = caller.send(Err(error));
            return;
        }
    };
    let pid = running.pid;
    let _ = caller.send(Ok(running));
    report(pid, end);
    // Returns when the running process was dropped.
    let _ = buried.recv();
    let _ = child.wait();
}

/// Writes on a thread of its own, which ends with the input or with the last reader. Without a thread the input is
/// empty, and the process complains of what it misses.
fn feed(mut pipe: ChildStdin, input: Vec<u8>) {
    let _ = thread::Builder::new()
        .name("git-input".to_owned())
        .spawn(move || pipe.write_all(&input));
}

/// Both pipes were asked for, so this is always something.
fn running(child: &mut Child, exit: PipeReader, unburied: Sender<()>) -> Option<RunningChild> {
    Some(RunningChild {
        pid: Pid::from_child(child),
        stdout: child.stdout.take()?,
        stderr: child.stderr.take()?,
        exit,
        _unburied: unburied,
    })
}

/// Waits for the end without burying, and passes the exit code on.
fn report(pid: Pid, mut end: PipeWriter) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let status = loop {
        match waitid(WaitId::Pid(pid), options) {
            Err(Errno::INTR) => {}
            Ok(status) => break status,
            Err(_) => break None,
        }
    };
    if let Some(code) = status.and_then(|status| status.exit_status()) {
        let _ = end.write_all(&code.to_ne_bytes());
    }
}

impl RunningChild {
    /// What the process wrote until it ended. What its children may still write afterwards is not waited for.
    pub fn collect(mut self, deadline: Deadline, limit: usize) -> Result<ChildEnd, Stopped> {
        self.gather(deadline, limit)
    }

    /// The same, but a process that is late is asked to end, first as by a person's Ctrl-C, then firmly, and each
    /// time given the grace to put back what it had begun. Only then it is killed.
    pub fn collect_or_ask(
        mut self,
        deadline: Deadline,
        limit: usize,
        grace: Duration,
    ) -> Result<ChildEnd, Stopped> {
        let end = self.gather(deadline, limit);
        if matches!(end, Err(Stopped::Late)) {
            for signal in [Signal::INT, Signal::TERM] {
                let _ = kill_process_group(self.pid, signal);
                if self.falls_silent(Deadline::after(grace)) {
                    break;
                }
            }
        }
        end
    }

    /// Whether everybody who held the output lets go of it in time.
    fn falls_silent(&mut self, deadline: Deadline) -> bool {
        // What is said now is dropped.
        let (mut output, mut complaint) = (Stream::new(0), Stream::new(0));
        while output.is_open || complaint.is_open {
            let open = [
                (ChildOutput::Output, output.is_open),
                (ChildOutput::Complaint, complaint.is_open),
            ];
            let remaining = deadline.remaining();
            let Ok(ready) = self.ready(&open, remaining) else {
                return false;
            };
            if remaining.is_zero() {
                return false;
            }
            for source in ready {
                match source {
                    ChildOutput::Output => output.fill(&mut self.stdout),
                    ChildOutput::Complaint => complaint.fill(&mut self.stderr),
                    ChildOutput::End => {}
                }
            }
        }
        true
    }

    fn gather(&mut self, deadline: Deadline, limit: usize) -> Result<ChildEnd, Stopped> {
        let mut output = Stream::new(limit);
        let mut complaint = Stream::new(COMPLAINT);
        let mut has_ended = false;
        loop {
            let remaining = deadline.remaining();
            if remaining.is_zero() {
                return Err(Stopped::Late);
            }
            // Once it has ended, all it wrote is in the pipes.
            let patience = if has_ended { Duration::ZERO } else { remaining };
            let open = [
                (ChildOutput::Output, output.is_open),
                (ChildOutput::Complaint, complaint.is_open),
                (ChildOutput::End, !has_ended),
            ];
            let ready = self.ready(&open, patience).map_err(Stopped::Start)?;
            if ready.is_empty() && has_ended {
                break;
            }
            for source in ready {
                match source {
                    ChildOutput::Output => output.fill(&mut self.stdout),
                    ChildOutput::Complaint => complaint.fill(&mut self.stderr),
                    ChildOutput::End => {
                        has_ended = true;
                        self.kill_group();
                    }
                }
            }
            if output.has_overflowed {
                return Err(Stopped::TooLong);
            }
        }
        Ok(ChildEnd {
            code: self.code(),
            stdout: output.content,
            stderr: complaint.content,
        })
    }

    /// The sources that can be read now; none if the patience ran out.
    fn ready(&self, sources: &[(ChildOutput, bool)], patience: Duration) -> io::Result<Vec<ChildOutput>> {
        let open: Vec<ChildOutput> = sources
            .iter()
            .filter(|(_, is_open)| *is_open)
            .map(|(source, _)| *source)
            .collect();
        let descriptors = open.iter().map(|source| match source {
            ChildOutput::Output => self.stdout.as_fd(),
            ChildOutput::Complaint => self.stderr.as_fd(),
            ChildOutput::End => self.exit.as_fd(),
        });
        let mut polled: Vec<PollFd<'_>> = descriptors
            .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN))
            .collect();
        let timeout = Timespec::try_from(patience).map_err(|_| io::ErrorKind::InvalidInput)?;
        match poll(&mut polled, Some(&timeout)) {
            // A signal; the caller looks at the clock and comes again.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |polled: &PollFd<'_>| !polled.revents().is_empty();
        Ok(open
            .into_iter()
            .zip(&polled)
            .filter(|(_, polled)| is_ready(polled))
            .map(|(source, _)| source)
            .collect())
    }

    /// Only to be read after the end was seen.
    fn code(&mut self) -> Option<i32> {
        let mut code = [0; 4];
        self.exit.read_exact(&mut code).ok()?;
        Some(i32::from_ne_bytes(code))
    }

    fn kill_group(&self) {
        // It fails only if nobody is left to kill.
        let _ = kill_process_group(self.pid, Signal::KILL);
    }
}

/// What there is to be read of a process.
#[derive(Debug, Clone, Copy)]
enum ChildOutput {
    Output,
    Complaint,
    End,
}

/// What came out of one pipe, up to a limit.
struct Stream {
    content: Vec<u8>,
    limit: usize,
    is_open: bool,
    has_overflowed: bool,
}

impl Stream {
    fn new(limit: usize) -> Self {
        Self {
            content: Vec::new(),
            limit,
            is_open: true,
            has_overflowed: false,
        }
    }

    /// Takes what is there; one read of a pipe that is ready does not block.
    fn fill(&mut self, pipe: &mut impl Read) {
        let mut buffer = [0; 16 * 1024];
        match pipe.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => self.is_open = false,
            Ok(length) => {
                let room = self.limit - self.content.len();
                self.has_overflowed |= length > room;
                self.content.extend(buffer.iter().take(length.min(room)));
            }
        }
    }
}
