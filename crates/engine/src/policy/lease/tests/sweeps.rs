//! Commands that change the whole tree.

use super::{advised, denied, judged, round};
use crate::lease::{HeldLease, LeaseEffect, LeaseFacts, TargetFacts};
use crate::settings::Mode;
use crate::testing::lease::*;

fn sweep_taken() -> LeaseEffect {
    LeaseEffect::TakeAll {
        worktree: TREE,
        command: "git stash".to_owned(),
    }
}

#[test]
fn alone_in_the_tree_it_is_taken_for_the_call() {
    let round = judged(sweeping("git stash", vec![]));
    assert!(round.decision.is_silent());
    assert_eq!(changes(&round), [sweep_taken()]);
}

#[test]
fn while_another_edits_it_does_not_run_and_takes_nothing() {
    let round = judged(sweeping("git stash", vec![held("src/parser.rs", fixer())]));
    assert!(denial(&round).is_some());
    assert_eq!(changes(&round), []);
}

#[test]
fn ones_own_files_and_those_of_ancestors_that_wait_do_not_count() {
    let mine = sweeping("git stash", vec![held("a.rs", myself())]);
    assert_eq!(changes(&judged(mine)), [sweep_taken()]);
    let of_parent = |blocked| LeaseFacts {
        me: me(&[(12, blocked)]),
        ..sweeping("git stash", vec![held("a.rs", agent(12, "main@7c1e", ""))])
    };
    assert_eq!(changes(&judged(of_parent(true))), [sweep_taken()]);
    assert!(denial(&judged(of_parent(false))).is_some());
}

#[test]
fn while_another_sweeps_nobody_else_does_and_nobody_writes() {
    let sweep = || everything("git rebase main", fixer());
    let second = LeaseFacts {
        everything: Some(sweep()),
        ..sweeping("git stash", vec![])
    };
    insta::assert_snapshot!(denied(second), @r#"`git rebase main` of general-purpose@a3f2 ("fix parser") is changing the whole tree (4 s). Yours was not run. Try again when it ends."#);
    let write = judged(writing(vec![TargetFacts {
        held: Some(sweep()),
        ..free("src/parser.rs")
    }]));
    insta::assert_snapshot!(denial(&write).unwrap(), @r#"`git rebase main` of general-purpose@a3f2 ("fix parser") is changing the whole tree (4 s). Nothing was written. Try again when it ends."#);
    assert_eq!(changes(&write), [], "it is over soon: nobody waits in line");
}

#[test]
fn a_sweep_is_never_lent_and_ones_own_covers_ones_own_writes() {
    let of_parent = HeldLease {
        open_call: false,
        background: false,
        ..everything("git rebase main", agent(12, "main@7c1e", ""))
    };
    let child = judged(LeaseFacts {
        me: me(&[(12, true)]),
        ..writing(vec![TargetFacts {
            held: Some(of_parent),
            ..free("a.rs")
        }])
    });
    assert!(denial(&child).is_some());
    let mine = judged(writing(vec![TargetFacts {
        held: Some(everything("git rebase main", myself())),
        ..free("a.rs")
    }]));
    assert_eq!(changes(&mine), [take("a.rs")], "the sweep ends with its call");
}

#[test]
fn sweeps_have_a_mode_of_their_own() {
    let swept = || knowing(sweeping("git stash", vec![held("src/parser.rs", fixer())]));
    let mut told = swept();
    told.settings.lease.bulk_mode = Mode::Advise;
    insta::assert_snapshot!(advised(&told), @r#"`git stash` would change the whole tree, and others are editing there: src/parser.rs (general-purpose@a3f2 "fix parser"). Leases only advise here, so it runs: what they were writing may be gone or mixed."#);
    assert_eq!(changes(&round(&told)), []);
    let mut beside = knowing(LeaseFacts {
        everything: Some(everything("git rebase main", fixer())),
        ..sweeping("git stash", vec![])
    });
    beside.settings.lease.bulk_mode = Mode::Advise;
    insta::assert_snapshot!(advised(&beside), @r#"`git rebase main` of general-purpose@a3f2 ("fix parser") is changing the whole tree (4 s). Leases only advise here, so yours runs beside it."#);
    let mut off = swept();
    off.settings.lease.bulk_mode = Mode::Off;
    assert!(round(&off).decision.is_silent() && round(&off).effects.is_empty());
}

#[test]
fn a_sweep_that_also_names_a_held_file_is_not_run_for_either_reason() {
    let mut lease = sweeping("git stash", vec![]);
    lease.targets = vec![taken("out.txt", fixer())];
    let round = judged(lease);
    assert!(denial(&round).unwrap().starts_with("out.txt is being edited by"));
    assert_eq!(changes(&round), [queue("out.txt")]);
}

#[test]
fn what_is_reserved_is_left_alone_by_commands_over_the_tree() {
    let mut facts = sweeping("git stash", Vec::new());
    facts.reservations = vec![reservation("docs/**", person(), "release notes")];
    insta::assert_snapshot!(denial(&judged(facts.clone())).unwrap(), @r#"`git stash` would change the whole tree, and some of it is reserved: "docs/**" (the user). It was not run. Wait for them, restrict it to your files, or use your own worktree."#);
    facts.editing = vec![held("src/a.rs", fixer())];
    insta::assert_snapshot!(denial(&judged(facts)).unwrap(), @r#"`git stash` would change the whole tree, and others are editing there: src/a.rs (general-purpose@a3f2 "fix parser"). Some of it is reserved: "docs/**" (the user). It was not run. Wait for them, restrict it to your files, or use your own worktree."#);
    let mut facts = sweeping("git stash", Vec::new());
    facts.reservations = vec![reservation("docs/**", myself(), "")];
    assert_eq!(denial(&judged(facts)), None, "one's own is no obstacle");
}
