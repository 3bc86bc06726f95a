//! Who sent an event: the actor's row, made or brought up to date by it.

use super::{Actor, ActorState, by_key};
use crate::db::{Db, bytes_of};
use crate::{Boot, Moment, StoreError, label};
use engine::id::{ActorId, ActorKey, AgentId, ProjectId, WorktreeId};
use engine::time::Timestamp;
use rusqlite::named_params;
use std::path::Path;

/// What one event says about who sent it.
#[derive(Debug, Clone, Copy)]
pub struct Sighting<'a> {
    /// Who.
    pub key: &'a ActorKey,
    /// The kind of agent.
    pub agent_type: Option<&'a str>,
    /// Where; what is unknown stays as it was.
    pub project: Option<ProjectId>,
    /// Where; what is unknown stays as it was.
    pub worktree: Option<WorktreeId>,
    /// Where; what is unknown stays as it was.
    pub cwd: Option<&'a Path>,
    /// When.
    pub at: Timestamp,
    /// When by the boot clock, where it was read.
    pub boot: Option<Boot>,
}

/// The person with this user id, at work in a place.
pub fn person(
    db: &Db,
    user: u32,
    place: (Option<ProjectId>, Option<WorktreeId>),
    now: Moment,
) -> Result<Actor, StoreError> {
    let sighting = Sighting {
        key: &ActorKey::person(user),
        agent_type: None,
        project: place.0,
        worktree: place.1,
        cwd: None,
        at: now.at,
        boot: now.boot,
    };
    ensure(db, &sighting)
}

/// The actor of an event: made by its first one, brought back if it had ended.
pub fn ensure(db: &Db, sighting: &Sighting<'_>) -> Result<Actor, StoreError> {
    see(db, by_key(db, sighting.key)?, sighting)
}

/// The same for an actor that was already looked up in this transaction.
pub fn see(db: &Db, known: Option<Actor>, sighting: &Sighting<'_>) -> Result<Actor, StoreError> {
    let Some(mut actor) = known else {
        return create(db, sighting);
    };
    let project = actor.project;
    let is_changed = renew(&mut actor, sighting);
    actor.last_seen = sighting.at;
    actor.last_boot = sighting.boot;
    if !is_changed {
        touch(db, &actor)?;
        return Ok(actor);
    }
    let may_clash = actor.was != ActorState::Live || actor.project != project;
    if may_clash && is_taken(db, actor.project, actor.id, &actor.label)? {
        let own = Sighting {
            key: &actor.key.clone(),
            ..*sighting
        };
        actor.label = free_label(db, actor.project, actor.id, &own)?;
    }
    update(db, &actor)?;
    Ok(actor)
}

/// Takes over what the event says, and tells whether anything is new.
fn renew(actor: &mut Actor, sighting: &Sighting<'_>) -> bool {
    let mut is_changed = actor.state != ActorState::Live;
    if is_changed {
        actor.state = ActorState::Live;
        actor.end_reason = None;
    }
    // Whoever acts is there, whatever its client says.
    if actor.missing_since.take().is_some() {
        is_changed = true;
    }
    if sighting.project.is_some() && actor.project != sighting.project {
        actor.project = sighting.project;
        is_changed = true;
    }
    if sighting.worktree.is_some() && actor.worktree != sighting.worktree {
        actor.worktree = sighting.worktree;
        is_changed = true;
    }
    if sighting.cwd.is_some() && actor.cwd.as_deref() != sighting.cwd {
        actor.cwd = sighting.cwd.map(Path::to_owned);
        is_changed = true;
    }
    let is_typeless = actor.agent_type.as_deref().is_none_or(str::is_empty);
    if is_typeless && sighting.agent_type.is_some_and(|name| !name.is_empty()) {
        actor.agent_type = sighting.agent_type.map(str::to_owned);
        is_changed = true;
    }
    is_changed
}

