//! A touch follows one path through one call, whatever is reported twice, late or never.

use super::*;
use crate::stage::{Stage, Who, main_of, state};
use engine::event::StartSource;

struct Scene {
    stage: Stage,
    who: Who,
    worktree: WorktreeId,
    actor: ActorId,
}

impl Scene {
    fn new() -> Self {
        let mut stage = Stage::new();
        let who = main_of("7c1e");
        let sent = stage.starts(&who, StartSource::Startup);
        Self {
            stage,
            who,
            worktree: sent.worktree,
            actor: sent.actor.id,
        }
    }

    fn opens(&mut self, path: &str, call: &str, event: i64) -> TouchId {
        let (worktree, actor) = (self.worktree, self.actor);
        let (path, call) = (path.as_bytes(), &ToolUseId::new(call));
        let naming = Naming {
            worktree,
            path,
            actor,
            call,
        };
        self.stage.write(|db| open(db, &naming, EventSeq(event)))
    }

    fn finishes(&mut self, path: &str, call: &str, event: i64) -> Option<TouchId> {
        let (worktree, actor) = (self.worktree, self.actor);
        let (path, call) = (path.as_bytes(), &ToolUseId::new(call));
        let naming = Naming {
            worktree,
            path,
            actor,
            call,
        };
        self.stage.write(|db| finish(db, &naming, EventSeq(event)))
    }

    fn pending(&self) -> Vec<String> {
        let found = pending(&self.stage.read(), self.worktree).unwrap();
        found.iter().map(told).collect()
    }

    fn running(&self) -> Vec<String> {
        let found = running(&self.stage.read(), self.worktree).unwrap();
        found.iter().map(told).collect()
    }
}

fn told(touch: &Touch) -> String {
    let number = |event: Option<EventSeq>| event.map_or("-".to_owned(), |event| event.to_string());
    let path = String::from_utf8_lossy(&touch.path).into_owned();
    format!(
        "{path} {} {}",
        number(touch.event_before),
        number(touch.event_after)
    )
}

fn found(content: &str) -> PathObservation {
    PathObservation {
        place: Some(TreePart::Files),
        image: Image::Present(state(content)),
        skip_reason: None,
        dated: None,
    }
}

#[test]
fn touches_wait_in_the_order_their_calls_ended() {
    let mut scene = Scene::new();
    scene.opens("a", "toolu_1", 1);
    scene.opens("b", "toolu_2", 2);
    scene.opens("c", "toolu_3", 3);
    assert!(scene.finishes("b", "toolu_2", 4).is_some());
    assert!(scene.finishes("a", "toolu_1", 5).is_some());
    assert_eq!(scene.pending(), ["b 2 4", "a 1 5"]);
    assert_eq!(scene.running(), ["c 3 -"]);
}

#[test]
fn what_is_reported_twice_or_in_the_wrong_order_is_one_touch() {
    let mut scene = Scene::new();
    let first = scene.finishes("a", "toolu_1", 4);
    assert_eq!(Some(scene.opens("a", "toolu_1", 5)), first);
    assert_eq!(scene.opens("a", "toolu_1", 6), first.unwrap());
    assert_eq!(scene.finishes("a", "toolu_1", 7), None, "it ended long ago");
    assert_eq!(scene.pending(), ["a - 4"]);
    assert_eq!(scene.running(), Vec::<String>::new());
}

#[test]
fn one_call_may_touch_several_paths_and_one_path_several_calls() {
    let mut scene = Scene::new();
    scene.finishes("b", "toolu_1", 4);
    scene.finishes("a", "toolu_1", 4);
    scene.finishes("a", "toolu_2", 5);
    assert_eq!(scene.pending(), ["b - 4", "a - 4", "a - 5"]);
}

#[test]
fn the_first_look_before_and_the_last_look_after_count() {
    let mut scene = Scene::new();
    let id = scene.opens("a", "toolu_1", 1);
    let before = by_id(&scene.stage.read(), id).unwrap().unwrap();
    assert_eq!((before.pre, before.post), (Image::Unknown, Image::Unknown));
    let absent = PathObservation {
        place: None,
        image: Image::Absent,
        skip_reason: None,
        dated: None,
    };
    let mut raw = found("raw");
    raw.image = Image::Present(FileState {
        raw: Some("bytes".to_owned()),
        ..state("raw")
    });
    scene.stage.write(|db| {
        set_pre(db, id, &absent)?;
        set_pre(db, id, &found("too late"))?;
        set_post(db, id, &found("early"))?;
        set_post(db, id, &raw)
    });
    let after = by_id(&scene.stage.read(), id).unwrap().unwrap();
    assert_eq!((&after.pre, &after.post), (&Image::Absent, &raw.image));
    assert_eq!(after.place, Some(TreePart::Files));
    assert_eq!(after.pre.state(), Some(None));
}

#[test]
fn a_file_that_could_not_be_captured_says_why() {
    let mut scene = Scene::new();
    let id = scene.opens("big", "toolu_1", 1);
    let skipped = PathObservation {
        place: Some(TreePart::Ignored),
        image: Image::Unknown,
        skip_reason: Some("too big".to_owned()),
        dated: None,
    };
    scene.stage.write(|db| set_post(db, id, &skipped));
    let touch = by_id(&scene.stage.read(), id).unwrap().unwrap();
    assert_eq!(
        (touch.place, touch.post),
        (Some(TreePart::Ignored), Image::Unknown)
    );
    assert_eq!(touch.skip_reason.as_deref(), Some("too big"));
}

