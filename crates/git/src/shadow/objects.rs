//! Objects: read wherever they are, written as our own, and asked for among our own alone.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::ObjectId;
use gix::objs::{Find, Kind, Write};
use gix::odb::{HandleArc, Header, Store, loose};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW};

use super::loose::SMALL;
use super::packs::PackSet;
use super::records::{Records, ShadowRecord};
use super::{ObjectFormat, ShadowError, ShadowSite};
use crate::object::Id;

/// No honest tree or commit is larger.
pub(super) const RECORD_LIMIT: u64 = 256 * 1024 * 1024;

/// No packed byte becomes more.
const MOST_INFLATED: u64 = 1032;

/// The objects of one shadow.
pub(super) struct Objects {
    folder: PathBuf,
    format: ObjectFormat,
    loose: loose::Store,
    packs: PackSet,
    records: RefCell<Records>,
    /// All we can read, opened at the first read: ours, and the user's as our alternates.
    everything: RefCell<Option<HandleArc>>,
    /// The user's alone, for what their own alternates hold by a path relative to them.
    theirs: RefCell<Option<HandleArc>>,
    users: Option<PathBuf>,
    /// How often something was read.
    #[cfg(test)]
    pub(super) reads: std::cell::Cell<usize>,
}

impl Objects {
    pub(super) fn at(site: &ShadowSite) -> Self {
        let folder = site.shadow.join("objects");
        Self {
            loose: loose::Store::at(&folder, site.format.kind()),
            packs: PackSet::at(&folder, site.format.kind()),
            records: RefCell::default(),
            everything: RefCell::default(),
            theirs: RefCell::default(),
            users: site.objects.clone(),
            format: site.format,
            folder,
            #[cfg(test)]
            reads: std::cell::Cell::default(),
        }
    }

    pub(super) fn format(&self) -> ObjectFormat {
        self.format
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn packs(&self) -> &PackSet {
        &self.packs
    }

    /// Where an object of ours is as long as it is in no pack.
    pub(super) fn loose_path(&self, id: Id) -> PathBuf {
        self.loose.object_path(&id.0)
    }

    pub(super) fn hash(&self, kind: Kind, bytes: &[u8]) -> Result<Id, ShadowError> {
        gix::objs::compute_hash(self.format.kind(), kind, bytes)
            .map(Id)
            .map_err(|error| std::io::Error::other(error).into())
    }

    /// Whether the object is our own. An empty file is what a power cut leaves of one.
    pub(super) fn owns(&self, id: Id) -> bool {
        let is_loose =
            |path: &Path| fs_err::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() > 0);
        self.knows(id) && (is_loose(&self.loose.object_path(&id.0)) || self.packs.holding(&id.0).is_some())
    }

    /// The object's id, after it is certain that it is our own and not about to be tidied away.
    pub(super) fn write(&self, kind: Kind, bytes: &[u8]) -> Result<Id, ShadowError> {
        let id = self.hash(kind, bytes)?;
        self.write_known(id, kind, bytes)?;
        Ok(id)
    }

    /// The same for bytes that were hashed before.
    pub(super) fn write_known(&self, id: Id, kind: Kind, bytes: &[u8]) -> Result<(), ShadowError> {
        if self.renew(id) {
            // It is not remembered: nobody has seen yet whether what is there can be read.
            return Ok(());
        }
        self.add(id, kind, bytes)
    }

    /// The same for bytes that are not ours yet, as far as the caller knows.
    pub(super) fn add(&self, id: Id, kind: Kind, bytes: &[u8]) -> Result<(), ShadowError> {
        if bytes.len() <= SMALL {
            super::loose::write(&self.folder, &self.loose_path(id), kind, bytes)?;
        } else {
            let write = || self.loose.write_buf_with_known_id(kind, bytes, id.0);
            // Whoever tidies may have removed the folder it goes to, because that was empty.
            write().or_else(|_| write()).map_err(unwritten)?;
        }
        if matches!(kind, Kind::Tree | Kind::Commit) {
            // Whoever goes on from here reads it next.
            self.keep_record(id, kind, bytes.into(), false);
        }
        Ok(())
    }

    pub(super) fn forget(&self) {
        self.records.replace(Records::default());
    }

    /// A tree or commit. What was read or written lately is not read again, though it may be gone by now.
    pub(super) fn record(&self, id: Id, kind: Kind) -> Result<ShadowRecord, ShadowError> {
        let known = self.records.borrow_mut().of(id);
        if let Some(record) = known.filter(|record| record.kind == kind) {
            return Ok(record);
        }
        let bytes: Arc<[u8]> = self.read(id, kind, RECORD_LIMIT)?.into();
        self.keep_record(id, kind, Arc::clone(&bytes), false);
        Ok(ShadowRecord {
            kind,
            bytes,
            is_sound: false,
        })
    }

    /// A tree was found to be sound: nobody needs to look again.
    pub(super) fn vouch(&self, id: Id, bytes: &Arc<[u8]>) {
        self.keep_record(id, Kind::Tree, Arc::clone(bytes), true);
    }

    fn keep_record(&self, id: Id, kind: Kind, bytes: Arc<[u8]>, is_sound: bool) {
        let record = ShadowRecord {
            kind,
            bytes,
            is_sound,
        };
        self.records.borrow_mut().keep(id, record);
    }

    /// Makes an object of ours as young as a new one. False if it is not ours, or cannot be touched.
    pub(super) fn renew(&self, id: Id) -> bool {
        let path = self.loose.object_path(&id.0);
        if fs_err::symlink_metadata(&path).is_ok_and(|it| it.is_file() && it.len() > 0) {
            return touch(&path);
        }
        self.packs
            .probably_holding(&id.0)
            .is_some_and(|pack| touch(&pack))
    }

