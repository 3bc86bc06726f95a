//! A panic in any single rule: the person is asked, or nobody watches and the call is denied. Never a silent pass.

use crate::decision::Outcome;
use crate::facts::Facts;
use crate::policy::guard::Guard;
use crate::policy::guard::pack::{FILES, read};
use crate::policy::guard::synthetic::Synthetic;
use crate::round::{FailureCause, Round, RoundWatch, decide};
use crate::settings::{Profile, Settings};
use crate::testing::{command, facts};

/// Every built-in rule with a command it is asked about, which tells it to fail.
fn faults() -> Vec<(String, String)> {
    let rules = FILES.iter().flat_map(|(name, text)| read(name, text).rules);
    rules
        .map(|rule| {
            let hit = rule.hits.first().expect("an example");
            let text = format!("{hit}\n# rehearse:fault {}", rule.id);
            (rule.id, text)
        })
        .collect()
}

fn round(text: &str, attended: bool, approval: Option<&str>) -> Round {
    let world = Synthetic {
        approval: approval.map(str::to_owned),
        ..Synthetic::default()
    };
    let mut known = Facts {
        attended,
        settings: Settings::of(Profile::Strict),
        ..facts()
    };
    known.answers.guard = Some(Box::new(world.facts()));
    decide(&[&Guard], &command(text), &known, &RoundWatch::default())
}

#[test]
fn a_panic_in_any_rule_asks_the_person_and_denies_where_nobody_watches() {
    let faults = faults();
    assert!(faults.len() > 50, "{}", faults.len());
    for (rule, text) in &faults {
        let attended = round(text, true, None);
        let cause = FailureCause::Panicked(format!("rehearsed fault in {rule}"));
        assert_eq!(
            attended.degraded.iter().map(|one| &one.cause).collect::<Vec<_>>(),
            [&cause],
            "{text}"
        );
        assert!(matches!(attended.decision.outcome, Outcome::Ask { .. }), "{rule}");
        let alone = round(text, false, None);
        assert!(matches!(alone.decision.outcome, Outcome::Deny { .. }), "{rule}");
    }
}

#[test]
fn what_a_person_allowed_runs_though_its_rule_is_broken() {
    for (rule, text) in faults() {
        let round = round(&text, true, Some("g-abcdef"));
        assert_eq!(round.decision.outcome, Outcome::Pass, "{rule}");
        assert_eq!(round.degraded, [], "{rule}");
    }
}
