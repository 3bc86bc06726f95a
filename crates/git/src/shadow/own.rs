//! Everything the shadow owns, with its age: what tidying decides on.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::objects::Objects;
use crate::object::Id;

/// An inventory of the shadow's own objects, at one moment.
pub(super) struct Own {
    pub(super) loose: HashMap<Id, SystemTime>,
    pub(super) packs: Vec<Pack>,
}

/// One pack of the shadow's own.
pub(super) struct Pack {
    pub(super) path: PathBuf,
    pub(super) modified: SystemTime,
    pub(super) content: HashSet<Id>,
}

impl Own {
    pub(super) fn list(objects: &Objects) -> io::Result<Self> {
        let mut loose = HashMap::new();
        for byte in 0..=u8::MAX {
            list_loose(objects, &format!("{byte:02x}"), &mut loose)?;
        }
        let packs = objects.packs().all()?.into_iter();
        let packs = packs
            .map(|path| Pack::read(objects, path))
            .collect::<io::Result<_>>()?;
        Ok(Self { loose, packs })
    }

    pub(super) fn has(&self, id: Id) -> bool {
        self.loose.contains_key(&id) || self.is_packed(id)
    }

    pub(super) fn is_packed(&self, id: Id) -> bool {
        self.packs.iter().any(|pack| pack.content.contains(&id))
    }

    /// When it was last written or touched.
    pub(super) fn modified(&self, id: Id) -> Option<SystemTime> {
        let packs = self.packs.iter().filter(|pack| pack.content.contains(&id));
        let loose = self.loose.get(&id).copied();
        packs.map(|pack| pack.modified).chain(loose).max()
    }

    /// Whether it is younger than this.
    pub(super) fn is_young(&self, id: Id, since: SystemTime) -> bool {
        self.modified(id).is_some_and(|modified| modified >= since)
    }

    /// What is younger than this, or in a pack that is: somebody may be about to refer to it.
    pub(super) fn recent(&self, since: SystemTime) -> impl Iterator<Item = Id> {
        let loose = self.loose.iter().filter(move |(_, modified)| **modified >= since);
        let packs = self.packs.iter().filter(move |pack| pack.modified >= since);
        loose
            .map(|(id, _)| *id)
            .chain(packs.flat_map(|pack| pack.content.iter().copied()))
    }
}

impl Pack {
    fn read(objects: &Objects, path: PathBuf) -> io::Result<Self> {
        let content = objects.packs().content(&path)?.into_iter().map(Id).collect();
        let modified = fs_err::symlink_metadata(&path)?.modified()?;
        Ok(Self {
            path,
            modified,
            content,
        })
    }

    /// Removes it, unless somebody touched it since it was listed. The index goes first: then nobody looks for it.
    pub(super) fn remove(&self) -> io::Result<bool> {
        if fs_err::symlink_metadata(&self.path)?.modified()? != self.modified {
            return Ok(false);
        }
        for extension in ["idx", "rev", "bitmap", "pack"] {
            remove_file(&self.path.with_extension(extension))?;
        }
        Ok(true)
    }
}

fn list_loose(objects: &Objects, prefix: &str, found: &mut HashMap<Id, SystemTime>) -> io::Result<()> {
    let entries = match fs_err::read_dir(objects.folder().join(prefix)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let id = name
            .to_str()
            .and_then(|rest| format!("{prefix}{rest}").parse::<Id>().ok());
        let Some(id) = id.filter(|id| objects.knows(*id)) else {
            continue;
        };
        match entry.metadata() {
            Ok(metadata) if metadata.len() > 0 => {
                found.insert(id, metadata.modified()?);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Removes a file; one that is gone already is removed.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
