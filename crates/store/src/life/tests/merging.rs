//! An id that nobody announced turns out to be a known agent.

use crate::life::{self, Merged};
use crate::seen::{self, KnowledgeSource, Look};
use crate::stage::{Sent, Stage, Who, main_of};
use crate::{actors, calls, events, leases};
use engine::id::ToolUseId;
use engine::lease::{ContentIdentity, Means};
use serde_json::json;

const KNOWN: &str = "a1110000000000001";
const ALIAS: &str = "b2220000000000002";
const OTHER: &str = "a3330000000000003";

/// A session with an agent that was announced, one that was not, and a third.
fn agents(stage: &mut Stage) -> (Who, Who, Who) {
    let main = main_of("7c1e");
    stage.spawns(&main, "toolu_s", "x", true);
    let (known, other) = (main.agent(KNOWN, "x"), main.agent(OTHER, "y"));
    stage.agent_starts(&known);
    stage.agent_starts(&other);
    (known, main.agent(ALIAS, "x"), other)
}

fn merges(stage: &mut Stage, alias: &Sent, known: &Who, acts: bool) -> bool {
    let (agent, now) = (stage.actor(known), stage.hour());
    let event = alias.seq;
    stage.write(|db| {
        let alias = actors::by_id(db, alias.actor.id)?.unwrap();
        let merged = Merged {
            alias: &alias,
            agent: &agent,
            event,
            acts,
        };
        life::merge(db, &merged, &now)
    })
}

#[test]
fn what_it_held_waited_for_and_called_is_the_known_agents_once() {
    let mut stage = Stage::new();
    let (known, alias, other) = agents(&mut stage);
    stage.writes(&known, "toolu_1", "a.rs");
    stage.writes(&other, "toolu_2", "b.rs");
    stage.writes(&alias, "toolu_3", "c.rs");
    stage.waits(&alias, "b.rs");
    stage.waits(&alias, "a.rs");
    let open = stage.edits(&alias, "toolu_4", "d.rs");
    let sent = stage.calls(&alias, "Bash", "toolu_5", json!({}));

    assert!(merges(&mut stage, &sent, &known, true));
    let held = ["a.rs x@a111 1", "b.rs y@a333 1", "c.rs x@a111 1", "d.rs x@a111 0"];
    assert_eq!(stage.held(), held, "{open:?}");
    assert_eq!(stage.line(), ["b.rs x@a111 waiting", "a.rs x@a111 used"]);
    assert_eq!(
        stage.actor(&alias).id,
        stage.actor(&known).id,
        "the id means the agent"
    );
    let merged = actors::by_id(&stage.read(), sent.actor.id).unwrap().unwrap();
    assert_eq!(merged.merged_into, Some(stage.actor(&known).id));
    assert_eq!(merged.end_reason.as_deref(), Some("merged"));

    let before = stage.line();
    assert!(!merges(&mut stage, &sent, &known, true), "it is known already");
    assert_eq!((stage.held().len(), stage.line()), (4, before));

    stage.returns(&alias, "toolu_4");
    assert_eq!(
        stage.held().last().unwrap(),
        "d.rs x@a111 1",
        "its open call goes on"
    );
    stage.agent_stops(&known);
    assert_eq!(stage.held(), ["b.rs y@a333 1"], "it ends as one");
}

#[test]
fn a_later_event_of_that_id_brings_no_second_actor_back() {
    let mut stage = Stage::new();
    let (known, alias, _) = agents(&mut stage);
    let sent = stage.calls(&alias, "Edit", "toolu_1", json!({}));
    merges(&mut stage, &sent, &known, true);
    let later = stage.calls(&alias, "Edit", "toolu_2", json!({}));
    assert_eq!(later.actor.id, stage.actor(&known).id);
    assert_eq!(later.actor.label, "x@a111");
    let live = stage.rows("SELECT label FROM actors WHERE state = 'live' ORDER BY id");
    assert_eq!(live, ["main@7c1e", "x@a111", "y@a333"]);
}

#[test]
fn a_file_that_both_know_is_known_as_it_was_last_seen_and_written() {
    let mut stage = Stage::new();
    let (known, alias, _) = agents(&mut stage);
    let sent = stage.calls(&alias, "Edit", "toolu_1", json!({}));
    let (one, two) = (stage.actor(&known).id, sent.actor.id);
    let (key, at) = (stage.file("a.rs"), stage.moment());
    for (actor, hash, way, event) in [
        (
            two,
            "old",
            KnowledgeSource::Wrote {
                by: Means::Tool,
                whole: true,
            },
            1,
        ),
        (
            one,
            "mine",
            KnowledgeSource::Wrote {
                by: Means::Tool,
                whole: true,
            },
            2,
        ),
        (two, "new", KnowledgeSource::Read, 3),
    ] {
        let content = ContentIdentity::Hash(hash.to_owned());
        stage.write(|db| {
            let look = Look {
                actor,
                key: &key,
                content: &content,
                stamp: None,
                way,
                event: engine::id::EventSeq(event),
                at,
            };
            seen::note(db, &look)
        });
    }
    merges(&mut stage, &sent, &known, true);
    let now = seen::of(&stage.read(), one, &key).unwrap().unwrap();
    assert_eq!(now.content, ContentIdentity::Hash("new".to_owned()));
    let change = seen::last_change(&stage.read(), &key).unwrap().unwrap();
    assert_eq!(
        (change.actor, change.content),
        (one, ContentIdentity::Hash("mine".to_owned()))
    );
    assert_eq!(seen::of(&stage.read(), two, &key).unwrap(), None);
}

