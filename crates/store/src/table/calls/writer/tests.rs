//! A change in a worktree belongs to a call that could have made it, and to no other.

use super::*;
use crate::sessions;
use crate::stage::{Stage, Who, call, main_of};
use crate::worktrees::{self, FinishedScan};
use engine::event::EventKind;
use serde_json::json;

fn calls(stage: &mut Stage, who: &Who, id: &str, reach: CallReach) -> EventSeq {
    let event = stage.calls(who, "Bash", id, json!({})).seq;
    stage.write(|db| set_reach(db, event, reach));
    event
}

fn told(stage: &Stage, since: EventSeq) -> Vec<String> {
    let worktree = stage.worktree("/repo");
    let writers = writers_since(&stage.read(), worktree, since).unwrap();
    writers
        .into_iter()
        .map(|writer| {
            let session = writer.session.map_or("-".to_owned(), |id| id.to_string());
            let life = if writer.open { "open" } else { "over" };
            format!(
                "{} of {} in {session} {} {life}",
                writer.call,
                writer.actor,
                writer.reach.as_str()
            )
        })
        .collect()
}

#[test]
fn calls_that_run_and_calls_that_ended_since_may_have_written() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent("a3f2", "Explore");
    calls(&mut stage, &main, "toolu_1", CallReach::Anything);
    let before = stage.returns(&main, "toolu_1").seq;
    calls(&mut stage, &main, "toolu_2", CallReach::Named);
    calls(&mut stage, &child, "toolu_3", CallReach::Anything);
    calls(&mut stage, &main, "toolu_4", CallReach::Nothing);
    stage.returns(&main, "toolu_2");
    assert_eq!(
        told(&stage, before),
        ["toolu_2 of 1 in 1 named over", "toolu_3 of 2 in 1 shell open"]
    );
    assert_eq!(told(&stage, EventSeq(before.0 - 1)).len(), 3);
}

#[test]
fn a_call_that_was_denied_or_is_elsewhere_wrote_nothing_here() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    calls(
        &mut stage,
        &main.in_worktree("/repo-wt"),
        "toolu_2",
        CallReach::Anything,
    );
    assert_eq!(told(&stage, EventSeq(0)), Vec::<String>::new());
}

#[test]
fn a_call_that_a_person_refused_wrote_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let before = calls(&mut stage, &main, "toolu_1", CallReach::Anything);
    let refused = EventKind::PermissionDenied {
        call: call("Bash", "toolu_1", json!({})),
        reason: String::new(),
    };
    assert_eq!(told(&stage, before).len(), 1);
    stage.send(&main, "PermissionDenied", refused);
    assert_eq!(told(&stage, before), Vec::<String>::new());
}

#[test]
fn a_call_whose_process_is_gone_counts_until_a_later_scan_is_done() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let newest = calls(&mut stage, &main, "toolu_1", CallReach::Anything);
    let worktree = stage.worktree("/repo");
    let early = FinishedScan {
        event: newest,
        began: stage.now(),
        looked: 1,
        took_ms: 5,
    };
    stage.pass(10);
    let died = stage.now();
    stage.write(|db| sessions::close_lost(db, &main.client, died));
    stage.write(|db| worktrees::scanned(db, worktree, &early));
    assert_eq!(
        told(&stage, newest),
        ["toolu_1 of 1 in 1 shell over"],
        "it may have written after that scan"
    );
    stage.pass(10);
    let late = FinishedScan {
        began: stage.now(),
        ..early
    };
    stage.write(|db| worktrees::scanned(db, worktree, &late));
    assert_eq!(told(&stage, newest), Vec::<String>::new());
}

#[test]
fn the_question_reads_no_call_that_ended_before() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let mut last = EventSeq(0);
    for number in 0..50 {
        let id = format!("toolu_{number}");
        calls(&mut stage, &main, &id, CallReach::Anything);
        last = stage.returns(&main, &id).seq;
    }
    let worktree = stage.worktree("/repo");
    let db = stage.read();
    db.spent();
    assert_eq!(writers_since(&db, worktree, last).unwrap(), []);
    let spent = db.spent();
    assert_eq!(spent.scanned, 0);
    assert!(spent.steps < 100, "{spent:?}");
}
