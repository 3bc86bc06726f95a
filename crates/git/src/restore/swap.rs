//! Changes the places of a file in the worktree and one in the stage folder.
//!
//! Every change of a restore is this one act, and so is taking it back: what is replaced is never gone, it is in the
//! stage folder. Where the system cannot exchange two names at once it takes three steps, and `settle` completes or
//! takes back what was cut short between them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, RenameFlags, linkat, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::sight::stat;

/// A name in an open folder.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'a> {
    /// The folder.
    pub folder: BorrowedFd<'a>,
    /// The name.
    pub name: &'a OsStr,
}

impl Spot<'_> {
    fn is_taken(&self) -> io::Result<bool> {
        Ok(stat(self.folder, self.name)?.is_some())
    }
}

/// Exchanges what is at the two spots. Either may be empty; nothing is ever overwritten.
pub fn swap(path: Spot<'_>, slot: Spot<'_>) -> io::Result<()> {
    match (path.is_taken()?, slot.is_taken()?) {
        (false, false) => Ok(()),
        (true, false) => shift(path, slot),
        (false, true) => shift(slot, path),
        (true, true) => match flagged(path, slot, RenameFlags::EXCHANGE) {
            Err(error) if is_unsupported(error) => in_steps(path, slot),
            done => Ok(done?),
        },
    }
}

/// Exchanges by way of a third name beside the slot.
pub fn in_steps(path: Spot<'_>, slot: Spot<'_>) -> io::Result<()> {
    let aside = aside(slot.name);
    let aside = Spot {
        folder: slot.folder,
        name: &aside,
    };
    shift(path, aside)?;
    if let Err(error) = shift(slot, path) {
        shift(aside, path)?;
        return Err(error);
    }
    shift(aside, slot)
}

/// Ends an exchange in steps that was cut short: it has happened, or it has not.
pub fn settle(path: Spot<'_>, slot: Spot<'_>) -> io::Result<()> {
    let aside = aside(slot.name);
    let aside = Spot {
        folder: slot.folder,
        name: &aside,
    };
    if !aside.is_taken()? {
        return Ok(());
    }
    if !path.is_taken()? {
        return shift(aside, path);
    }
    if slot.is_taken()? {
        // Somebody put a file where ours was for a moment missing: theirs stays, and ours is in the checkpoint.
        unlinkat(slot.folder, slot.name, AtFlags::empty())?;
    }
    shift(aside, slot)
}

/// Moves to a spot that must be empty.
fn shift(from: Spot<'_>, to: Spot<'_>) -> io::Result<()> {
    match flagged(from, to, RenameFlags::NOREPLACE) {
        Err(error) if is_unsupported(error) => {}
        done => return Ok(done?),
    }
    match linkat(from.folder, from.name, to.folder, to.name, AtFlags::empty()) {
        Ok(()) => Ok(unlinkat(from.folder, from.name, AtFlags::empty())?),
        // A file system without links: the narrow gap between asking and moving is all that is left.
        Err(Errno::PERM | Errno::OPNOTSUPP) if !to.is_taken()? => {
            Ok(renameat(from.folder, from.name, to.folder, to.name)?)
        }
        Err(error) => Err(error.into()),
    }
}

fn flagged(from: Spot<'_>, to: Spot<'_>, flags: RenameFlags) -> Result<(), Errno> {
    renameat_with(from.folder, from.name, to.folder, to.name, flags)
}

fn is_unsupported(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

fn aside(slot: &OsStr) -> OsString {
    let mut name = slot.to_owned();
    name.push(".aside");
    name
}

#[cfg(test)]
mod tests;
