//! A turn knows its part of the transcript, its last words and its checkpoint.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::{BackgroundReport, EventKind, PromptOrigin};
use engine::id::ToolUseId;
use serde_json::json;

#[test]
fn a_turns_part_of_the_transcript_is_open_until_it_is_sealed() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "one").actor.id;
    stage.write(|db| {
        set_transcript_start(db, actor, EventSeq(1), 0)?;
        set_transcript_start(db, actor, EventSeq(1), 9)
    });
    stage.stops(&main);
    stage.prompts(&main, "two");
    stage.write(|db| set_transcript_start(db, actor, EventSeq(1), 120));
    let open = unsealed(&stage.read(), actor).unwrap();
    let starts: Vec<Option<u64>> = open.iter().map(|turn| turn.transcript_start).collect();
    assert_eq!(starts, [Some(0), Some(120)]);

    let half = Seal {
        end: 80,
        leaf_uuid: Some("u1"),
        complete: false,
    };
    let whole = Seal {
        end: 120,
        leaf_uuid: Some("u2"),
        complete: true,
    };
    let late = Seal {
        end: 130,
        leaf_uuid: None,
        complete: false,
    };
    let checkpoint = CheckpointId::from_random([1; 6]);
    stage.write(|db| {
        seal(db, open[0].id, &half)?;
        seal(db, open[0].id, &whole)?;
        seal(db, open[0].id, &late)?;
        set_checkpoint(db, open[0].id, &checkpoint)?;
        set_summary(db, open[0].id, &"x".repeat(100_000))
    });
    let turn = numbered(&stage.read(), actor, 1).unwrap().unwrap();
    assert!(turn.sealed);
    assert_eq!(
        (turn.transcript_end, turn.leaf_uuid.as_deref()),
        (Some(130), Some("u2"))
    );
    assert_eq!(turn.checkpoint, Some(checkpoint));
    assert_eq!(turn.summary.map(|text| text.len()), Some(16 * 1024));
    assert_eq!(unsealed(&stage.read(), actor).unwrap().len(), 1);
}

fn reports(stage: &mut Stage, task: Option<&str>, call: Option<&str>) {
    let report = BackgroundReport {
        task: task.map(str::to_owned),
        call: call.map(ToolUseId::new),
        is_over: true,
    };
    let kind = EventKind::Prompt {
        text: "<task-notification>".to_owned(),
        origin: PromptOrigin::Notification(report),
    };
    stage.send(&main_of("7c1e"), "UserPromptSubmit", kind);
}

fn states(stage: &Stage) -> Vec<String> {
    stage.rows("SELECT number || ' ' || state || ' ' || prompt FROM turns ORDER BY number")
}

#[test]
fn a_report_from_the_background_opens_the_turn_that_launched_it_again() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "one").actor.id;
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.returns(&main, "toolu_1");
    stage.calls(&main, "Monitor", "toolu_2", json!({}));
    stage.write(|db| crate::calls::set_task(db, actor, &ToolUseId::new("toolu_2"), "b2"));
    stage.stops(&main);
    stage.prompts(&main, "two");
    // In the middle of another turn nothing changes hands.
    reports(&mut stage, Some("b1"), Some("toolu_1"));
    assert_eq!(states(&stage), ["1 done one", "2 open two"]);
    stage.stops(&main);
    for (task, call, opened) in [
        (Some("b1"), Some("toolu_1"), 1),
        (Some("b2"), None, 1),
        (Some("b9"), Some("toolu_9"), 2),
        (None, None, 2),
    ] {
        reports(&mut stage, task, call);
        let now = current(&stage.read(), actor).unwrap().unwrap();
        assert_eq!((now.number, now.is_open), (opened, true), "{task:?} {call:?}");
        stage.stops(&main);
    }
    assert_eq!(range(&stage.read(), actor).unwrap(), Some((1, 2)));
    assert_eq!(range(&stage.read(), ActorId(99)).unwrap(), None);
    assert_eq!(
        first_prompt(&stage.read(), actor).unwrap().as_deref(),
        Some("one")
    );
}

#[test]
fn a_report_without_any_turn_opens_none() {
    let mut stage = Stage::new();
    reports(&mut stage, Some("b1"), None);
    assert_eq!(states(&stage), Vec::<String>::new());
}

#[test]
fn a_turn_ends_in_the_transcript_where_a_later_one_begins() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "one").actor.id;
    stage.stops(&main);
    stage.prompts(&main, "two");
    let ids: Vec<TurnId> = list(&stage.read(), actor, 9)
        .unwrap()
        .iter()
        .map(|turn| turn.id)
        .collect();
    let at = |end| Seal {
        end,
        leaf_uuid: Some("u"),
        complete: false,
    };
    stage.write(|db| {
        seal(db, ids[1], &at(100))?;
        seal(db, ids[0], &at(200))?;
        seal(db, ids[1], &at(300))
    });
    let ends = "SELECT transcript_end FROM turns ORDER BY number";
    assert_eq!(stage.rows(ends), ["100", "200"]);
}

#[test]
fn a_turn_is_found_by_its_prompt() {
    let mut stage = Stage::new();
    let actor = stage.prompts(&main_of("7c1e"), "one").actor.id;
    stage.write(|db| db.execute("UPDATE turns SET prompt_id = 'p1'", &[]));
    let of = |prompt: &str| of_prompt(&stage.read(), actor, &PromptId::new(prompt)).unwrap();
    assert_eq!(of("p1").unwrap().number, 1);
    assert_eq!(of("p2"), None);
}

#[test]
fn an_event_of_a_session_that_nobody_prompted_belongs_to_no_turn() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "one").actor.id;
    let of = |stage: &Stage| number_of_event(&stage.read(), actor, EventSeq(1_000)).unwrap();
    assert_eq!(of(&stage), Some(1));
    stage.write(|db| db.execute("DELETE FROM turns", &[]));
    assert_eq!(of(&stage), None);
}

#[test]
fn an_event_belongs_to_the_turn_of_its_prompt_else_to_the_newest() {
    let mut stage = Stage::new();
    let who = main_of("7c1e");
    let actor = stage.prompts(&who, "one").actor.id;
    let number = |stage: &Stage, prompt: Option<&str>| {
        number_for(&stage.read(), actor, prompt.map(PromptId::new).as_ref()).unwrap()
    };
    stage.write(|db| db.execute("UPDATE turns SET prompt_id = 'p1'", &[]));
    stage.prompts(&who, "two");
    stage.write(|db| db.execute("UPDATE turns SET prompt_id = 'p2' WHERE number = 2", &[]));
    assert_eq!(number(&stage, Some("p1")), Some(1));
    assert_eq!(number(&stage, Some("p2")), Some(2));
    assert_eq!(number(&stage, Some("p3")), Some(2));
    assert_eq!(number(&stage, None), Some(2));
    let now = current(&stage.read(), actor).unwrap().unwrap();
    assert_eq!(
        (now.number, now.is_open, now.prompt_id),
        (2, true, Some(PromptId::new("p2")))
    );
}
