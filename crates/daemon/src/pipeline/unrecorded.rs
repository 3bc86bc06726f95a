//! Decides when nothing can be written down: safety is still judged, and the person is told once a session.

use super::{Prepared, Subject};
use crate::client::said;
use crate::frame::reply::Printed;
use crate::home::Home;
use crate::judge::Judge;
use crate::told;
use engine::event::EventKind;
use engine::facts::Facts;

/// Answers an event with nothing but the event itself, its settings and the world's answers.
pub fn decide(home: &Home, prepared: &Prepared, judge: &Judge, trouble: &str) -> Printed {
    let subject = match &prepared.subject {
        Subject::Event(subject) => subject,
        Subject::Unreadable { why } => return said(why),
        Subject::Disabled { .. } => return Printed::default(),
    };
    let mut facts = Facts::empty(prepared.at, subject.loaded.settings.clone());
    facts.answers = subject.answers.clone();
    let mut round = judge.decide(&subject.event, facts);
    if reaches_the_person(&subject.event.kind)
        && told::is_news(home, subject.event.actor.session.as_str(), trouble)
    {
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

/// Whether an answer to this event is shown to the person, whoever else reads it.
fn reaches_the_person(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::SessionStart { .. }
            | EventKind::Prompt { .. }
            | EventKind::ToolBefore { .. }
            | EventKind::ToolAfter { .. }
            | EventKind::TurnEnd { .. }
    )
}
