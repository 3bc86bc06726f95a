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
