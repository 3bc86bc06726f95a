//! `toprope lease wait`: an agent stands in line until a file is its own; a person waits until it is free.

mod look;

use super::Desk;
use super::reserve::gone;
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use engine::policy::lease::message::{ordinal, wait_command};
use look::{WaitObstacle, WaitResult, WaitWatch};
use rustix::event::{Timespec, poll};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Between two looks whether anybody changed anything.
const GLANCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// Time alone ends leases too, and processes end without a word.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);
/// As long as a call of an agent may reasonably take.
const LONGEST_S: u64 = 600;

/// Wait until a file is yours
///
/// An agent gets in line, and is done when the file is kept for it; where nobody has it, that is at once. A person waits until it
/// is free. When the time is up, exits with 3; an agent keeps its place in line.
#[derive(Args)]
pub struct LeaseWaitArgs {
    /// The file
    #[arg(value_name = "PATH")]
    path: OsString,
    /// How many seconds, at most 600
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(0..=LONGEST_S))]
    timeout: u64,
}

impl LeaseWaitArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment, token: Option<&str>) -> Result<ExitCode, Failure> {
        let mut desk = Desk::make(environment, token)?;
        desk.scene.caller.must_be_known()?;
        let until = Instant::now() + Duration::from_secs(self.timeout);
        let mut look = WaitWatch::at(desk.scene.file(&self.path)?);
        if look.target.folder {
            return Err(folder(&look));
        }
        let is_pattern = |byte: &u8| matches!(byte, b'*' | b'?');
        if !look.target.exists && self.path.as_bytes().iter().any(is_pattern) {
            return Err(pattern(&look));
        }
        loop {
            let version = desk.version()?;
            let stopped = match desk.change(|scene, db| look.once(scene, db))? {
                WaitResult::Done(text) => {
                    show::line(&text);
                    return Ok(ExitCode::SUCCESS);
                }
                WaitResult::Again => continue,
                WaitResult::NoActor => return Err(gone()),
                WaitResult::TooMany => return Err(too_many()),
                WaitResult::Over => return Err(over(&look)),
                WaitResult::Stopped(stopped) => stopped,
            };
            if let Some(circle) = &stopped.circle {
                return Err(Failure::saying(FailureKind::NotObtained, circle.clone()));
            }
            if !wait_for_news(&desk, version, until)? {
                return Err(time_up(&look, &stopped));
            }
        }
    }
}

/// Waits until it is worth to look again; false when the time is up.
fn wait_for_news(desk: &Desk, version: u64, until: Instant) -> Result<bool, Failure> {
    let anyway = Instant::now() + LOOK_ANYWAY;
    loop {
        let now = Instant::now();
        if now >= until {
            return Ok(false);
        }
        if now >= anyway || desk.version()? != version {
            return Ok(true);
        }
        // A signal that does not end the process only cuts this short.
        let _ = poll(&mut [], Some(&GLANCE));
    }
}

fn time_up(look: &WaitWatch, stopped: &WaitObstacle) -> Failure {
    let place = stopped.place.map(|place| {
        let place = ordinal(place);
        format!("; you are {place} in line and keep your place")
    });
    let place = place.unwrap_or_default();
    Failure::saying(FailureKind::NotObtained, format!("{}{place}", stopped.still))
        .hint(wait_command(&look.target.shown))
}

fn folder(look: &WaitWatch) -> Failure {
    let path = &look.target.shown;
    Failure::saying(
        FailureKind::WrongUse,
        format!("\"{path}\" is a folder: wait for a file in it"),
    )
    .hint("toprope lease list")
}

fn pattern(look: &WaitWatch) -> Failure {
    let path = &look.target.shown;
    Failure::saying(
        FailureKind::WrongUse,
        format!("\"{path}\" is a pattern: wait for one file"),
    )
    .hint("toprope lease list")
}

fn too_many() -> Failure {
    let most = store::MOST_PER_ACTOR;
    Failure::saying(
        FailureKind::NotObtained,
        format!("you wait for {most} files already: finish those first"),
    )
    .hint("toprope lease list")
}

fn over(look: &WaitWatch) -> Failure {
    let path = &look.target.shown;
    Failure::saying(
        FailureKind::NotObtained,
        format!("your place in line for {path} is gone: your turn ended"),
    )
    .hint(wait_command(path))
}
