//! The shadow's own packs: which objects they hold, however often another process repacks them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use gix::ObjectId;

type PackIndex = gix::odb::pack::index::File;

/// The indices of all packs in one folder, read when first needed.
pub(super) struct PackSet {
    folder: PathBuf,
    kind: gix::hash::Kind,
    indices: RefCell<BTreeMap<OsString, PackIndex>>,
    /// What the folder looked like before it was listed.
    listed: Cell<Option<PackFolderStamp>>,
    /// How often the folder was listed.
    #[cfg(test)]
    pub(super) listings: Cell<usize>,
}

/// What changes when a file is put into a folder or taken from it.
type PackFolderStamp = (u64, i64, i64);

impl PackSet {
    pub(super) fn at(objects: &Path, kind: gix::hash::Kind) -> Self {
        Self {
            folder: objects.join("pack"),
            kind,
            indices: RefCell::default(),
            listed: Cell::default(),
            #[cfg(test)]
            listings: Cell::default(),
        }
    }

    /// The pack that holds this object. The folder is listed on every miss, and a pack that is gone does not count.
    pub(super) fn holding(&self, id: &ObjectId) -> Option<PathBuf> {
        if let Some(pack) = self.known(id) {
            return Some(pack);
        }
        // A folder that cannot be listed holds nothing we could rely on: the object is then written anew.
        self.refresh().ok()?;
        self.known(id)
    }

    /// The same for one who is about to write the object: the folder is listed only if it changed. A pack that came in
    /// the moment of the last listing may be missed, and then an object is written though it is packed.
    pub(super) fn probably_holding(&self, id: &ObjectId) -> Option<PathBuf> {
        if let Some(pack) = self.known(id) {
            return Some(pack);
        }
        let stamp = self.stamp().ok()?;
        if self.listed.get() == Some(stamp) {
            return None;
        }
        self.refresh().ok()?;
        self.listed.set(Some(stamp));
        self.known(id)
    }

    /// All packs there are now, by the path of their data.
    pub(super) fn all(&self) -> io::Result<Vec<PathBuf>> {
        self.refresh()?;
        Ok(self.indices.borrow().keys().map(|name| self.data(name)).collect())
    }

    /// What one pack holds.
    pub(super) fn content(&self, pack: &Path) -> io::Result<Vec<ObjectId>> {
        let index = PackIndex::at(pack.with_extension("idx"), self.kind).map_err(io::Error::other)?;
        Ok(index.iter().map(|entry| entry.oid).collect())
    }

    fn known(&self, id: &ObjectId) -> Option<PathBuf> {
        let indices = self.indices.borrow();
        let holds = |index: &PackIndex| index.lookup(id).is_some();
        let (name, _) = indices.iter().find(|(_, index)| holds(index))?;
        let pack = self.data(name);
        fs_err::symlink_metadata(&pack).is_ok().then_some(pack)
    }

    fn data(&self, name: &OsString) -> PathBuf {
        self.folder.join(name).with_extension("pack")
    }

    fn stamp(&self) -> io::Result<PackFolderStamp> {
        let found = fs_err::symlink_metadata(&self.folder)?;
        Ok((found.ino(), found.mtime(), found.mtime_nsec()))
    }

    fn refresh(&self) -> io::Result<()> {
        #[cfg(test)]
        self.listings.set(self.listings.get() + 1);
        let mut seen = BTreeMap::new();
        let mut known = self.indices.take();
        for entry in fs_err::read_dir(&self.folder)? {
            let path = entry?.path();
            let Some(name) = path
                .file_name()
                .filter(|_| path.extension().is_some_and(|it| it == "idx"))
            else {
                continue;
            };
            // A pack without its data, or with an index that cannot be read, holds nothing.
            let index = known
                .remove(name)
                .or_else(|| PackIndex::at(&path, self.kind).ok());
            if let Some(index) = index.filter(|_| path.with_extension("pack").is_file()) {
                seen.insert(name.to_owned(), index);
            }
        }
        self.indices.replace(seen);
        Ok(())
    }
}
