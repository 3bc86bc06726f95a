//! What there is where hooks look for a daemon: one that answers, one that does not, or none.

use crate::failure::{Failure, FailureKind};
use ::daemon::frame::reply::ReplyFrame;
use ::daemon::frame::request::{Ask, Header};
use ::daemon::home::Home;
use ::daemon::server::status::DaemonStatus;
use ::daemon::{client, peer};
use serde::Serialize;
use std::io::ErrorKind;

/// How long a daemon has to say how it is; one that is well needs a thousandth of that.
const ANSWER_MS: u64 = 3_000;

/// See the module. For programs: its status, `null`, or only which process is silent.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum DaemonState {
    /// It answers.
    Serving(DaemonStatus),
    /// It takes calls and does not answer: it was stopped, or its machine is.
    Silent(Silent),
    /// None.
    Nobody,
}

/// A daemon that does not answer.
#[derive(Debug, Serialize)]
pub struct Silent {
    pid: Option<u32>,
    silent: bool,
}

impl Silent {
    fn new(pid: Option<u32>) -> Self {
        Self { pid, silent: true }
    }

    /// What a person reads, as the end of a sentence about the daemon.
    pub fn told(&self) -> String {
        let pid = self.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        format!("does not answer{pid}; hooks decide without it")
    }

    /// How to be rid of it.
    pub fn hint(&self) -> String {
        match self.pid {
            Some(pid) => format!("kill -9 {pid}"),
            None => "pgrep -f 'toprope daemon' finds it, `kill -9` ends it".to_owned(),
        }
    }

    /// Why nothing can be asked of it.
    pub fn failure(&self) -> Failure {
        Failure::saying(FailureKind::NotObtained, format!("the daemon {}", self.told())).hint(self.hint())
    }
}

/// Looks for the daemon.
pub fn find(home: &Home) -> DaemonState {
    let connection = match client::connect(home) {
        Ok(connection) => connection,
        // So many calls wait for it that no other is taken.
        Err(error) if error.kind() == ErrorKind::WouldBlock => return DaemonState::Silent(Silent::new(None)),
        Err(_) => return DaemonState::Nobody,
    };
    let pid = peer::process(&connection);
    let question = Header {
        deadline_ms: ANSWER_MS,
        ..client::plain_header(Ask::Status)
    };
    match client::ask(connection, &question, b"") {
        Ok(ReplyFrame::Done(printed)) => {
            serde_json::from_slice(&printed.stdout).map_or(DaemonState::Nobody, DaemonState::Serving)
        }
        Err(error) if error.is_timeout() => DaemonState::Silent(Silent::new(pid)),
        Ok(ReplyFrame::Wait { .. } | ReplyFrame::Busy) | Err(_) => DaemonState::Nobody,
    }
}

/// How the daemon is that answers; `None` when there is none.
pub fn status(home: &Home) -> Option<DaemonStatus> {
    match find(home) {
        DaemonState::Serving(status) => Some(status),
        DaemonState::Silent(_) | DaemonState::Nobody => None,
    }
}
