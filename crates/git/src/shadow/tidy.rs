//! Packs what the shadow still needs of its own, and removes what nothing needs any more.
//!
//! Git's own `repack` would drop our copies of what the user's store has as well, and those copies are the point.
//! What is young stays loose: a pack is as young as the youngest in it, and nothing of it can go before that is old.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::own::{Own, remove_file};
use super::reach::Needed;
use super::{Shadow, ShadowError};
use crate::object::Id;
use crate::run::{Git, GitEnvironment, Limits};

/// This many packs are made one even when only loose objects were to be packed.
const MANY_PACKS: usize = 8;

/// What to tidy.
#[derive(Debug, Clone, Copy)]
pub struct Tidying<'a> {
    /// Needed although no line leads to it: what only a record elsewhere names.
    pub needed: &'a [Id],
    /// Not needed, however young: what was left behind by whoever asks for this.
    pub obsolete: &'a [Id],
    /// What nothing needs is removed if it is older. Whoever takes less than an hour before now must know that no
    /// checkpoint is being cut: its objects are written before anything leads to them.
    pub older_than: SystemTime,
    /// How much is packed.
    pub extent: PackedSize,
    /// Until git must have packed.
    pub time: Duration,
    /// What to do while another process is at it.
    pub meanwhile: Meanwhile,
}

/// What to do while another process tidies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meanwhile {
    /// Leave it to that one.
    Leave,
    /// Wait until it is done, and remove empty folders as well: no checkpoint is being cut.
    Wait,
}

/// How much is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackedSize {
    /// Objects that are in no pack. What nothing needs stays in its pack.
    Loose,
    /// Everything, into one pack.
    All,
}

/// What was tidied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tidied {
    /// Objects that were written into a pack.
    pub packed: usize,
    /// Objects nothing needed, which are gone.
    pub dropped: usize,
}

impl Shadow {
    /// Packs and removes. None if another process is at it.
    ///
    /// A line whose tip or one of whose commits is lost is an error, and nothing is removed: what it led to cannot be
    /// known.
    pub fn tidy(
        &self,
        environment: &GitEnvironment,
        tidying: &Tidying<'_>,
    ) -> Result<Option<Tidied>, ShadowError> {
        let lock = match tidying.meanwhile {
            Meanwhile::Leave => self.try_lock("tidy")?,
            Meanwhile::Wait => Some(self.lock("tidy")?),
        };
        let Some(_lock) = lock else { return Ok(None) };
        // In this order: what a tip that is read first leads to is in the inventory. What a line that moves meanwhile
        // leads to beyond that is young, or not in the inventory and so not removed.
        let tips: Vec<Id> = self.lines()?.into_iter().map(|(_, tip)| tip).collect();
        let own = Own::list(&self.objects)?;
        let obsolete: HashSet<Id> = tidying.obsolete.iter().copied().collect();
        let recent = own.recent(tidying.older_than);
        let others = tidying
            .needed
            .iter()
            .copied()
            .chain(recent.filter(|id| !obsolete.contains(id)));
        let needed = self.reachable(&own, &tips, others)?;
        let extent = if own.packs.len() >= MANY_PACKS {
            PackedSize::All
        } else {
            tidying.extent
        };
        let old = needed
            .iter()
            .filter(|it| own.is_packed(it.id) || !own.is_young(it.id, tidying.older_than));
        let chosen: Vec<&Needed> = match extent {
            PackedSize::Loose => old.filter(|it| !own.is_packed(it.id)).collect(),
            PackedSize::All => old.collect(),
        };
        let is_done = extent == PackedSize::All && own.is_one_pack_of(&chosen);
        let chosen = if is_done { Vec::new() } else { chosen };
        let made = self.pack(environment, &chosen, tidying.time)?;
        if let Some(made) = &made {
            own.give_age(made, &chosen)?;
        }
        let mut tidied = Tidied {
            packed: chosen.len(),
            dropped: 0,
        };
        let packed: HashSet<Id> = chosen.iter().map(|it| it.id).collect();
        let needed: HashSet<Id> = needed.iter().map(|it| it.id).collect();
        tidied.dropped += self.drop_loose(&own, &needed, &packed, |id, path| {
            Ok(obsolete.contains(&id) || is_older(path, tidying.older_than)?)
        })?;
        if extent == PackedSize::All && !is_done {
            tidied.dropped += drop_packs(&own, &needed, made.as_deref())?;
        }
        self.sweep(tidying.older_than)?;
        if tidying.meanwhile == Meanwhile::Wait {
            self.remove_empty_folders()?;
        }
        Ok(Some(tidied))
    }

