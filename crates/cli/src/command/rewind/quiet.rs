//! Waits until what agents did is recorded: what is queued is done here, what another process is doing is waited for.

use crate::command::checkpoint::place::Here;
use crate::failure::Failure;
use ::daemon::jobs::parse_owner;
use ::daemon::process::Process;
use rustix::event::{Timespec, poll};
use std::time::{Duration, Instant};
use store::table::jobs;

/// Longer and somebody else's work is left to them.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 5_000_000,
};

/// Does what is queued for this worktree and waits for what others are doing of it.
pub fn settle(here: &Here) -> Result<(), Failure> {
    let until = Instant::now() + PATIENCE;
    loop {
        here.settle()?;
        let owners = here.read(|db| jobs::owners_at_work(db, here.worktree))?;
        let is_another = |process: &Process| *process != Process::own() && process.is_alive();
        let is_quiet = !owners
            .iter()
            .filter_map(|owner| parse_owner(owner))
            .any(|owner| is_another(&owner));
        if is_quiet || Instant::now() >= until {
            return Ok(());
        }
        // Nothing to wait on: another process brings it about.
        let _ = poll(&mut [], Some(&LOOK_AGAIN));
    }
}
