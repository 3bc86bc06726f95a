use super::*;
use crate::event::Context;
use crate::round::{FailureCause, Round, RoundWatch, decide};
use crate::testing::{command, event, facts, prompt, stop};
use crate::verdict::VerdictKind;

fn round(event: &Event) -> Round {
    decide(&[&Rehearsal], event, &facts(), &RoundWatch::default())
}

fn verdict(event: &Event) -> Option<(VerdictKind, String)> {
    let record = round(event).verdicts.pop()?;
    Some((record.verdict, record.reason))
}

#[test]
fn a_command_can_rehearse_every_verdict() {
    let cases = [
        ("deny too bold", VerdictKind::Deny, "rehearsed denial: too bold"),
        ("ask sure", VerdictKind::Ask, "rehearsed question: sure"),
        ("advise slowly", VerdictKind::Advise, "rehearsed advice: slowly"),
        (
            "rewrite echo safe",
            VerdictKind::Rewrite,
            "rehearsed rewrite: the command that runs is `echo safe`",
        ),
    ];
    for (line, kind, reason) in cases {
        let event = command(&format!("echo 1 # rehearse:{line}\necho 2"));
        assert_eq!(verdict(&event), Some((kind, reason.to_owned())));
    }
}

#[test]
fn text_without_the_mark_and_words_it_does_not_know_are_silent() {
    assert_eq!(verdict(&command("echo rehearse")), None);
    assert_eq!(verdict(&command("echo rehearse:sing")), None);
    assert_eq!(verdict(&event(EventKind::Unknown)), None);
}

#[test]
fn a_stop_is_held_back_once() {
    let mut event = stop().hearing(Context::Wakes);
    for already_continued in [false, true] {
        event.kind = EventKind::TurnEnd {
            already_continued,
            last_message: Some("rehearse:deny go on".to_owned()),
            background: None,
        };
        assert_eq!(verdict(&event).is_some(), !already_continued);
    }
}

#[test]
fn a_prompt_can_leave_a_text_owed() {
    let round = round(&prompt("rehearse:owe later"));
    let [Effect::Owe(owed)] = round.effects.as_slice() else {
        panic!("expected one debt, not {:?}", round.effects);
    };
    assert_eq!(owed.text, "rehearsed notice: later");
}

#[test]
fn a_rehearsed_panic_is_contained_like_any_other() {
    let round = round(&command("rehearse:panic"));
    assert!(round.decision.is_silent());
    assert_eq!(
        round.degraded[0].cause,
        FailureCause::Panicked("rehearsed panic".to_owned())
    );
}
