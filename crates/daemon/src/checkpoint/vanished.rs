//! An agent's process is gone and no event told of it: what it was in the middle of is kept all the same.

use super::intake::ReadingOrder;
use super::order::{Order, ScanOrder};
use crate::pipeline::lease::close_lost;
use engine::checkpoint::label;
use engine::effect::{JobKind, NewJob};
use engine::id::WorktreeId;
use engine::time::Timestamp;
use store::table::actors::Actor;
use store::table::checkpoints::CheckpointKind;
use store::table::jobs::{self, WorktreeJob};
use store::table::{checkpoints, events, sessions, turns};
use store::{ClientProcess, Db, Moment, StoreError};

/// Closes what a process left behind, and leaves the work that follows from it.
pub fn note(db: &Db, client: &ClientProcess, now: impl Into<Moment>) -> Result<(), StoreError> {
    let now = now.into();
    let mut cut_off = Vec::new();
    for actor in sessions::mains_of_process(db, client)? {
        let open = turns::current(db, actor.id)?.filter(|turn| turn.is_open);
        cut_off.push((actor, open.map(|turn| turn.number)));
    }
    close_lost(db, client, now)?;
    for (actor, turn) in cut_off {
        leave_work(db, &actor, turn, now.at)?;
    }
    Ok(())
}

fn leave_work(db: &Db, actor: &Actor, turn: Option<u64>, at: Timestamp) -> Result<(), StoreError> {
    let Some(worktree) = actor.worktree else {
        return Ok(());
    };
    if let Some(number) = turn {
        let prompt = turns::numbered(db, actor.id, number)?;
        let order = Order {
            session: Some(actor.id),
            actor: Some(actor.id),
            turn: Some(number),
            label: Some(label::turn(
                prompt.as_ref().map_or("", |turn| &turn.prompt),
                number,
            )),
            look: ScanOrder::IfWritten,
            ..Order::new(CheckpointKind::Interrupted, format!("gone-{number}"))
        };
        add(
            db,
            worktree,
            JobKind::Checkpoint,
            &format!("interrupted/{}/{number}", actor.id),
            &order,
            at,
        )?;
    }
    for agent in checkpoints::agents_left_open(db, actor.id)? {
        let order = Order {
            session: Some(actor.id),
            actor: Some(agent.id),
            turn,
            label: Some(label::agent(
                label::AgentMoment::Failed,
                agent.description.as_deref(),
                agent.agent_type.as_deref(),
            )),
            ..Order::new(CheckpointKind::AgentStop, format!("run{}", agent.run))
        };
        let key = format!("agent-stop/{}/{}", agent.id, agent.run);
        add(
            db,
            agent.worktree.unwrap_or(worktree),
            JobKind::Checkpoint,
            &key,
            &order,
            at,
        )?;
    }
    let reading = ReadingOrder {
        actor: actor.id,
        path: None,
        closing: true,
        tries: 0,
    };
    add(
        db,
        worktree,
        JobKind::ReadTranscript,
        &actor.id.to_string(),
        &reading,
        at,
    )
}

fn add(
    db: &Db,
    worktree: WorktreeId,
    kind: JobKind,
    key: &str,
    detail: &impl serde::Serialize,
    at: Timestamp,
) -> Result<(), StoreError> {
    let job = NewJob {
        kind,
        key: key.to_owned(),
    };
    let new = WorktreeJob {
        job: &job,
        worktree,
        event: events::newest(db)?,
        project: None,
        session: None,
        detail: Some(&serde_json::to_string(detail).unwrap_or_default()),
        not_before: None,
    };
    jobs::add_for(db, &new, at).map(drop)
}
