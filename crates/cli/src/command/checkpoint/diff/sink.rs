//! Where a long text goes: through a pager on a terminal, else straight to standard output.

use crate::terminal::Terminal;
use ::daemon::environment::Environment;
use std::io::Write;
use std::process::{Child, Command, Stdio};

/// What people read long texts with where they say nothing.
const USUAL_PAGER: &str = "less";
/// How `less` behaves like a part of the command: it ends where all fits one screen, and keeps colours.
const LESS: &str = "FRX";

/// See the module. Dropping it waits until the person has read.
pub struct Sink {
    pager: Option<Child>,
}

impl Sink {
    /// Opens it.
    pub fn open(environment: &Environment, terminal: Terminal) -> Self {
        let pager = terminal.interactive.then(|| start(environment)).flatten();
        Self { pager }
    }

    /// Writes; false if nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> bool {
        match self.pager.as_mut().and_then(|pager| pager.stdin.as_mut()) {
            Some(stdin) => stdin.write_all(bytes).is_ok(),
            None => std::io::stdout().write_all(bytes).is_ok(),
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Some(pager) = &mut self.pager {
            drop(pager.stdin.take());
            // Whether it ended well is between it and the person.
            let _ = pager.wait();
        }
        let _ = std::io::stdout().flush();
    }
}

/// The person's pager; none where they want none, or it cannot be started.
fn start(environment: &Environment) -> Option<Child> {
    let wanted = environment.text("PAGER").unwrap_or(USUAL_PAGER);
    if matches!(wanted.trim(), "" | "cat") {
        return None;
    }
    let mut command = Command::new("sh");
    command.args(["-c", wanted]).stdin(Stdio::piped());
    if environment.value("LESS").is_none() {
        command.env("LESS", LESS);
    }
    command.spawn().ok()
}
