//! Links the person's commits to the checkpoints whose work they hold. No hook of git's is installed for it: where
//! `HEAD` went is read from its reflog, and what that means is decided by [`git::linking`].
//!
//! How far `HEAD` was followed is recorded in one transaction with what was found on the way, and only if nobody else
//! did so meanwhile: a process killed at any moment, or two at once, leave each link once.

use super::clash;
use super::cutter::{CutError, Cutter};
use crate::clock;
use crate::group_commit::GroupCommit;
use engine::id::{CheckpointId, FileRowId, ProjectId, WorktreeId};
use engine::time::Timestamp;
use git::linking::{self, LinkEvidence, LinkOutcome};
use git::place::Place;
use git::reflog::Position;
use git::run::{Git, GitEnvironment, GitError};
use git::shadow::Shadow;
use std::collections::BTreeSet;
use std::time::Duration;
use store::table::checkpoints::{self, Checkpoint, CheckpointKind};
use store::table::{checkpoint_files, commit_links, jobs, worktrees};
use store::{Db, StoreError};

mod evidence;
mod material;
mod movement;

use material::Material;
use movement::Movement;

/// One worktree whose commits are to be linked.
pub struct Linker<'a> {
    /// Where.
    pub place: &'a Place,
    /// What git needs to know of the person's environment.
    pub environment: &'a GitEnvironment,
    /// Its row.
    pub worktree: WorktreeId,
    /// Its shadow, if one was made.
    pub shadow: Option<&'a Shadow>,
    /// What each question to git may take.
    pub budget: Duration,
    /// Now.
    pub at: Timestamp,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Linked {
    /// Links that were made, or made anew.
    pub links: usize,
    /// Changes that are committed now.
    pub committed: usize,
    /// Git is in the middle of something: there is more to be done when it ends.
    pub is_waiting: bool,
    /// A checkpoint is still to be cut, whose work the commits may hold: nothing was recorded.
    pub was_early: bool,
    /// Somebody else was faster: nothing was recorded.
    pub was_late: bool,
}

/// Why nothing was linked. Nothing was recorded either; it is to be tried again.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// Git refused.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The database refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LinkError> for CutError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Git(error) => Self::Git(error),
            LinkError::Store(error) => Self::Store(error),
        }
    }
}

/// Links every commit that came to a worktree since the last time.
pub fn link_commits(cutter: &Cutter<'_>) -> Result<Linked, CutError> {
    let shadow = cutter.site.shadow()?;
    let linker = Linker {
        place: &cutter.site.place,
        environment: cutter.site.environment(),
        worktree: cutter.worktree,
        shadow: shadow.as_deref(),
        budget: cutter.limit,
        at: clock::now(),
    };
    Ok(link(cutter.writer, &linker)?)
}

/// The same with everything named. Before the first checkpoint it only remembers where `HEAD` is.
pub fn link(writer: &GroupCommit, linker: &Linker<'_>) -> Result<Linked, LinkError> {
    let Some(row) = worktrees::by_id(&writer.store().read(), linker.worktree)? else {
        return Ok(Linked::default());
    };
    let mut since: Option<Position> = row.reflog.as_deref().and_then(|text| text.parse().ok());
    if since.is_none() {
        // Commits may have been made before anybody followed; the oldest checkpoint knows where that was.
        let head = checkpoints::first_head(&writer.store().read(), linker.worktree)?;
        since = head.and_then(|head| Some(Position::at(head.parse().ok()?)));
    }
    let is_known = |commit: git::object::Id| {
        let seat = writer.store();
        commit_links::of_commit(&seat.read(), row.project, &commit.to_string())
            .is_ok_and(|links| !links.is_empty())
    };
    let movement = Movement::follow(linker, since.as_ref(), &is_known)?;
    let position = movement.position.to_string();
    if movement.commits.is_empty() && row.reflog.as_ref() == Some(&position) {
        return Ok(Linked::default());
    }
    let material = Material::gather(&writer.store().read(), linker.worktree, row.project, &movement)?;
    let candidates = evidence::candidates(linker, &movement, &material)?;
    let surroundings = evidence::surroundings(linker, &movement, &material)?;
    let outcome = linking::link(&movement.commits, &candidates, &surroundings);
    let record = LinkRecord {
        linker,
        project: row.project,
        began_at: row.reflog.as_deref(),
        // Until the operation ends, everything since its beginning stays to be looked at again.
        position: (!movement.is_under_way).then_some(position.as_str()),
        material: &material,
        outcome: &outcome,
    };
    let mut seat = writer.store();
    let written = seat.begin()?.only(|db| record.write(db))?;
    Ok(Linked {
        is_waiting: movement.is_under_way,
        ..written
    })
}

