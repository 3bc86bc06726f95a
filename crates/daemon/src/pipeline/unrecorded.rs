//! Decides when nothing can be written down: safety is still judged, and the person and the agent are told once a session.

use super::{EventSubject, PreparedEvent, attended};
use crate::client::said;
use crate::fallback::Handover;
use crate::frame::reply::PrintedReply;
use crate::home::Home;
use crate::judge::Judge;
use crate::once;
use engine::decision::Outcome;
use engine::event::{Context, Event, EventKind};
use engine::facts::Facts;
use engine::policy::Policy;
use engine::policy::lease::LeasePolicy;
use engine::policy::stale_write::StaleWrite;
use engine::settings::{Mode, Settings};

/// Why this process could not write an event down.
#[derive(Debug, Clone, Copy)]
pub struct Trouble<'a> {
    /// What the database or the system said.
    pub why: &'a str,
    /// Whether a daemon may still write it down.
    pub handover: Handover,
}

impl Trouble<'_> {
    /// For whoever reads what the hook printed.
    fn line(self) -> String {
        let why = self.why;
        match self.handover {
            Handover::None => format!("this event was not recorded: {why}"),
            Handover::ToDaemon => format!(
                "the daemon has this event but did not answer in time; it was judged without the record: {why}"
            ),
        }
    }

    /// For the person, once a session.
    fn sentence(self) -> String {
        let what = match self.handover {
            Handover::None => "toprope cannot write down what this session does",
            Handover::ToDaemon => {
                "toprope's daemon does not answer, and the record cannot be used without it"
            }
        };
        format!(
            "{what}: {}. Safety checks still run; `toprope doctor` says more.",
            self.why
        )
    }
}

/// Answers an event with nothing but the event itself, its settings and the world's answers.
pub fn decide(home: &Home, prepared: &PreparedEvent, judge: &Judge, trouble: Trouble<'_>) -> PrintedReply {
    let subject = match &prepared.subject {
        EventSubject::Event(subject) => subject,
        EventSubject::Unreadable { why } => return said(why),
        EventSubject::Disabled { .. } | EventSubject::TakenBack => return PrintedReply::default(),
    };
    let mut facts = Facts::empty(prepared.at, subject.loaded.settings.clone());
    facts.attended = attended::is_attended(&prepared.env, &subject.event);
    facts.answers = subject.answers.clone();
    let mut round = judge.decide(&subject.event, facts);
    let why = trouble.why;
    if is_to_be_told(home, &subject.event, why) {
        round.decision.person.push(trouble.sentence());
    }
    let is_heard = subject.event.can.context == Context::Heard && round.decision.outcome == Outcome::Pass;
    if is_heard
        && are_files_watched(&subject.loaded.settings)
        && is_agent_to_be_told(home, &subject.event, why)
    {
        round.decision.context.push(format!(
            "Toprope cannot use its database: {why}. Until that is mended nobody holds a file and stale writes go unseen: another agent may be editing what you edit. Tell the user to run `toprope doctor`."
        ));
    }
    let reply = subject.agent.reply(&subject.event, &round.decision);
    let stderr = if reply.stderr.is_empty() {
        said(&trouble.line()).stderr
    } else {
        reply.stderr
    };
    PrintedReply {
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
    reaches_the_person && once::is_news(home, event.actor.session.as_str(), trouble).unwrap_or(starts)
}

/// Whether files have one writer at a time here, or stale writes are noticed: otherwise an agent misses nothing.
fn are_files_watched(settings: &Settings) -> bool {
    LeasePolicy.mode(settings) != Mode::Off || StaleWrite.mode(settings) != Mode::Off
}

/// The same for whoever of the session's agents hears first. The person's word may have come with an event that no agent
/// hears, so each has a memory of its own.
fn is_agent_to_be_told(home: &Home, event: &Event, trouble: &str) -> bool {
    let session = format!("agents of {}", event.actor.session);
    let starts = matches!(event.kind, EventKind::SessionStart { .. });
    once::is_news(home, &session, trouble).unwrap_or(starts)
}
