use super::*;
use crate::stage::{Stage, main_of};

#[test]
fn a_note_is_replaced_under_its_key_and_taken_once() {
    let mut stage = Stage::new();
    let who = main_of("s");
    stage.prompts(&who, "go");
    let session = stage.actor(&who).id;
    stage.write(|db| {
        set(db, session, "task:1", "write it")?;
        set(db, session, "task:1", "write it well")?;
        set(db, session, "task:2", "read it")?;
        assert_eq!(get(db, session, "task:1")?.as_deref(), Some("write it well"));
        assert_eq!(take(db, session, "task:1")?.as_deref(), Some("write it well"));
        assert_eq!(take(db, session, "task:1")?, None);
        assert_eq!(get(db, session, "task:2")?.as_deref(), Some("read it"));
        Ok(())
    });
}

#[test]
fn notes_of_one_kind_are_found_by_project_and_by_session() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    let child = main.agent("a1", "x");
    let project = stage.prompts(&main, "go").project;
    for (who, key) in [
        (&main, "task 1"),
        (&child, "task 2"),
        (&other, "task 3"),
        (&main, "tasks"),
    ] {
        let actor = stage.calls(who, "Read", key, serde_json::json!({})).actor.id;
        stage.write(|db| set(db, actor, key, "x"));
    }
    let keys = |notes: Vec<Note>| -> Vec<String> { notes.into_iter().map(|note| note.key).collect() };
    let live = of_live(&stage.read(), project, "task ").unwrap();
    assert_eq!(keys(live), ["task 1", "task 2", "task 3"]);
    let here = of_session(&stage.read(), &child.key, "task ").unwrap();
    assert_eq!(keys(here), ["task 1", "task 2"]);
    stage.ends(&other, "other");
    let live = of_live(&stage.read(), project, "task ").unwrap();
    assert_eq!(keys(live), ["task 1", "task 2"]);
}
