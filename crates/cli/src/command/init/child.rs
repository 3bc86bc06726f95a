//! A process that is given only so long. Its output goes to files, so that nothing it leaves behind can hold us up.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

/// The most of its output that is looked at.
const KEPT: u64 = 64 * 1024;

/// A process that ended in time.
#[derive(Debug)]
pub struct ChildExit {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it said.
    pub stderr: Vec<u8>,
    /// From start to end.
    pub took: Duration,
}

/// Runs a process with a short input, and ends it with all it started when the time is up; `None` says so.
pub fn run(mut command: Command, input: &[u8], limit: Duration) -> io::Result<Option<ChildExit>> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command
        .stdin(Stdio::piped())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .process_group(0);
    let began = Instant::now();
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A pipe takes this much without a reader; one that went away says what it has to by its exit code.
        let _ = stdin.write_all(input);
    }
    let pid = Pid::from_child(&child);
    let (done, ended) = sync_channel(1);
    thread::Builder::new().name("wait".to_owned()).spawn(move || {
        // It is not reaped here: until the caller does so, its id cannot become another's.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let _ = done.send(Instant::now());
    })?;
    let end = ended.recv_timeout(limit).ok();
    if end.is_none() {
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let status = child.wait()?;
    let Some(end) = end else { return Ok(None) };
    let took = end.saturating_duration_since(began);
    Ok(Some(ChildExit {
        code: status.code(),
        stdout: content(&mut stdout)?,
        stderr: content(&mut stderr)?,
        took,
    }))
}

fn content(file: &mut File) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(KEPT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]);
        command
    }

    #[test]
    fn a_process_is_heard_with_its_code_and_both_streams() {
        let ended = run(shell("cat; echo no >&2; exit 3"), b"yes", Duration::from_secs(20))
            .unwrap()
            .unwrap();
        assert_eq!(
            (ended.code, ended.stdout, ended.stderr),
            (Some(3), b"yes".to_vec(), b"no\n".to_vec())
        );
    }

    #[test]
    fn a_process_that_does_not_end_is_ended_with_its_children() {
        let begun = Instant::now();
        let late = run(shell("sleep 60 & sleep 60"), b"", Duration::from_millis(20)).unwrap();
        assert!(late.is_none());
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_child_that_keeps_the_output_open_does_not_hold_us_up() {
        let begun = Instant::now();
        let ended = run(shell("sleep 60 & echo $!"), b"", Duration::from_secs(20))
            .unwrap()
            .unwrap();
        let left: i32 = String::from_utf8(ended.stdout).unwrap().trim().parse().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20));
        rustix::process::kill_process(Pid::from_raw(left).unwrap(), Signal::KILL).unwrap();
    }
}
