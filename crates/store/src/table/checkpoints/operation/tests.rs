//! Undo goes back and redo forward over one stack, and what was taken back is always known.

use super::*;
use crate::checkpoint_files::{NewFile, take_back};
use crate::checkpoints::NewCheckpoint;
use crate::stage::{Stage, added, by, main_of};
use engine::event::StartSource;

struct Scene {
    stage: Stage,
    worktree: WorktreeId,
    work: Checkpoint,
}

impl Scene {
    fn new() -> Self {
        let mut stage = Stage::new();
        let main = main_of("7c1e");
        let worktree = stage.starts(&main, StartSource::Startup).worktree;
        let files = [by(&stage, &main, added("a")), by(&stage, &main, added("b"))];
        let work = stage.cut(&main, CheckpointKind::Turn, 1, &files);
        Self {
            stage,
            worktree,
            work,
        }
    }

    /// A rewind or an undo, with the state before it.
    fn rewinds(&mut self, undoes: Option<&CheckpointId>) -> Checkpoint {
        let main = main_of("7c1e");
        let before = self.stage.cut(&main, CheckpointKind::BeforeRewind, 1, &[]);
        let draft = NewCheckpoint {
            partner: Some(before.id),
            undoes: undoes.cloned(),
            ..self.stage.draft(&main, CheckpointKind::Rewind)
        };
        self.stage.keep(&draft, &[])
    }

    fn undoes(&mut self, done: &Checkpoint, paths: &[&str]) -> Checkpoint {
        let by = self.rewinds(Some(&done.id));
        let operation = operation_at(&self.stage.read(), &done.id).unwrap().unwrap();
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        self.stage.write(|db| set_undone(db, &operation, &by.id, &paths));
        by
    }

    fn takes_back(&mut self, by: &Checkpoint) {
        let rows = checkpoint_files::of(&self.stage.read(), &self.work.id).unwrap();
        let rows: Vec<_> = rows.into_iter().map(|row| row.id).collect();
        self.stage.write(|db| take_back(db, &rows, &by.id));
    }

    /// What can be undone and what can be redone, each by its act, in the order in which that would be done.
    fn stack(&self) -> (Vec<CheckpointId>, Vec<CheckpointId>) {
        let stack = stack(&self.stage.read(), self.worktree).unwrap();
        let acts =
            |side: Vec<UndoableOperation>| side.into_iter().map(|operation| operation.act.id).collect();
        (acts(stack.done), acts(stack.undone))
    }

    /// Takes back the operation of an act, or puts it back where it was undone.
    fn turns(&mut self, act: &Checkpoint) -> Checkpoint {
        let now = operation(&self.stage.read(), &act.id).unwrap().unwrap();
        self.undoes(&now.done, &["a", "b"])
    }

    fn taken_back(&self) -> Vec<String> {
        self.stage
            .rows("SELECT COALESCE(taken_back_by, 'pending') FROM checkpoint_files ORDER BY path")
    }
}

#[test]
fn an_operation_is_known_by_the_state_before_it_and_by_its_own_id() {
    let mut scene = Scene::new();
    let rewind = scene.rewinds(None);
    let command = scene.stage.cut(&main_of("7c1e"), CheckpointKind::Before, 1, &[]);
    assert_eq!(scene.stack().0, [command.id.clone(), rewind.id.clone()]);
    let db = scene.stage.read();
    let before = rewind.partner.clone().unwrap();
    for id in [&before, &rewind.id] {
        let found = operation(&db, id).unwrap().unwrap();
        assert_eq!((found.done.id, found.before), (rewind.id.clone(), before.clone()));
    }
    assert_eq!(operation(&db, &command.id).unwrap().unwrap().before, command.id);
    assert_eq!(
        operation(&db, &scene.work.id).unwrap(),
        None,
        "a turn is no operation"
    );
}

