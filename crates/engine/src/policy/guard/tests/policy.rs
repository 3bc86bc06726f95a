//! The guard in a round: effects of holds, passes, approvals and requests; and what a panic means.

use crate::decision::Outcome;
use crate::effect::{Effect, KeepList, KeptCommit, Struck};
use crate::event::{EventKind, StartSource};
use crate::facts::Facts;
use crate::policy::guard::message;
use crate::policy::guard::synthetic::Synthetic;
use crate::policy::guard::{Guard, GuardFacts, RuleSet};
use crate::policy::{Asking, Policy};
use crate::question::Question;
use crate::round::{FailureCause, Round, RoundWatch, decide};
use crate::testing::{command, event, facts, prompt, start};

/// Asks the guard as the pipeline does: until nothing new is asked.
fn known(world: &Synthetic, text: &str) -> Facts {
    let mut facts = facts();
    facts.attended = world.attended;
    let start = || {
        let strikes = world.strikes(&RuleSet::of(&crate::settings::Settings::default()));
        GuardFacts {
            strikes,
            ..world.facts()
        }
    };
    facts.answers.guard = Some(Box::new(start()));
    for _ in 0..6 {
        let asking = Asking {
            settings: &facts.settings,
            answers: &facts.answers,
            is_first: true,
        };
        let questions = Guard.questions(&command(text), &asking);
        let mut answers = start();
        if let Some(so_far) = &facts.answers.guard {
            answers = (**so_far).clone();
        }
        for question in questions {
            if let Question::Guard(asked) = question {
                world.answer(&asked, &mut answers);
            }
        }
        facts.answers.guard = Some(Box::new(answers));
    }
    facts
}

fn round(world: &Synthetic, text: &str) -> Round {
    decide(
        &[&Guard],
        &command(text),
        &known(world, text),
        &RoundWatch::default(),
    )
}

fn without_explanations(round: &Round) -> Vec<Effect> {
    let mut effects = round.effects.clone();
    effects.retain(|effect| !matches!(effect, Effect::Explain(_)));
    effects
}

fn strike(rule: &str, targets: &[&str]) -> Effect {
    Effect::Strike(Struck {
        rule: rule.to_owned(),
        targets: targets.iter().map(|target| (*target).to_owned()).collect(),
    })
}

#[test]
fn a_hold_is_remembered_and_its_retry_keeps_what_would_be_lost() {
    let held = round(&Synthetic::default(), "git reset --hard");
    assert!(matches!(held.decision.outcome, Outcome::Deny { .. }));
    assert_eq!(
        without_explanations(&held),
        [strike("core.git.reset-hard", &["changes /home/dev/project"])]
    );
    let heard = Synthetic {
        heard: vec!["git reset --hard".to_owned()],
        ..Synthetic::default()
    };
    let passed = round(&heard, "git reset --hard");
    assert_eq!(passed.decision.outcome, Outcome::Pass);
    let head = KeptCommit {
        cwd: "/home/dev/project".to_owned(),
        revision: "HEAD".to_owned(),
    };
    assert_eq!(
        without_explanations(&passed),
        [
            Effect::KeepBefore {
                command: "git reset --hard".to_owned(),
                also: KeepList {
                    commits: vec![head],
                    changes: vec!["/home/dev/project".to_owned()],
                    ..KeepList::default()
                },
            },
            Effect::MustKeep {
                otherwise: message::no_checkpoint("git reset --hard"),
            },
        ]
    );
}

#[test]
fn a_clean_of_ignored_files_keeps_all_of_them_where_it_cleans() {
    let below = |command: &str| {
        let world = Synthetic {
            heard: vec![command.to_owned()],
            ..Synthetic::default()
        };
        let effects = without_explanations(&round(&world, command));
        match effects.first() {
            Some(Effect::KeepBefore { also, .. }) => also.ignored_below.clone(),
            other => unreachable!("{other:?}"),
        }
    };
    assert_eq!(below("git clean -fd"), Vec::<String>::new());
    assert_eq!(below("git clean -xfd"), ["/home/dev/project"]);
    assert_eq!(below("git -C app clean -X -f"), ["/home/dev/project/app"]);
    assert_eq!(
        below("git clean -xf app data/"),
        ["/home/dev/project/app", "/home/dev/project/data"]
    );
    assert_eq!(below("git clean -xf \"$where\""), ["/home/dev/project"]);
}

