use super::*;
use crate::effect::{Audience, Owed};
use crate::event::{Abilities, StartSource};
use crate::id::{EventSeq, NoticeId};
use crate::settings::Settings;
use crate::testing::{command, facts, prompt, start, stop};
use crate::text::utf16_len;
use crate::verdict::IfCut;
use scripted::{
    Answer, advise, answering, ask, command_sent, deny, mark, owed, rewrite, round, saying, watched,
};

mod model;
mod scripted;

fn within(budget: u32) -> Facts {
    let mut facts = facts();
    facts.settings.context.budget = budget;
    facts
}

fn observing() -> Facts {
    Facts {
        settings: Settings::of(Profile::Observe),
        ..facts()
    }
}

fn applied(round: &Round) -> Vec<(&'static str, bool)> {
    round
        .verdicts
        .iter()
        .map(|record| (record.policy, record.applied))
        .collect()
}

fn deny_reason(round: &Round) -> &str {
    match &round.decision.outcome {
        Outcome::Deny { reason, .. } => reason,
        other => panic!("expected a denial, not {other:?}"),
    }
}

fn ask_reason(round: &Round) -> &str {
    match &round.decision.outcome {
        Outcome::Ask { reason } => reason,
        other => panic!("expected a question, not {other:?}"),
    }
}

#[test]
fn without_a_word_from_anyone_the_round_is_silent() {
    let policies = [saying("first", Verdict::Silent)];
    let round = round(&policies, &command("ls"), &facts());
    assert!(round.decision.is_silent());
    assert_eq!(round.verdicts, []);
    assert_eq!(round.effects, []);
}

