use super::*;
use engine::event::{Abilities, Context, EventKind};
use engine::id::{ActorKey, AgentKind, ClientSessionId, DeliveryId};
use engine::round::FailureCause;
use engine::settings::Settings;
use engine::time::Timestamp;
use engine::verdict::{Advice, Judgement, Verdict};

/// Never comes back.
struct Stuck;

/// Says one thing.
struct Talks;

/// Says it after the whole process stood still for longer than a budget.
struct Frozen;

impl Policy for Stuck {
    fn name(&self) -> &'static str {
        "stuck"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, _event: &Event, _facts: &Facts) -> bool {
        true
    }

    fn judge(&self, _event: &Event, _facts: &Facts) -> Judgement {
        loop {
            thread::park();
        }
    }
}

impl Policy for Talks {
    fn name(&self) -> &'static str {
        "talks"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Advise
    }

    fn concerns(&self, _event: &Event, _facts: &Facts) -> bool {
        true
    }

    fn judge(&self, _event: &Event, _facts: &Facts) -> Judgement {
        Verdict::Advise(vec![Advice::new("hello", "k")]).into()
    }
}

impl Policy for Frozen {
    fn name(&self) -> &'static str {
        "frozen"
    }

    fn mode(&self, settings: &Settings) -> Mode {
        Talks.mode(settings)
    }

    fn concerns(&self, event: &Event, facts: &Facts) -> bool {
        Talks.concerns(event, facts)
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let freeze = "kill -STOP $PPID; sleep 1.5; kill -CONT $PPID";
        let frozen = std::process::Command::new("sh").args(["-c", freeze]).status();
        assert!(frozen.unwrap().success());
        Talks.judge(event, facts)
    }
}

const SHORT: Duration = Duration::from_millis(20);

fn event() -> Arc<Event> {
    Arc::new(Event {
        name: "Probe".into(),
        at: Timestamp(0),
        delivery: DeliveryId::new("d"),
        actor: ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new("s"),
            agent: None,
        },
        agent_type: None,
        cwd: None,
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        can: Abilities {
            context: Context::Heard,
            ..Abilities::default()
        },
        kind: EventKind::Probe,
    })
}

fn facts() -> Facts {
    Facts::empty(Timestamp(0), Settings::default())
}

#[test]
fn a_policy_that_never_comes_back_is_skipped_and_the_others_still_decide() {
    let judge = Judge::with_budget(&[&Stuck, &Talks], SHORT);
    let round = judge.decide(&event(), facts());
    assert_eq!(round.decision.context, ["hello"]);
    let degraded: Vec<_> = round
        .degraded
        .iter()
        .map(|degraded| (degraded.policy, &degraded.cause))
        .collect();
    assert_eq!(degraded, [("stuck", &FailureCause::Overran)]);
    assert!(judge.has_lost_a_thread());
}

#[test]
fn a_policy_is_not_skipped_because_the_machine_stood_still() {
    let judge = Judge::new(&[&Frozen]);
    let round = judge.decide(&event(), facts());
    assert_eq!(round.decision.context, ["hello"]);
    assert!(!judge.has_lost_a_thread());
}

#[test]
fn when_every_policy_is_stuck_there_is_still_an_answer() {
    let judge = Judge::with_budget(&[&Stuck], SHORT);
    let round = judge.decide(&event(), facts());
    assert!(round.decision.is_silent());
    assert_eq!(round.degraded.len(), 1);
}

#[test]
fn the_thread_that_came_back_is_used_again() {
    let judge = Judge::with_budget(&[&Talks], Duration::from_mins(1));
    for _ in 0..3 {
        assert_eq!(judge.decide(&event(), facts()).decision.context, ["hello"]);
    }
    assert!(!judge.has_lost_a_thread());
}

#[test]
fn an_event_that_concerns_nobody_needs_no_thread() {
    let judge = Judge::with_budget(&[], SHORT);
    assert!(judge.decide(&event(), facts()).decision.is_silent());
    assert!(judge.bench.lock().unwrap().is_none());
}