#[test]
fn an_ignored_target_is_kept_by_its_path() {
    let world = Synthetic {
        heard: vec!["rm -rf data".to_owned()],
        ignored: vec!["data".to_owned()],
        ..Synthetic::default()
    };
    let effects = without_explanations(&round(&world, "rm -rf data"));
    assert!(
        matches!(&effects[..], [Effect::KeepBefore { also, .. }, Effect::MustKeep { .. }] if also.ignored == ["/home/dev/project/data"]),
        "{effects:?}"
    );
    let large = Synthetic {
        ignored_bytes: 65 * 1_048_576,
        ..world
    };
    let asked = round(&large, "rm -rf data");
    assert!(
        matches!(asked.decision.outcome, Outcome::Ask { .. }),
        "no retry passes what is too large to keep"
    );
}

#[test]
fn a_rewrite_keeps_every_other_key_of_the_input() {
    let round = round(&Synthetic::default(), "git push -f origin feat");
    let input = round.decision.input.unwrap();
    assert_eq!(input["command"], "git push --force-with-lease origin feat");
    assert_eq!(input["description"], "as told");
    assert_eq!(input["timeout"], 5000);
    assert!(
        round.decision.context[0]
            .starts_with("Toprope ran `git push --force-with-lease origin feat` instead of")
    );
    assert_eq!(round.decision.person.len(), 1, "{:?}", round.decision.person);
}

#[test]
fn a_question_about_a_rewritten_command_carries_the_rewrite() {
    let round = round(&Synthetic::default(), "git push -f origin feat && npm publish");
    assert!(matches!(&round.decision.outcome, Outcome::Ask { reason } if reason.contains("npm publish")));
    assert_eq!(
        round.decision.input.unwrap()["command"],
        "git push --force-with-lease origin feat && npm publish"
    );
}

#[test]
fn a_denial_parks_a_request_and_a_person_decides_it_in_a_prompt() {
    let world = Synthetic {
        request: Some("g-abcdef".to_owned()),
        ..Synthetic::default()
    };
    let denied = round(&world, "rm -rf /");
    assert!(
        matches!(&without_explanations(&denied)[..], [Effect::Warn { .. }, Effect::ParkRequest(parked)] if parked.id == "g-abcdef")
    );
    let own = round(&world, "toprope undo x");
    assert!(matches!(&without_explanations(&own)[..], [Effect::Warn { .. }]));
    let granted = decide(
        &[&Guard],
        &prompt("toprope guard allow g-abcdef"),
        &Facts {
            awaited: Some("g-abcdef".to_owned()),
            ..unheard()
        },
        &RoundWatch::default(),
    );
    assert_eq!(
        granted.effects,
        [
            Effect::Hear,
            Effect::AnswerRequest {
                id: "g-abcdef".to_owned(),
                granted_ms: Some(900_000)
            }
        ]
    );
    let unattended = Facts {
        attended: false,
        ..unheard()
    };
    let plain = decide(
        &[&Guard],
        &prompt("toprope guard allow g-abcdef"),
        &unattended,
        &RoundWatch::default(),
    );
    assert_eq!(plain.effects, [Effect::Hear]);
}

#[test]
fn an_approval_overrules_everything_and_is_spent_only_if_the_call_runs() {
    let world = Synthetic {
        approval: Some("g-abcdef".to_owned()),
        ..Synthetic::default()
    };
    let round = round(&world, "rm -rf /");
    assert_eq!(round.decision.outcome, Outcome::Pass);
    let effects = without_explanations(&round);
    assert!(effects.contains(&Effect::SpendApproval {
        id: "g-abcdef".to_owned()
    }));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::KeepBefore { .. }))
    );
}

/// Facts with a warning that was not read yet.
fn unheard() -> Facts {
    Facts {
        unheard: true,
        ..facts()
    }
}

#[test]
fn batches_prompts_and_stops_are_heard_and_a_new_window_forgets() {
    let left = |facts: &Facts| {
        let batch = event(EventKind::ToolBatch { calls: vec![] });
        decide(&[&Guard], &batch, facts, &RoundWatch::default()).effects
    };
    assert_eq!(left(&unheard()), [Effect::Hear]);
    assert_eq!(left(&facts()), []);
    let after = |source| decide(&[&Guard], &start(source), &facts(), &RoundWatch::default()).effects;
    assert_eq!(after(StartSource::Compact), [Effect::ForgetWarnings]);
    assert_eq!(after(StartSource::Clear), [Effect::ForgetWarnings]);
    assert_eq!(after(StartSource::Resume), []);
}

#[test]
fn a_plain_command_asks_nothing_and_leaves_nothing() {
    let world = Synthetic::default();
    let facts = {
        let mut facts = facts();
        facts.answers.guard = Some(Box::new(world.facts()));
        facts
    };
    let asking = Asking {
        settings: &facts.settings,
        answers: &facts.answers,
        is_first: true,
    };
    assert_eq!(Guard.questions(&command("cargo test -p engine"), &asking), []);
    let round = decide(
        &[&Guard],
        &command("cargo test -p engine"),
        &facts,
        &RoundWatch::default(),
    );
    assert!(round.decision.is_silent() && round.effects.is_empty());
}

