//! What the store remembers of a session's files, read beside the writer: questions come before any transaction.

use engine::id::{ActorId, ActorKey, EventSeq, ToolUseId};
use engine::lease::{FileKey, FileObservation};
use engine::time::Timestamp;
use git::place::Place;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::table::touches::Authorship;
use store::table::worktrees::Worktree;
use store::table::{
    actors, calls, checkpoint_files, events, leases, projects, seen, session_paths, sessions, touches,
    worktrees,
};
use store::{Db, Store, StoreError};

/// Files that are held: more than all agents of a machine have at a time.
const MOST_HELD: u64 = 20_000;

/// A connection of its own, opened at the first question.
#[derive(Debug)]
pub struct GuardStore {
    database: PathBuf,
    store: Mutex<Option<Store>>,
}

impl GuardStore {
    /// The memory in this database.
    pub fn of(database: PathBuf) -> Self {
        Self {
            database,
            store: Mutex::default(),
        }
    }

    /// What the session of an actor did to a file that really is at `path`; `None` if that cannot be told now.
    pub fn authorship(&self, actor: &ActorKey, place: &Place, path: &Path) -> Option<Authorship> {
        self.ask(|db| {
            let Some(session) = actors::by_key(db, &actor.main())? else {
                return Ok(Authorship::default());
            };
            let outside = session_paths::authorship(db, session.id, path)?;
            if outside.wrote {
                return Ok(outside);
            }
            in_worktree(db, session.id, place, path)
        })
    }

    /// What an actor last knew of a file.
    pub fn seen(&self, actor: &ActorKey, place: Option<&Place>, key: &FileKey) -> Option<FileObservation> {
        self.ask(|db| {
            let Some(actor) = actors::by_key(db, actor)? else {
                return Ok(None);
            };
            let worktree = match place {
                Some(place) => match worktree_at(db, place)? {
                    Some(worktree) => Some(worktree.id),
                    None => return Ok(None),
                },
                None => None,
            };
            let key = FileKey {
                worktree,
                ..key.clone()
            };
            seen::of(db, actor.id, &key)
        })
        .flatten()
    }

    /// When the open call of an actor began.
    pub fn began(&self, actor: &ActorKey, call: &ToolUseId) -> Option<Timestamp> {
        self.ask(|db| {
            let Some(actor) = actors::by_key(db, actor)? else {
                return Ok(None);
            };
            Ok(calls::open(db, actor.id, call)?.map(|call| call.opened_at))
        })
        .flatten()
    }

    /// Whether a session goes on from another's conversation, and has called nothing yet.
    pub fn is_young_copy(&self, actor: &ActorKey) -> bool {
        self.ask(|db| {
            let Some(actor) = actors::by_key(db, actor)? else {
                return Ok(false);
            };
            Ok(sessions::may_be_copy(db, actor.id)? && !calls::has_any(db, actor.id)?)
        })
        .unwrap_or_default()
    }

    /// The newest event there is.
    pub fn newest_event(&self) -> Option<EventSeq> {
        self.ask(events::newest)
    }

    /// The files that somebody holds anywhere in the project, and those of the worktree that somebody knows: as many of
    /// these as are asked for, the newest first.
    pub fn watched(&self, place: &Place, most_known: u64) -> Vec<PathBuf> {
        self.ask(|db| {
            let Some(worktree) = worktree_at(db, place)? else {
                return Ok(Vec::new());
            };
            let held = leases::held_files(db, worktree.project, MOST_HELD)?;
            let mut files: Vec<PathBuf> = held.into_iter().map(|(root, path)| root.join(path)).collect();
            let known: HashSet<PathBuf> = files.iter().cloned().collect();
            let seen = seen::newest(db, worktree.id, most_known)?.into_iter();
            files.extend(
                seen.map(|path| worktree.root.join(path))
                    .filter(|file| !known.contains(file)),
            );
            Ok(files)
        })
        .unwrap_or_default()
    }

    /// The files of a worktree that somebody holds, and those that the session of an actor wrote.
    pub fn worked_on(&self, actor: &ActorKey, place: &Place) -> Vec<String> {
        self.ask(|db| {
            let Some(worktree) = worktree_at(db, place)? else {
                return Ok(Vec::new());
            };
            let held = leases::in_worktree(db, Some(worktree.id))?.into_iter();
            let mut files: Vec<String> = held
                .filter(|lease| !lease.is_everything())
                .map(|lease| lease.key.path)
                .collect();
            files.extend(seen::written_in_session(db, actor, worktree.id)?);
            Ok(files)
        })
        .unwrap_or_default()
    }

    /// The paths of a worktree that other sessions changed, as far as is known, and no commit holds.
    pub fn pending_of_others(&self, actor: &ActorKey, place: &Place, head: Option<&str>) -> Vec<Vec<u8>> {
        self.ask(|db| {
            let (Some(worktree), main) = (worktree_at(db, place)?, actors::by_key(db, &actor.main())?) else {
                return Ok(Vec::new());
            };
            let except = main.map_or(ActorId(0), |main| main.id);
            let found = checkpoint_files::others_paths(db, worktree.id, head, except)?;
            Ok(found.into_iter().map(|(_, path)| path).collect())
        })
        .unwrap_or_default()
    }

    fn ask<T>(&self, question: impl FnOnce(&Db) -> Result<T, StoreError>) -> Option<T> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if store.is_none() {
            *store = Store::open_existing(&self.database, Duration::ZERO).ok();
        }
        // One moment for all queries of a question: taking each on its own means as many locks.
        let opened = store.as_ref()?;
        let answer = opened.snapshot().and_then(|moment| question(&moment));
        if answer.is_err() {
            // The next question opens it anew.
            *store = None;
        }
        answer.ok()
    }
}

fn in_worktree(db: &Db, session: ActorId, place: &Place, path: &Path) -> Result<Authorship, StoreError> {
    use std::os::unix::ffi::OsStrExt;
    let root = crate::checkpoint::naming::root_of(place);
    let Ok(inside) = path.strip_prefix(root) else {
        return Ok(Authorship::default());
    };
    match worktree_at(db, place)? {
        Some(worktree) => touches::authorship(db, session, worktree.id, inside.as_os_str().as_bytes()),
        None => Ok(Authorship::default()),
    }
}

/// The row of a worktree, if it was seen before.
fn worktree_at(db: &Db, place: &Place) -> Result<Option<Worktree>, StoreError> {
    let root = crate::checkpoint::naming::root_of(place);
    let Some(project) = projects::by_key(db, &place.project.key)? else {
        return Ok(None);
    };
    let mut known = worktrees::of(db, project.id)?.into_iter();
    Ok(known.find(|worktree| worktree.root == root))
}