#[test]
fn the_first_denial_ends_the_round() {
    let policies = [
        saying("first", deny("no")),
        saying("second", deny("never")),
        saying("third", advise("hm")),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(deny_reason(&round), "no");
    assert!(policies[1].seen().is_empty());
    assert!(policies[2].seen().is_empty());
    assert_eq!(applied(&round), [("first", true)]);
}

#[test]
fn a_rewrite_replaces_the_command_for_the_policies_after_it() {
    let policies = [
        saying("before", Verdict::Silent),
        saying("rewriter", rewrite("ls -a")),
        saying("after", Verdict::Silent),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(policies[0].seen(), ["ls"]);
    assert_eq!(policies[2].seen(), ["ls -a"]);
    assert_eq!(command_sent(&round), Some("ls -a"));
    assert_eq!(round.decision.context, ["it runs as `ls -a`"]);
}

#[test]
fn the_last_of_two_rewrites_is_sent_and_both_are_told() {
    let policies = [
        saying("first", rewrite("ls -a")),
        saying("second", rewrite("ls -al")),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(command_sent(&round), Some("ls -al"));
    assert_eq!(
        round.decision.context,
        ["it runs as `ls -a`", "it runs as `ls -al`"]
    );
}

#[test]
fn a_rewrite_keeps_every_other_key_in_its_place() {
    let policies = [saying("rewriter", rewrite("ls -a"))];
    let round = round(&policies, &command("ls"), &facts());
    let input = round.decision.input.unwrap_or_default();
    assert_eq!(
        serde_json::to_string(&input).unwrap(),
        r#"{"command":"ls -a","description":"as told","timeout":5000}"#
    );
}

#[test]
fn a_rewrite_of_an_event_without_a_call_is_only_told() {
    let policies = [saying("rewriter", rewrite("ls -a"))];
    let round = round(&policies, &prompt("hello"), &facts());
    assert_eq!(round.decision.input, None);
    insta::assert_snapshot!(round.decision.context_text().unwrap_or_default(), @"Not enforced, only advised: it runs as `ls -a`");
    assert_eq!(applied(&round), [("rewriter", false)]);
}

#[test]
fn a_denial_takes_back_the_rewrite_its_note_and_every_grant() {
    let policies = [
        saying("rewriter", rewrite("ls -a")).leaving(1, 2),
        saying("adviser", advise("keep this")).leaving(3, 4),
        saying("denier", deny("no")).leaving(5, 6),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(round.decision.input, None);
    assert_eq!(round.decision.context, ["keep this"]);
    assert_eq!(round.effects, [mark(1), mark(3), mark(5)]);
    assert_eq!(
        applied(&round),
        [("rewriter", false), ("adviser", true), ("denier", true)]
    );
}

#[test]
fn grants_are_kept_when_the_person_is_asked() {
    let policies = [saying("asker", ask("sure?")).leaving(1, 2)];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(round.effects, [mark(1), mark(2)]);
}

#[test]
fn a_question_does_not_end_the_round() {
    let policies = [saying("asker", ask("sure?")), saying("adviser", advise("hm"))];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(ask_reason(&round), "sure?");
    assert_eq!(round.decision.context, ["hm"]);
}

#[test]
fn the_person_reads_every_reason_to_ask() {
    let policies = [
        saying("first", ask("It writes to main.")),
        saying("second", ask("It cannot be undone.")),
    ];
    let round = round(&policies, &command("git push"), &facts());
    insta::assert_snapshot!(ask_reason(&round), @r"
    It writes to main.
    It cannot be undone.
    ");
}

#[test]
fn a_denial_beats_a_question() {
    let policies = [saying("asker", ask("sure?")), saying("denier", deny("no"))];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(deny_reason(&round), "no");
    assert_eq!(applied(&round), [("asker", false), ("denier", true)]);
}

#[test]
fn a_question_keeps_the_rewrite() {
    let policies = [
        saying("rewriter", rewrite("ls -a")),
        saying("asker", ask("sure?")),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(ask_reason(&round), "sure?");
    assert_eq!(command_sent(&round), Some("ls -a"));
}

#[test]
fn observing_asks_everyone_records_everything_and_sends_nothing() {
    let policies = [
        saying("rewriter", rewrite("ls -a")).leaving(1, 2),
        saying("denier", deny("no")),
        saying("adviser", advise("hm")),
    ];
    let round = round(&policies, &command("ls"), &observing());
    assert!(round.decision.is_silent());
    assert_eq!(round.effects, []);
    assert_eq!(policies[2].seen(), ["ls"]);
    assert_eq!(
        applied(&round),
        [("rewriter", false), ("denier", false), ("adviser", false)]
    );
}

#[test]
fn a_policy_that_only_advises_says_what_it_would_have_done() {
    let policies = [
        saying("denier", deny("this cannot be undone")).in_mode(Mode::Advise),
        saying("rewriter", rewrite("ls -a")).in_mode(Mode::Advise),
        saying("asker", ask("sure?")).in_mode(Mode::Advise),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(round.decision.outcome, Outcome::Pass);
    assert_eq!(round.decision.input, None);
    insta::assert_snapshot!(round.decision.context_text().unwrap_or_default(), @r"
    Not enforced, only advised: this cannot be undone

    Not enforced, only advised: it runs as `ls -a`

    Not enforced, only advised: sure?
    ");
}

#[test]
fn a_policy_that_is_off_is_not_asked() {
    let policies = [saying("denier", deny("no")).in_mode(Mode::Off)];
    assert!(round(&policies, &command("ls"), &facts()).decision.is_silent());
    assert!(policies[0].seen().is_empty());
}

#[test]
fn a_policy_the_event_does_not_concern_is_not_asked() {
    let policies = [answering("elsewhere", Answer::NotConcerned)];
    assert!(round(&policies, &command("ls"), &facts()).decision.is_silent());
    assert!(policies[0].seen().is_empty());
}

#[test]
fn advice_for_an_agent_that_cannot_hear_it_is_owed() {
    let policies = [saying("adviser", advise("hm"))];
    let round = round(&policies, &command("ls").hearing(Context::No), &facts());
    assert_eq!(round.decision.context, Vec::<String>::new());
    assert_eq!(owed(&round), ["hm"]);
    assert_eq!(applied(&round), [("adviser", false)]);
}

#[test]
fn a_downgraded_denial_of_a_stop_is_owed_and_wakes_nobody() {
    let policies = [saying("denier", deny("tests are red")).in_mode(Mode::Advise)];
    let round = round(&policies, &stop().hearing(Context::Wakes), &facts());
    assert!(round.decision.is_silent());
    assert_eq!(owed(&round), ["Not enforced, only advised: tests are red"]);
}

#[test]
fn advice_on_a_stop_wakes_the_agent_because_the_policy_means_it() {
    let policies = [saying("adviser", advise("one thing is left"))];
    let round = round(&policies, &stop().hearing(Context::Wakes), &facts());
    assert_eq!(round.decision.context, ["one thing is left"]);
}

#[test]
fn what_was_sent_with_a_refused_prompt_stays_owed() {
    let policies = [
        saying("adviser", advise("hm")),
        saying(
            "deliverer",
            Verdict::Advise(vec![Advice {
                audience: Audience::Actor,
                text: "an older text".to_owned(),
                on_delivery: vec![mark(7)],
                if_cut: IfCut::StaysOwed,
            }]),
        ),
        saying("denier", deny("no")),
    ];
    let round = round(&policies, &prompt("hello"), &facts());
    assert_eq!(round.decision.context, Vec::<String>::new());
    assert_eq!(owed(&round), ["hm"]);
    assert!(!round.effects.contains(&mark(7)));
}

#[test]
fn a_reply_that_is_exactly_full_is_sent_whole() {
    let policies = [saying("first", advise("12345")), saying("second", advise("789"))];
    let full = round(&policies, &command("ls"), &within(10));
    assert_eq!(full.decision.context_text().as_deref(), Some("12345\n\n789"));
    let short = round(&policies, &command("ls"), &within(9));
    assert_eq!(short.decision.context_text().as_deref(), Some("12345"));
}

#[test]
fn what_does_not_fit_becomes_owed_to_the_same_actor() {
    let policies = [
        saying("first", advise("12345")),
        saying("second", advise("67890")),
    ];
    let round = round(&policies, &command("ls"), &within(8));
    let expected = Effect::Owe(Owed {
        audience: Audience::Actor,
        kind: "second".to_owned(),
        key: "key".to_owned(),
        text: "67890".to_owned(),
    });
    assert_eq!(round.effects, [expected]);
    assert_eq!(applied(&round), [("first", true), ("second", false)]);
}

#[test]
fn a_small_text_still_goes_where_a_larger_one_had_no_room() {
    let policies = [
        saying("first", advise("123")),
        saying("second", advise("too long to fit")),
        saying("third", advise("456")),
    ];
    let round = round(&policies, &command("ls"), &within(10));
    assert_eq!(round.decision.context, ["123", "456"]);
    assert_eq!(owed(&round), ["too long to fit"]);
}

#[test]
fn a_text_longer_than_any_reply_is_cut_instead_of_waiting_for_good() {
    let policies = [saying("first", advise("😀😀😀😀"))];
    let round = round(&policies, &command("ls"), &within(6));
    assert_eq!(round.decision.context, ["😀😀…"]);
    assert!(utf16_len("😀😀…") <= 6);
    assert_eq!(owed(&round), Vec::<&str>::new());
}

#[test]
fn the_notes_of_two_rewritten_calls_do_not_replace_each_other_while_owed() {
    let policies = [saying("rewriter", rewrite("ls -a"))];
    let round = round(&policies, &command("ls").hearing(Context::No), &facts());
    let keys: Vec<&str> = round
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Owe(owed) => Some(owed.key.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(keys, ["rewrite call-1"]);
}

#[test]
fn a_policy_that_panics_is_marked_and_the_others_still_decide() {
    let policies = [answering("clumsy", Answer::Panics), saying("denier", deny("no"))];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(deny_reason(&round), "no");
    let expected = DegradedPolicy {
        policy: "clumsy",
        cause: FailureCause::Panicked("clumsy fell over".to_owned()),
    };
    assert_eq!(round.degraded, [expected]);
}

#[test]
fn a_panic_before_judging_is_contained_as_well() {
    let policies = [
        answering("clumsy", Answer::PanicsAtOnce).for_safety(),
        saying("adviser", advise("hm")),
    ];
    let round = round(&policies, &command("ls"), &facts());
    assert_eq!(round.degraded.len(), 1);
    assert!(matches!(round.decision.outcome, Outcome::Ask { .. }));
    assert_eq!(round.decision.context, ["hm"]);
}

#[test]
fn a_safety_policy_that_panics_asks_the_person() {
    let policies = [answering("guard", Answer::Panics).for_safety()];
    let round = round(&policies, &command("ls"), &facts());
    insta::assert_snapshot!(ask_reason(&round), @"Toprope could not judge this command (internal error). Ask the user; `toprope doctor` says more.");
}

#[test]
fn a_safety_policy_that_panics_denies_where_nobody_watches_and_names_the_event() {
    let policies = [answering("guard", Answer::Panics).for_safety()];
    let alone = Facts {
        attended: false,
        event: Some(EventSeq(4711)),
        ..facts()
    };
    let round = round(&policies, &command("ls"), &alone);
    insta::assert_snapshot!(deny_reason(&round), @"Toprope could not judge this command (internal error, event 4711). Go on with other work, or stop and say what you need; `toprope why 4711` says more.");
}

#[test]
fn a_safety_policy_that_panics_denies_where_nobody_can_be_asked() {
    let policies = [answering("guard", Answer::Panics).for_safety()];
    let mut event = command("ls");
    event.can.ask = false;
    let round = round(&policies, &event, &facts());
    insta::assert_snapshot!(deny_reason(&round), @"Toprope could not judge this command (internal error). Go on with other work, or stop and say what you need; `toprope doctor` says more.");
}

#[test]
fn a_safety_policy_that_only_advises_is_silent_when_it_panics() {
    let policies = [answering("guard", Answer::Panics)
        .for_safety()
        .in_mode(Mode::Advise)];
    let round = round(&policies, &command("ls"), &facts());
    assert!(round.decision.is_silent());
    assert_eq!(round.degraded.len(), 1);
}

#[test]
fn a_safety_policy_that_panics_while_observing_stops_nothing_and_is_recorded() {
    let policies = [answering("guard", Answer::Panics).for_safety()];
    let round = round(&policies, &command("ls"), &observing());
    assert!(round.decision.is_silent());
    assert_eq!(applied(&round), [("guard", false)]);
    assert_eq!(round.degraded.len(), 1);
}

#[test]
fn a_policy_that_overran_is_not_asked_again_and_marked() {
    let policies = [
        saying("slow", deny("no")),
        answering("stuck at once", Answer::PanicsAtOnce),
        saying("adviser", advise("hm")),
    ];
    let watch = RoundWatch::skipping(vec!["slow", "stuck at once"], || 0);
    let round = watched(&policies, &command("ls"), &facts(), &watch);
    assert!(policies[0].seen().is_empty());
    assert_eq!(round.decision.context, ["hm"]);
    let causes: Vec<&FailureCause> = round.degraded.iter().map(|degraded| &degraded.cause).collect();
    assert_eq!(causes, [&FailureCause::Overran, &FailureCause::Overran]);
}

#[test]
fn a_safety_policy_that_overran_asks_the_person() {
    let policies = [saying("guard", Verdict::Silent).for_safety()];
    let watch = RoundWatch::skipping(vec!["guard"], || 0);
    let round = watched(&policies, &command("ls"), &facts(), &watch);
    assert!(matches!(round.decision.outcome, Outcome::Ask { .. }));
}

#[test]
fn each_verdict_says_how_long_its_policy_took() {
    static NOW: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    // A clock that moves by ten with every look: each policy is asked between two looks.
    let watch = RoundWatch::skipping(Vec::new(), || NOW.fetch_add(10, Ordering::Relaxed));
    let policies = [
        saying("one", advise("a")),
        saying("quiet", Verdict::Silent),
        saying("two", advise("b")),
    ];
    let round = watched(&policies, &command("ls"), &facts(), &watch);
    let took: Vec<_> = round
        .verdicts
        .iter()
        .map(|record| (record.policy, record.took_us))
        .collect();
    assert_eq!(took, [("one", 10), ("two", 10)]);
}

#[test]
fn the_watch_shows_who_is_being_asked() {
    struct Looking<'a>(&'a RoundWatch, AtomicUsize);
    impl Policy for Looking<'_> {
        fn name(&self) -> &'static str {
            "looking"
        }
        fn mode(&self, _settings: &Settings) -> Mode {
            Mode::Enforce
        }
        fn concerns(&self, _event: &Event, _facts: &Facts) -> bool {
            true
        }
        fn judge(&self, _event: &Event, _facts: &Facts) -> Judgement {
            self.1.store(self.0.asking(), Ordering::Relaxed);
            Judgement::silent()
        }
    }
    let watch = RoundWatch::default();
    let quiet = saying("quiet", Verdict::Silent);
    let looking = Looking(&watch, AtomicUsize::new(usize::MAX));
    decide(
        &[&quiet, &quiet, &looking],
        &start(StartSource::Startup),
        &facts(),
        &watch,
    );
    assert_eq!(looking.1.load(Ordering::Relaxed), 2);
}

#[test]
fn a_delivery_is_true_only_of_what_was_sent() {
    let pieces = [(1, "12345"), (2, "67890")].map(|(number, text)| Advice {
        audience: Audience::Actor,
        text: text.to_owned(),
        on_delivery: vec![Effect::Delivered(NoticeId(number))],
        if_cut: IfCut::StaysOwed,
    });
    let policies = [saying("deliverer", Verdict::Advise(pieces.into()))];
    let round = round(&policies, &command("ls"), &within(8));
    assert_eq!(round.effects, [mark(1)]);
}

#[test]
fn where_nothing_can_be_done_a_denial_is_at_least_told() {
    let policies = [saying("denier", deny("no"))];
    let mut event = command("ls");
    event.can = Abilities {
        context: Context::Heard,
        ..Abilities::default()
    };
    let round = round(&policies, &event, &facts());
    assert_eq!(round.decision.outcome, Outcome::Pass);
    assert_eq!(round.decision.context, ["Not enforced, only advised: no"]);
}

#[test]
fn what_is_for_the_person_needs_no_room_and_never_reaches_the_model() {
    let told = Verdict::Advise(vec![Advice::to_person("look", vec![mark(7)])]);
    let policies = [saying("teller", told), saying("adviser", advise("12345"))];
    let round = round(&policies, &command("ls").hearing(Context::No), &within(5));
    assert_eq!(round.decision.person, ["look"]);
    assert_eq!(round.decision.context, Vec::<String>::new());
    assert!(round.effects.contains(&mark(7)));
    assert_eq!(applied(&round), [("teller", true), ("adviser", false)]);
}

#[test]
fn the_person_is_told_even_when_their_prompt_is_refused() {
    let told = Verdict::Advise(vec![Advice::to_person("look", vec![mark(7)])]);
    let policies = [saying("teller", told), saying("denier", deny("no"))];
    let round = round(&policies, &prompt("hello"), &facts());
    assert_eq!(round.decision.person, ["look"]);
    assert!(round.effects.contains(&mark(7)));
}

#[test]
fn a_prompt_that_is_held_is_denied_and_kept() {
    let policies = [
        saying("holder", Verdict::Hold("not yet".to_owned())),
        saying("after", advise("hm")),
    ];
    let round = round(&policies, &prompt("hello"), &facts());
    let held = Outcome::Deny {
        reason: "not yet".to_owned(),
        keeps_prompt: true,
    };
    assert_eq!(round.decision.outcome, held);
    assert_eq!(applied(&round), [("holder", true)]);
}
