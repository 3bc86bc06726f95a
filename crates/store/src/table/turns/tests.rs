//! A turn knows its part of the transcript, its last words and its checkpoint.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::EventKind;

#[test]
fn a_turns_part_of_the_transcript_is_open_until_it_is_sealed() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "one").actor.id;
    stage.write(|db| {
        set_transcript_start(db, actor, 0)?;
        set_transcript_start(db, actor, 9)
    });
    stage.stops(&main);
    stage.prompts(&main, "two");
    stage.write(|db| set_transcript_start(db, actor, 120));
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

#[test]
fn labels_come_from_what_a_person_asked_last() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let actor = stage.prompts(&main, "one").actor.id;
    stage.prompts(&main, "two");
    let kind = EventKind::Prompt {
        text: "<task-notification>".to_owned(),
        origin: PromptOrigin::Notification,
    };
    stage.send(&main, "UserPromptSubmit", kind);
    let db = stage.read();
    let asked = |up_to| by_person(&db, actor, up_to).unwrap().map(|turn| turn.prompt);
    assert_eq!(asked(3).as_deref(), Some("two"));
    assert_eq!(asked(1).as_deref(), Some("one"));
    assert_eq!(first_prompt(&db, actor).unwrap().as_deref(), Some("one"));
    assert_eq!(newest(&db, actor).unwrap().unwrap().number, 3);
    assert_eq!(range(&db, actor).unwrap(), Some((1, 3)));
    assert_eq!(range(&db, ActorId(99)).unwrap(), None);
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
    let newest = newest_number(&stage.read(), actor).unwrap();
    assert_eq!(newest, Some((2, true, Some(PromptId::new("p2")))));
}
