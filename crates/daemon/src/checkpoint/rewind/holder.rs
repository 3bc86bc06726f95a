//! Who holds what in a worktree while files are put back: leases of others than those whose changes are taken back.

use super::scope::RewindScope;
use crate::pipeline::lease::{is_orphan, spelled};
use crate::process::is_gone;
use engine::id::{ActorId, WorktreeId};
use engine::lease::{LeaseKind, Pattern};
use engine::text::one_line;
use git::path::RepoPath;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use store::life::{self, LeaseMoment};
use store::table::actors;
use store::table::leases::{self, Lease};
use store::table::sessions;
use store::{Db, StoreError};

/// Characters of a command that are shown.
const LONGEST_COMMAND: usize = 80;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Holders {
    root: PathBuf,
    folds: bool,
    /// By the path of a file.
    files: BTreeMap<String, String>,
    /// By the device and inode of a file with several names.
    linked: BTreeMap<String, String>,
    reserved: Vec<(Pattern, String)>,
    everything: Option<Everything>,
}

/// A command that changes the whole tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Everything {
    /// The command.
    pub command: String,
    /// Whose it is.
    pub who: String,
    /// Its agent is one of those whose changes are taken back.
    is_own: bool,
}

impl Holders {
    /// Those of a worktree at a moment. Whoever is gone, or silent for too long, holds nothing. Changes nothing.
    pub(super) fn read(
        db: &Db,
        (worktree, root): (WorktreeId, &Path),
        circle: &RewindScope,
        now: &LeaseMoment,
    ) -> Result<Self, StoreError> {
        let held = leases::in_worktree(db, Some(worktree))?;
        let reserved = leases::reservations(db, Some(worktree))?;
        let mut found = Self::default();
        if held.is_empty() && reserved.is_empty() {
            return Ok(found);
        }
        root.clone_into(&mut found.root);
        found.folds = git::target::look(root).is_some_and(|target| target.folds_case);
        let mut known = BTreeMap::new();
        for lease in held.into_iter().chain(reserved) {
            let Some(holder) = life::holder_now(db, &lease, now)?.filter(|_| !is_orphan(&lease)) else {
                continue;
            };
            let seen = match known.get(&holder) {
                Some(seen) => seen,
                None => known
                    .entry(holder)
                    .or_insert(HolderStatus::of(db, holder, circle)?),
            };
            found.add(lease, seen);
        }
        Ok(found)
    }

    fn add(&mut self, lease: Lease, seen: &HolderStatus) {
        let (who, is_own) = match seen {
            HolderStatus::Gone => return,
            HolderStatus::Own(who) => (who, true),
            HolderStatus::Other(who) => (who, false),
        };
        if lease.is_everything() {
            self.everything = Some(Everything {
                command: one_line(lease.reason.as_deref().unwrap_or_default(), LONGEST_COMMAND),
                who: who.clone(),
                is_own,
            });
            return;
        }
        if is_own {
            return;
        }
        if lease.kind == LeaseKind::Reserve {
            let path = &lease.key.path;
            let pattern = Pattern::parse(path).unwrap_or_else(|_| Pattern::of_path(path));
            self.reserved.push((pattern, who.clone()));
        } else {
            if let Some(id) = lease.key.file_id {
                self.linked.insert(id, who.clone());
            }
            self.files.insert(lease.key.path, who.clone());
        }
    }

    /// Who holds a path that is not theirs to lose.
    pub(super) fn of(&self, path: &RepoPath) -> Option<&str> {
        let others = self.everything.as_ref().filter(|everything| !everything.is_own);
        if let Some(everything) = others {
            return Some(&everything.who);
        }
        if self.files.is_empty() && self.reserved.is_empty() {
            return None;
        }
        let name = path.to_path();
        let key = spelled(name.as_os_str(), self.folds);
        let by_link = || self.linked.get(&self.file_id(name)?);
        let by_pattern = || {
            let fits = self.reserved.iter().find(|(pattern, _)| pattern.fits(&key));
            fits.map(|(_, who)| who)
        };
        let who = self.files.get(&key).or_else(by_link).or_else(by_pattern);
        who.map(String::as_str)
    }

    fn file_id(&self, name: &Path) -> Option<String> {
        if self.linked.is_empty() {
            return None;
        }
        let found = fs_err::symlink_metadata(self.root.join(name)).ok()?;
        Some(format!("{}:{}", found.dev(), found.ino()))
    }

    /// Whether somebody's command changes the whole tree.
    pub(super) fn has_everything(&self) -> bool {
        self.everything.is_some()
    }

    /// The command that changes the whole tree, of one whose own files are put back: there is nothing to put back
    /// before it ends.
    pub(super) fn own_everything(&self) -> Option<&Everything> {
        self.everything.as_ref().filter(|everything| everything.is_own)
    }
}

/// What an actor is to whoever puts files back.
enum HolderStatus {
    /// Its process is gone.
    Gone,
    /// Its changes are taken back, or it is the person who takes them back.
    Own(String),
    /// Somebody else.
    Other(String),
}

impl HolderStatus {
    fn of(db: &Db, holder: ActorId, circle: &RewindScope) -> Result<Self, StoreError> {
        let Some(actor) = actors::by_id(db, holder)? else {
            return Ok(Self::Gone);
        };
        if sessions::process_of(db, holder)?.is_some_and(|process| is_gone(&process)) {
            return Ok(Self::Gone);
        }
        let who = actor.who().shown();
        Ok(if actor.key.is_person() || circle.has(db, &actor)? {
            Self::Own(who)
        } else {
            Self::Other(who)
        })
    }
}
