//! What of it is told, and when.

use super::*;
use crate::event::BackgroundReport;
use crate::testing::{event, facts, prompt};

fn known(suggested: &[&str]) -> Facts {
    let mut facts = facts();
    facts.skills = Some(Arc::new(SkillFacts {
        catalogue: Arc::new(effect()),
        suggested: suggested.iter().map(|name| (*name).to_owned()).collect(),
    }));
    facts
}

fn told(text: &str, facts: &Facts) -> String {
    let event = prompt(text);
    assert!(Skills.concerns(&event, facts));
    Skills.judge(&event, facts).verdict.reason()
}

#[test]
fn names_and_words_are_told() {
    insta::assert_snapshot!(told("retry the service with typed errors", &known(&[])), @"Skills that may help: effect-errors (retry, typed error); effect-services (service). Use one only if it fits.");
}

#[test]
fn at_most_three_are_told_best_first() {
    let skills = ["d", "c", "b", "a"].map(|name| skill(name, "", &["word"]));
    let mut facts = known(&[]);
    let map = map(&[("c", &["better"])]);
    facts.skills = Some(Arc::new(SkillFacts {
        catalogue: Arc::new(Catalogue::new(skills.into(), &map)),
        suggested: BTreeSet::new(),
    }));
    insta::assert_snapshot!(told("a better word", &facts), @"Skills that may help: c (better, word); a (word); b (word). Use one only if it fits.");
}

#[test]
fn a_skill_is_told_once_in_a_session() {
    assert_eq!(told("add a service", &known(&["effect-services"])), "");
    assert_eq!(told("add a service layer", &known(&["effect-services"])), "");
    let other = told("add a service, retry it", &known(&["effect-services"]));
    assert_eq!(
        other,
        "Skills that may help: effect-errors (retry). Use one only if it fits."
    );
}

#[test]
fn what_was_told_is_remembered_once_it_is_delivered() {
    let judged = Skills.judge(&prompt("add a service"), &known(&[]));
    let Verdict::Advise(advice) = judged.verdict else {
        panic!("{:?}", judged.verdict);
    };
    let remembered = Effect::Suggested {
        skill: "effect-services".to_owned(),
    };
    assert_eq!(advice[0].on_delivery, [remembered]);
    assert!(judged.always.is_empty() && judged.granted.is_empty());
}

#[test]
fn only_prompts_of_people_are_met() {
    let notification = event(EventKind::Prompt {
        text: "<task-notification> retry".to_owned(),
        origin: PromptOrigin::Notification(BackgroundReport::default()),
    });
    assert!(!Skills.concerns(&notification, &known(&[])));
    assert!(!Skills.concerns(&crate::testing::stop(), &known(&[])));
    assert!(
        !Skills.concerns(&prompt("retry"), &facts()),
        "no skills are known"
    );
    assert_eq!(Skills.judge(&notification, &known(&[])), Judgement::silent());
}

#[test]
fn it_never_enforces() {
    let mut settings = facts().settings;
    settings.skills.mode = Mode::Enforce;
    assert_eq!(Skills.mode(&settings), Mode::Advise);
}

#[test]
fn the_text_stays_within_its_budget_whatever_the_skills_say() {
    let long = |letter: char| letter.to_string().repeat(64);
    let words: Vec<String> = (0..60)
        .map(|number| format!("{}{number}", "w".repeat(70)))
        .collect();
    let keywords: Vec<&str> = words.iter().map(String::as_str).collect();
    let skills = ['a', 'b', 'c'].map(|letter| skill(&long(letter), "", &keywords));
    let mut facts = known(&[]);
    facts.skills = Some(Arc::new(SkillFacts {
        catalogue: Arc::new(Catalogue::new(skills.into(), &BTreeMap::new())),
        suggested: BTreeSet::new(),
    }));
    let text = told(&words.join(" "), &facts);
    assert!(text.contains(&long('c')) && text.chars().count() <= 600, "{text}");
}