impl Linker<'_> {
    fn git(&self) -> Git {
        let folder = self.place.worktree.as_ref().unwrap_or(&self.place.project.root);
        Git::new(folder, self.environment)
    }
}

/// What is to be recorded.
struct LinkRecord<'a> {
    linker: &'a Linker<'a>,
    project: ProjectId,
    began_at: Option<&'a str>,
    position: Option<&'a str>,
    material: &'a Material,
    outcome: &'a LinkOutcome,
}

impl LinkRecord<'_> {
    fn write(&self, db: &Db) -> Result<Linked, StoreError> {
        let now = worktrees::by_id(db, self.linker.worktree)?;
        if now.is_none_or(|row| row.reflog.as_deref() != self.began_at) {
            return Ok(Linked {
                was_late: true,
                ..Linked::default()
            });
        }
        if jobs::awaits_checkpoint(db, self.linker.worktree)? {
            return Ok(Linked {
                was_early: true,
                ..Linked::default()
            });
        }
        for link in &self.outcome.links {
            self.write_link(db, link)?;
        }
        for committed in &self.outcome.committed {
            if let Some(row) = self.row(committed.session, committed.row) {
                checkpoint_files::set_held(db, row, &committed.commit.to_string())?;
            }
        }
        self.forget_clashes(db)?;
        if let Some(position) = self.position {
            worktrees::set_reflog(db, self.linker.worktree, position)?;
        }
        Ok(Linked {
            links: self.outcome.links.len(),
            committed: self.outcome.committed.len(),
            ..Linked::default()
        })
    }

    fn write_link(&self, db: &Db, link: &linking::NewLink) -> Result<(), StoreError> {
        let session = self.material.sessions.get(link.session);
        let Some((session, checkpoint)) = session.zip(self.material.checkpoint(&link.checkpoint)) else {
            return Ok(());
        };
        let Some(home) = home(db, checkpoint)? else {
            return Ok(());
        };
        let commit = link.commit.to_string();
        for old in &link.supersedes {
            commit_links::supersede(db, self.project, &old.to_string(), &commit)?;
        }
        commit_links::link(
            db,
            &commit_links::CommitLink {
                project: self.project,
                commit,
                checkpoint: home,
                session: Some(session.id),
                how: how(link.how),
                paths_matched: count(link.matched),
                paths_total: count(link.total),
                patch_id: link.patch.map(|patch| patch.to_string()),
                superseded_by: None,
                linked_at: self.linker.at,
            },
        )
    }

    /// Who was told of work that is committed now may be told again.
    fn forget_clashes(&self, db: &Db) -> Result<(), StoreError> {
        let sessions: BTreeSet<usize> = self.outcome.committed.iter().map(|one| one.session).collect();
        for session in sessions {
            if let Some(session) = self.material.sessions.get(session) {
                clash::forget(db, self.linker.worktree, session.id, self.linker.at)?;
            }
        }
        Ok(())
    }

    fn row(&self, session: usize, row: usize) -> Option<FileRowId> {
        let session = self.material.sessions.get(session)?;
        session.rows.get(row).map(|row| row.id)
    }
}

/// Where the link of a checkpoint's work stands: at the end of its turn, at the checkpoint itself while that goes on.
/// `None` for one that holds nobody's work.
fn home(db: &Db, checkpoint: &Checkpoint) -> Result<Option<CheckpointId>, StoreError> {
    match checkpoint.kind {
        CheckpointKind::Baseline | CheckpointKind::Rewind => Ok(None),
        CheckpointKind::Turn
        | CheckpointKind::Interrupted
        | CheckpointKind::Step
        | CheckpointKind::AgentStart
        | CheckpointKind::AgentStop
        | CheckpointKind::Outside
        | CheckpointKind::Before
        | CheckpointKind::BeforeRewind
        | CheckpointKind::Manual => {
            let end = checkpoints::end_of_its_turn(db, checkpoint)?;
            Ok(Some(end.map_or_else(|| checkpoint.id.clone(), |end| end.id)))
        }
    }
}

fn how(how: LinkEvidence) -> commit_links::LinkKind {
    match how {
        LinkEvidence::Trailer => commit_links::LinkKind::Trailer,
        LinkEvidence::Tree => commit_links::LinkKind::Tree,
        LinkEvidence::Patch => commit_links::LinkKind::Patch,
        LinkEvidence::Paths => commit_links::LinkKind::Paths,
        LinkEvidence::Rewrite => commit_links::LinkKind::Rewrite,
    }
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
