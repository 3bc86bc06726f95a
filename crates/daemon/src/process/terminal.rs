//! Who opened the terminal of this process: a person, or something that an agent left behind.
//!
//! Every terminal but a machine's console has another end, and whoever holds that end types into it. Terminal windows,
//! multiplexers and remote logins hold it for a person; a recorder that an agent started holds it for the agent.

use super::Process;
#[cfg(target_os = "linux")]
use super::standing::{ProcessAncestry, older};
#[cfg(target_os = "linux")]
use super::stat;
#[cfg(target_os = "linux")]
use std::os::unix::fs::MetadataExt;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// How many terminals within terminals are followed.
#[cfg(target_os = "linux")]
const DEEPEST: usize = 8;

/// Programs whose server holds terminals while a client of the same program shows them in another one.
#[cfg(target_os = "linux")]
const MULTIPLEXERS: [&str; 5] = ["tmux", "screen", "zellij", "dtach", "abduco"];

/// What a program that draws windows has loaded.
#[cfg(target_os = "linux")]
const DISPLAYS: [&str; 4] = ["libwayland-client", "libxcb", "libX11", "libvte"];

/// Whether one of these agents, all at work, may have opened the terminal of this process.
#[cfg(target_os = "linux")]
pub fn is_opened_by(agents: &[Process]) -> bool {
    !agents.is_empty()
        && ProcessAncestry::own().is_some_and(|chain| terminal_is_opened_by(agents, &chain, DEEPEST))
}

/// Nobody tells here.
#[cfg(not(target_os = "linux"))]
pub fn is_opened_by(_agents: &[Process]) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn terminal_is_opened_by(agents: &[Process], chain: &ProcessAncestry, depth: usize) -> bool {
    let Some(number) = pseudo_terminal(chain.terminal()) else {
        return false;
    };
    let holders = match holders(number) {
        // Not every kernel tells; and another user's process, as that of a remote login, does not.
        found if found.is_empty() => chain.outside_of_the_terminal().into_iter().collect(),
        found => found,
    };
    holders
        .into_iter()
        .any(|holder| holds_for_an_agent(agents, holder, depth))
}

#[cfg(target_os = "linux")]
fn holds_for_an_agent(agents: &[Process], holder: Process, depth: usize) -> bool {
    let Some(chain) = ProcessAncestry::of(holder.pid) else {
        return false;
    };
    if chain.processes().any(|process| agents.contains(&process)) {
        return true;
    }
    if chain.terminal() != 0 {
        return depth > 0 && terminal_is_opened_by(agents, &chain, depth - 1);
    }
    // What an agent starts runs as the agent does.
    if !is_ours(holder.pid) {
        return false;
    }
    let Some((topmost, _)) = chain.topmost() else {
        return false;
    };
    // Whoever was there before the agent was not started by it, and a service or another login has a group of its own.
    let group = group(topmost.pid);
    let may_have_started = |agent: &&Process| self::group(agent.pid) == group;
    older(agents, topmost).any(|agent| may_have_started(&agent))
        && !chain.processes().any(|process| draws_windows(process.pid))
        && !is_shown_to_a_person(agents, holder, depth)
}

/// The number of a pseudo-terminal, from the device number the process table has; none for consoles and serial lines.
#[cfg(target_os = "linux")]
fn pseudo_terminal(device: i64) -> Option<i64> {
    let (major, minor) = (
        (device >> 8) & 0xfff,
        (device & 0xff) | ((device >> 12) & 0xfff00),
    );
    (136..144)
        .contains(&major)
        .then(|| (major - 136) * 0x0010_0000 + minor)
}

/// The processes that hold the other end of a pseudo-terminal, as far as the system shows them to us.
#[cfg(target_os = "linux")]
fn holders(number: i64) -> Vec<Process> {
    let is_other_end = |pid: u32| {
        let Ok(files) = fs_err::read_dir(format!("/proc/{pid}/fd")) else {
            return false;
        };
        files.flatten().any(|file| {
            let leads_to = fs_err::read_link(file.path());
            leads_to.is_ok_and(|path| path.ends_with("ptmx"))
                && fs_err::read_to_string(PathBuf::from(format!("/proc/{pid}/fdinfo")).join(file.file_name()))
                    .is_ok_and(|text| index(&text) == Some(number))
        })
    };
    processes()
        .filter(|pid| is_other_end(*pid))
        .filter_map(Process::of)
        .collect()
}

/// Which terminal a descriptor of the other end belongs to.
#[cfg(target_os = "linux")]
fn index(info: &str) -> Option<i64> {
    let mut lines = info.lines();
    lines
        .find_map(|line| line.strip_prefix("tty-index:"))?
        .trim()
        .parse()
        .ok()
}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = u32> {
    let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(target_os = "linux")]
fn is_ours(pid: u32) -> bool {
    let own = rustix::process::getuid().as_raw();
    fs_err::metadata(format!("/proc/{pid}")).is_ok_and(|found| found.uid() == own)
}

/// The control group of a process: what a process starts stays in its group, unless a manager takes it out.
#[cfg(target_os = "linux")]
fn group(pid: u32) -> Option<String> {
    fs_err::read_to_string(format!("/proc/{pid}/cgroup")).ok()
}

#[cfg(target_os = "linux")]
fn draws_windows(pid: u32) -> bool {
    let loaded = fs_err::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    DISPLAYS.iter().any(|library| loaded.contains(library))
}

/// Whether a multiplexer is shown in a terminal that no agent opened.
#[cfg(target_os = "linux")]
fn is_shown_to_a_person(agents: &[Process], server: Process, depth: usize) -> bool {
    let program = |pid: u32| fs_err::read_link(format!("/proc/{pid}/exe")).ok();
    let Some(served) = program(server.pid) else {
        return false;
    };
    let name = served.file_name().and_then(|name| name.to_str());
    if depth == 0 || !name.is_some_and(|name| MULTIPLEXERS.contains(&name)) {
        return false;
    }
    let shows = |pid: u32| {
        let has_terminal = stat(pid).is_some_and(|stat| stat.terminal != 0);
        has_terminal
            && program(pid).as_ref() == Some(&served)
            && ProcessAncestry::of(pid).is_some_and(|chain| !terminal_is_opened_by(agents, &chain, depth - 1))
    };
    processes().any(|pid| pid != server.pid && shows(pid))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_by_its_device_number() {
        assert_eq!(pseudo_terminal(34816), Some(0));
        assert_eq!(pseudo_terminal(34816 + 7), Some(7));
        assert_eq!(pseudo_terminal((136 << 8) | (1 << 20)), Some(256));
        // A console, a serial line, and none at all.
        assert_eq!(pseudo_terminal((4 << 8) | 1), None);
        assert_eq!(pseudo_terminal((4 << 8) | 64), None);
        assert_eq!(pseudo_terminal(0), None);
    }

    #[test]
    fn a_descriptor_of_the_other_end_says_which_terminal_it_is_of() {
        assert_eq!(index("pos:\t0\nflags:\t02100002\ntty-index:\t12\n"), Some(12));
        assert_eq!(index("pos:\t0\nflags:\t02100002\n"), None);
    }

    #[test]
    fn nobody_opened_a_terminal_where_no_agent_works() {
        assert!(!is_opened_by(&[]));
    }
}
