//! Every message counts once, for whoever had it first, and all sums agree.

use super::*;
use crate::stage::{Stage, Who, main_of};
use engine::event::{SpawnResult, StartSource};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn message(stage: &Stage, who: &Who, id: &str, turn: Option<u64>, output: u64) -> StoredUsage {
    StoredUsage {
        agent_kind: who.key.agent_kind.clone(),
        id: id.to_owned(),
        request_id: None,
        session: stage.main(who),
        actor: stage.actor(who).id,
        turn,
        model: Some("large".to_owned()),
        tokens: Tokens {
            input: 1,
            output,
            ..Tokens::default()
        },
        at: Timestamp(5),
    }
}

#[test]
fn rows_of_one_message_count_once_and_the_largest_output_wins() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    for output in [1, 7, 500, 3] {
        let row = message(&stage, &main, "msg_1", Some(1), output);
        stage.write(|db| count(db, &row));
    }
    let usage = of_session(&stage.read(), stage.main(&main)).unwrap();
    assert_eq!((usage.total.input, usage.total.output), (1, 500));
}

#[test]
fn a_copy_in_another_session_changes_no_owner() {
    let mut stage = Stage::new();
    let (original, fork) = (main_of("7c1e"), main_of("9999"));
    stage.starts(&original, StartSource::Startup);
    stage.starts(&fork, StartSource::Fork);
    for (who, id, turn, output) in [
        (&original, "msg_1", None, 5),
        (&fork, "msg_1", Some(3), 9),
        (&fork, "msg_2", Some(1), 2),
    ] {
        let row = message(&stage, who, id, turn, output);
        stage.write(|db| count(db, &row));
    }
    let total = |who| of_session(&stage.read(), stage.main(who)).unwrap().total.output;
    assert_eq!((total(&original), total(&fork)), (9, 2));
    assert_eq!(
        stage.rows("SELECT message_id, session_id, turn FROM usage"),
        ["msg_1 1 -", "msg_2 2 1"]
    );
}

#[test]
fn its_owner_may_learn_later_which_turn_a_message_belongs_to() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    for turn in [None, Some(2), Some(3)] {
        let row = message(&stage, &main, "msg_1", turn, 5);
        stage.write(|db| count(db, &row));
    }
    assert_eq!(stage.rows("SELECT turn FROM usage"), ["2"]);
}

#[test]
fn agents_are_nested_below_who_started_them() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let (child, grandchild, stray) = (
        main.agent("a1", "planner"),
        main.agent("a2", "Explore"),
        main.agent("a3", "other"),
    );
    stage.spawns(&main, "toolu_1", "planner", true);
    stage.answered(&main, "toolu_1", "a1", SpawnResult::Launched);
    stage.spawns(&child, "toolu_2", "Explore", true);
    stage.answered(&child, "toolu_2", "a2", SpawnResult::Launched);
    stage.agent_starts(&grandchild);
    stage.agent_starts(&stray);
    for (who, output) in [(&main, 1), (&child, 10), (&grandchild, 100), (&stray, 1000)] {
        let row = message(&stage, who, &output.to_string(), Some(1), output);
        stage.write(|db| count(db, &row));
    }
    let usage = of_session(&stage.read(), stage.main(&main)).unwrap();
    let told: Vec<(ActorId, u64, u64)> = usage
        .actors
        .iter()
        .map(|usage| (usage.actor, usage.own.output, usage.total.output))
        .collect();
    let id = |who| stage.actor(who).id;
    assert_eq!(
        told,
        [
            (id(&main), 1, 1111),
            (id(&child), 10, 110),
            (id(&grandchild), 100, 100),
            (id(&stray), 1000, 1000),
        ]
    );
    let turn = of_turn(&stage.read(), stage.main(&main), 1).unwrap();
    assert_eq!(
        (turn.main.output, turn.total.output, turn.subagents.len()),
        (1, 1111, 3)
    );
    let empty = of_turn(&stage.read(), stage.main(&main), 2).unwrap();
    assert_eq!((empty.turn, empty.total), (Some(2), Tokens::default()));
}

#[test]
fn hostile_numbers_make_no_sum_fail() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    for id in ["msg_1", "msg_2"] {
        let row = message(&stage, &main, id, None, u64::MAX);
        stage.write(|db| count(db, &row));
    }
    let usage = of_session(&stage.read(), stage.main(&main)).unwrap();
    assert_eq!(usage.total.output, 2 * MOST_TOKENS);
}

/// One line of a transcript: who has it in their file, which message, and how much of it was written by then.
#[derive(Debug, Clone, Copy)]
struct Line {
    actor: usize,
    message: u8,
    written: u64,
}

/// Lines of two sessions, the second a copy of the first that goes on, each with a subagent.
fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = (0_usize..4, 0_u8..12, 0_u64..100).prop_map(|(actor, message, written)| Line {
        actor,
        message,
        written,
    });
    proptest::collection::vec(line, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_again_the_sums_are_those_of_the_messages(lines in lines(), again in lines()) {
        let mut stage = Stage::new();
        let (one, two) = (main_of("7c1e"), main_of("9999"));
        let actors = [one.clone(), one.agent("a1", "x"), two.clone(), two.agent("a2", "x")];
        for who in &actors {
            stage.starts(who, StartSource::Startup);
        }
        // Everything once, then everything again after a resume, mixed with lines nobody saw before.
        let all: Vec<Line> = lines.iter().chain(&again).chain(&lines).copied().collect();
        let mut owners: BTreeMap<u8, (usize, u64)> = BTreeMap::new();
        let mut rows = Vec::new();
        for line in &all {
            let known = owners.entry(line.message).or_insert((line.actor, line.written));
            known.1 = known.1.max(line.written);
            let turn = Some(u64::from(line.message) % 3);
            let id = line.message.to_string();
            rows.push(message(&stage, &actors[line.actor], &id, turn, line.written));
        }
        stage.write(|db| rows.iter().try_for_each(|row| count(db, row)));

        for (session, own) in [(&one, 0..2), (&two, 2..4)] {
            let wanted: u64 = owners.values().filter(|(actor, _)| own.contains(actor)).map(|owner| owner.1).sum();
            let usage = of_session(&stage.read(), stage.main(session)).unwrap();
            prop_assert_eq!(usage.total.output, wanted);
            let by_turn: u64 = usage.turns.iter().map(|turn| turn.total.output).sum();
            let by_actor: u64 = usage.actors.iter().map(|actor| actor.own.output).sum();
            let by_model: u64 = usage.models.iter().map(|model| model.total.output).sum();
            prop_assert_eq!((by_turn, by_actor, by_model), (wanted, wanted, wanted));
            let nested = usage.actors.first().map_or(0, |main| main.total.output);
            prop_assert_eq!(nested, wanted);
        }
    }
}
