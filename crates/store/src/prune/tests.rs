//! The log stays within its days and its size, and loses the least telling first.

use super::*;
use crate::checkpoints::Kind;
use crate::stage::{Stage, main_of};
use crate::touches::{self, Naming};
use crate::{events, payloads, turns};
use engine::id::{CheckpointId, ToolUseId};
use serde_json::json;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn count(stage: &Stage, table: &str) -> String {
    stage.rows(&format!("SELECT COUNT(*) FROM {table}")).remove(0)
}

fn prune(stage: &mut Stage, keep_days: u32, max_mib: u64) -> Pruned {
    let now = stage.now();
    stage.write(|db| run(db, keep_days, max_mib, now))
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
    let pruned = prune(&mut stage, 30, 512);
    assert_eq!((pruned.events, pruned.more), (3, false));
    assert_eq!(stage.rows("SELECT seq FROM events"), ["4"]);
    assert_eq!(count(&stage, "payloads"), "1");
    assert_eq!(
        stage.rows("SELECT tool_use_id FROM calls"),
        ["toolu_2"],
        "an open call is still needed"
    );
    assert_eq!(prune(&mut stage, 30, 512), Pruned::default());
}

#[test]
fn the_newest_event_stays_so_that_no_number_is_given_twice() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "one");
    stage.prompts(&main, "two");
    stage.pass(400 * DAY);
    prune(&mut stage, 30, 512);
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
    let pruned = prune(&mut stage, 30, 1);
    assert!(pruned.payloads > 0);
    assert_eq!((pruned.events, pruned.more), (0, false));
    assert_eq!(events::latency(&stage.read(), 100).unwrap().len(), 20);

    let pruned = prune(&mut stage, 30, 0);
    assert_eq!(pruned.events, 19);
    assert_eq!(count(&stage, "events"), "1");
}

#[test]
fn a_turn_with_a_checkpoint_or_an_unread_transcript_stays() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "checkpointed").actor.id;
    stage.cut(&main, Kind::Turn, 1, &[]);
    let pointed = stage.cut(&main, Kind::Manual, 9, &[]);
    for prompt in ["points at one", "is unread", "is read", "is plain"] {
        stage.prompts(&main, prompt);
        if prompt.ends_with("read") {
            stage.write(|db| turns::set_transcript_start(db, actor, 7));
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
    prune(&mut stage, 30, 512);
    assert_eq!(
        stage.rows("SELECT prompt FROM turns ORDER BY number"),
        ["checkpointed", "points at one", "is unread"]
    );
    stage.write(|db| db.execute("DELETE FROM checkpoints", &[]));
    prune(&mut stage, 30, 512);
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
    prune(&mut stage, 30, 512);
    assert_eq!(
        stage.rows("SELECT CAST(path AS TEXT) FROM touches ORDER BY path"),
        ["pending", "running"]
    );
}
