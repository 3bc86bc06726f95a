//! Proves that an installation answers: a daemon serves, and a probe comes back through the installed command line.

use super::context::Site;
use super::entries::Invocation;
use super::output::AlignedLines;
use super::probe::{self, ProbeAnswer};
use super::program;
use crate::command::daemon::{start_and_wait, status};
use crate::failure::{Failure, FailureKind};
use crate::install::target::SettingsTarget;
use ::daemon::environment;
use engine::text::path_word;
use std::os::unix::ffi::OsStrExt;

/// What an installation has to say: its lines, and the first thing that went wrong.
pub struct InstallReport {
    /// The lines.
    pub block: AlignedLines,
    /// The first thing that went wrong.
    pub failure: Option<Failure>,
    patience: ProofPolicy,
}

/// What a proof that fails means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofPolicy {
    /// The installation failed.
    Strict,
    /// It is a line like any other: the person wants the installation all the same.
    Forced,
}

impl InstallReport {
    /// Nothing to say yet.
    pub fn new(patience: ProofPolicy) -> Self {
        Self {
            block: AlignedLines::default(),
            failure: None,
            patience,
        }
    }

    fn fail(&mut self, failure: Failure) {
        if self.patience == ProofPolicy::Strict {
            self.failure.get_or_insert(failure);
        }
    }
}

/// Starts the daemon, or finds the one that serves.
pub fn start_daemon(site: &Site<'_>, report: &mut InstallReport) {
    let environment = site.environment();
    if environment.text(environment::DAEMON) == Some("never") {
        let off = format!(
            "off by `{}=never`: every hook decides in its own process",
            environment::DAEMON
        );
        return report.block.say("daemon", off);
    }
    if let Some(status) = status(&site.home) {
        let serving = format!(
            "already serving (pid {}, protocol {})",
            status.pid, status.protocol
        );
        return report.block.say("daemon", serving);
    }
    if let Some(status) = start_and_wait(&site.home, environment) {
        let started = format!("started (pid {}, protocol {})", status.pid, status.protocol);
        return report.block.say("daemon", started);
    }
    report
        .block
        .say("daemon", "did not start: every hook decides in its own process");
    let log = site.home.daemon_log();
    let hint = format!(
        "its reasons are in {}; `toprope daemon run` shows them here",
        log.display()
    );
    let sentence = "the hook is installed and stays so, but the daemon did not start";
    report.fail(Failure::saying(FailureKind::Failed, sentence).hint(hint));
}

/// Sends a probe the way the client would.
pub fn probe(site: &Site<'_>, target: &SettingsTarget, invocation: &Invocation, report: &mut InstallReport) {
    if let Some(failure) = missing_on_path(site, invocation) {
        report.block.say(
            "check",
            "failed: `toprope` is not on PATH, where the client will look for it",
        );
        return report.fail(failure);
    }
    let answer = match probe::send(site, invocation, site.settings().settings.enabled) {
        Ok(answer) => answer,
        Err(lost) => {
            report.block.say("check", format!("failed: {lost}"));
            let sentence = format!(
                "the hook is in {} and stays there, but {lost}",
                site.shown(&target.file)
            );
            let hint = "`toprope doctor --fire` tries again; `toprope uninstall` takes it out";
            return report.fail(Failure::saying(FailureKind::Failed, sentence).hint(hint));
        }
    };
    let took = probe::milliseconds(answer.took());
    report.block.say(
        "check",
        format!("sent a probe through the installed hook: answered in {took}"),
    );
    if matches!(answer, ProbeAnswer::SwitchedOff { .. }) {
        report.block.say(
            "note",
            "Toprope is switched off here (`enabled = false`), so nothing is recorded",
        );
    }
}

/// A committed file names the program; the client finds it on PATH or not at all.
fn missing_on_path(site: &Site<'_>, invocation: &Invocation) -> Option<Failure> {
    if !invocation.is_by_name() || invocation.file(site.environment()).is_some() {
        return None;
    }
    let own = program::own(site.environment()).ok()?;
    let folder = path_word(own.parent()?.as_os_str().as_bytes());
    let sentence =
        "the hook is installed and stays so, but `toprope` is not on PATH, where the client will look for it";
    Some(Failure::saying(FailureKind::Failed, sentence).hint(format!("export PATH={folder}:\"$PATH\"")))
}
