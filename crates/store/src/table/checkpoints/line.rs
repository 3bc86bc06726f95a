//! A worktree's line of checkpoints, and what is learned about one of them after it was made.

use super::{Checkpoint, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::actors::{self, Actor};
use engine::id::{ActorId, CheckpointId, CheckpointSeq, EventSeq, ProjectId, WorktreeId};
use rusqlite::named_params;

/// The newest checkpoint of a worktree.
pub fn tip(db: &Db, worktree: WorktreeId) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// The checkpoint before another one on a worktree's line.
pub fn before(db: &Db, worktree: WorktreeId, seq: CheckpointSeq) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree AND seq < :seq ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":worktree": worktree.0, ":seq": seq.0 },
        read,
    )
}

/// Where HEAD was when the oldest checkpoint of a worktree was made.
pub fn first_head(db: &Db, worktree: WorktreeId) -> Result<Option<String>, StoreError> {
    let found: Option<Option<String>> = db.value(
        "SELECT head FROM checkpoints WHERE worktree_id = :worktree ORDER BY seq LIMIT 1",
        named_params! { ":worktree": worktree.0 },
    )?;
    Ok(found.flatten())
}

/// Whether a session has a baseline in a worktree.
pub fn has_baseline(db: &Db, session: ActorId, worktree: WorktreeId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM checkpoints WHERE worktree_id = :worktree AND COALESCE(session_id, 0) = :session
             AND COALESCE(actor_id, 0) = :session AND kind = 'baseline'",
        named_params! { ":worktree": worktree.0, ":session": session.0 },
    )
}

/// Where a session began in a worktree: its first checkpoint there.
pub fn began_at(
    db: &Db,
    session: ActorId,
    worktree: WorktreeId,
) -> Result<Option<CheckpointSeq>, StoreError> {
    let found = db.value(
        "SELECT MIN(seq) FROM checkpoints WHERE worktree_id = :worktree AND COALESCE(session_id, 0) = :session",
        named_params! { ":worktree": worktree.0, ":session": session.0 },
    )?;
    Ok(found.flatten().map(CheckpointSeq))
}

/// The newest checkpoint of a session in a worktree.
pub fn newest_of_session(
    db: &Db,
    session: ActorId,
    worktree: WorktreeId,
) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND worktree_id = :worktree ORDER BY seq DESC LIMIT 1"
        ),
        named_params! { ":session": session.0, ":worktree": worktree.0 },
        read,
    )
}

/// The newest checkpoint that ends a turn of a session in a worktree.
pub fn newest_end(
    db: &Db,
    worktree: WorktreeId,
    session: ActorId,
    turn: Option<u64>,
) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND turn IS :turn AND worktree_id = :worktree
                 AND kind IN ('turn', 'interrupted')
             ORDER BY seq DESC LIMIT 1"
        ),
        named_params! {
            ":session": session.0, ":turn": turn.map(column_of), ":worktree": worktree.0
        },
        read,
    )
}

/// The end of the turn that a checkpoint is a part of, as lists show it; `None` while the turn goes on.
pub fn end_of_its_turn(db: &Db, part: &Checkpoint) -> Result<Option<Checkpoint>, StoreError> {
    db.one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE session_id = :session AND turn = :turn AND worktree_id = :worktree
                 AND kind IN ('turn', 'interrupted') AND seq >= :seq
             ORDER BY point IS NULL DESC, seq DESC LIMIT 1"
        ),
        named_params! {
            ":session": part.session.map(|id| id.0),
            ":turn": part.turn.map(column_of),
            ":worktree": part.worktree.0,
            ":seq": part.seq.0,
        },
        read,
    )
}

/// An actor's newest step that was ordered after one event and not after another.
pub fn newest_step(
    db: &Db,
    actor: ActorId,
    since: EventSeq,
    until: EventSeq,
) -> Result<Option<CheckpointId>, StoreError> {
    // The trigger of a step is the event that ordered it.
    let found: Option<String> = db.value(
        "SELECT id FROM checkpoints WHERE actor_id = :actor AND kind = 'step' AND trigger_key GLOB 'e[0-9]*'
             AND CAST(substr(trigger_key, 2) AS INTEGER) > :since
             AND CAST(substr(trigger_key, 2) AS INTEGER) <= :until
         ORDER BY seq DESC LIMIT 1",
        named_params! { ":actor": actor.0, ":since": since.0, ":until": until.0 },
    )?;
    Ok(found.and_then(|id| CheckpointId::parse(&id)))
}

