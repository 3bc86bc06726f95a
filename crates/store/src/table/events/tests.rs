//! Answers given twice, and a cost per event that does not grow.

use super::*;
use crate::notices;
use crate::stage::{Stage, Who, main_of};
use serde_json::json;

fn answer(stage: &mut Stage, seq: EventSeq, text: &str) {
    let reply = StoredReply {
        exit: 0,
        stdout: text.as_bytes().to_vec(),
        stderr: Vec::new(),
    };
    stage.write(|db| set_reply(db, seq, &reply, "deny guard", 40));
}

fn again(stage: &Stage, who: &Who, name: &str, id: &str) -> Option<String> {
    let id = ToolUseId::new(id);
    let actor = stage.actor(who).id;
    let found = reply_of_open_call(&stage.read(), actor, name, &id, &who.client).unwrap();
    found.map(|(seq, reply)| format!("{seq} {}", String::from_utf8(reply.stdout).unwrap()))
}

#[test]
fn a_delivery_that_comes_again_finds_its_event_and_its_answer() {
    let mut stage = Stage::new();
    let sent = stage.prompts(&main_of("7c1e"), "go");
    answer(&mut stage, sent.seq, "{}");
    let (seq, reply) = reply_of_delivery(&stage.read(), &DeliveryId::new("delivery-1"))
        .unwrap()
        .unwrap();
    assert_eq!((seq, reply.unwrap().stdout), (sent.seq, b"{}".to_vec()));
    assert_eq!(
        reply_of_delivery(&stage.read(), &DeliveryId::new("other")).unwrap(),
        None
    );
}

#[test]
fn an_event_without_an_answer_yet_is_known_as_such() {
    let mut stage = Stage::new();
    let sent = stage.calls(&main_of("7c1e"), "Bash", "toolu_1", json!({}));
    stage.write(|db| {
        db.execute("UPDATE events SET reply_exit = NULL, reply = NULL", &[])?;
        Ok(())
    });
    let found = reply_of_delivery(&stage.read(), &DeliveryId::new("delivery-1")).unwrap();
    assert_eq!(found, Some((sent.seq, None)));
    assert_eq!(again(&stage, &main_of("7c1e"), "PreToolUse", "toolu_1"), None);
}

#[test]
fn the_same_call_asked_twice_gets_the_same_answer_while_it_is_open() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let before = stage.calls(&main, "Bash", "toolu_1", json!({}));
    answer(&mut stage, before.seq, "denied");
    assert_eq!(again(&stage, &main, "PreToolUse", "toolu_1").unwrap(), "1 denied");
    assert_eq!(again(&stage, &main, "PostToolUse", "toolu_1"), None);
    assert_eq!(again(&stage, &main, "PreToolUse", "toolu_2"), None);

    let after = stage.returns(&main, "toolu_1");
    answer(&mut stage, after.seq, "noted");
    assert_eq!(again(&stage, &main, "PreToolUse", "toolu_1"), None);
    assert_eq!(again(&stage, &main, "PostToolUse", "toolu_1").unwrap(), "2 noted");
}

#[test]
fn a_deferred_call_that_comes_back_in_a_new_process_is_judged_anew() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.returns(&main, "toolu_1");
    let later = main.in_process(200, 9);
    assert_eq!(again(&stage, &later, "PreToolUse", "toolu_1"), None);
    assert_eq!(again(&stage, &later, "PostToolUse", "toolu_1"), None);
}

#[test]
fn a_call_made_anew_under_its_old_id_is_answered_anew_before_and_after() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.returns(&main, "toolu_1");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    assert_eq!(again(&stage, &main, "PreToolUse", "toolu_1").unwrap(), "3 ");
    assert_eq!(again(&stage, &main, "PostToolUse", "toolu_1"), None);
}

#[test]
fn one_call_id_of_two_agents_has_two_answers() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent("a1110000000000001", "x");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.prompts(&child, "never answered a call");
    assert_eq!(again(&stage, &child, "PreToolUse", "toolu_1"), None);
}

#[test]
fn a_line_says_who_what_and_how_long() {
    let mut stage = Stage::new();
    let sent = stage.calls(&main_of("7c1e"), "Bash", "toolu_1", json!({}));
    let row = by_seq(&stage.read(), sent.seq).unwrap().unwrap();
    assert_eq!(last_of(&stage.read(), sent.project).unwrap().unwrap(), row);
    assert_eq!(row.actor.as_ref().unwrap().label, "main@7c1e");
    assert_eq!(
        (row.name.as_str(), row.tool.as_deref()),
        ("PreToolUse", Some("Bash"))
    );
    assert_eq!((row.outcome.as_deref(), row.decision_us), (Some("ok"), Some(40)));
    assert_eq!(latency(&stage.read(), 5).unwrap(), [40]);
}

#[test]
fn an_event_costs_the_same_after_thousands_of_others() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let cost = |stage: &mut Stage, id: &str| {
        stage.read().spent();
        let sent = stage.calls(&main, "Bash", id, json!({}));
        again(stage, &main, "PreToolUse", id);
        reply_of_delivery(&stage.read(), &DeliveryId::new("new")).unwrap();
        notices::owed_to(&stage.read(), sent.actor.id).unwrap();
        crate::actors::others(&stage.read(), sent.project, sent.actor.id, stage.now()).unwrap();
        stage.returns(&main, id);
        again(stage, &main, "PostToolUse", id);
        stage.read().spent()
    };
    for warm in 0..10 {
        cost(&mut stage, &format!("warm_{warm}"));
    }
    let early = cost(&mut stage, "early");
    for round in 0..2000 {
        stage.calls(&main, "Bash", &format!("toolu_{round}"), json!({}));
        stage.returns(&main, &format!("toolu_{round}"));
    }
    let late = cost(&mut stage, "late");
    assert_eq!((early.scanned, late.scanned), (0, 0));
    assert_eq!((early.replanned, late.replanned), (0, 0));
    assert_eq!(early.statements, late.statements);
    assert!(late.steps <= early.steps + early.steps / 50, "{early:?} {late:?}");
}

#[test]
fn rare_moments_scan_no_table_either() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    stage.read().spent();
    let child = main.agent("a1110000000000001", "Explore");
    stage.starts(&main, engine::event::StartSource::Compact);
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.agent_starts(&child);
    stage.answered(
        &main,
        "toolu_1",
        "a1110000000000001",
        engine::event::SpawnResult::Completed,
    );
    stage.prompts(&main, "next");
    stage.stops(&main);
    stage.ends(&main, "other");
    let at = stage.now();
    stage.write(|db| crate::sessions::close_lost(db, &main.client, at));
    assert_eq!(stage.read().spent().scanned, 0);
}

#[test]
fn the_kinds_of_events_are_found_without_reading_them() {
    let mut stage = Stage::new();
    for session in ["7c1e", "9999"] {
        for _ in 0..200 {
            stage.prompts(&main_of(session), "go");
        }
        stage.stops(&main_of(session));
    }
    stage.read().spent();
    assert_eq!(fired(&stage.read()).unwrap(), ["Stop", "UserPromptSubmit"]);
    let spent = stage.read().spent();
    assert!(spent.steps < 500, "{spent:?}");
}