/// The common case by far: no indexed column is named, so no index is written.
fn touch(db: &Db, actor: &Actor) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET last_seen = :at, boot_id = :boot, last_ms = :ms WHERE id = :id",
        named_params! {
            ":at": actor.last_seen.0,
            ":boot": actor.last().boot_id(),
            ":ms": actor.last().boot_ms(),
            ":id": actor.id.0,
        },
    )?;
    Ok(())
}

fn create(db: &Db, sighting: &Sighting<'_>) -> Result<Actor, StoreError> {
    let label = free_label(db, sighting.project, ActorId(0), sighting)?;
    let agent = sighting.key.agent.as_ref().map_or("", AgentId::as_str);
    let id = db.insert(
        "INSERT INTO actors (agent_kind, client_session_id, agent_id, agent_type, project_id, worktree_id, cwd, label,
             first_seen, last_seen, boot_id, last_ms)
         VALUES (:kind, :session, :agent, :type, :project, :worktree, :cwd, :label, :at, :at, :boot, :ms)",
        named_params! {
            ":kind": sighting.key.agent_kind.as_str(),
            ":session": sighting.key.session.as_str(),
            ":agent": agent,
            ":type": sighting.agent_type,
            ":project": sighting.project.map(|id| id.0),
            ":worktree": sighting.worktree.map(|id| id.0),
            ":cwd": sighting.cwd.map(bytes_of),
            ":label": label,
            ":at": sighting.at.0,
            ":boot": sighting.boot.map(|boot| boot.id),
            ":ms": sighting.boot.map(|boot| boot.ms),
        },
    )?;
    Ok(Actor {
        id: ActorId(id),
        key: sighting.key.clone(),
        agent_type: sighting.agent_type.map(str::to_owned),
        project: sighting.project,
        worktree: sighting.worktree,
        cwd: sighting.cwd.map(Path::to_owned),
        parent: None,
        spawn_call: None,
        description: None,
        label,
        state: ActorState::Live,
        end_reason: None,
        announced: false,
        turn_open: false,
        first_seen: sighting.at,
        last_seen: sighting.at,
        missing_since: None,
        run: 0,
        merged_into: None,
        is_new: true,
        was: ActorState::Live,
        last_boot: sighting.boot,
        previous: Moment {
            at: sighting.at,
            boot: sighting.boot,
        },
    })
}

fn update(db: &Db, actor: &Actor) -> Result<(), StoreError> {
    db.execute(
        "UPDATE actors SET last_seen = :at, boot_id = :boot, last_ms = :ms, project_id = :project, worktree_id = :worktree, cwd = :cwd,
             agent_type = :type, label = :label, state = 'live', end_reason = NULL, missing_since = :missing
         WHERE id = :id",
        named_params! {
            ":at": actor.last_seen.0,
            ":project": actor.project.map(|id| id.0),
            ":worktree": actor.worktree.map(|id| id.0),
            ":cwd": actor.cwd.as_deref().map(bytes_of),
            ":type": actor.agent_type,
            ":label": actor.label,
            ":missing": actor.missing_since.map(|at| at.0),
            ":boot": actor.last().boot_id(),
            ":ms": actor.last().boot_ms(),
            ":id": actor.id.0,
        },
    )?;
    Ok(())
}

/// A label no other live actor of the project bears.
fn free_label(
    db: &Db,
    project: Option<ProjectId>,
    own: ActorId,
    sighting: &Sighting<'_>,
) -> Result<String, StoreError> {
    for label in label::candidates(sighting.key, sighting.agent_type) {
        if !is_taken(db, project, own, &label)? {
            return Ok(label);
        }
    }
    Err(StoreError::Corrupt)
}

fn is_taken(db: &Db, project: Option<ProjectId>, own: ActorId, label: &str) -> Result<bool, StoreError> {
    db.exists(
        "SELECT id FROM actors
         WHERE project_id IS :project AND label = :label AND state = 'live' AND id <> :own LIMIT 1",
        named_params! { ":project": project.map(|id| id.0), ":label": label, ":own": own.0 },
    )
}
