use super::*;
use crate::checkpoint_files::{self, pending_of};
use crate::checkpoints::CheckpointKind;
use crate::stage::{Stage, by, main_of, modified};
use engine::event::StartSource;

#[test]
fn a_change_goes_from_pending_to_one_commit_and_on_to_another() {
    let mut stage = Stage::new();
    let agent = main_of("s");
    stage.starts(&agent, StartSource::Startup);
    let worktree = stage.worktree(agent.worktree.to_str().unwrap());
    let session = stage.main(&agent);
    let files = [
        by(&stage, &agent, modified("a")),
        by(&stage, &agent, modified("b")),
    ];
    let cut = stage.cut(&agent, CheckpointKind::Turn, 1, &files);
    let rows = checkpoint_files::of(&stage.read(), &cut.id).unwrap();

    stage.write(|db| set_held(db, rows[0].id, "one"));
    let pending = pending_of(&stage.read(), worktree, session).unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].file.path, b"b");
    assert_eq!(commits_at(&stage.read(), worktree, b"a").unwrap(), ["one"]);

    stage.write(|db| set_held(db, rows[0].id, "two"));
    assert_eq!(held_by(&stage.read(), worktree, "one").unwrap(), []);
    assert_eq!(held_by(&stage.read(), worktree, "two").unwrap().len(), 1);
    assert_eq!(
        commits_at(&stage.read(), worktree, b"b").unwrap(),
        Vec::<String>::new()
    );
}

#[test]
fn a_session_has_work_from_its_first_change_on() {
    let mut stage = Stage::new();
    let agent = main_of("s");
    stage.starts(&agent, StartSource::Startup);
    let session = stage.main(&agent);
    let baseline = stage.cut(&agent, CheckpointKind::Baseline, 1, &[modified("a")]);
    let files = [by(&stage, &agent, modified("a"))];
    let step = stage.cut(&agent, CheckpointKind::Step, 1, &files);
    assert!(!has_work(&stage.read(), session, baseline.seq).unwrap());
    assert!(has_work(&stage.read(), session, step.seq).unwrap());
}
