//! Whose picture of a file is out of date, and what is said about it.

use super::*;
use crate::id::ActorId;
use crate::lease::{
    ActorLabel, ContentIdentity, ContentStamp, FileObservation, FileTarget, LastChange, LeaseFacts, Means,
};
use crate::policy::lease::LeasePolicy;
use crate::round::{Round, RoundWatch, decide};
use crate::settings::Profile;
use crate::testing::lease::*;
use crate::testing::{call, command, event, nothing_known};
use insta::assert_snapshot;
use serde_json::json;
use shell::extent::ReadExtent;

const NOW_NS: i64 = 900_000_000_000_000;

fn hash(text: &str) -> ContentIdentity {
    ContentIdentity::Hash(text.to_owned())
}

/// `src/parser.rs`, seen as `old` a while ago and found as `new` now.
fn stale(how: FileChangeKind, last_change: LastChange) -> TargetFacts {
    TargetFacts {
        target: FileTarget {
            how,
            stamp: Some(ContentStamp {
                size: 11,
                mtime_ns: NOW_NS,
                inode: 3,
            }),
            content: hash("new"),
            ..target("src/parser.rs")
        },
        seen: Some(FileObservation {
            content: hash("old"),
            stamp: Some(ContentStamp {
                size: 10,
                mtime_ns: NOW_NS - 60_000_000_000,
                inode: 3,
            }),
            at_ms: (NOW_NS - 30_000_000_000) / 1_000_000,
            behind: false,
        }),
        last_change,
        ..free("src/parser.rs")
    }
}

fn by_fixer() -> LastChange {
    LastChange::Of {
        who: fixer(),
        ago_ms: 12_000,
        means: Means::Tool,
    }
}

const UNKNOWN: LastChange = LastChange::Outside { formatter: None };

fn judged_in(profile: Profile, target: TargetFacts) -> Round {
    let mut facts = knowing(writing(vec![target]));
    facts.settings = Settings::of(profile);
    decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default())
}

fn judged(target: TargetFacts) -> Round {
    judged_in(Profile::Standard, target)
}

fn denied(target: TargetFacts) -> String {
    let round = judged(target);
    denial(&round)
        .unwrap_or_else(|| panic!("passed: {round:?}"))
        .to_owned()
}

fn is_silent(target: TargetFacts) -> bool {
    judged_in(Profile::Strict, target).decision.is_silent()
}