#[test]
fn what_is_lent_between_the_two_is_the_agents_own() {
    let mut stage = Stage::new();
    let (known, alias, _) = agents(&mut stage);
    stage.writes(&known, "toolu_1", "a.rs");
    let sent = stage.calls(&alias, "Edit", "toolu_2", json!({}));
    let taking = stage.taking(&sent);
    let key = stage.file("a.rs");
    let lease = leases::held(&stage.read(), &key).unwrap().unwrap();
    stage.write(|db| leases::lend(db, lease.id, &taking));
    merges(&mut stage, &sent, &known, true);
    assert_eq!(stage.held(), ["a.rs x@a111 1"]);
}

#[test]
fn of_two_places_in_line_the_better_one_stays() {
    let mut stage = Stage::new();
    let (known, alias, other) = agents(&mut stage);
    stage.writes(&other, "toolu_1", "a.rs");
    let sent = stage.calls(&alias, "Edit", "toolu_2", json!({}));
    stage.waits(&alias, "a.rs");
    stage.waits(&main_of("7c1e"), "a.rs");
    stage.waits(&known, "a.rs");
    merges(&mut stage, &sent, &known, true);
    assert_eq!(
        stage.line(),
        [
            "a.rs x@a111 waiting",
            "a.rs main@7c1e waiting",
            "a.rs x@a111 dropped"
        ]
    );
}

#[test]
fn what_an_agent_that_is_over_held_under_another_id_is_free() {
    let mut stage = Stage::new();
    let (known, alias, other) = agents(&mut stage);
    let sent = stage.calls(&alias, "Read", "toolu_1", json!({}));
    stage.writes(&alias, "toolu_2", "a.rs");
    stage.agent_stops(&known);
    stage.waits(&other, "a.rs");
    assert_eq!(stage.held(), ["a.rs x@b222 1"]);
    assert!(merges(&mut stage, &sent, &known, false));
    assert_eq!(stage.held(), [""; 0]);
    assert_eq!(stage.over(), ["a.rs x@a111 actor_end"]);
    assert_eq!(stage.line(), ["a.rs y@a333 offered"]);
    assert_eq!(stage.state(&known), "ended stopped");
}

#[test]
fn only_an_unannounced_subagent_of_the_same_session_is_merged() {
    let mut stage = Stage::new();
    let (known, alias, other) = agents(&mut stage);
    let main = main_of("7c1e");
    let unknown = stage.calls(&alias, "Read", "toolu_1", json!({}));
    let announced = stage.calls(&other, "Read", "toolu_2", json!({}));
    let first = stage.calls(&main, "Read", "toolu_3", json!({}));
    let stranger = stage.calls(&main_of("9999").agent(ALIAS, "x"), "Read", "toolu_4", json!({}));
    let unannounced = main.agent("c4440000000000004", "x");
    stage.calls(&unannounced, "Read", "toolu_5", json!({}));
    assert!(
        !merges(&mut stage, &announced, &known, true),
        "it is one of its own"
    );
    assert!(!merges(&mut stage, &first, &known, true), "main is main");
    assert!(!merges(&mut stage, &stranger, &known, true), "another session");
    assert!(!merges(&mut stage, &unknown, &main, true));
    assert!(
        !merges(&mut stage, &unknown, &unannounced, true),
        "not known either"
    );
    assert!(merges(&mut stage, &unknown, &known, true));
}

#[test]
fn an_agent_that_started_another_is_not_that_one() {
    let mut stage = Stage::new();
    let (_, alias, _) = agents(&mut stage);
    stage.spawns(&alias, "toolu_1", "z", true);
    let child = alias.agent("a5550000000000005", "z");
    stage.agent_starts(&child);
    let sent = stage.calls(&alias, "Read", "toolu_2", json!({}));
    assert!(!merges(&mut stage, &sent, &child, true));
}

#[test]
fn an_id_that_the_client_announces_after_all_is_an_agent_of_its_own_again() {
    let mut stage = Stage::new();
    let (known, alias, _) = agents(&mut stage);
    let sent = stage.calls(&alias, "Edit", "toolu_1", json!({}));
    merges(&mut stage, &sent, &known, true);
    stage.agent_starts(&alias);
    assert_ne!(stage.actor(&alias).id, stage.actor(&known).id);
    assert_eq!(stage.state(&alias), "live");
}

#[test]
fn calls_that_tell_who_somebody_is_are_its_own_alone_and_start_no_agent() {
    let mut stage = Stage::new();
    let (known, alias, _) = agents(&mut stage);
    stage.spawns(&alias, "toolu_1", "z", true);
    stage.calls(&alias, "Edit", "toolu_2", json!({}));
    stage.calls(&known, "Edit", "toolu_2", json!({}));
    stage.calls(&alias, "Edit", "toolu_3", json!({}));
    stage.returns(&alias, "toolu_3");
    let sent = stage.calls(&alias, "Edit", "toolu_4", json!({}));
    let ids = calls::own_ids(&stage.read(), sent.actor.id, 10).unwrap();
    assert_eq!(ids, [ToolUseId::new("toolu_4"), ToolUseId::new("toolu_3")]);
    let ids = calls::own_ids(&stage.read(), sent.actor.id, 1).unwrap();
    assert_eq!(ids, [ToolUseId::new("toolu_4")]);
    let event = events::by_seq(&stage.read(), sent.seq).unwrap().unwrap();
    assert_eq!(event.actor.map(|actor| actor.id), Some(sent.actor.id));
}
