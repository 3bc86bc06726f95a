//! Commit links: which commit of the person's holds which session's work, and how that was found out.

use crate::StoreError;
use crate::db::{Db, RowFields, column_of};
use crate::migration::Migration;
use crate::table::checkpoints::Checkpoint;
use engine::id::{ActorId, CheckpointId, ProjectId};
use engine::time::Timestamp;
use rusqlite::named_params;

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    oldest_reader: 1,
    sql: "CREATE TABLE commit_links (
        id INTEGER PRIMARY KEY,
        project_id INTEGER NOT NULL REFERENCES projects (id),
        commit_id TEXT NOT NULL,
        checkpoint_id TEXT NOT NULL,
        session_id INTEGER REFERENCES actors (id), -- the main thread of the client's session
        how TEXT NOT NULL, -- tree, patch, paths, rewrite, trailer, manual
        paths_matched INTEGER NOT NULL,
        paths_total INTEGER NOT NULL,
        patch_id TEXT,
        superseded_by TEXT,
        linked_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX commit_links_of_commit
        ON commit_links (commit_id, project_id, COALESCE(session_id, 0));
    CREATE INDEX commit_links_of_checkpoint ON commit_links (checkpoint_id);
    CREATE INDEX commit_links_of_patch ON commit_links (patch_id, project_id) WHERE patch_id IS NOT NULL;",
}];

/// How a commit was found to hold a session's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkKind {
    /// Its tree is a checkpoint's.
    Tree,
    /// Its patch is known.
    Patch,
    /// It changes paths the session has work in.
    Paths,
    /// It replaces a commit that was linked.
    Rewrite,
    /// Its message says so.
    Trailer,
    /// A person said so.
    Manual,
}

impl LinkKind {
    /// All ways.
    pub const ALL: [Self; 6] = [
        Self::Tree,
        Self::Patch,
        Self::Paths,
        Self::Rewrite,
        Self::Trailer,
        Self::Manual,
    ];

    /// The word for it in the store and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Patch => "patch",
            Self::Paths => "paths",
            Self::Rewrite => "rewrite",
            Self::Trailer => "trailer",
            Self::Manual => "manual",
        }
    }

    /// A way only a newer version knows counts as the weakest.
    fn parse(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|how| how.as_str() == word)
            .unwrap_or(Self::Paths)
    }
}

/// A row of `commit_links`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitLink {
    /// In which project.
    pub project: ProjectId,
    /// The person's commit.
    pub commit: String,
    /// The session's newest checkpoint that holds the paths.
    pub checkpoint: CheckpointId,
    /// The client's session, by the row of its main thread.
    pub session: Option<ActorId>,
    /// How it was found.
    pub how: LinkKind,
    /// Paths of the commit that are the session's.
    pub paths_matched: u64,
    /// Paths of the commit.
    pub paths_total: u64,
    /// The commit's stable patch id.
    pub patch_id: Option<String>,
    /// The commit that took its place.
    pub superseded_by: Option<String>,
    /// When it was found.
    pub linked_at: Timestamp,
}

macro_rules! columns {
    () => {
        "project_id, commit_id, checkpoint_id, session_id, how, paths_matched, paths_total, patch_id, superseded_by, \
         linked_at"
    };
}

/// Links a commit to a session. There is one link of both; what a person said outlasts what is found out.
pub fn link(db: &Db, link: &CommitLink) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO commit_links (project_id, commit_id, checkpoint_id, session_id, how, paths_matched, paths_total,
             patch_id, superseded_by, linked_at)
         VALUES (:project, :commit, :checkpoint, :session, :how, :matched, :total, :patch, :superseded, :at)
         ON CONFLICT (commit_id, project_id, COALESCE(session_id, 0)) DO UPDATE SET
             checkpoint_id = excluded.checkpoint_id, how = excluded.how, paths_matched = excluded.paths_matched,
             paths_total = excluded.paths_total, patch_id = COALESCE(excluded.patch_id, patch_id),
             superseded_by = excluded.superseded_by, linked_at = excluded.linked_at
             WHERE how <> 'manual' OR excluded.how = 'manual'",
        named_params! {
            ":project": link.project.0,
            ":commit": link.commit,
            ":checkpoint": link.checkpoint.as_str(),
            ":session": link.session.map(|id| id.0),
            ":how": link.how.as_str(),
            ":matched": column_of(link.paths_matched),
            ":total": column_of(link.paths_total),
            ":patch": link.patch_id,
            ":superseded": link.superseded_by,
            ":at": link.linked_at.0,
        },
    )?;
    Ok(())
}

