//! A session has one name for its whole life, and its agents are counted by their runs.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;

#[test]
fn midnight_changes_no_name() {
    let mut stage = Stage::new();
    let session = stage.starts(&main_of("ab310c99"), StartSource::Startup).actor.id;
    assert_eq!(conversation(&stage.read(), session).unwrap().unwrap().alias, None);
    for date in ["2026-11-15", "2026-11-16"] {
        let alias = stage.write(|db| fix_alias(db, session, date));
        assert_eq!(alias, "2026-11-15-ab310c99");
    }
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_name_or_id() {
    let mut stage = Stage::new();
    for id in ["ab310c99", "ab999999", "77c0ffee"] {
        let session = stage.starts(&main_of(id), StartSource::Startup).actor.id;
        stage.write(|db| fix_alias(db, session, "2026-11-15"));
    }
    stage.agent_starts(&main_of("ab310c99").agent("a3f2", "Explore"));
    let found = |text: &str| -> Vec<String> {
        let found = conversations_like(&stage.read(), text).unwrap();
        found
            .into_iter()
            .map(|one| one.client_session.to_string())
            .collect()
    };
    assert_eq!(found("ab3"), ["ab310c99"]);
    assert_eq!(found("ab"), ["ab999999", "ab310c99"]);
    assert_eq!(found("2026-11-15-77"), ["77c0ffee"]);
    assert_eq!(found("%"), Vec::<String>::new());
    let here = conversations_in(&stage.read(), stage.worktree("/repo")).unwrap();
    assert_eq!(here.len(), 3);
}

#[test]
fn an_agent_nobody_introduced_still_belongs_to_a_session() {
    let mut stage = Stage::new();
    let child = main_of("7c1e").agent("a3f2", "Explore");
    let sent = stage.agent_starts(&child);
    let main = stage.write(|db| main_of_agent(db, &sent.actor));
    assert_ne!(main, sent.actor.id);
    assert_eq!(stage.write(|db| main_of_agent(db, &sent.actor)), main);
    let conversation = conversation(&stage.read(), main).unwrap().unwrap();
    assert_eq!(conversation.client_session.as_str(), "7c1e");
    let own = stage.starts(&main_of("7c1e"), StartSource::Startup).actor;
    assert_eq!((own.id, stage.write(|db| main_of_agent(db, &own))), (main, main));
}

fn main_of_agent(db: &Db, actor: &Actor) -> Result<ActorId, StoreError> {
    super::main_of(db, actor)
}

#[test]
fn a_fork_remembers_what_it_was_first_said_to_be_a_copy_of() {
    let mut stage = Stage::new();
    let session = stage.starts(&main_of("7c1e"), StartSource::Fork).actor.id;
    for from in ["first", "second"] {
        stage.write(|db| set_forked_from(db, session, &ClientSessionId::new(from)));
    }
    let found = conversation(&stage.read(), session).unwrap().unwrap();
    assert_eq!(found.forked_from, Some(ClientSessionId::new("first")));
}

#[test]
fn a_revived_agent_begins_its_next_run() {
    let mut stage = Stage::new();
    let child = main_of("7c1e").agent("a3f2", "Explore");
    let started = stage.agent_starts(&child).actor;
    assert_eq!(stage.write(|db| begin_run(db, &started)), 1);
    let again = stage.agent_starts(&child).actor;
    assert_eq!(stage.write(|db| begin_run(db, &again)), 1, "reported twice");
    stage.agent_stops(&child);
    let revived = stage.agent_starts(&child).actor;
    assert_eq!(stage.write(|db| begin_run(db, &revived)), 2);
    assert_eq!(stage.actor(&child).run, 2);
}

#[test]
fn agents_are_found_within_their_session() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    stage.agent_starts(&one.agent("a3f2c4", "Explore"));
    stage.agent_starts(&one.agent("a3f9d1", "Explore"));
    stage.agent_starts(&two.agent("a3f2c4", "Explore"));
    let found = |text| agents_like(&stage.read(), &one.key, text).unwrap();
    assert_eq!(found("a3f2").len(), 1);
    assert_eq!(found("a3f").len(), 2);
    assert_eq!(found("").len(), 2, "never the main thread");
}

#[test]
fn a_copy_made_beforehand_is_nobody_at_work_until_its_first_event() {
    let mut stage = Stage::new();
    let original = stage.starts(&main_of("ab310c99"), StartSource::Startup).actor;
    let copy = ClientSessionId::new("77c0ffee");
    let made = stage.write(|db| record_fork(db, &original, &copy, Timestamp(5)));
    let recorded = conversation(&stage.read(), made).unwrap().unwrap();
    assert_eq!(recorded.forked_from, Some(ClientSessionId::new("ab310c99")));
    assert_eq!(
        (recorded.state, recorded.worktree),
        (ActorState::Ended, original.worktree)
    );
    let begun = stage.starts(&main_of("77c0ffee"), StartSource::Resume).actor;
    assert_eq!((begun.id, begun.state), (made, ActorState::Live));
}
