//! Starts a daemon that outlives whoever started it.
//!
//! The caller starts a short-lived process that leads a session of its own; that one starts the daemon and ends. No
//! parent link leads from the agent to the daemon any more, so a hook that runs into its time limit takes nothing
//! along, and no descriptor of the agent stays open.

use crate::environment::Environment;
use crate::home::Home;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The hidden subcommand that detaches.
pub const DETACH: &str = "daemon-detach";

/// The hidden subcommand that is the daemon, started by [`DETACH`].
pub const SERVE: &str = "daemon-serve";

/// The hidden subcommand that puts our entries back into an agent's settings.
pub const PUT_BACK: &str = "hooks-put-back";

/// What the daemon writes to its starter once it listens.
pub const READY: &[u8] = b"ready\n";

/// This program, as it can be started again.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// What came of starting a daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    /// It listens.
    Listens,
    /// Somebody else's is about to, or ours needs longer.
    Soon,
    /// It gave up; its log says why.
    Failed,
}

/// Starts a daemon unless somebody else is just doing so, and waits until it listens or the time is up.
pub fn start(home: &Home, environment: &Environment, wait: Duration) -> io::Result<Started> {
    home.make().map_err(io::Error::other)?;
    let lock = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(home.launch_lock())?;
    if lock.try_lock().is_err() {
        return Ok(Started::Soon);
    }
    let (ours, theirs) = rustix::pipe::pipe()?;
    let mut middle = detach(environment, theirs.try_clone()?)?;
    drop(theirs);
    let started = wait_for(&ours, wait);
    // The middle process only starts another one, so it is gone by now; one that is not will not be waited for.
    let _ = middle.try_wait();
    // Ours also gives up when it finds another one serving.
    if started == Started::Failed && is_served(home) {
        return Ok(Started::Soon);
    }
    Ok(started)
}

/// Whether a daemon holds the lock, listening or not.
fn is_served(home: &Home) -> bool {
    let lock = File::options().read(true).open(home.daemon_lock());
    lock.is_ok_and(|lock| lock.try_lock_shared().is_err())
}

fn detach(environment: &Environment, ready: OwnedFd) -> io::Result<Child> {
    base(&own_program()?, environment, DETACH)
        .stdout(Stdio::from(ready))
        .spawn()
}

/// The middle process: leads its own session, starts the daemon, ends.
pub fn run_detached(environment: &Environment) -> io::Result<()> {
    // Fails only for a process that already leads its group, which is just as well detached.
    let _ = rustix::process::setsid();
    close_inherited();
    base(&own_program()?, environment, SERVE)
        .stdout(Stdio::inherit())
        .spawn()
        .map(drop)
}

/// Another run of this program, in a folder, that puts our entries back into the agent's settings there. `config` is the
/// agent's own folder, where that is not the usual one.
pub fn put_back(folder: &Path, config: Option<&Path>) -> io::Result<bool> {
    let environment = Environment::read();
    let mut command = base(&own_program()?, &environment, PUT_BACK);
    command.current_dir(folder).stdout(Stdio::null());
    if let Some(config) = config {
        command.env("CLAUDE_CONFIG_DIR", config);
    }
    Ok(command.status()?.success())
}

/// Closes whatever the agent left open in us: a daemon that keeps a pipe of the agent open would hold it up for ever.
fn close_inherited() {
    let Ok(entries) = fs_err::read_dir("/dev/fd") else {
        return;
    };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    // Collected first: the listing itself needs a descriptor, which is gone afterwards.
    let numbers: Vec<i32> = numbers.filter(|number| *number > 2).collect();
    let is_open = |number: &i32| fs_err::symlink_metadata(format!("/dev/fd/{number}")).is_ok();
    for number in numbers.into_iter().filter(is_open) {
        #[expect(
            unsafe_code,
            reason = "this short-lived process owns no descriptor above 2 itself; all were inherited"
        )]
        // SAFETY: nothing in this process refers to these descriptors, so closing them cannot pull one from under an owner.
        unsafe {
            rustix::io::close(number);
        }
    }
}

/// Tells the starter that the socket is open, and lets go of its pipe.
pub fn report_ready() {
    // Whoever started us may be gone; that changes nothing.
    let _ = rustix::io::write(io::stdout(), READY);
    if let Ok(nothing) = File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
}

fn base(program: &Path, environment: &Environment, word: &str) -> Command {
    let mut command = Command::new(program);
    command
        .arg(word)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .current_dir("/")
        .env_clear();
    command.arg0("toprope");
    for name in KEPT {
        if let Some(value) = environment.value(name) {
            command.env(name, value);
        }
    }
    command
}

/// What a daemon needs of its starter's environment. Whatever else the agent carries, secrets included, stays out.
const KEPT: &[&str] = &[
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "TZ",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "TOPROPE_HOME",
    "TOPROPE_FAULT",
];

fn wait_for(pipe: &OwnedFd, wait: Duration) -> Started {
    let limit = Timespec {
        tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    };
    let mut watched = [PollFd::new(pipe, PollFlags::IN)];
    if !matches!(poll(&mut watched, Some(&limit)), Ok(1..)) {
        return Started::Soon;
    }
    let mut said = [0; READY.len()];
    match rustix::io::read(pipe, &mut said) {
        Ok(length) if said.get(..length) == Some(READY) => Started::Listens,
        // The other end was closed without a word.
        _ => Started::Failed,
    }
}
