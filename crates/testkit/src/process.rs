//! Processes of this machine, as the kernel lists them: which daemons a world has, and their end.

use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;

/// Whether a process runs; one that merely waits to be collected does not.
pub fn is_alive(pid: u32) -> bool {
    state(pid, 0).is_some_and(|state| !state.starts_with(['Z', 'X']))
}

/// One of the words that the kernel has about a process behind its name: 0 is its state, 1 its parent.
fn state(pid: u32, word: usize) -> Option<String> {
    let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, words) = stat.rsplit_once(')')?;
    words.split_whitespace().nth(word).map(str::to_owned)
}

/// Ends a process at once, as `kill -9` does. One that is gone already stays gone.
pub fn kill(pid: u32) {
    send(pid, Signal::KILL);
}

/// Asks a process to end.
pub fn terminate(pid: u32) {
    send(pid, Signal::TERM);
}

/// Lets a process stand still.
pub fn pause(pid: u32) {
    send(pid, Signal::STOP);
}

/// Lets it go on.
pub fn go_on(pid: u32) {
    send(pid, Signal::CONT);
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

/// The daemons whose environment names something below this folder.
pub(crate) fn daemons_below(folder: &Path) -> Vec<u32> {
    let folder = folder.as_os_str().as_encoded_bytes();
    let mut found: Vec<u32> = pids()
        .filter(|pid| is_daemon_of(*pid, folder) && is_alive(*pid))
        .collect();
    found.sort_unstable();
    // A child that is about to become another program looks like the daemon that starts it.
    let parents: Vec<Option<u32>> = found.iter().map(|pid| state(*pid, 1)?.parse().ok()).collect();
    let daemons = found.iter().zip(parents);
    let is_child = |parent: Option<u32>| parent.is_some_and(|parent| found.contains(&parent));
    daemons
        .filter(|(_, parent)| !is_child(*parent))
        .map(|(pid, _)| *pid)
        .collect()
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs_err::read_dir("/proc").expect("the process table");
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn is_daemon_of(pid: u32, folder: &[u8]) -> bool {
    let read = |name: &str| fs_err::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
    contains(&read("cmdline"), b"daemon-serve") && contains(&read("environ"), folder)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
