//! A text is owed once and delivered once.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;

fn owed(audience: Audience, key: &str, text: &str) -> Owed {
    Owed {
        audience,
        kind: "lease".to_owned(),
        key: key.to_owned(),
        text: text.to_owned(),
    }
}

#[test]
fn a_pending_text_is_replaced_and_a_delivered_one_stays_delivered() {
    let mut stage = Stage::new();
    let sent = stage.starts(&main_of("7c1e"), StartSource::Startup);
    let other = stage.starts(&main_of("9999"), StartSource::Startup);
    let (actor, at) = (sent.actor.id, stage.now());
    stage.write(|db| {
        owe(db, &owed(Audience::Actor, "a.rs", "old"), actor, at)?;
        owe(db, &owed(Audience::Actor, "a.rs", "new"), actor, at)?;
        owe(db, &owed(Audience::Actor, "b.rs", "other file"), actor, at)?;
        owe(
            db,
            &owed(Audience::Actor, "a.rs", "other actor"),
            other.actor.id,
            at,
        )
    });
    let pending = owed_to(&stage.read(), actor).unwrap();
    let texts: Vec<&str> = pending.iter().map(|notice| notice.text.as_str()).collect();
    assert_eq!(texts, ["new", "other file"]);

    let id = pending[0].id;
    assert!(stage.write(|db| delivered(db, id, sent.seq, at)));
    assert!(!stage.write(|db| delivered(db, id, other.seq, at)));
    assert_eq!(owed_to(&stage.read(), actor).unwrap().len(), 1);
    stage.write(|db| owe(db, &owed(Audience::Actor, "a.rs", "again"), actor, at));
    assert_eq!(owed_to(&stage.read(), actor).unwrap().len(), 2);
}

#[test]
fn the_person_is_told_once_whoever_caused_it() {
    let mut stage = Stage::new();
    let one = stage.starts(&main_of("7c1e"), StartSource::Startup).actor.id;
    let two = stage.starts(&main_of("9999"), StartSource::Startup).actor.id;
    let at = stage.now();
    stage.write(|db| {
        owe(db, &owed(Audience::Person, "", "settings are broken"), one, at)?;
        owe(
            db,
            &owed(Audience::Person, "", "settings are still broken"),
            two,
            at,
        )
    });
    let pending = for_person(&stage.read()).unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].text, "settings are still broken");
    assert_eq!(pending[0].about, Some(two));
    assert!(owed_to(&stage.read(), two).unwrap().is_empty());
    let texts = |actor, kind| about_session(&stage.read(), actor, kind).unwrap().len();
    assert_eq!(
        (texts(two, "lease"), texts(one, "lease"), texts(two, "guard")),
        (1, 0, 0)
    );
    assert!(stage.write(|db| delivered(db, pending[0].id, None, at)));
    assert!(for_person(&stage.read()).unwrap().is_empty());
}
