//! What the store knows that has to do with new commits: whose work is at their paths, in their trees, in what they
//! replace.

use super::movement::Movement;
use engine::id::{ActorId, CheckpointId, ProjectId, WorktreeId};
use git::linking::UnlinkedCommit;
use git::path::RepoPath;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::table::checkpoint_files::{self, FileRow};
use store::table::checkpoints::{self, Checkpoint};
use store::table::commit_links::{self, CommitLink};
use store::{Db, StoreError};

/// A commit of more paths is known by the first of them, by its tree and by its change.
const MOST_PATHS: usize = 2_000;
/// More commits than these were never reset or rebased at once.
const MOST_HOLDERS: usize = 200;

/// What the store knows.
#[derive(Default)]
pub struct Material {
    /// The sessions it may concern.
    pub sessions: Vec<SessionMaterial>,
    /// All checkpoints that are spoken of.
    checkpoints: HashMap<String, Checkpoint>,
}

/// What it knows of one session.
pub struct SessionMaterial {
    /// The row of its main thread.
    pub id: ActorId,
    /// Its changes that are pending, or in a commit that a new one may replace; oldest first.
    pub rows: Vec<FileRow>,
    /// Its links that have to do with the new commits.
    pub links: Vec<CommitLink>,
    /// Its checkpoints with the tree of a new commit.
    pub trees: Vec<Checkpoint>,
}

impl Material {
    pub fn gather(
        db: &Db,
        worktree: WorktreeId,
        project: ProjectId,
        movement: &Movement,
    ) -> Result<Self, StoreError> {
        let mut search = LinkSearch {
            db,
            worktree,
            project,
            sessions: BTreeMap::new(),
            holders: BTreeSet::new(),
            named: Vec::new(),
        };
        for commit in &movement.commits {
            search.by_what_it_is(commit)?;
        }
        search.by_paths(&movement.commits)?;
        search.finish()
    }

    /// A checkpoint by its id.
    pub fn checkpoint(&self, id: &str) -> Option<&Checkpoint> {
        self.checkpoints.get(id)
    }
}

struct LinkSearch<'a> {
    db: &'a Db,
    worktree: WorktreeId,
    project: ProjectId,
    sessions: BTreeMap<ActorId, SessionMaterial>,
    /// Commits that hold changes at the paths of the new ones.
    holders: BTreeSet<String>,
    named: Vec<Checkpoint>,
}

impl LinkSearch<'_> {
    fn session(&mut self, id: ActorId) -> &mut SessionMaterial {
        self.sessions.entry(id).or_insert_with(|| SessionMaterial {
            id,
            rows: Vec::new(),
            links: Vec::new(),
            trees: Vec::new(),
        })
    }

    fn by_what_it_is(&mut self, commit: &UnlinkedCommit) -> Result<(), StoreError> {
        for checkpoint in checkpoints::with_tree(self.db, self.project, &commit.facts.tree.to_string())? {
            if let Some(session) = checkpoint.session
                && checkpoint_files::has_work(self.db, session, checkpoint.seq)?
            {
                self.session(session).trees.push(checkpoint);
            }
        }
        for name in &commit.facts.checkpoints {
            let id = CheckpointId::parse(name);
            if let Some(found) = id
                .map(|id| checkpoints::by_id(self.db, &id))
                .transpose()?
                .flatten()
                && let Some(session) = found.session
            {
                self.session(session);
                self.named.push(found);
            }
        }
        if let Some(patch) = commit.patch {
            let links = commit_links::of_patch(self.db, self.project, &patch.to_string())?;
            self.add_links(links);
        }
        for commit in [Some(commit.facts.id), commit.replaces].into_iter().flatten() {
            let links = commit_links::of_commit(self.db, self.project, &commit.to_string())?;
            self.add_links(links);
        }
        Ok(())
    }

    fn by_paths(&mut self, commits: &[UnlinkedCommit]) -> Result<(), StoreError> {
        let paths: BTreeSet<&[u8]> = commits
            .iter()
            .flat_map(|commit| commit.facts.changes.iter().flatten().take(MOST_PATHS))
            .map(|change| change.path.as_bytes())
            .take(MOST_PATHS)
            .collect();
        for path in paths {
            for row in checkpoint_files::pending_at(self.db, self.worktree, path)? {
                if let Some(session) = row.file.session {
                    self.session(session);
                }
            }
            if self.holders.len() < MOST_HOLDERS {
                self.holders
                    .extend(checkpoint_files::commits_at(self.db, self.worktree, path)?);
            }
        }
        Ok(())
    }

    fn add_links(&mut self, links: Vec<CommitLink>) {
        for link in links {
            let Some(session) = link.session else { continue };
            let known = &mut self.session(session).links;
            if known.iter().all(|known| known.commit != link.commit) {
                known.push(link);
            }
        }
    }

    fn finish(mut self) -> Result<Material, StoreError> {
        for holder in std::mem::take(&mut self.holders) {
            let links = commit_links::of_commit(self.db, self.project, &holder)?;
            self.add_links(links);
            for row in checkpoint_files::held_by(self.db, self.worktree, &holder)? {
                if let Some(session) = row.file.session {
                    self.session(session).rows.push(row);
                }
            }
        }
        let mut checkpoints = HashMap::new();
        for found in std::mem::take(&mut self.named) {
            checkpoints.insert(found.id.as_str().to_owned(), found);
        }
        for session in self.sessions.values_mut() {
            let pending = checkpoint_files::pending_of(self.db, self.worktree, session.id)?;
            session.rows.extend(pending);
            // What no commit can have, no commit holds.
            session
                .rows
                .retain(|row| RepoPath::new(row.file.path.clone()).is_ok());
            session.rows.sort_by_key(|row| (row.seq, row.id));
            // The order in which they were linked.
            session.links.sort_by_key(|link| link.linked_at);
            let of_rows = session.rows.iter().map(|row| &row.checkpoint);
            let of_links = session.links.iter().map(|link| &link.checkpoint);
            for id in of_rows.chain(of_links) {
                if !checkpoints.contains_key(id.as_str())
                    && let Some(found) = checkpoints::by_id(self.db, id)?
                {
                    checkpoints.insert(id.as_str().to_owned(), found);
                }
            }
            for found in &session.trees {
                checkpoints.insert(found.id.as_str().to_owned(), found.clone());
            }
        }
        Ok(Material {
            sessions: self.sessions.into_values().collect(),
            checkpoints,
        })
    }
}

impl Material {
    /// The checkpoints that are spoken of for a session, newest first. A change of its may be recorded in one that was
    /// cut for another.
    pub fn of_session(&self, session: &SessionMaterial) -> Vec<&Checkpoint> {
        let of_rows = session.rows.iter().map(|row| row.checkpoint.as_str());
        let of_links = session.links.iter().map(|link| link.checkpoint.as_str());
        let own = self.checkpoints.values();
        let own = own.filter(|checkpoint| checkpoint.session == Some(session.id));
        let ids: BTreeSet<&str> = of_rows
            .chain(of_links)
            .chain(own.map(|checkpoint| checkpoint.id.as_str()))
            .collect();
        let mut found: Vec<&Checkpoint> = ids.iter().filter_map(|id| self.checkpoint(id)).collect();
        found.sort_by_key(|checkpoint| std::cmp::Reverse(checkpoint.seq));
        found
    }
}