    /// The content of an object of this kind.
    pub(super) fn read(&self, id: Id, kind: Kind, limit: u64) -> Result<Vec<u8>, ShadowError> {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        let is_kind = |found: Kind| {
            let fault = "it is of another kind than its name says";
            (found == kind)
                .then_some(())
                .ok_or(ShadowError::Malformed { id, fault })
        };
        let is_within = self.most(id).is_some_and(|most| most <= limit);
        self.find(id, |handle| {
            // Where it cannot be more than the limit, nobody has to know beforehand how much it is.
            if limit < u64::MAX && !is_within {
                let header = header(handle, id)?;
                is_kind(header.kind())?;
                let size = header.size();
                if size > limit {
                    return Err(ShadowError::TooLarge { id, size, limit });
                }
            }
            let mut bytes = Vec::new();
            let found = handle
                .try_find(&id.0, &mut bytes)
                .map_err(|error| corrupt(id, &error))?;
            is_kind(found.ok_or(ShadowError::Missing(id))?.kind)?;
            Ok(bytes)
        })
    }

    /// How long an object that is in no pack can be at most.
    fn most(&self, id: Id) -> Option<u64> {
        if !self.knows(id) {
            return None;
        }
        let ours = self.loose.object_path(&id.0);
        let inside = ours.strip_prefix(&self.folder).ok()?;
        let theirs = self.users.as_ref().map(|users| users.join(inside));
        let found = [Some(&ours), theirs.as_ref()]
            .into_iter()
            .flatten()
            .find_map(|path| fs_err::symlink_metadata(path).ok())?;
        Some(found.len().saturating_mul(MOST_INFLATED))
    }

    /// What kind of object this is.
    pub(super) fn kind(&self, id: Id) -> Result<Kind, ShadowError> {
        self.find(id, |handle| header(handle, id).map(|header| header.kind()))
    }

    /// Looks in all we can read, then in the user's repository itself, then again in all, opened anew: a store has
    /// room for as many packs as there were when it was opened, and a few more. A pack that git replaces between the
    /// listing and the read looks like a broken one, so a broken object is looked for a second time.
    fn find<T>(&self, id: Id, look: impl Fn(&HandleArc) -> Result<T, ShadowError>) -> Result<T, ShadowError> {
        if !self.knows(id) {
            return Err(ShadowError::Missing(id));
        }
        let is_failed = |found: &Result<T, ShadowError>| {
            matches!(found, Err(ShadowError::Missing(_) | ShadowError::Corrupt { .. }))
        };
        let found = self.look_in(&self.everything, &self.folder, id, &look);
        if !is_failed(&found) {
            return found;
        }
        if let Some(users) = &self.users {
            let found = self.look_in(&self.theirs, users, id, &look);
            if !is_failed(&found) {
                return found;
            }
            self.theirs.replace(None);
        }
        self.everything.replace(None);
        let found = self.look_in(&self.everything, &self.folder, id, &look);
        if !matches!(found, Err(ShadowError::Corrupt { .. })) {
            return found;
        }
        self.everything.replace(None);
        self.look_in(&self.everything, &self.folder, id, &look)
    }

    fn look_in<T>(
        &self,
        place: &RefCell<Option<HandleArc>>,
        folder: &Path,
        id: Id,
        look: impl Fn(&HandleArc) -> Result<T, ShadowError>,
    ) -> Result<T, ShadowError> {
        let mut place = place.borrow_mut();
        match &mut *place {
            Some(handle) => look(handle),
            empty => {
                let handle = self.open(folder).map_err(|error| corrupt(id, &error))?;
                look(empty.insert(handle))
            }
        }
    }

    fn open(&self, folder: &Path) -> std::io::Result<HandleArc> {
        let options = gix::odb::store::init::Options {
            // Only used to make relative paths absolute, of which there are none.
            current_dir: Some(self.folder.clone()),
            ..Default::default()
        };
        let store = Store::at_opts(
            folder.to_path_buf(),
            self.format.kind(),
            &mut std::iter::empty(),
            options,
        )?;
        Ok(Arc::new(store).to_cache_arc())
    }

    /// Whether an id of this format can name anything here.
    pub(super) fn knows(&self, id: Id) -> bool {
        id.0.kind() == self.format.kind()
    }

    pub(super) fn empty_tree(&self) -> Id {
        Id(ObjectId::empty_tree(self.format.kind()))
    }
}

fn header(handle: &HandleArc, id: Id) -> Result<gix::odb::find::Header, ShadowError> {
    let found = handle.try_header(&id.0).map_err(|error| corrupt(id, &error))?;
    found.ok_or(ShadowError::Missing(id))
}

fn corrupt(id: Id, reason: &impl ToString) -> ShadowError {
    ShadowError::Corrupt {
        id,
        reason: reason.to_string(),
    }
}

/// Makes an open file as young as a new one.
pub(super) fn touch_file(file: &std::fs::File) -> std::io::Result<()> {
    Ok(rustix::fs::futimens(file, &now())?)
}

fn touch(path: &Path) -> bool {
    rustix::fs::utimensat(CWD, path, &now(), AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

fn now() -> Timestamps {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: UTIME_NOW,
    };
    Timestamps {
        last_access: now,
        last_modification: now,
    }
}

/// The error of the file system behind an object that could not be written.
fn unwritten(error: gix::Error) -> ShadowError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(current) = cause {
        if let Some(io) = current.downcast_ref::<std::io::Error>() {
            return std::io::Error::new(io.kind(), error.to_string()).into();
        }
        cause = current.source();
    }
    std::io::Error::other(error).into()
}