    /// Writes these objects into a new pack, and makes sure that they are in it.
    fn pack(
        &self,
        environment: &GitEnvironment,
        chosen: &[&Needed],
        time: Duration,
    ) -> Result<Option<PathBuf>, ShadowError> {
        if chosen.is_empty() {
            return Ok(None);
        }
        let mut input = Vec::new();
        for needed in chosen {
            input.extend(needed.id.to_string().into_bytes());
            if !needed.name.contains(&b'\n') {
                input.push(b' ');
                input.extend_from_slice(&needed.name);
            }
            input.push(b'\n');
        }
        let git = Git::new(&self.folder, environment);
        let output = git.feed(&PACK, input, Limits::within(time))?;
        let name = String::from_utf8_lossy(output.trim_ascii()).into_owned();
        let pack = self
            .objects
            .folder()
            .join("pack")
            .join(format!("pack-{name}.pack"));
        let held: HashSet<Id> = self.objects.packs().content(&pack)?.into_iter().map(Id).collect();
        match chosen.iter().find(|needed| !held.contains(&needed.id)) {
            Some(lost) => Err(ShadowError::Missing(lost.id)),
            None => Ok(Some(pack)),
        }
    }

    /// Removes loose objects that are in a pack now, and those nothing needs. Counts the latter.
    fn drop_loose(
        &self,
        own: &Own,
        needed: &HashSet<Id>,
        packed: &HashSet<Id>,
        may_go: impl Fn(Id, &Path) -> io::Result<bool>,
    ) -> Result<usize, ShadowError> {
        let mut dropped = 0;
        for (id, modified) in &own.loose {
            let path = self.objects.loose_path(*id);
            if needed.contains(id) {
                // One that somebody touched meanwhile is young, and the pack is not.
                if (packed.contains(id) || own.is_packed(*id)) && is_still(&path, *modified)? {
                    remove_file(&path)?;
                }
            } else if may_go(*id, &path)? {
                remove_file(&path)?;
                dropped += usize::from(!own.is_packed(*id));
            }
        }
        Ok(dropped)
    }

    /// Removes the folders of loose objects that have none any more. Who writes one makes its folder if need be.
    fn remove_empty_folders(&self) -> io::Result<()> {
        for byte in 0..=u8::MAX {
            let folder = self.objects.folder().join(format!("{byte:02x}"));
            match fs_err::remove_dir(&folder) {
                Err(error)
                    if !matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty
                    ) =>
                {
                    return Err(error);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes what processes that were killed left half written.
    fn sweep(&self, older_than: SystemTime) -> Result<(), ShadowError> {
        let objects = self.objects.folder();
        let places = [
            (objects.to_path_buf(), ".tmp"),
            (objects.join("pack"), "tmp_"),
            (objects.join("info"), "alternates.new-"),
        ];
        for (folder, prefix) in places {
            for path in beginning_with(&folder, prefix)? {
                if is_older(&path, older_than)? {
                    remove_file(&path)?;
                }
            }
        }
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let parent = self.folder.parent().unwrap_or(&self.folder);
        for draft in beginning_with(parent, &format!("{name}.new-"))? {
            if is_older(&draft, older_than)? {
                fs_err::remove_dir_all(&draft)?;
            }
        }
        Ok(())
    }
}

/// A person's settings must not split the pack. One thread: it is work in the background.
const PACK: [&str; 11] = [
    "--git-dir=.",
    "-c",
    "pack.packSizeLimit=0",
    "-c",
    "pack.threads=1",
    "-c",
    "pack.indexVersion=2",
    "pack-objects",
    "--quiet",
    "--delta-base-offset",
    "objects/pack/pack",
];

impl Own {
    fn is_one_pack_of(&self, chosen: &[&Needed]) -> bool {
        match self.packs.as_slice() {
            [] => chosen.is_empty(),
            [pack] => {
                pack.content.len() == chosen.len() && chosen.iter().all(|it| pack.content.contains(&it.id))
            }
            _ => false,
        }
    }

    /// Lets a new pack be as old as the youngest that is in it.
    fn give_age(&self, pack: &Path, content: &[&Needed]) -> io::Result<()> {
        if let Some(youngest) = content.iter().filter_map(|it| self.modified(it.id)).max() {
            fs_err::OpenOptions::new()
                .read(true)
                .open(pack)?
                .file()
                .set_modified(youngest)?;
        }
        Ok(())
    }
}

/// Removes the packs that were there before, all of whose needed objects are in the new one.
fn drop_packs(own: &Own, needed: &HashSet<Id>, made: Option<&Path>) -> Result<usize, ShadowError> {
    let mut dropped: HashSet<Id> = HashSet::new();
    for pack in own.packs.iter().filter(|pack| Some(pack.path.as_path()) != made) {
        if pack.remove()? {
            dropped.extend(pack.content.iter().filter(|id| !needed.contains(id)));
        }
    }
    Ok(dropped.len())
}

fn is_still(path: &Path, modified: SystemTime) -> io::Result<bool> {
    match fs_err::symlink_metadata(path) {
        Ok(metadata) => Ok(metadata.modified()? == modified),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_older(path: &Path, than: SystemTime) -> io::Result<bool> {
    match fs_err::symlink_metadata(path) {
        Ok(metadata) => Ok(metadata.modified()? < than),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn beginning_with(folder: &Path, prefix: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(prefix.as_bytes())
        {
            found.push(entry.path());
        }
    }
    Ok(found)
}