#[test]
fn undo_gives_back_and_redo_takes_again() {
    let mut scene = Scene::new();
    let rewind = scene.rewinds(None);
    scene.takes_back(&rewind);
    assert_eq!(scene.taken_back(), [rewind.id.as_str(), rewind.id.as_str()]);

    let undo = scene.undoes(&rewind, &["a", "b"]);
    assert_eq!(scene.taken_back(), ["pending", "pending"]);
    assert_eq!(scene.stack(), (vec![], vec![rewind.id.clone()]));

    let redo = scene.undoes(&undo, &["a", "b"]);
    assert_eq!(scene.taken_back(), [redo.id.as_str(), redo.id.as_str()]);
    assert_eq!(scene.stack(), (vec![rewind.id.clone()], vec![]));

    let undo = scene.undoes(&redo, &["a", "b"]);
    assert_eq!(scene.taken_back(), ["pending", "pending"]);
    let redo = scene.undoes(&undo, &["a", "b"]);
    assert_eq!(scene.taken_back(), [redo.id.as_str(), redo.id.as_str()]);
}

#[test]
fn undo_goes_back_one_by_one_redo_forward_and_a_new_act_forgets_what_lay_forward() {
    let mut scene = Scene::new();
    let [one, two, three] = [scene.rewinds(None), scene.rewinds(None), scene.rewinds(None)];
    let ids = |acts: &[&Checkpoint]| acts.iter().map(|act| act.id.clone()).collect::<Vec<_>>();
    assert_eq!(scene.stack(), (ids(&[&three, &two, &one]), vec![]));
    scene.turns(&three);
    scene.turns(&two);
    assert_eq!(scene.stack(), (ids(&[&one]), ids(&[&two, &three])));
    scene.turns(&two);
    assert_eq!(scene.stack(), (ids(&[&two, &one]), ids(&[&three])));
    scene.turns(&three);
    assert_eq!(scene.stack(), (ids(&[&three, &two, &one]), vec![]));
    scene.turns(&two);
    assert_eq!(
        scene.stack(),
        (ids(&[&three, &one]), ids(&[&two])),
        "one by its id"
    );
    let four = scene.rewinds(None);
    assert_eq!(scene.stack(), (ids(&[&four, &three, &one]), vec![]));
    scene.turns(&four);
    assert_eq!(scene.stack(), (ids(&[&three, &one]), ids(&[&four])));
}

#[test]
fn a_path_that_an_undo_left_out_stays_taken_back() {
    let mut scene = Scene::new();
    let rewind = scene.rewinds(None);
    scene.takes_back(&rewind);
    scene.undoes(&rewind, &["b"]);
    assert_eq!(scene.taken_back(), [rewind.id.as_str(), "pending"]);
}

#[test]
fn the_undo_of_a_command_takes_back_what_the_command_did() {
    let mut scene = Scene::new();
    let main = main_of("7c1e");
    let draft = NewCheckpoint {
        tool_use_id: Some(engine::id::ToolUseId::new("toolu_1")),
        ..scene.stage.draft(&main, CheckpointKind::Before)
    };
    let before = scene.stage.keep(&draft, &[]);
    let gone = NewFile {
        tool_use_id: draft.tool_use_id.clone(),
        ..by(&scene.stage, &main, added("c"))
    };
    scene
        .stage
        .cut(&main, CheckpointKind::Step, 1, &[gone, added("d")]);
    let call = draft.tool_use_id.unwrap();
    let rows = checkpoint_files::of_call(&scene.stage.read(), scene.worktree, before.seq, &call).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].file.path, b"c");

    let undo = scene.undoes(&before, &["c"]);
    scene.stage.write(|db| take_back(db, &[rows[0].id], &undo.id));
    assert_eq!(
        scene.taken_back(),
        ["pending", "pending", undo.id.as_str(), "pending"]
    );
    scene.undoes(&undo, &["c"]);
    assert_eq!(scene.taken_back(), ["pending"; 4]);
}

#[test]
fn a_rewind_whose_earlier_state_is_gone_cannot_be_undone() {
    let mut scene = Scene::new();
    scene.rewinds(None);
    scene
        .stage
        .write(|db| db.execute("DELETE FROM checkpoints WHERE kind = 'before-rewind'", &[]));
    assert_eq!(scene.stack(), (vec![], vec![]));
}
