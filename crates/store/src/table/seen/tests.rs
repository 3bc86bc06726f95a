//! What actors know of files.

use super::*;
use crate::stage::{Stage, main_of};
use engine::time::Timestamp;

fn hash(text: &str) -> ContentIdentity {
    ContentIdentity::Hash(text.to_owned())
}

fn look<'a>(
    actor: ActorId,
    key: &'a FileKey,
    content: &'a ContentIdentity,
    way: KnowledgeSource,
    event: i64,
) -> Look<'a> {
    Look {
        actor,
        key,
        content,
        stamp: Some(ContentStamp {
            size: 7,
            mtime_ns: -3,
            inode: u64::MAX,
        }),
        way,
        event: EventSeq(event),
        at: Timestamp(event).into(),
    }
}

#[test]
fn an_actor_knows_what_it_saw_last() {
    let mut stage = Stage::new();
    let one = stage.prompts(&main_of("7c1e"), "go").actor.id;
    let two = stage.prompts(&main_of("9999"), "go").actor.id;
    let key = stage.file("a.rs");
    stage.write(|db| {
        note(db, &look(one, &key, &hash("old"), KnowledgeSource::Read, 1))?;
        note(db, &look(one, &key, &hash("new"), KnowledgeSource::Found, 2))?;
        note(
            db,
            &look(two, &key, &ContentIdentity::TooBig, KnowledgeSource::Read, 3),
        )
    });
    let seen = of(&stage.read(), one, &key).unwrap().unwrap();
    assert_eq!((seen.content, seen.at_ms), (hash("new"), 2));
    assert_eq!(seen.stamp.unwrap().inode, u64::MAX);
    assert_eq!(
        of(&stage.read(), two, &key).unwrap().unwrap().content,
        ContentIdentity::TooBig
    );
    assert_eq!(of(&stage.read(), two, &stage.file("b.rs")).unwrap(), None);
    assert_eq!(last_change(&stage.read(), &key).unwrap(), None, "nobody wrote");
}

#[test]
fn the_last_change_is_the_last_writers_whatever_is_read_afterwards_and_whatever_the_clock_says() {
    let mut stage = Stage::new();
    let one = stage.prompts(&main_of("7c1e"), "go").actor.id;
    let two = stage.prompts(&main_of("9999"), "go").actor.id;
    let key = stage.file("a.rs");
    stage.write(|db| {
        note(
            db,
            &look(
                one,
                &key,
                &hash("first"),
                KnowledgeSource::Wrote {
                    by: Means::Tool,
                    whole: true,
                },
                1,
            ),
        )?;
        let second = hash("second");
        let set_back = Look {
            at: Timestamp(-500).into(),
            ..look(
                two,
                &key,
                &second,
                KnowledgeSource::Wrote {
                    by: Means::Tool,
                    whole: true,
                },
                2,
            )
        };
        note(db, &set_back)?;
        note(db, &look(two, &key, &hash("third"), KnowledgeSource::Read, 3))?;
        note(db, &look(one, &key, &hash("third"), KnowledgeSource::Read, 4))
    });
    let change = last_change(&stage.read(), &key).unwrap().unwrap();
    assert_eq!((change.actor, change.content), (two, hash("second")));
    assert_eq!((change.event, change.at.at), (EventSeq(2), Timestamp(-500)));
}

#[test]
fn the_files_that_were_seen_last_come_first_and_each_once() {
    let mut stage = Stage::new();
    let (one, two) = (
        stage.prompts(&main_of("7c1e"), "go"),
        stage.prompts(&main_of("5555"), "go"),
    );
    let files = ["old.rs", "both.rs", "new.rs"].map(|path| stage.file(path));
    stage.write(|db| {
        for (event, file) in (1..).zip(&files) {
            note(
                db,
                &look(one.actor.id, file, &hash("a"), KnowledgeSource::Read, event),
            )?;
        }
        note(
            db,
            &look(two.actor.id, &files[1], &hash("a"), KnowledgeSource::Read, 4),
        )
    });
    let paths = |most| newest(&stage.read(), one.worktree, most).unwrap();
    assert_eq!(paths(10), ["both.rs", "new.rs", "old.rs"]);
    assert_eq!(paths(2), ["both.rs", "new.rs"]);
}

#[test]
fn what_was_seen_is_forgotten_with_the_event_that_told_of_it() {
    let mut stage = Stage::new();
    let sent = stage.prompts(&main_of("7c1e"), "go");
    let (old, new) = (stage.file("old.rs"), stage.file("new.rs"));
    let content = hash("a");
    stage.write(|db| {
        note(
            db,
            &look(
                sent.actor.id,
                &old,
                &content,
                KnowledgeSource::Wrote {
                    by: Means::Tool,
                    whole: true,
                },
                sent.seq.0,
            ),
        )
    });
    stage.pass(40 * 24 * 3_600_000);
    let later = stage.prompts(&main_of("7c1e"), "go on");
    stage.write(|db| {
        note(
            db,
            &look(
                sent.actor.id,
                &new,
                &content,
                KnowledgeSource::Wrote {
                    by: Means::Tool,
                    whole: true,
                },
                later.seq.0,
            ),
        )
    });
    stage.prune(30, 512);
    assert_eq!(of(&stage.read(), sent.actor.id, &old).unwrap(), None);
    assert!(of(&stage.read(), sent.actor.id, &new).unwrap().is_some());
}