#[test]
fn what_a_checkpoint_holds_waits_no_longer_and_never_changes_again() {
    let mut scene = Scene::new();
    let id = scene.finishes("a", "toolu_1", 4).unwrap();
    let checkpoint = CheckpointId::from_random([1; 6]);
    scene.stage.write(|db| {
        consume(db, &[id], &checkpoint)?;
        consume(db, &[id], &CheckpointId::from_random([2; 6]))?;
        set_post(db, id, &found("later"))
    });
    assert_eq!(scene.pending(), Vec::<String>::new());
    let touch = by_id(&scene.stage.read(), id).unwrap().unwrap();
    assert_eq!(
        (touch.consumed_by, touch.post),
        (Some(checkpoint), Image::Unknown)
    );
    assert_eq!(scene.finishes("a", "toolu_1", 9), None, "the same end told again");
}

#[test]
fn a_call_that_never_ran_touched_nothing_and_may_be_made_again() {
    let mut scene = Scene::new();
    let actor = scene.actor;
    scene.opens("a", "toolu_1", 1);
    scene.finishes("b", "toolu_1", 2);
    let call = ToolUseId::new("toolu_1");
    assert_eq!(scene.stage.write(|db| abandon(db, actor, &call)), 1);
    assert_eq!(scene.running(), Vec::<String>::new());
    assert_eq!(scene.pending(), ["b - 2"], "what ended, ended");
    scene.opens("a", "toolu_1", 7);
    assert_eq!(scene.running(), ["a 7 -"]);
}

#[test]
fn an_actor_that_was_cut_off_may_have_touched_what_it_had_named() {
    let mut scene = Scene::new();
    let other = scene.who.agent("a3f2", "Explore");
    let other = scene.stage.agent_starts(&other).actor.id;
    scene.opens("a", "toolu_1", 1);
    let (own, actor) = (scene.actor, std::mem::replace(&mut scene.actor, other));
    scene.opens("b", "toolu_2", 2);
    scene.stage.write(|db| cut_off(db, own, None, Some(EventSeq(9))));
    assert_eq!(actor, own);
    assert_eq!(scene.pending(), ["a 1 9"]);
    assert_eq!(scene.running(), ["b 2 -"]);
}

#[test]
fn calls_that_no_batch_tells_of_did_not_run_and_touched_nothing() {
    let mut scene = Scene::new();
    scene.opens("a", "toolu_1", 1);
    scene.opens("b", "toolu_2", 2);
    let actor = scene.actor;
    scene
        .stage
        .write(|db| cut_off(db, actor, Some(&ToolUseId::new("toolu_1")), None));
    scene.stage.write(|db| abandon_all(db, actor));
    assert_eq!(scene.running(), Vec::<String>::new());
    assert_eq!(scene.pending().len(), 1, "the one that was cut off");
}

#[test]
fn a_name_is_bytes() {
    let mut scene = Scene::new();
    let (worktree, actor) = (scene.worktree, scene.actor);
    let call = ToolUseId::new("toolu_1");
    let naming = Naming {
        worktree,
        path: b"caf\xe9\n",
        actor,
        call: &call,
    };
    scene.stage.write(|db| finish(db, &naming, EventSeq(1)));
    assert_eq!(
        pending(&scene.stage.read(), worktree).unwrap()[0].path,
        b"caf\xe9\n"
    );
}

#[test]
fn the_next_touch_of_a_path_is_found_without_reading_those_before_it() {
    let mut scene = Scene::new();
    for number in 0..50 {
        let call = format!("toolu_{number}");
        scene.opens("src/lib.rs", &call, 10 + 2 * number);
        scene.finishes("src/lib.rs", &call, 11 + 2 * number);
    }
    let newest = scene.finishes("src/lib.rs", "toolu_last", 200).unwrap();
    let db = scene.stage.read();
    db.spent();
    assert_eq!(next_at(&db, newest, EventSeq(900)).unwrap(), None);
    let spent = db.spent();
    assert!(spent.steps < 60 && spent.scanned < 3, "{spent:?}");

    let other = scene.opens("src/other.rs", "toolu_a", 201);
    let next = scene.opens("src/lib.rs", "toolu_b", 202);
    scene.opens("src/lib.rs", "toolu_c", 203);
    let found = |until| next_at(&scene.stage.read(), newest, EventSeq(until)).unwrap();
    assert_eq!(found(900).map(|touch| touch.id), Some(next));
    assert_eq!(found(201), None, "it had not begun then");
    assert_ne!(next, other);
}

#[test]
fn what_a_call_found_is_old_news_once_its_path_was_seen_anew_or_a_checkpoint_holds_what_another_left() {
    let mut scene = Scene::new();
    let calls = [("a", 1), ("a", 5), ("b", 1)];
    let ids = calls.map(|(path, event)| scene.opens(path, &format!("toolu_{path}{event}"), event));
    let worktree = scene.worktree;
    scene.stage.write(|db| {
        for id in ids {
            set_pre(db, id, &found("before"))?;
        }
        outdate(db, worktree, b"a", EventSeq(4))
    });
    let touch = |scene: &Scene, id| by_id(&scene.stage.read(), id).unwrap().unwrap();
    let known = ids.map(|id| touch(&scene, id).pre != Image::Unknown);
    assert_eq!(known, [false, true, true], "only what began before");

    let overlapping = scene.opens("b", "toolu_other", 2);
    scene.finishes("b", "toolu_other", 3);
    let is_overtaken = |scene: &Scene| is_overtaken(&scene.stage.read(), &touch(scene, ids[2])).unwrap();
    assert!(!is_overtaken(&scene), "no checkpoint holds it yet");
    let checkpoint = CheckpointId::parse("0123456789ab").unwrap();
    scene.stage.write(|db| consume(db, &[overlapping], &checkpoint));
    assert!(is_overtaken(&scene));
}
