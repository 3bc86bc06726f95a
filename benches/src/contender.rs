//! One way to answer an event, and how it is kept honest before, between and after its runs.

use crate::product::Product;
use crate::stage::Stage;
use crate::stopwatch::{self, quoted};
use anyhow::ensure;
use daemon::client::STATE_FOLDER;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Untimed runs before the first round: databases are made, daemons started, programs in the page cache.
const WARM_UP: u64 = 3;

/// One way to answer an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// An empty process: what starting one costs.
    Floor,
    /// The hook before a command that may write, with a daemon running.
    Warm,
    /// The hook before a command that only reads, with a daemon running.
    WarmRead,
    /// The hook, with no daemon: it starts one.
    Cold,
    /// The hook, told to decide in its own process.
    Fallback,
    /// The hook, in a project that is switched off.
    Disabled,
    /// Somebody else's hook, as a command for `sh -c`.
    Peer(String),
}

/// How a process is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Directly, with its arguments.
    Exec,
    /// As a command line for `sh -c`.
    Shell,
}

/// A way to answer, with a world of its own.
pub struct Contender<'a> {
    product: &'a Product,
    way: Way,
    form: Form,
    stage: Stage,
    calls: u64,
}

impl<'a> Contender<'a> {
    /// Makes the contender's world and runs it a few times, untimed.
    pub fn new(product: &'a Product, way: Way, form: Form, stage: Stage) -> anyhow::Result<Self> {
        let mut contender = Self {
            product,
            way,
            form,
            stage,
            calls: 0,
        };
        if contender.way == Way::Disabled {
            contender.stage.switch_off()?;
        }
        if contender.way == Way::WarmRead {
            contender.stage.only_reads()?;
        }
        for _ in 0..WARM_UP {
            contender.run()?;
        }
        Ok(contender)
    }

    /// Answers the next event, and takes the time.
    pub fn run(&mut self) -> anyhow::Result<Duration> {
        self.calls += 1;
        if self.way == Way::Cold {
            self.stage.stop_daemon()?;
        }
        let took = stopwatch::run(&mut self.command(), &self.stage.payloads().before(self.calls))?;
        if self.records() {
            // The call ends, as calls do: open ones would pile up and cost what they never cost a user.
            stopwatch::run(&mut self.command(), &self.stage.payloads().after(self.calls))?;
        }
        Ok(took)
    }

    /// Whether what was measured is what is claimed; a remark where it is not quite.
    pub fn verify(&self) -> anyhow::Result<Option<String>> {
        let (sent, recorded) = (2 * self.calls, self.stage.recorded()?);
        match self.way {
            Way::Floor | Way::Peer(_) => Ok(None),
            Way::Disabled => {
                ensure!(
                    self.stage.is_marked_off() && recorded == 0,
                    "the disabled project was not seen as disabled"
                );
                Ok(None)
            }
            Way::Cold | Way::Fallback => {
                ensure!(
                    recorded == sent,
                    "{sent} events were sent, {recorded} were recorded"
                );
                Ok(None)
            }
            Way::Warm | Way::WarmRead => {
                ensure!(
                    recorded == sent,
                    "{sent} events were sent, {recorded} were recorded"
                );
                let decided = self.stage.status().map_or(0, |status| status.events);
                let without = sent.saturating_sub(decided);
                Ok((without > 0)
                    .then(|| format!("{without} of {sent} warm events were decided without the daemon")))
            }
        }
    }

    fn records(&self) -> bool {
        matches!(self.way, Way::Warm | Way::WarmRead | Way::Cold | Way::Fallback)
    }

    fn command(&self) -> Command {
        let (program, arguments): (&Path, &[&str]) = match &self.way {
            Way::Floor => (&self.product.floor, &[]),
            Way::Warm | Way::WarmRead | Way::Cold | Way::Fallback | Way::Disabled => {
                (&self.product.toprope, &["hook", "claude-code"])
            }
            Way::Peer(line) => return self.shell(line),
        };
        let mut command = match self.form {
            Form::Exec => self.stage.command(program, arguments),
            Form::Shell if arguments.is_empty() => self.shell(&quoted(program)),
            Form::Shell => {
                let folder = quoted(self.stage.home().folder());
                let arguments = arguments.join(" ");
                self.shell(&format!(
                    "{} {arguments} {STATE_FOLDER} {folder}",
                    quoted(program)
                ))
            }
        };
        if self.way == Way::Fallback {
            command.env("TOPROPE_DAEMON", "never");
        }
        command
    }

    fn shell(&self, line: &str) -> Command {
        self.stage.command(Path::new("/bin/sh"), &["-c", line])
    }
}
