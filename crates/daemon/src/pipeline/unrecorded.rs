//! Decides when nothing can be written down: safety is still judged, and the person is told once a session.

use super::{Prepared, Subject, attended};
use crate::client::said;
use crate::frame::reply::Printed;
use crate::home::Home;
use crate::judge::Judge;
use crate::told;
use engine::event::{Event, EventKind};
use engine::facts::Facts;

/// Answers an event with nothing but the event itself, its settings and the world's answers.
pub fn decide(home: &Home, prepared: &Prepared, judge: &Judge, trouble: &str) -> Printed {
    let subject = match &prepared.subject {
        Subject::Event(subject) => subject,
        Subject::Unreadable { why } => return said(why),
        Subject::Disabled { .. } | Subject::TakenBack => return Printed::default(),
    };
    let mut facts = Facts::empty(prepared.at, subject.loaded.settings.clone());
    facts.attended = attended::is_attended(&prepared.env, &subject.event);
    facts.answers = subject.answers.clone();
    let mut round = judge.decide(&subject.event, facts);
    if is_to_be_told(home, &subject.event, trouble) {
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

/// Once a session; where that cannot be remembered, only when it starts: better silent than at every event.
fn is_to_be_told(home: &Home, event: &Event, trouble: &str) -> bool {
    let starts = matches!(event.kind, EventKind::SessionStart { .. });
    let reaches_the_person = starts
        || matches!(
            event.kind,
            EventKind::Prompt { .. }
                | EventKind::ToolBefore { .. }
                | EventKind::ToolAfter { .. }
                | EventKind::TurnEnd { .. }
        );
    reaches_the_person && told::is_news(home, event.actor.session.as_str(), trouble).unwrap_or(starts)
}
