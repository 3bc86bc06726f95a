//! `toprope daemon`: the process behind the hooks. Hooks start it themselves; this is for looking and for stopping.

mod found;

pub use found::{DaemonState, find, status};

use crate::failure::{Failure, FailureKind};
use crate::person;
use crate::show;
use ::daemon::client;
use ::daemon::environment::Environment;
use ::daemon::frame::request::Ask;
use ::daemon::home::Home;
use ::daemon::launch::{self, Started};
use ::daemon::process::Process;
use ::daemon::server::{self, status::DaemonStatus};
use clap::{Args, Subcommand};
use engine::time;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long a daemon has to open its socket when a person asks for it.
const START: Duration = Duration::from_secs(5);
/// How long a daemon has to finish what it took.
const STOP: Duration = Duration::from_secs(10);
/// A daemon that gives up so often has a reason that lasts.
const MOST_FAILURES: usize = 3;
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Look at, start or stop the daemon behind the hooks
///
/// Hooks start it when they need it, and it leaves when no agent is left. Without it every event is decided in the
/// hook's own process, a little slower.
#[derive(Args)]
pub struct DaemonArgs {
    #[command(subcommand)]
    action: DaemonAction,
}

#[derive(Subcommand)]
enum DaemonAction {
    /// Start it, if it is not there
    Start,
    /// Let it finish what it took, and leave
    Stop,
    /// Stop it and start it again
    Restart,
    /// Say how it is
    Status {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Serve in the foreground, until interrupted
    Run,
}

impl DaemonArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let home = Home::of(environment);
        match &self.action {
            DaemonAction::Start => start(&home, environment),
            DaemonAction::Stop => {
                person::may_set_up(environment)?;
                stop(&home)
            }
            DaemonAction::Restart => {
                person::may_set_up(environment)?;
                if !matches!(find(&home), DaemonState::Nobody) {
                    stop(&home)?;
                }
                start(&home, environment)
            }
            DaemonAction::Status { json } => show_status(&home, *json),
            DaemonAction::Run => {
                show::talk("serving in the foreground; Ctrl-C ends it");
                server::serve(environment, || {}).map_err(already_served)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn start(home: &Home, environment: &Environment) -> Result<ExitCode, Failure> {
    match find(home) {
        DaemonState::Serving(status) => {
            show::line(&format!(
                "already serving (pid {}, protocol {})",
                status.pid, status.protocol
            ));
            return Ok(ExitCode::SUCCESS);
        }
        DaemonState::Silent(silent) => return Err(silent.failure()),
        DaemonState::Nobody => {}
    }
    match start_and_wait(home, environment) {
        Some(status) => {
            show::line(&format!(
                "started (pid {}, protocol {})",
                status.pid, status.protocol
            ));
            Ok(ExitCode::SUCCESS)
        }
        None => Err(
            Failure::saying(FailureKind::Failed, "the daemon did not start").hint(format!(
                "its reasons are in {}; `toprope daemon run` shows them here",
                home.daemon_log().display()
            )),
        ),
    }
}

/// Starts a daemon, or finds the one somebody else is starting.
pub fn start_and_wait(home: &Home, environment: &Environment) -> Option<DaemonStatus> {
    let until = Instant::now() + START;
    let mut failures = 0;
    while failures < MOST_FAILURES && Instant::now() < until {
        let started = launch::start(home, environment, START);
        if let Some(status) = status(home) {
            return Some(status);
        }
        // A daemon that is just leaving holds the lock a moment longer; then the next attempt does better.
        if !matches!(started, Ok(Started::Soon)) {
            failures += 1;
        }
        pause();
    }
    None
}

fn stop(home: &Home) -> Result<ExitCode, Failure> {
    let status = match find(home) {
        DaemonState::Serving(status) => status,
        DaemonState::Silent(silent) => return Err(silent.failure()),
        DaemonState::Nobody => {
            show::line("no daemon is running");
            return Ok(ExitCode::SUCCESS);
        }
    };
    stop_and_wait(home, &status)?;
    show::line(&format!("stopped (pid {})", status.pid));
    Ok(ExitCode::SUCCESS)
}

/// Asks a daemon to leave and waits until its process is gone.
pub fn stop_and_wait(home: &Home, status: &DaemonStatus) -> Result<(), Failure> {
    let process = Process::of(status.pid);
    let connection = client::connect(home)?;
    client::ask(connection, &client::plain_header(Ask::Stop), b"")?;
    let until = Instant::now() + STOP;
    while process.is_some_and(Process::is_alive) {
        if Instant::now() > until {
            return Err(Failure::saying(
                FailureKind::NotObtained,
                format!("the daemon (pid {}) is still finishing", status.pid),
            )
            .hint(format!("kill {}", status.pid)));
        }
        pause();
    }
    Ok(())
}

fn show_status(home: &Home, json: bool) -> Result<ExitCode, Failure> {
    let found = find(home);
    if json {
        show::json(&found)?;
    } else {
        show::line(&match &found {
            DaemonState::Serving(status) => described(status),
            DaemonState::Silent(silent) => format!("the daemon {}", silent.told()),
            DaemonState::Nobody => "no daemon is running; the next hook starts one".to_owned(),
        });
    }
    Ok(match found {
        DaemonState::Serving(_) => ExitCode::SUCCESS,
        DaemonState::Silent(_) | DaemonState::Nobody => ExitCode::from(3),
    })
}

fn described(status: &DaemonStatus) -> String {
    let memory = status
        .resident_kib
        .map(|kib| format!(", {} MiB", kib / 1024))
        .unwrap_or_default();
    let up = time::short(status.uptime_s.saturating_mul(1000));
    format!(
        "serving (pid {}, version {}, protocol {}): {up}, {} events, {} agents{memory}",
        status.pid, status.version, status.protocol, status.events, status.agents
    )
}

fn already_served(error: server::ServeError) -> Failure {
    match error {
        server::ServeError::AlreadyServed { .. } => {
            Failure::new(FailureKind::NotObtained, error).hint("toprope daemon stop")
        }
        other => Failure::new(FailureKind::Failed, other),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process starts or ends; there is nothing else to wait on"
)]
fn pause() {
    std::thread::sleep(LOOK_AGAIN);
}
