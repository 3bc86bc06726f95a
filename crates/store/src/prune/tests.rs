//! The log stays within its days and its size, and loses the least telling first.

use super::*;
use crate::checkpoints::CheckpointKind;
use crate::stage::{Stage, main_of};
use crate::touches::{self, Naming};
use crate::{events, payloads, turns};
use engine::id::{CheckpointId, EventSeq, ToolUseId};
use serde_json::json;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn count(stage: &Stage, table: &str) -> String {
    stage.rows(&format!("SELECT COUNT(*) FROM {table}")).remove(0)
}

#[test]
fn what_is_too_old_goes_with_all_that_belongs_to_it() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.returns(&main, "toolu_1");
    stage.calls(&main, "Bash", "toolu_2", json!({}));
    stage.pass(31 * DAY);
    stage.prompts(&main_of("9999"), "later");
    let pruned = stage.prune(30, 512);
    assert_eq!(pruned.events, 3);
    assert_eq!(stage.rows("SELECT seq FROM events"), ["4"]);
    assert_eq!(count(&stage, "payloads"), "1");
    assert_eq!(
        stage.rows("SELECT tool_use_id FROM calls"),
        ["toolu_2"],
        "an open call is still needed"
    );
    assert_eq!(stage.prune(30, 512), PrunedRows::default());
}

#[test]
fn the_newest_event_stays_so_that_no_number_is_given_twice() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "one");
    stage.prompts(&main, "two");
    stage.pass(400 * DAY);
    stage.prune(30, 512);
    assert_eq!(stage.rows("SELECT seq FROM events"), ["2"]);
    assert_eq!(stage.prompts(&main, "three").seq.0, 3);
}

#[test]
fn a_log_that_is_too_big_loses_payloads_before_lines() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    for _ in 0..20 {
        let sent = stage.prompts(&main, "go");
        stage.write(|db| {
            db.execute(
                "UPDATE payloads SET body = zeroblob(200000) WHERE event = (SELECT MAX(event) FROM payloads)",
                &[],
            )?;
            Ok(())
        });
        assert!(payloads::of(&stage.read(), sent.seq).unwrap().is_some());
    }
    let pruned = stage.prune(30, 1);
    assert!(pruned.payloads > 0);
    assert_eq!(pruned.events, 0);
    assert_eq!(events::latency(&stage.read(), 100).unwrap().len(), 20);

    let pruned = stage.prune(30, 0);
    assert_eq!(pruned.events, 19);
    assert_eq!(count(&stage, "events"), "1");
}

#[test]
fn a_turn_with_a_checkpoint_or_an_unread_transcript_stays() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "checkpointed").actor.id;
    stage.cut(&main, CheckpointKind::Turn, 1, &[]);
    let pointed = stage.cut(&main, CheckpointKind::Manual, 9, &[]);
    for prompt in ["points at one", "is unread", "is read", "is plain"] {
        stage.prompts(&main, prompt);
        if prompt.ends_with("read") {
            stage.write(|db| turns::set_transcript_start(db, actor, EventSeq(1), 7));
        }
    }
    stage.stops(&main);
    let seal = turns::Seal {
        end: 9,
        leaf_uuid: None,
        complete: true,
    };
    stage.write(|db| {
        let turn = |number| turns::numbered(db, actor, number);
        turns::set_checkpoint(db, turn(2)?.unwrap().id, &pointed.id)?;
        turns::seal(db, turn(4)?.unwrap().id, &seal)
    });
    stage.pass(31 * DAY);
    stage.prune(30, 512);
    assert_eq!(
        stage.rows("SELECT prompt FROM turns ORDER BY number"),
        ["checkpointed", "points at one", "is unread"]
    );
    stage.write(|db| db.execute("DELETE FROM checkpoints", &[]));
    stage.prune(30, 512);
    assert_eq!(stage.rows("SELECT prompt FROM turns"), ["is unread"]);
}

#[test]
fn touches_go_with_their_events_once_a_checkpoint_holds_them() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let sent = stage.calls(&main, "Write", "toolu_1", json!({}));
    let call = ToolUseId::new("toolu_1");
    let naming = |path| Naming {
        worktree: sent.worktree,
        path,
        actor: sent.actor.id,
        call: &call,
    };
    stage.write(|db| {
        let held = touches::finish(db, &naming(b"held"), sent.seq)?.unwrap();
        touches::finish(db, &naming(b"pending"), sent.seq)?;
        touches::open(db, &naming(b"running"), sent.seq)?;
        touches::consume(db, &[held], &CheckpointId::from_random([1; 6]))
    });
    stage.pass(31 * DAY);
    stage.prompts(&main, "later");
    stage.prune(30, 512);
    assert_eq!(
        stage.rows("SELECT CAST(path AS TEXT) FROM touches ORDER BY path"),
        ["pending", "running"]
    );
}

#[test]
fn no_step_drops_more_than_a_few_rows_however_long_the_log_is() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    for _ in 0..100 {
        stage.prompts(&main, "go");
    }
    stage.pass(31 * DAY);
    stage.prompts(&main_of("9999"), "later");
    let mut pass = Pass::new(30, 512, stage.now());
    let mut steps = Vec::new();
    loop {
        stage.read().spent();
        let pruned = stage.write(|db| pass.step(db));
        let spent = stage.read().spent();
        assert!(spent.scanned < 40, "no table is read from end to end: {spent:?}");
        steps.push(pruned.events);
        if !pruned.more {
            break;
        }
    }
    assert_eq!(steps.iter().sum::<usize>(), 100);
    assert!(steps.iter().all(|rows| *rows <= 16), "{steps:?}");
    assert_eq!(
        count(&stage, "turns"),
        "2",
        "closed turns went, those that are open stay"
    );
}

#[test]
fn a_table_that_no_index_orders_by_age_is_walked_through_to_its_end() {
    let mut stage = Stage::new();
    stage.prompts(&main_of("7c1e"), "go");
    stage.write(|db| {
        db.execute(
            "WITH RECURSIVE n (id) AS (VALUES (100) UNION ALL SELECT id + 7 FROM n WHERE id < 7000)
             INSERT INTO jobs (id, kind, key, event, queued_at, state, ended_at)
             SELECT id, 'prune-log', id, 1, 1, 'done', 1 FROM n",
            &[],
        )
    });
    stage.pass(31 * DAY);
    stage.prune(30, 512);
    assert_eq!(count(&stage, "jobs"), "0");
}