#[test]
fn an_overwrite_of_what_another_changed_is_denied_and_names_them() {
    assert_snapshot!(denied(stale(FileChangeKind::Overwrite, by_fixer())), @r#"src/parser.rs changed after you last read it: by general-purpose@a3f2 ("fix parser"), 12 s ago. Your version would undo that. Nothing was written. Read it again, then write."#);
}

#[test]
fn a_change_by_nobody_we_know_came_from_outside() {
    assert_snapshot!(denied(stale(FileChangeKind::Overwrite, UNKNOWN)), @"src/parser.rs changed after you last read it: by something outside the agents. Your version would undo that. Nothing was written. Read it again, then write.");
    assert_eq!(
        denied(stale(FileChangeKind::Overwrite, LastChange::Nobody)),
        denied(stale(FileChangeKind::Overwrite, UNKNOWN))
    );
    let formatter = LastChange::Outside {
        formatter: Some("rustfmt".to_owned()),
    };
    assert_snapshot!(denied(stale(FileChangeKind::Overwrite, formatter)), @"src/parser.rs changed after you last read it: by the formatter `rustfmt`. Your version would undo that. Nothing was written. Read it again, then write.");
}

#[test]
fn ones_own_change_and_what_was_read_since_are_no_news() {
    assert!(is_silent(stale(FileChangeKind::Overwrite, LastChange::Mine)));
    let read = TargetFacts {
        seen: Some(FileObservation {
            content: hash("new"),
            stamp: None,
            at_ms: NOW_NS / 1_000_000,
            behind: false,
        }),
        ..stale(FileChangeKind::Overwrite, by_fixer())
    };
    assert!(is_silent(read));
}

#[test]
fn an_edit_is_advised_in_standard_and_denied_in_strict() {
    let edit = || stale(FileChangeKind::Change, by_fixer());
    let round = judged(edit());
    assert_eq!(denial(&round), None);
    assert_snapshot!(round.decision.context.join("\n"), @r#"src/parser.rs changed after you last read it, by general-purpose@a3f2 ("fix parser"). Your edit applies to the new text; read it again before you write more."#);
    let strict = judged_in(Profile::Strict, edit());
    assert_snapshot!(denial(&strict).unwrap(), @r#"src/parser.rs changed after you last read it: by general-purpose@a3f2 ("fix parser"), 12 s ago. Nothing was written. Read it again, then edit."#);
    assert!(judged_in(Profile::Observe, edit()).decision.is_silent());
}

#[test]
fn removing_it_follows_the_mode_of_changes() {
    let removal = || stale(FileChangeKind::Remove, by_fixer());
    assert_snapshot!(judged(removal()).decision.context.join("\n"), @r#"src/parser.rs changed after you last read it, by general-purpose@a3f2 ("fix parser"). It goes with that change in it."#);
    assert_snapshot!(denial(&judged_in(Profile::Strict, removal())).unwrap(), @r#"src/parser.rs changed after you last read it: by general-purpose@a3f2 ("fix parser"), 12 s ago. Nothing was removed. Read it again, then decide."#);
}

#[test]
fn each_kind_of_write_has_its_own_mode() {
    let mut facts = knowing(writing(vec![stale(FileChangeKind::Overwrite, by_fixer())]));
    facts.settings.stale_write.mode = Mode::Advise;
    facts.settings.stale_write.changes = Mode::Enforce;
    let round = decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default());
    assert_eq!(denial(&round), None);
    assert_snapshot!(round.decision.context.join("\n"), @r#"src/parser.rs changed after you last read it: by general-purpose@a3f2 ("fix parser"), 12 s ago. Your version undoes that."#);
    facts.settings.stale_write.mode = Mode::Off;
    let off = decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default());
    assert!(off.decision.is_silent());
}

#[test]
fn held_and_stale_at_once_is_told_as_held() {
    let both = TargetFacts {
        held: Some(held("src/parser.rs", fixer())),
        ..stale(FileChangeKind::Overwrite, by_fixer())
    };
    let facts = knowing(writing(vec![both]));
    let policies: [&dyn Policy; 2] = [&LeasePolicy, &StaleWrite];
    let round = decide(&policies, &edit(), &facts, &RoundWatch::default());
    assert!(
        denial(&round)
            .unwrap()
            .starts_with("src/parser.rs is being edited by")
    );
    assert_eq!(round.verdicts.len(), 1);
}

#[test]
fn a_stale_write_takes_no_lease() {
    let facts = knowing(writing(vec![stale(FileChangeKind::Overwrite, by_fixer())]));
    let policies: [&dyn Policy; 2] = [&LeasePolicy, &StaleWrite];
    let round = decide(&policies, &edit(), &facts, &RoundWatch::default());
    assert!(denial(&round).is_some());
    assert_eq!(changes(&round), []);
}

#[test]
fn what_was_never_seen_is_denied_only_if_another_wrote_it_within_a_day() {
    let unseen = |ago_ms| TargetFacts {
        seen: None,
        ..stale(
            FileChangeKind::Overwrite,
            LastChange::Of {
                who: fixer(),
                ago_ms,
                means: Means::Tool,
            },
        )
    };
    let day = 24 * 60 * 60 * 1000;
    assert!(denial(&judged(unseen(day))).is_some());
    assert_snapshot!(denied(unseen(12_000)), @r#"src/parser.rs was written by general-purpose@a3f2 ("fix parser"), 12 s ago, and you have not read it. Your version would undo that. Nothing was written. Read it first, then write."#);
    assert!(is_silent(unseen(day + 1)));
    for change in [UNKNOWN, LastChange::Nobody, LastChange::Mine] {
        let facts = TargetFacts {
            seen: None,
            ..stale(FileChangeKind::Overwrite, change)
        };
        assert!(is_silent(facts));
    }
}

#[test]
fn a_command_trips_over_the_persons_change_only_where_it_replaces_what_git_tracks() {
    let by_shell = |how, tracked| {
        let mut facts = stale(how, UNKNOWN);
        facts.target.means = Means::Shell;
        facts.target.tracked = tracked;
        facts
    };
    assert_snapshot!(denied(by_shell(FileChangeKind::Overwrite, true)), @"src/parser.rs changed after you last read it: by something outside the agents. Your version would undo that. Nothing was written. Read it again, then write.");
    for how in [FileChangeKind::Change, FileChangeKind::Remove] {
        assert!(is_silent(by_shell(how, true)), "{how:?}");
    }
    assert!(is_silent(by_shell(FileChangeKind::Overwrite, false)), "a log");
}

#[test]
fn a_command_trips_over_changes_of_known_actors() {
    let by_shell = |change| {
        let mut facts = stale(FileChangeKind::Overwrite, change);
        facts.target.means = Means::Shell;
        facts
    };
    assert!(denial(&judged(by_shell(by_fixer()))).is_some());
    assert!(is_silent(by_shell(UNKNOWN)));
    assert!(is_silent(by_shell(LastChange::Nobody)));
    let mut log = by_shell(by_fixer());
    log.target.untracked = true;
    assert!(is_silent(log), "git does not track it");
    let logged = TargetFacts {
        seen: None,
        ..by_shell(LastChange::Of {
            who: fixer(),
            ago_ms: 12_000,
            means: Means::Shell,
        })
    };
    assert!(
        is_silent(logged),
        "a command wrote it, and this actor never saw it"
    );
}

#[test]
fn who_changed_a_file_on_top_of_an_unseen_change_still_has_not_seen_it() {
    let behind = |last_change| {
        let mut facts = stale(FileChangeKind::Overwrite, last_change);
        facts.target.content = hash("old");
        facts.target.stamp = None;
        facts.seen.as_mut().unwrap().behind = true;
        facts
    };
    assert!(denied(behind(UNKNOWN)).contains("by something outside the agents"));
    assert!(denied(behind(by_fixer())).contains("by general-purpose@a3f2"));
    let mut seen = behind(by_fixer());
    seen.seen.as_mut().unwrap().behind = false;
    assert!(is_silent(seen));
}

#[test]
fn a_file_that_is_not_there_is_not_stale() {
    let mut facts = stale(FileChangeKind::Overwrite, by_fixer());
    facts.target.exists = false;
    assert!(is_silent(facts));
}

#[test]
fn a_settled_stamp_that_did_not_move_needs_no_hash_and_a_fresh_one_does() {
    let stamp = ContentStamp {
        size: 10,
        mtime_ns: NOW_NS,
        inode: 3,
    };
    let seen = |later_ns: i64| FileObservation {
        content: hash("old"),
        stamp: Some(stamp),
        at_ms: (NOW_NS + later_ns) / 1_000_000,
        behind: false,
    };
    assert!(seen(2_001_000_000).still_is(&stamp));
    assert!(
        !seen(2_000_000_000).still_is(&stamp),
        "written within the same two seconds"
    );
    assert!(!seen(-5).still_is(&stamp), "a file of the future");
    for other in [
        ContentStamp { size: 11, ..stamp },
        ContentStamp { inode: 4, ..stamp },
        ContentStamp {
            mtime_ns: NOW_NS + 1,
            ..stamp
        },
    ] {
        assert!(!seen(60_000_000_000).still_is(&other));
    }
    let mut unhashed = stale(FileChangeKind::Overwrite, by_fixer());
    unhashed.target.stamp = Some(stamp);
    unhashed.target.content = ContentIdentity::Nothing;
    unhashed.seen = Some(seen(60_000_000_000));
    assert!(is_silent(unhashed));
}

#[test]
fn what_could_not_be_read_in_time_is_not_stale() {
    let mut late = stale(FileChangeKind::Overwrite, by_fixer());
    late.target.content = ContentIdentity::Nothing;
    assert!(is_silent(late));
}

#[test]
fn of_a_big_file_size_and_time_are_compared() {
    let mut big = stale(FileChangeKind::Overwrite, by_fixer());
    big.target.content = ContentIdentity::TooBig;
    assert!(denial(&judged(big.clone())).is_some(), "it grew beyond the limit");
    big.seen.as_mut().unwrap().content = ContentIdentity::TooBig;
    assert!(denial(&judged(big.clone())).is_some(), "it was written since");
    big.seen.as_mut().unwrap().stamp = big.target.stamp;
    assert!(is_silent(big));
}

#[test]
fn the_same_session_is_the_same_actor_where_subagents_are_not_told_apart() {
    let sibling = ActorLabel {
        in_my_session: true,
        ..agent(5, "agent@a111", "")
    };
    let change = LastChange::Of {
        who: sibling,
        ago_ms: 5,
        means: Means::Tool,
    };
    let mut facts = knowing(writing(vec![stale(FileChangeKind::Overwrite, change)]));
    assert!(denial(&decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default())).is_some());
    facts.lease.as_mut().unwrap().me.by_session = true;
    assert!(
        decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default())
            .decision
            .is_silent()
    );
}

#[test]
fn uncovered_files_are_nobodys_business() {
    let mut facts = knowing(writing(vec![stale(FileChangeKind::Overwrite, by_fixer())]));
    facts.settings.lease.include = vec!["docs/**".to_owned()];
    assert!(
        decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default())
            .decision
            .is_silent()
    );
}

#[test]
fn of_several_files_the_first_that_is_stale_is_named() {
    let mut second = stale(FileChangeKind::Overwrite, by_fixer());
    second.target = FileTarget {
        shown: "src/z.rs".to_owned(),
        ..second.target
    };
    let facts = knowing(LeaseFacts {
        me: Me {
            actor: ActorId(1),
            ..me(&[])
        },
        ..writing(vec![
            free("a.rs"),
            stale(FileChangeKind::Overwrite, by_fixer()),
            second,
        ])
    });
    let round = decide(&[&StaleWrite], &edit(), &facts, &RoundWatch::default());
    assert!(denial(&round).unwrap().starts_with("src/parser.rs changed"));
}

#[test]
fn it_asks_for_files_itself_only_where_leases_do_not() {
    let mut settings = Settings::default();
    assert_eq!(StaleWrite.questions(&edit(), &nothing_known(&settings)), []);
    settings.lease.mode = Mode::Off;
    assert_eq!(StaleWrite.questions(&edit(), &nothing_known(&settings)).len(), 1);
}

fn showing(extent: ReadExtent, means: Means) -> Question {
    let file = ShownFile::Path("/project/a.rs".into());
    Question::Seen {
        shown: vec![Shown { file, extent }],
        means,
    }
}

#[test]
fn what_a_reader_is_about_to_see_is_asked_in_every_profile() {
    let read = event(EventKind::ToolBefore {
        call: call("Read", json!({"file_path": "src/../a.rs"})),
    });
    for profile in Profile::ALL {
        let settings = Settings::of(profile);
        let asked = crate::policy::questions(crate::policy::ORDER, &read, &nothing_known(&settings));
        assert!(
            asked.contains(&showing(ReadExtent::Whole, Means::Tool)),
            "{asked:?}"
        );
    }
    assert_eq!(
        seen(&command("cat a.rs")),
        Some(showing(ReadExtent::Whole, Means::Shell))
    );
    let part = event(EventKind::ToolBefore {
        call: call("Read", json!({"file_path": "a.rs", "limit": 3})),
    });
    let lines = ReadExtent::Lines { first: 1, last: 3 };
    assert_eq!(seen(&part), Some(showing(lines, Means::Tool)));
    assert_eq!(seen(&command("cat a.rs > b.rs")), None);
    let nameless = event(EventKind::ToolBefore {
        call: call("Read", json!({})),
    });
    assert_eq!(seen(&nameless), None);
}