/// The number the next checkpoint of an actor's run gets.
pub fn next_sequence(db: &Db, actor: Option<ActorId>, run: u64) -> Result<u64, StoreError> {
    db.number(
        "SELECT COALESCE((SELECT sequence + 1 FROM checkpoints WHERE actor_id = :actor AND run IS :run
             ORDER BY seq DESC LIMIT 1), 0)",
        named_params! { ":actor": actor.map(|id| id.0), ":run": column_of(run) },
    )
}

/// The start and the end of an agent's run, as far as they were kept.
pub fn ends_of_run(db: &Db, actor: ActorId, run: u64) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE actor_id = :actor AND run IS :run AND kind IN ('agent-start', 'agent-stop')
             ORDER BY seq"
        ),
        named_params! { ":actor": actor.0, ":run": column_of(run) },
        read,
    )
}

/// The agents of a session that are over and whose run has a start and no end.
pub fn agents_left_open(db: &Db, session: ActorId) -> Result<Vec<Actor>, StoreError> {
    let left = db.all(
        "SELECT DISTINCT began.actor_id FROM checkpoints AS began JOIN actors ON actors.id = began.actor_id
         WHERE began.session_id = :session AND began.kind = 'agent-start' AND actors.state <> 'live'
             AND NOT EXISTS (SELECT 1 FROM checkpoints AS ended WHERE ended.actor_id = began.actor_id
                 AND ended.run IS began.run AND ended.kind = 'agent-stop')
         ORDER BY began.seq",
        named_params! { ":session": session.0 },
        |row| Ok(ActorId(row.take()?)),
    )?;
    let mut agents = Vec::new();
    for actor in left {
        agents.extend(actors::by_id(db, actor)?);
    }
    Ok(agents)
}

/// All checkpoints of a worktree, oldest first.
pub fn line(db: &Db, worktree: WorktreeId) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE worktree_id = :worktree ORDER BY seq"
        ),
        named_params! { ":worktree": worktree.0 },
        read,
    )
}

/// The newest checkpoint of each session of a project whose files are this tree, newest first.
pub fn with_tree(db: &Db, project: ProjectId, tree: &str) -> Result<Vec<Checkpoint>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM checkpoints WHERE seq IN (SELECT MAX(seq) FROM checkpoints AS same
                 JOIN worktrees ON worktrees.id = same.worktree_id
                 WHERE same.files_tree = :tree AND worktrees.project_id = :project AND same.session_id IS NOT NULL
                 GROUP BY same.session_id)
             ORDER BY seq DESC"
        ),
        named_params! { ":tree": tree, ":project": project.0 },
        read,
    )
}

/// Whether any checkpoint of a project is laid over this commit of the person's: then it is to be kept.
pub fn uses_base(db: &Db, project: ProjectId, commit: &str) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM checkpoints JOIN worktrees ON worktrees.id = checkpoints.worktree_id
         WHERE worktrees.project_id = :project AND base_commit = :commit LIMIT 1",
        named_params! { ":project": project.0, ":commit": commit },
    )
}

/// Whether a project has a state from before a destructive command: then what its stash held is to be kept, too.
pub fn has_before(db: &Db, project: ProjectId) -> Result<bool, StoreError> {
    db.exists(
        "SELECT 1 FROM checkpoints JOIN worktrees ON worktrees.id = checkpoints.worktree_id
         WHERE worktrees.project_id = :project AND checkpoints.kind = 'before' LIMIT 1",
        named_params! { ":project": project.0 },
    )
}

/// The transcript of its turn is complete, in this commit.
pub fn set_sealed(db: &Db, id: &CheckpointId, commit: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoints SET sealed_commit = :commit WHERE id = :id",
        named_params! { ":commit": commit, ":id": id.as_str() },
    )?;
    Ok(())
}

/// Its line was written anew: it has other commits, with the same trees.
pub fn set_commits(db: &Db, id: &CheckpointId, commit: &str, sealed: Option<&str>) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoints SET commit_id = :commit, sealed_commit = :sealed WHERE id = :id",
        named_params! { ":commit": commit, ":sealed": sealed, ":id": id.as_str() },
    )?;
    Ok(())
}

/// What is known better now: an agent's description comes after its start.
pub fn set_label(db: &Db, id: &CheckpointId, label: &str) -> Result<(), StoreError> {
    db.execute(
        "UPDATE checkpoints SET label = :label WHERE id = :id",
        named_params! { ":label": label, ":id": id.as_str() },
    )?;
    Ok(())
}

/// Keeps a checkpoint for ever, or no longer; false if there is none with this id.
pub fn set_pinned(db: &Db, id: &CheckpointId, pinned: bool) -> Result<bool, StoreError> {
    let changed = db.execute(
        "UPDATE checkpoints SET pinned = :pinned WHERE id = :id",
        named_params! { ":pinned": pinned, ":id": id.as_str() },
    )?;
    Ok(changed > 0)
}