/// A commit took the place of another. Says how many links that concerned.
pub fn supersede(db: &Db, project: ProjectId, old: &str, new: &str) -> Result<usize, StoreError> {
    db.execute(
        "UPDATE commit_links SET superseded_by = :new WHERE commit_id = :old AND project_id = :project",
        named_params! { ":new": new, ":old": old, ":project": project.0 },
    )
}

/// Drops the links of a commit, and says how many there were.
pub fn unlink(db: &Db, project: ProjectId, commit: &str) -> Result<usize, StoreError> {
    db.execute(
        "DELETE FROM commit_links WHERE commit_id = :commit AND project_id = :project",
        named_params! { ":commit": commit, ":project": project.0 },
    )
}

/// A turn ended: what was linked to a part of it is linked to its end.
pub fn gather(db: &Db, end: &Checkpoint) -> Result<(), StoreError> {
    let (Some(session), Some(turn)) = (end.session, end.turn) else {
        return Ok(());
    };
    // A late end gathers what came after the turn's own.
    db.execute(
        "UPDATE commit_links SET checkpoint_id = :end WHERE how <> 'manual' AND checkpoint_id IN
             (SELECT id FROM checkpoints WHERE session_id = :session AND turn = :turn AND worktree_id = :worktree
                  AND kind NOT IN ('baseline', 'rewind') AND seq < :seq
                  AND (:is_late = 0 OR seq > (SELECT COALESCE(MAX(own.seq), 0) FROM checkpoints AS own
                      WHERE own.session_id = :session AND own.turn = :turn AND own.worktree_id = :worktree
                          AND own.kind IN ('turn', 'interrupted') AND own.seq < :seq)))",
        named_params! {
            ":end": end.id.as_str(),
            ":session": session.0,
            ":turn": column_of(turn),
            ":worktree": end.worktree.0,
            ":seq": end.seq.0,
            ":is_late": end.point.is_some(),
        },
    )?;
    Ok(())
}

/// What was linked to a checkpoint that goes is linked to the one that holds its work from now on.
pub(crate) fn bequeath(db: &Db, from: &CheckpointId, to: &CheckpointId) -> Result<(), StoreError> {
    db.execute(
        "UPDATE commit_links SET checkpoint_id = :to WHERE checkpoint_id = :from",
        named_params! { ":to": to.as_str(), ":from": from.as_str() },
    )?;
    Ok(())
}

/// The links of a commit, superseded ones too, newest first.
pub fn of_commit(db: &Db, project: ProjectId, commit: &str) -> Result<Vec<CommitLink>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM commit_links WHERE commit_id = :commit AND project_id = :project ORDER BY id DESC"
        ),
        named_params! { ":commit": commit, ":project": project.0 },
        read,
    )
}

/// The links of commits with this patch, newest first.
pub fn of_patch(db: &Db, project: ProjectId, patch: &str) -> Result<Vec<CommitLink>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM commit_links WHERE patch_id = :patch AND project_id = :project ORDER BY id DESC"
        ),
        named_params! { ":patch": patch, ":project": project.0 },
        read,
    )
}

/// The commits a checkpoint is linked to, superseded ones too, newest first.
pub fn of_checkpoint(db: &Db, checkpoint: &CheckpointId) -> Result<Vec<CommitLink>, StoreError> {
    db.all(
        concat!(
            "SELECT ",
            columns!(),
            " FROM commit_links WHERE checkpoint_id = :checkpoint ORDER BY id DESC"
        ),
        named_params! { ":checkpoint": checkpoint.as_str() },
        read,
    )
}

fn read(row: &mut RowFields<'_>) -> rusqlite::Result<CommitLink> {
    Ok(CommitLink {
        project: ProjectId(row.take()?),
        commit: row.take()?,
        checkpoint: row.checkpoint()?,
        session: row.take::<Option<_>>()?.map(ActorId),
        how: LinkKind::parse(&row.take::<String>()?),
        paths_matched: row.count()?,
        paths_total: row.count()?,
        patch_id: row.take()?,
        superseded_by: row.take()?,
        linked_at: Timestamp(row.take()?),
    })
}

#[cfg(test)]
mod tests;
