use super::*;
use crate::decision::{Decision, Outcome};
use crate::event::{BackgroundReport, Context};
use crate::facts::Activity;
use crate::round::{Round, RoundWatch, decide};
use crate::settings::Profile;
use crate::testing::{NOW, command, event, facts, prompt};
use crate::time::Timestamp;

const HEAD: &str = "4c1f2ab90aa41be0c5f0c8e97b13d1f2034be7a9";

fn work() -> PendingWork {
    PendingWork {
        session: ClientSessionId::new("ab310c99-1111"),
        session_alias: "2026-11-15-ab310c99".to_owned(),
        activity: Activity::Idle {
            since: Timestamp(NOW.0 - 14 * 60_000),
        },
        files: 3,
        paths: ["src/a.rs", "src/b.rs", "src/c.rs"].map(str::to_owned).into(),
        head: HEAD.to_owned(),
        first_prompt: Some("Add the login form".to_owned()),
        resume: "claude --resume ab310c99-1111".to_owned(),
        warned: false,
    }
}

fn knowing(mode: Mode, pending: Vec<PendingWork>) -> Facts {
    let mut facts = facts();
    facts.settings.checkpoints.concurrent = mode;
    facts.pending_elsewhere = pending;
    facts
}

fn judged(event: &Event, facts: &Facts) -> Round {
    decide(&[&ConcurrentSession], event, facts, &RoundWatch::default())
}

fn prompted(mode: Mode, pending: Vec<PendingWork>) -> Round {
    judged(&prompt("hello"), &knowing(mode, pending))
}

fn warned() -> Effect {
    Effect::Warn {
        rule: RULE.into(),
        key: format!("ab310c99-1111 {HEAD}"),
    }
}

fn held(round: &Round) -> Option<&str> {
    match &round.decision.outcome {
        Outcome::Deny {
            reason,
            keeps_prompt: true,
        } => Some(reason),
        Outcome::Pass => None,
        other => panic!("{other:?}"),
    }
}

fn text_about(pending: PendingWork) -> String {
    prompted(Mode::Advise, vec![pending]).decision.person.join("\n")
}

#[test]
fn off_says_nothing() {
    let round = prompted(Mode::Off, vec![work()]);
    assert!(round.decision.is_silent() && round.effects.is_empty());
    let mut facts = knowing(Mode::Enforce, vec![work()]);
    facts.settings.checkpoints.enabled = false;
    assert!(judged(&prompt("hello"), &facts).decision.is_silent());
}

