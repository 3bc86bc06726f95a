//! Rows of checkpoints that were never cut, for parts that measure the store alone.

use daemon::clock;
use engine::id::{ActorId, CheckpointId, WorktreeId};
use store::FileState;
use store::table::checkpoint_files::{ChangeOrigin, CheckpointFileChange, NewFile};
use store::table::checkpoints::{CheckpointKind, CheckpointSource, NewCheckpoint, Trigger};

/// A checkpoint with this number.
pub fn checkpoint(
    number: u32,
    worktree: WorktreeId,
    session: ActorId,
    kind: CheckpointKind,
) -> NewCheckpoint {
    let [one, two, three, four] = number.to_be_bytes();
    NewCheckpoint {
        id: CheckpointId::from_random([0, 0, one, two, three, four]),
        trigger: Trigger {
            worktree,
            session: Some(session),
            actor: Some(session),
            kind,
            key: number.to_string(),
        },
        run: Some(1),
        turn: Some(u64::from(number / 10)),
        is_late: false,
        label: format!("Change what number {number} is about"),
        summary: Some("All of it is done.".to_owned()),
        tool_use_id: None,
        commit: format!("{number:040x}"),
        files_tree: format!("{number:040x}"),
        base_commit: "0".repeat(40),
        head: Some("0".repeat(40)),
        branch: Some("main".to_owned()),
        transcript_end: Some(u64::from(number) * 1000),
        degraded: Vec::new(),
        source: CheckpointSource::Local,
        foreign_id: None,
        partner: None,
        undoes: None,
        created_at: clock::now(),
        counts: None,
    }
}

/// A file that a session changed from one blob to another.
pub fn file(path: String, before: &str, after: &str, session: ActorId) -> NewFile {
    let state = |id: &str| FileState {
        mode: "100644".to_owned(),
        id: format!("{id:0>40}"),
        raw: None,
    };
    NewFile {
        doubt: None,
        path: path.into_bytes(),
        place: store::TreePart::Files,
        change: CheckpointFileChange::Modified,
        before: Some(state(before)),
        after: Some(state(after)),
        session: Some(session),
        actor: Some(session),
        origin: ChangeOrigin::Tool,
        tool_use_id: None,
        skip_reason: None,
    }
}
