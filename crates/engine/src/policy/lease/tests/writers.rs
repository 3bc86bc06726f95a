//! One writer per file, and which files count.

use super::{advised, denied, judged, round};
use crate::answer::Answers;
use crate::effect::Effect;
use crate::event::EventKind;
use crate::id::LeaseId;
use crate::lease::{FileChangeKind, FileKey, FileTarget, LeaseEffect, Means, TargetFacts, WantedOfCall};
use crate::policy::guard::Guard;
use crate::policy::lease::LeasePolicy;
use crate::policy::{Asking, Policy};
use crate::question::Question;
use crate::round::{RoundWatch, decide};
use crate::settings::{Mode, Profile, Settings};
use crate::testing::lease::*;
use crate::testing::{call, command, event, facts, nothing_known};
use crate::verdict::VerdictKind;
use serde_json::json;
use std::path::{Path, PathBuf};

#[test]
fn a_free_file_is_taken_without_a_word() {
    let round = judged(writing(vec![free("src/parser.rs")]));
    assert!(round.decision.is_silent());
    assert_eq!(changes(&round), [take("src/parser.rs")]);
}

#[test]
fn the_holder_edits_again_and_nobody_else_does() {
    let again = judged(writing(vec![taken("src/parser.rs", myself())]));
    assert!(again.decision.is_silent());
    assert_eq!(
        changes(&again),
        [LeaseEffect::Touch {
            lease: LeaseId(41),
            background: false
        }]
    );
    let other = judged(writing(vec![taken("src/parser.rs", fixer())]));
    assert!(denial(&other).is_some());
    assert_eq!(
        changes(&other),
        [queue("src/parser.rs")],
        "nothing but a place in line"
    );
}

#[test]
fn several_files_are_granted_all_or_none() {
    let both = judged(writing(vec![free("a.rs"), free("b.rs")]));
    assert_eq!(changes(&both), [take("a.rs"), take("b.rs")]);
    let one_held = judged(writing(vec![free("a.rs"), taken("b.rs", fixer())]));
    assert!(denial(&one_held).is_some());
    assert_eq!(changes(&one_held), [queue("b.rs")]);
}

#[test]
fn a_call_that_another_policy_stops_leaves_no_lease() {
    let facts = knowing(writing(vec![free("src/parser.rs")]));
    let policies: [&dyn Policy; 2] = [&LeasePolicy, &Stopping];
    let round = decide(&policies, &edit(), &facts, &RoundWatch::default());
    assert!(denial(&round).is_some());
    assert_eq!(changes(&round), []);
}

/// Denies everything.
struct Stopping;

impl Policy for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, _event: &crate::event::Event, _facts: &crate::facts::Facts) -> bool {
        true
    }

    fn judge(&self, _event: &crate::event::Event, _facts: &crate::facts::Facts) -> crate::verdict::Judgement {
        crate::verdict::Verdict::Deny("no".to_owned()).into()
    }
}

