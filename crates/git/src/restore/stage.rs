//! The stage folder: new contents wait here, and what they replaced stays here until the restore is closed.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use gix::hash::Kind as Format;
use rustix::fs::{AtFlags, CWD, Dir, Mode as Bits, OFlags, fchmod, mkdirat, openat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::journal::{JournalId, StagePlace};
use super::record::make_private;
use super::sight::{self, NameState};
use super::swap::Spot;
use crate::object::EntryMode;
use crate::worktree::STAGE;

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The open stage folder of one restore.
#[derive(Debug)]
pub struct StagingFolder {
    folder: OwnedFd,
    path: PathBuf,
    /// Whether it had to be made, though a journal said that it was there.
    pub was_lost: bool,
}

/// Where the stage folder of a restore is.
pub fn path(shadow: &Path, root: &Path, place: StagePlace, id: &JournalId) -> PathBuf {
    match place {
        StagePlace::Beside => shadow.parent().unwrap_or(shadow).join("stage").join(id.as_str()),
        StagePlace::Inside => root.join(format!("{STAGE}{id}")),
    }
}

/// Beside the shadow repository, if a rename can lead from there into the worktree.
pub fn place(shadow: &Path, root: &Path) -> io::Result<StagePlace> {
    let mount = |path: &Path| -> io::Result<(u64, Option<u64>)> {
        let folder = rustix::fs::open(
            path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Bits::empty(),
        )?;
        mount_of(folder.as_fd())
    };
    Ok(if mount(shadow)? == mount(root)? {
        StagePlace::Beside
    } else {
        StagePlace::Inside
    })
}

impl StagingFolder {
    /// Makes the folder; it must not be there yet.
    pub fn make(path: PathBuf) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            make_private(parent)?;
        }
        mkdirat(CWD, &path, Bits::RWXU)?;
        Self::at(path, false)
    }

    /// Opens the folder of a restore that was cut short, or makes it anew.
    pub fn reopen(path: PathBuf) -> io::Result<Self> {
        match rustix::fs::open(&path, FOLDER, Bits::empty()) {
            Ok(_) => Self::at(path, false),
            Err(Errno::NOENT) => Ok(Self {
                was_lost: true,
                ..Self::make(path)?
            }),
            Err(error) => Err(error.into()),
        }
    }

    fn at(path: PathBuf, was_lost: bool) -> io::Result<Self> {
        let folder = rustix::fs::open(&path, FOLDER, Bits::empty())?;
        Ok(Self {
            folder,
            path,
            was_lost,
        })
    }

    /// What is in the slot of the change with this number.
    pub fn sight(&self, number: usize, format: Format) -> io::Result<NameState> {
        sight::at(self.folder.as_fd(), &slot(number), format)
    }

    /// Calls with the spot of the slot.
    pub fn with_slot<T>(&self, number: usize, then: impl FnOnce(Spot<'_>) -> T) -> T {
        let name = slot(number);
        then(Spot {
            folder: self.folder.as_fd(),
            name: &name,
        })
    }

    /// Writes content into an empty slot. Given permissions are kept but for the exec bit.
    pub fn fill(&self, number: usize, mode: EntryMode, content: &[u8], bits: Option<u32>) -> io::Result<()> {
        let name = slot(number);
        if mode == EntryMode::Link {
            return Ok(symlinkat(content, &self.folder, &name)?);
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let usual = if mode == EntryMode::Exec { 0o777 } else { 0o666 };
        let mut file = File::from(openat(&self.folder, &name, flags, Bits::from_raw_mode(usual))?);
        if let Some(bits) = bits {
            fchmod(
                &file,
                Bits::from_raw_mode(with_exec(bits, mode == EntryMode::Exec)),
            )?;
        }
        file.write_all(content)
    }

    /// Opens the file in a slot; nothing where a link or nothing is.
    pub fn open(&self, number: usize) -> io::Result<Option<OwnedFd>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&self.folder, slot(number), flags, Bits::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::NOENT | Errno::LOOP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Empties a slot.
    pub fn clear(&self, number: usize) -> io::Result<()> {
        match unlinkat(&self.folder, slot(number), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder itself, to make the names in it durable.
    pub fn folder(&self) -> io::Result<OwnedFd> {
        self.folder.try_clone()
    }

    /// Removes the folder and what is in it. What cannot be removed is in nobody's way.
    pub fn remove(self) -> io::Result<()> {
        for entry in Dir::read_from(&self.folder)?.flatten() {
            let _ = unlinkat(&self.folder, entry.file_name(), AtFlags::empty());
        }
        match unlinkat(CWD, &self.path, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The permissions with the exec bit wherever the file can be read, or nowhere.
pub fn with_exec(bits: u32, exec: bool) -> u32 {
    let bits = bits & 0o777;
    if exec {
        bits | ((bits & 0o444) >> 2)
    } else {
        bits & !0o111
    }
}

fn slot(number: usize) -> OsString {
    number.to_string().into()
}

/// What tells one mount from another: the same device can be mounted twice, and no rename leads across.
#[cfg(target_os = "linux")]
fn mount_of(folder: BorrowedFd<'_>) -> io::Result<(u64, Option<u64>)> {
    use rustix::fs::{StatxFlags, statx};
    let device = rustix::fs::fstat(folder)?.st_dev;
    let mount = statx(folder, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok();
    let known = mount.filter(|found| found.stx_mask & StatxFlags::MNT_ID.bits() != 0);
    Ok((device, known.map(|found| found.stx_mnt_id)))
}

#[cfg(not(target_os = "linux"))]
fn mount_of(folder: BorrowedFd<'_>) -> io::Result<(u64, Option<u64>)> {
    let device = rustix::fs::fstat(folder)?.st_dev;
    Ok((u64::try_from(device).unwrap_or_default(), None))
}