/// The guard, but its judging fails.
struct Broken;

impl Policy for Broken {
    fn name(&self) -> &'static str {
        Guard.name()
    }

    fn class(&self) -> crate::policy::FailureClass {
        Guard.class()
    }

    fn mode(&self, settings: &crate::settings::Settings) -> crate::settings::Mode {
        Guard.mode(settings)
    }

    fn concerns(&self, event: &crate::event::Event, facts: &Facts) -> bool {
        Guard.concerns(event, facts)
    }

    fn judge(&self, _event: &crate::event::Event, _facts: &Facts) -> crate::verdict::Judgement {
        panic!("a rule fails")
    }
}

#[test]
fn a_panic_asks_the_person_and_the_others_still_decide() {
    let round = decide(
        &[&Broken, &Guard],
        &command("rm -rf /"),
        &known(&Synthetic::default(), "rm -rf /"),
        &RoundWatch::default(),
    );
    assert_eq!(
        round.degraded[0].cause,
        FailureCause::Panicked("a rule fails".to_owned())
    );
    assert!(matches!(round.decision.outcome, Outcome::Deny { .. }));
    let alone = decide(&[&Broken], &command("ls"), &facts(), &RoundWatch::default());
    assert!(matches!(alone.decision.outcome, Outcome::Ask { .. }));
}

#[test]
fn a_denial_is_remembered_by_its_target_and_the_third_is_told_to_the_person() {
    let denied = |times: u32| {
        let world = Synthetic {
            denials: vec![crate::policy::guard::facts::DenialFact {
                rule: "core.filesystem.rm-floor".to_owned(),
                target: "/".to_owned(),
                times,
            }],
            ..Synthetic::default()
        };
        without_explanations(&round(&world, "rm -rf /"))
    };
    let warning = Effect::Warn {
        rule: "core.filesystem.rm-floor".into(),
        key: "/".to_owned(),
    };
    assert_eq!(denied(1), std::slice::from_ref(&warning));
    let third = denied(2);
    assert_eq!(third.first(), Some(&warning));
    assert!(
        matches!(&third[1..], [Effect::Owe(owed)] if owed.text == "an agent was denied the same effect 3 times [core.filesystem.rm-floor], last as `rm -rf /`"),
        "{third:?}"
    );
}

/// What is said once a text has run, after we rewrote the call to another.
fn ran_after_rewriting(ours: &str, text: &str) -> Round {
    let EventKind::ToolBefore { call } = command(text).kind else {
        unreachable!("a command is a call");
    };
    let event = event(EventKind::ToolAfter {
        call,
        response: serde_json::Value::Null,
        duration_ms: None,
        spawned: None,
        changed: None,
        todo: None,
    });
    let known = Facts {
        rewrote: Some(ours.to_owned()),
        ..facts()
    };
    decide(&[&Guard], &event, &known, &RoundWatch::default())
}

#[test]
fn a_rewrite_that_ran_with_our_token_in_it_is_still_ours() {
    let token = "0123456789abcdef0123456789abcdef";
    let push = "git push --force-with-lease origin feat";
    let effects = |ours: &str, ran: &str| ran_after_rewriting(ours, ran).effects.len();
    let ours = format!("{push} && toprope lease list");
    assert_eq!(
        effects(&ours, &format!("{push} && toprope lease list --as {token}")),
        0
    );
    let forged = format!("{push} && toprope lease list --as forged");
    assert_eq!(
        effects(&forged, &format!("{push} && toprope lease list --as {token}")),
        0
    );
    let other = format!("git push -f origin feat && toprope lease list --as {token}");
    assert_eq!(
        effects(&ours, &other),
        2,
        "another hook's text, signed by us before"
    );
}

#[test]
fn a_rewrite_that_another_hook_replaced_is_the_last_of_its_session() {
    let ours = "git push --force-with-lease origin feat";
    let after = |text: &str| ran_after_rewriting(ours, text);
    assert_eq!(after(ours).effects, []);
    let outrun = after("git push --dry-run origin feat");
    assert!(
        matches!(&outrun.effects[..], [Effect::LoseRewrite, Effect::Owe(_)]),
        "{:?}",
        outrun.effects
    );
    insta::assert_snapshot!(
        outrun.decision.context.join("\n"),
        @"Another hook changed this command after Toprope: `git push --dry-run origin feat` ran, not `git push --force-with-lease origin feat`. In this session Toprope no longer rewrites; it stops a command and names the corrected one."
    );
}
