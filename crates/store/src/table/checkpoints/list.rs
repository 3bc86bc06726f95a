//! Lists checkpoints, newest first, in a time that depends on how many are shown and not on how many there are.

use super::{Checkpoint, CheckpointKind, columns, read};
use crate::StoreError;
use crate::db::{Db, column_of};
use crate::table::commit_links::{self, CommitLink};
use engine::id::{ActorId, ActorKey, AgentId, AgentKind, ClientSessionId, WorktreeId};
use rusqlite::{ToSql, named_params};

/// Which checkpoints to list. What is `None` lets all through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointFilter {
    /// Of this worktree.
    pub worktree: Option<WorktreeId>,
    /// Of this client session, by the row of its main thread.
    pub session: Option<ActorId>,
    /// Of this actor.
    pub actor: Option<ActorId>,
    /// Of this turn.
    pub turn: Option<u64>,
    /// Of this kind.
    pub kind: Option<CheckpointKind>,
    /// That changed this file, or one below this folder.
    pub path: Option<Vec<u8>>,
    /// Steps too.
    pub steps: bool,
    /// At most so many.
    pub limit: u64,
}

/// A checkpoint with what a list says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCheckpoint {
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// Whose work ended in it.
    pub who: Option<ListedActor>,
    /// The name of its session.
    pub session_alias: Option<String>,
    /// The commits of the person's that hold its work, superseded ones left out, newest first.
    pub commits: Vec<CommitLink>,
}

/// An actor, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedActor {
    /// Its identity.
    pub key: ActorKey,
    /// The kind of agent.
    pub agent_type: Option<String>,
    /// As people and agents know it.
    pub label: String,
}

/// The checkpoints a filter lets through, newest first.
pub fn list(db: &Db, filter: &CheckpointFilter) -> Result<Vec<ListedCheckpoint>, StoreError> {
    let bounds = filter.path.as_deref().map(below);
    let params: &[(&str, &dyn ToSql)] = named_params! {
        ":worktree": filter.worktree.map(|id| id.0),
        ":session": filter.session.map(|id| id.0),
        ":actor": filter.actor.map(|id| id.0),
        ":turn": filter.turn.map(column_of),
        ":kind": filter.kind.map(CheckpointKind::as_str),
        ":path": filter.path,
        ":first": bounds.as_ref().map(|(first, _)| first),
        ":end": bounds.as_ref().map(|(_, end)| end),
        ":limit": column_of(filter.limit),
    };
    let sql = statement(filter);
    // A statement takes the parameters it names and no others.
    let named: Vec<(&str, &dyn ToSql)> = params
        .iter()
        .filter(|(name, _)| sql.contains(*name))
        .copied()
        .collect();
    let mut listed = db.all(&sql, &named, |row| {
        let checkpoint = read(row)?;
        let (alias, kind): (Option<String>, Option<String>) = (row.take()?, row.take()?);
        let session: Option<String> = row.take()?;
        let agent: Option<String> = row.take()?;
        let (agent_type, label) = (row.take()?, row.take::<Option<String>>()?);
        let who = kind.zip(session).map(|(kind, session)| ListedActor {
            key: ActorKey {
                agent_kind: AgentKind::new(kind),
                session: ClientSessionId::new(session),
                agent: agent.filter(|agent| !agent.is_empty()).map(AgentId::new),
            },
            agent_type,
            label: label.unwrap_or_default(),
        });
        Ok(ListedCheckpoint {
            checkpoint,
            who,
            session_alias: alias,
            commits: Vec::new(),
        })
    })?;
    for one in &mut listed {
        one.commits = commit_links::of_checkpoint(db, &one.checkpoint.id)?;
        one.commits.retain(|link| link.superseded_by.is_none());
    }
    Ok(listed)
}

/// The query for a filter. It names only what is asked for, so that an index fits it: `+` says which one must not.
pub(super) fn statement(filter: &CheckpointFilter) -> String {
    let mut wanted: Vec<&str> = Vec::new();
    let has_session = filter.session.is_some();
    let has_actor = filter.actor.is_some();
    if has_actor {
        wanted.push("checkpoints.actor_id = :actor");
    }
    match (has_session, has_actor) {
        (true, false) => wanted.push("checkpoints.session_id = :session"),
        (true, true) => wanted.push("+checkpoints.session_id = :session"),
        (false, _) => {}
    }
    if filter.turn.is_some() {
        wanted.push(if has_actor {
            "+turn = :turn"
        } else {
            "turn = :turn"
        });
    }
    if filter.worktree.is_some() {
        wanted.push(if has_session || has_actor {
            "+checkpoints.worktree_id = :worktree"
        } else {
            "checkpoints.worktree_id = :worktree"
        });
    }
    if filter.kind.is_some() {
        wanted.push("checkpoints.kind = :kind");
    }
    if !filter.steps && filter.kind.is_none() {
        wanted.push("checkpoints.kind <> 'step'");
        // A turn that stopped, went on and stopped again has one row.
        wanted.push(
            "NOT (checkpoints.kind IN ('turn', 'interrupted') AND point IS NULL
                 AND EXISTS (SELECT 1 FROM checkpoints AS later
                     WHERE later.session_id = checkpoints.session_id AND later.turn = checkpoints.turn
                         AND later.seq > checkpoints.seq AND later.worktree_id = checkpoints.worktree_id
                         AND later.kind IN ('turn', 'interrupted') AND later.point IS NULL))",
        );
    }
    if filter.path.is_some() {
        wanted.push(
            "checkpoints.seq IN (SELECT checkpoint_seq FROM checkpoint_files WHERE path = :path
                 UNION SELECT checkpoint_seq FROM checkpoint_files WHERE path >= :first AND path < :end)",
        );
    }
    let wanted = if wanted.is_empty() {
        "TRUE".to_owned()
    } else {
        wanted.join(" AND ")
    };
    format!(
        "SELECT {}, main.alias, actor.agent_kind, actor.client_session_id, actor.agent_id, actor.agent_type, actor.label
         FROM checkpoints LEFT JOIN actors AS main ON main.id = checkpoints.session_id
             LEFT JOIN actors AS actor ON actor.id = checkpoints.actor_id
         WHERE {wanted} ORDER BY checkpoints.seq DESC LIMIT :limit",
        columns!()
    )
}

/// The first path below a folder, and the first after all of them: `0` comes right after `/`.
fn below(folder: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut first, mut end) = (folder.to_vec(), folder.to_vec());
    first.push(b'/');
    end.push(b'0');
    (first, end)
}

#[cfg(test)]
mod tests;
