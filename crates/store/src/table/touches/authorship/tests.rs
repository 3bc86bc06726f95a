use super::*;
use crate::TreePart;
use crate::checkpoints::CheckpointKind;
use crate::stage::{Stage, Who, added, by, file, main_of, modified, state};
use crate::touches::{Naming, PathObservation, finish, open, set_post, set_pre};
use engine::id::{EventSeq, ToolUseId};

struct Scene {
    stage: Stage,
    calls: i64,
}

impl Scene {
    fn new() -> Self {
        let mut stage = Stage::new();
        for session in ["7c1e", "ab31"] {
            stage.prompts(&main_of(session), "go");
        }
        Self { stage, calls: 0 }
    }

    /// A call that found one thing and left another.
    fn writes(&mut self, who: &Who, path: &str, before: Image, after: Image) {
        self.calls += 1;
        if crate::actors::by_key(&self.stage.read(), &who.key)
            .unwrap()
            .is_none()
        {
            self.stage.agent_starts(who);
        }
        let call = ToolUseId::new(format!("toolu_{}", self.calls));
        let naming = Naming {
            worktree: self.stage.worktree("/repo"),
            path: path.as_bytes(),
            actor: self.stage.actor(who).id,
            call: &call,
        };
        let finding = |image| PathObservation {
            place: Some(TreePart::Files),
            image,
            skip_reason: None,
            dated: None,
        };
        let at = EventSeq(self.calls * 10);
        self.stage.write(|db| {
            let touch = open(db, &naming, at)?;
            set_pre(db, touch, &finding(before))?;
            finish(db, &naming, EventSeq(at.0 + 1))?;
            set_post(db, touch, &finding(after))
        });
    }

    fn of(&self, who: &Who, path: &str) -> Authorship {
        let (session, worktree) = (self.stage.main(who), self.stage.worktree("/repo"));
        authorship(&self.stage.read(), session, worktree, path.as_bytes()).unwrap()
    }
}

fn holds(content: &str) -> Image {
    Image::Present(state(content))
}

#[test]
fn a_file_the_session_made_is_its_own_with_what_it_left_there() {
    let mut scene = Scene::new();
    let main = main_of("7c1e");
    scene.writes(&main, "new.rs", Image::Absent, holds("1"));
    scene.writes(&main.agent("a1", "x"), "new.rs", holds("1"), holds("2"));
    let found = scene.of(&main, "new.rs");
    assert!(found.wrote && found.created, "a subagent is the same session");
    assert_eq!(found.left, Some(state("2")));
    assert!(!scene.of(&main_of("ab31"), "new.rs").wrote);
    assert_eq!(scene.of(&main, "other.rs"), Authorship::default());
}

#[test]
fn an_edit_of_what_was_there_makes_nothing_ones_own() {
    let mut scene = Scene::new();
    let main = main_of("7c1e");
    scene.writes(&main, "old.rs", holds("0"), holds("1"));
    let found = scene.of(&main, "old.rs");
    assert!(found.wrote && !found.created);
    scene.writes(&main, "unseen.rs", Image::Unknown, holds("1"));
    assert!(!scene.of(&main, "unseen.rs").created, "nobody looked");
}

#[test]
fn a_file_that_was_removed_and_made_again_was_never_the_sessions() {
    let mut scene = Scene::new();
    let main = main_of("7c1e");
    scene.writes(&main, "old.rs", holds("0"), Image::Absent);
    scene.writes(&main, "old.rs", Image::Absent, holds("1"));
    assert!(!scene.of(&main, "old.rs").created);
}

#[test]
fn a_file_another_session_touched_is_nobodys_own() {
    let mut scene = Scene::new();
    let (main, other) = (main_of("7c1e"), main_of("ab31"));
    scene.writes(&main, "new.rs", Image::Absent, holds("1"));
    scene.writes(&other, "new.rs", holds("1"), holds("2"));
    assert!(!scene.of(&main, "new.rs").created);
    assert!(!scene.of(&other, "new.rs").created);
}

#[test]
fn what_a_command_made_is_known_from_checkpoints_and_so_is_a_change_from_outside() {
    let mut scene = Scene::new();
    let main = main_of("7c1e");
    let made = by(&scene.stage, &main, added("built.js"));
    scene.stage.cut(&main, CheckpointKind::Step, 1, &[made]);
    assert!(scene.of(&main, "built.js").created);

    scene
        .stage
        .cut(&main, CheckpointKind::Step, 1, &[modified("built.js")]);
    let found = scene.of(&main, "built.js");
    assert!(found.wrote && !found.created, "somebody else changed it");

    scene.stage.cut(
        &main,
        CheckpointKind::Step,
        1,
        &[file("theirs.js", None, Some("1"))],
    );
    let found = scene.of(&main, "theirs.js");
    assert!(!found.wrote && !found.created);
}
