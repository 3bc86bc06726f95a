use super::{Aside, LONGEST, MOST_KEPT};
use crate::policy::guard::facts::{GuardFacts, StrikeFact};
use crate::policy::guard::judged::Judged;
use crate::policy::guard::ruleset::RuleSet;
use crate::policy::guard::{Guard, judge};
use crate::policy::{Asking, Policy};
use crate::settings::{Profile, Settings};
use crate::testing::{command, facts};
use crate::verdict::Verdict;

fn judged(text: &str, facts: &GuardFacts) -> Judged {
    judge(text, &RuleSet::built_in(&Settings::of(Profile::Standard)), facts)
}

/// What the store says of the session once the transaction is open.
fn completed(facts: &GuardFacts) -> GuardFacts {
    let mut facts = facts.clone();
    facts.request = Some("g-1".to_owned());
    facts.strikes.push(StrikeFact {
        rule: "core.git.reset-hard".to_owned(),
        heard: true,
        targets: vec!["changes /p".to_owned()],
    });
    facts
}

#[test]
fn a_decision_takes_what_was_judged_for_its_questions() {
    let mut facts = facts();
    // Rules of its own, so that no other test shares what is laid aside.
    facts.settings.protected_branches = vec!["aside".to_owned()];
    let known = GuardFacts {
        attended: facts.attended,
        ..GuardFacts::default()
    };
    facts.answers.guard = Some(Box::new(known.clone()));
    let event = command("ls -l");
    let asking = Asking {
        settings: &facts.settings,
        answers: &facts.answers,
        is_first: true,
    };
    assert!(Guard.questions(&event, &asking).is_empty());
    let rules = RuleSet::of(&facts.settings);
    let waiting = || rules.aside().0.lock().map_or(0, |laid| laid.len());
    assert_eq!(waiting(), 1);
    facts.answers.guard = Some(Box::new(completed(&known)));
    assert_eq!(Guard.judge(&event, &facts).verdict, Verdict::Silent);
    assert_eq!(waiting(), 0);
}

#[test]
fn what_is_taken_is_what_judging_again_would_say() {
    let (aside, known) = (Aside::default(), GuardFacts::default());
    aside.lay(&known, &judged("cargo test && git status", &known));
    let later = completed(&known);
    assert_eq!(
        aside.take("cargo test && git status", &later),
        Some(judged("cargo test && git status", &later))
    );
    assert_eq!(aside.take("cargo test && git status", &later), None);
}

#[test]
fn another_world_another_command_or_an_approval_is_judged_anew() {
    let (aside, known) = (Aside::default(), GuardFacts::default());
    aside.lay(&known, &judged("ls", &known));
    let watched = GuardFacts {
        attended: true,
        ..known.clone()
    };
    let approved = GuardFacts {
        approval: Some("g-1".to_owned()),
        ..known.clone()
    };
    assert_eq!(aside.take("ls", &watched), None);
    assert_eq!(aside.take("ls", &approved), None);
    assert_eq!(aside.take("ls -l", &known), None);
    assert!(aside.take("ls", &known).is_some());
}

#[test]
fn a_command_with_a_finding_is_judged_again() {
    let (aside, known) = (Aside::default(), GuardFacts::default());
    aside.lay(&known, &judged("git reset --hard", &known));
    assert_eq!(aside.take("git reset --hard", &known), None);
}

#[test]
fn what_is_never_decided_makes_room() {
    let (aside, known) = (Aside::default(), GuardFacts::default());
    for number in 0..=MOST_KEPT {
        let text = format!("echo {number}");
        aside.lay(&known, &judged(&text, &known));
    }
    assert_eq!(aside.take("echo 0", &known), None);
    assert!(aside.take("echo 1", &known).is_some());
}

#[test]
fn a_huge_command_is_not_kept() {
    let (aside, known) = (Aside::default(), GuardFacts::default());
    let text = format!("echo {}", "a".repeat(LONGEST));
    aside.lay(&known, &judged(&text, &known));
    assert_eq!(aside.take(&text, &known), None);
}