#[test]
fn with_advice_only_the_second_writer_goes_on_is_told_and_the_overlap_is_recorded() {
    let mut facts = knowing(writing(vec![taken("src/parser.rs", fixer())]));
    facts.settings.lease.mode = Mode::Advise;
    insta::assert_snapshot!(advised(&facts), @r#"src/parser.rs is being edited by general-purpose@a3f2 ("fix parser") for 3 min, last write 12 s ago. Leases only advise here, so your call goes on: read the file again before you edit it again."#);
    let round = round(&facts);
    assert_eq!(
        changes(&round),
        [],
        "the lease stays where it is, and nobody waits"
    );
    let [verdict] = round.verdicts.as_slice() else {
        panic!("{:?}", round.verdicts);
    };
    assert_eq!((verdict.policy, verdict.verdict), ("lease", VerdictKind::Advise));
    assert!(verdict.applied && verdict.reason.starts_with("src/parser.rs is being edited by"));
}

#[test]
fn switched_off_it_says_and_does_nothing() {
    let mut facts = knowing(writing(vec![taken("src/parser.rs", fixer()), free("b.rs")]));
    facts.settings.lease.mode = Mode::Off;
    let round = round(&facts);
    assert!(round.decision.is_silent() && round.effects.is_empty() && round.verdicts.is_empty());
}

#[test]
fn observing_is_switched_off() {
    let mut facts = knowing(writing(vec![taken("src/parser.rs", fixer())]));
    facts.settings = Settings::of(Profile::Observe);
    let round = round(&facts);
    assert!(round.decision.is_silent() && round.effects.is_empty());
}

/// The file as a command writes it.
fn by_shell(facts: TargetFacts) -> TargetFacts {
    TargetFacts {
        target: FileTarget {
            means: Means::Shell,
            ..facts.target
        },
        ..facts
    }
}

#[test]
fn files_of_commands_have_a_mode_of_their_own_that_never_exceeds_the_whole() {
    let held = || knowing(writing(vec![by_shell(taken("src/parser.rs", fixer()))]));
    assert!(denial(&round(&held())).is_some());
    let mut told = held();
    told.settings.lease.bash = Mode::Advise;
    assert!(advised(&told).starts_with("src/parser.rs is being edited by"));
    let mut off = held();
    off.settings.lease.bash = Mode::Off;
    assert!(round(&off).decision.is_silent());
    let mut all_told = held();
    all_told.settings.lease.mode = Mode::Advise;
    assert!(advised(&all_told).starts_with("src/parser.rs is being edited by"));
}

#[test]
fn a_folder_that_goes_with_all_below_is_not_taken_itself() {
    let folder = |facts: TargetFacts| TargetFacts {
        target: FileTarget {
            folder: true,
            ..facts.target
        },
        ..facts
    };
    let alone = judged(writing(vec![folder(free("src"))]));
    assert!(alone.decision.is_silent() && alone.effects.is_empty());
    let with_a_file = judged(writing(vec![
        folder(free("src")),
        taken("src/parser.rs", fixer()),
    ]));
    assert!(
        denial(&with_a_file)
            .unwrap()
            .starts_with("src/parser.rs is being edited by")
    );
    let reserved = judged(writing(vec![TargetFacts {
        reserved: vec![reservation("src/**", fixer(), "")],
        ..folder(free("src"))
    }]));
    insta::assert_snapshot!(denial(&reserved).unwrap(), @r#"src is reserved by general-purpose@a3f2 "fix parser" ("src/**") for another 38 min. Nothing was written. Work on something else until then."#);
    assert_eq!(changes(&reserved), []);
}

#[test]
fn a_file_of_a_command_in_the_background_is_taken_for_longer_than_the_call() {
    let mut later = by_shell(free("out.log"));
    later.target.background = true;
    let round = judged(writing(vec![later]));
    assert_eq!(
        changes(&round),
        [LeaseEffect::Take {
            key: key("out.log"),
            means: Means::Shell,
            background: true,
            call_only: false,
        }]
    );
}

#[test]
fn outside_all_worktrees_tools_lease_and_commands_do_not() {
    let outside = |facts: TargetFacts| TargetFacts {
        target: FileTarget {
            key: FileKey {
                worktree: None,
                path: "/tmp/out.log".to_owned(),
                file_id: None,
            },
            ..facts.target
        },
        ..facts
    };
    let tool = judged(writing(vec![outside(taken("/tmp/out.log", fixer()))]));
    assert!(denial(&tool).is_some());
    let shell = judged(writing(vec![by_shell(outside(taken("/tmp/out.log", fixer())))]));
    assert!(shell.decision.is_silent() && shell.effects.is_empty());
}

#[test]
fn what_settings_do_not_cover_and_what_is_no_file_is_nobodys() {
    let mut device = taken("src/pipe", fixer());
    device.target.leasable = false;
    let round_of_device = judged(writing(vec![device]));
    assert!(round_of_device.decision.is_silent() && round_of_device.effects.is_empty());
    let typescript = |path: &str| {
        let mut facts = knowing(writing(vec![taken(path, fixer())]));
        facts.settings.lease.include = ["**/*.ts", "**/*.tsx"].map(str::to_owned).into();
        denial(&round(&facts)).is_some()
    };
    for covered in ["a.ts", "src/b.tsx", "types/c.d.ts"] {
        assert!(typescript(covered), "{covered}");
    }
    for uncovered in ["README.md", "data.tsv", ".git/config"] {
        assert!(!typescript(uncovered), "{uncovered}");
    }
    let git = judged(writing(vec![taken(".git/config", fixer())]));
    assert!(git.decision.is_silent(), "by default everything but .git");
}

#[test]
fn a_client_that_does_not_tell_subagents_apart_protects_between_sessions_only() {
    let mut sibling = fixer();
    sibling.in_my_session = true;
    let mut same = writing(vec![taken("src/parser.rs", sibling.clone())]);
    same.me.by_session = true;
    let round = judged(same);
    assert_eq!(
        changes(&round),
        [LeaseEffect::Touch {
            lease: LeaseId(42),
            background: false
        }]
    );
    let mut other = writing(vec![taken("src/parser.rs", fixer())]);
    other.me.by_session = true;
    assert!(denied(other).starts_with("src/parser.rs is being edited by"));
    let apart = writing(vec![taken("src/parser.rs", sibling)]);
    assert!(
        !denied(apart).is_empty(),
        "where they are told apart, siblings conflict"
    );
}

#[test]
fn a_file_left_in_the_middle_is_given_with_a_word() {
    let facts = knowing(writing(vec![TargetFacts {
        left_behind: Some(fixer()),
        ..free("src/parser.rs")
    }]));
    insta::assert_snapshot!(advised(&facts), @r#"general-purpose@a3f2 ("fix parser") stopped in the middle of src/parser.rs; look at its changes first."#);
    assert_eq!(changes(&round(&facts)), [take("src/parser.rs")]);
}

#[test]
fn a_merge_conflict_is_forecast_once_per_actor_and_path() {
    let elsewhere = TargetFacts {
        elsewhere: vec![fixer()],
        ..free("src/parser.rs")
    };
    let facts = knowing(writing(vec![elsewhere.clone()]));
    insta::assert_snapshot!(advised(&facts), @r#"general-purpose@a3f2 ("fix parser") is editing src/parser.rs in another worktree: expect a merge conflict."#);
    let told = LeaseEffect::Told {
        kind: "lease.forecast",
        key: "src/parser.rs".to_owned(),
    };
    assert_eq!(changes(&round(&facts)), [take("src/parser.rs"), told]);
    let again = knowing(writing(vec![TargetFacts {
        told_elsewhere: true,
        ..elsewhere.clone()
    }]));
    assert_eq!(advised(&again), "");
    let mut off = knowing(writing(vec![elsewhere]));
    off.settings.lease.forecast = Mode::Off;
    assert_eq!(advised(&off), "");
    assert_eq!(changes(&round(&off)), [take("src/parser.rs")]);
}

#[test]
fn it_asks_again_once_it_is_known_what_an_alias_stands_for() {
    let settings = Settings::default();
    let event = command("touch a; git co -- b");
    let files = |answers: &Answers| {
        let known = Asking {
            is_first: answers.lease.is_none(),
            settings: &settings,
            answers,
        };
        let asked = LeasePolicy.questions(&event, &known).into_iter();
        let files = asked.map(|question| question.files().cloned().collect::<Vec<_>>());
        files.collect::<Vec<_>>().concat()
    };
    let mut answers = Answers {
        guard: Some(Box::default()),
        ..Answers::default()
    };
    assert_eq!(files(&answers), [Path::new("/project/a")]);
    answers.lease = Some(Box::default());
    assert_eq!(files(&answers), Vec::<PathBuf>::new());
    let guard = answers.guard.as_mut().unwrap();
    guard.know_alias("/project", "co", Some("checkout".to_owned()));
    assert_eq!(
        files(&answers),
        [Path::new("/project/a"), Path::new("/project/b")]
    );
}

#[test]
fn it_asks_once_which_files_a_write_names() {
    let settings = Settings::default();
    let asked = LeasePolicy.questions(&edit(), &nothing_known(&settings));
    let [
        Question::Files(WantedOfCall {
            files, bulk: None, ..
        }),
    ] = asked.as_slice()
    else {
        panic!("{asked:?}");
    };
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].path.to_str(), Some("/project/src/parser.rs"));
    assert_eq!(
        (files[0].how, files[0].means),
        (FileChangeKind::Change, Means::Tool)
    );
    let again = Asking {
        is_first: false,
        ..nothing_known(&settings)
    };
    assert_eq!(LeasePolicy.questions(&edit(), &again), []);
    assert_eq!(
        LeasePolicy.questions(&command("ls"), &nothing_known(&settings)),
        []
    );
}

#[test]
fn only_what_is_about_to_run_is_judged() {
    let facts = knowing(writing(vec![taken("src/parser.rs", fixer())]));
    let asked = event(EventKind::PermissionRequest {
        call: call("Edit", json!({"file_path": "/project/src/parser.rs"})),
    });
    let round = decide(&[&LeasePolicy], &asked, &facts, &RoundWatch::default());
    assert!(round.decision.is_silent() && round.effects.is_empty());
}

#[test]
fn without_facts_it_has_no_opinion() {
    let round = decide(&[&Guard, &LeasePolicy], &edit(), &facts(), &RoundWatch::default());
    assert!(
        round
            .effects
            .iter()
            .all(|effect| !matches!(effect, Effect::Lease(_)))
    );
}
