//! Decides when nothing can be written down: safety is still judged, and the person is told once a session.

use super::{Prepared, Subject};
use crate::client::said;
use crate::frame::reply::Printed;
use crate::judge::Judge;
use engine::event::EventKind;
use engine::facts::Facts;

/// Answers an event with nothing but the event itself, its settings and the world's answers.
pub fn decide(prepared: &Prepared, judge: &Judge, trouble: &str) -> Printed {
    let subject = match &prepared.subject {
        Subject::Event(subject) => subject,
        Subject::Unreadable { why } => return said(why),
        Subject::Disabled { .. } => return Printed::default(),
    };
    let mut facts = Facts::empty(prepared.at, subject.loaded.settings.clone());
    facts.answers = subject.answers.clone();
    let mut round = judge.decide(&subject.event, facts);
    if matches!(subject.event.kind, EventKind::SessionStart { .. }) {
        round.decision.person.push(format!(
            "toprope cannot write down what this session does: {trouble}. Safety checks still run; `toprope doctor` says more."
        ));
    }
    let reply = subject.agent.reply(&subject.event, &round.decision);
    let stderr = if reply.stderr.is_empty() {
        said(&format!("this event was not recorded: {trouble}")).stderr
    } else {
        reply.stderr
    };
    Printed {
        exit: reply.exit,
        stdout: reply.stdout,
        stderr,
    }
}