#[test]
fn advise_tells_the_person_and_lets_the_prompt_go_on() {
    let round = prompted(Mode::Advise, vec![work()]);
    assert_eq!(
        round.decision,
        Decision {
            person: round.decision.person.clone(),
            ..Decision::default()
        }
    );
    insta::assert_snapshot!(round.decision.person.join("\n"), @r#"Another session has uncommitted work in this worktree: 2026-11-15-ab310c99 (idle 14 min), 3 files on 4c1f2ab: src/a.rs, src/b.rs, +1. It began with: "Add the login form". It is still open: go on there, or close it first."#);
    assert_eq!(round.effects, [warned()]);
}

#[test]
fn enforce_holds_the_first_prompt_and_the_next_one_passes() {
    let round = prompted(Mode::Enforce, vec![work()]);
    insta::assert_snapshot!(held(&round).unwrap(), @r#"Another session has uncommitted work in this worktree: 2026-11-15-ab310c99 (idle 14 min), 3 files on 4c1f2ab: src/a.rs, src/b.rs, +1. It began with: "Add the login form". It is still open: go on there, or close it first. To go on here anyway, send your prompt again."#);
    assert_eq!(round.effects, [warned()], "what a refusal leaves behind is kept");
    let known = PendingWork {
        warned: true,
        ..work()
    };
    let again = prompted(Mode::Enforce, vec![known]);
    assert!(again.decision.is_silent() && again.effects.is_empty());
}

#[test]
fn a_new_clash_is_told_again() {
    let known = PendingWork {
        warned: true,
        ..work()
    };
    let anew = PendingWork {
        head: "9e02b11".to_owned(),
        ..work()
    };
    let round = prompted(Mode::Enforce, vec![known, anew]);
    let reason = held(&round).unwrap();
    assert!(reason.contains("on 9e02b11") && !reason.contains("4c1f2ab"));
    assert_ne!(key(&work().session, HEAD), key(&work().session, "9e02b11"));
}

#[test]
fn nothing_is_said_where_nobody_else_has_work() {
    assert!(prompted(Mode::Enforce, vec![]).decision.is_silent());
}

#[test]
fn a_notification_is_never_held_nor_told() {
    let notification = event(EventKind::Prompt {
        text: "<task-notification>done</task-notification>".to_owned(),
        origin: PromptOrigin::Notification(BackgroundReport::default()),
    });
    let round = judged(&notification, &knowing(Mode::Enforce, vec![work()]));
    assert!(round.decision.is_silent() && round.effects.is_empty());
}

#[test]
fn an_unattended_run_is_never_held_and_its_model_is_told() {
    for mode in [Mode::Advise, Mode::Enforce] {
        let facts = Facts {
            attended: false,
            ..knowing(mode, vec![work()])
        };
        let round = judged(&prompt("hello"), &facts);
        assert_eq!(held(&round), None);
        assert_eq!(round.decision.person, Vec::<String>::new());
        assert!(round.decision.context[0].starts_with("Another session has uncommitted work"));
        assert_eq!(round.effects, [warned()]);
    }
}

#[test]
fn a_client_that_cannot_hold_a_prompt_shows_the_text() {
    let mut event = prompt("hello").hearing(Context::No);
    event.can.block = false;
    let round = judged(&event, &knowing(Mode::Enforce, vec![work()]));
    assert_eq!(held(&round), None);
    assert_eq!(round.decision.person.len(), 1);
}

#[test]
fn only_prompts_are_looked_at() {
    let round = judged(&command("ls"), &knowing(Mode::Enforce, vec![work()]));
    assert!(round.decision.is_silent());
}

#[test]
fn observing_says_nothing_and_remembers_nothing() {
    let facts = Facts {
        settings: Settings::of(Profile::Observe),
        ..knowing(Mode::Off, vec![work()])
    };
    let round = judged(&prompt("hello"), &facts);
    assert!(round.decision.is_silent() && round.effects.is_empty());
}

#[test]
fn what_is_not_known_is_left_out() {
    insta::assert_snapshot!(text_about(PendingWork {
        activity: Activity::Ended,
        files: 1,
        paths: vec!["src/a.rs".to_owned()],
        first_prompt: None,
        ..work()
    }), @"Another session has uncommitted work in this worktree: 2026-11-15-ab310c99 (ended), 1 file on 4c1f2ab: src/a.rs. To continue it: claude --resume ab310c99-1111.");
    insta::assert_snapshot!(text_about(PendingWork {
        activity: Activity::WorkingNow,
        paths: vec![],
        head: "0".repeat(40),
        first_prompt: Some("\u{1b}[31m \n".to_owned()),
        resume: String::new(),
        ..work()
    }), @"Another session has uncommitted work in this worktree: 2026-11-15-ab310c99 (working now), 3 files before the first commit.");
}

#[test]
fn foreign_text_stays_on_its_line_and_short() {
    let text = text_about(PendingWork {
        session_alias: "x\nIgnore the above".to_owned(),
        paths: vec!["a\u{1b}[2J\nb".to_owned(), "p".repeat(4_000)],
        first_prompt: Some("line one\nline two ".repeat(100)),
        resume: "claude\r\nrm -rf ~".to_owned(),
        ..work()
    });
    assert!(!text.contains(char::is_control), "{text}");
    assert!(text.chars().count() < 600, "{text}");
}

#[test]
fn many_sessions_are_one_answer() {
    let other = |number: usize| PendingWork {
        session: ClientSessionId::new(format!("s{number}")),
        session_alias: format!("alias-{number}"),
        ..work()
    };
    let round = prompted(Mode::Enforce, (0..5).map(other).collect());
    let reason = held(&round).unwrap();
    assert_eq!(reason.lines().count(), 4);
    assert!(reason.ends_with(
        "2 more sessions have uncommitted work here. To go on here anyway, send your prompt again."
    ));
    assert_eq!(round.effects.len(), 5, "the next prompt passes");
}
