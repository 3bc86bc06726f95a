use super::*;
use crate::event::{EventKind, StartSource};
use crate::facts::OwedNotice;
use crate::id::NoticeId;
use crate::round::{Round, RoundWatch, decide};
use crate::testing::{command, event, facts, prompt, start, stop};

fn owing(texts: &[&str]) -> Facts {
    let owed = (1..).zip(texts).map(|(id, text)| OwedNotice {
        id: NoticeId(id),
        kind: "lease".to_owned(),
        text: (*text).to_owned(),
    });
    Facts {
        owed: owed.collect(),
        ..facts()
    }
}

fn round(event: &Event, facts: &Facts) -> Round {
    decide(&[&Notices], event, facts, &RoundWatch::default())
}

#[test]
fn what_is_owed_is_told_oldest_first_and_marked_as_told() {
    let round = round(
        &command("ls"),
        &owing(&["src/a.rs is yours now.", "Tests are green again."]),
    );
    insta::assert_snapshot!(round.decision.context_text().unwrap_or_default(), @r"
    src/a.rs is yours now.

    Tests are green again.
    ");
    assert_eq!(
        round.effects,
        [Effect::Delivered(NoticeId(1)), Effect::Delivered(NoticeId(2))]
    );
}

#[test]
fn a_prompt_a_start_and_a_call_can_all_carry_it() {
    for event in [
        prompt("go on"),
        start(StartSource::Resume),
        event(EventKind::AgentStart).by("a1", "Explore"),
        command("ls"),
    ] {
        assert_eq!(round(&event, &owing(&["Told."])).decision.context, ["Told."]);
    }
}

#[test]
fn nobody_is_told_what_is_not_owed() {
    let round = round(&command("ls"), &owing(&[]));
    assert!(round.decision.is_silent());
    assert_eq!(round.verdicts, []);
}

#[test]
fn an_agent_that_is_done_is_not_woken() {
    let round = round(&stop().hearing(Context::Wakes), &owing(&["Told."]));
    assert!(round.decision.is_silent());
    assert_eq!(round.effects, []);
}

#[test]
fn a_text_that_finds_no_room_stays_owed() {
    let mut facts = owing(&["12345", "67890", "abc"]);
    facts.settings.context.budget = 10;
    let round = round(&command("ls"), &facts);
    assert_eq!(round.decision.context, ["12345", "abc"]);
    assert_eq!(
        round.effects,
        [Effect::Delivered(NoticeId(1)), Effect::Delivered(NoticeId(3))]
    );
}

#[test]
fn observing_delivers_nothing_and_keeps_the_debt() {
    let facts = Facts {
        settings: Settings::of(Profile::Observe),
        ..owing(&["Told."])
    };
    let round = round(&command("ls"), &facts);
    assert!(round.decision.is_silent());
    assert_eq!(round.effects, []);
}

#[test]
fn what_the_person_is_owed_about_an_agent_is_shown_to_them_alone() {
    let known = Facts {
        owed_to_person: vec![OwedNotice {
            id: NoticeId(7),
            kind: "guard".to_owned(),
            text: "look at this".to_owned(),
        }],
        ..facts()
    };
    for event in [prompt("go on"), stop()] {
        let round = round(&event, &known);
        assert_eq!(round.decision.person, ["look at this"]);
        assert_eq!(round.decision.context, Vec::<String>::new());
        assert_eq!(round.effects, [Effect::Delivered(NoticeId(7))]);
    }
}
