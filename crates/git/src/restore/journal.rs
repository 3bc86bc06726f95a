//! The journal of a restore as a value: what is to be changed, written so that only what we wrote is read back.
//!
//! A journal decides what recovery does to a person's files, so it is believed only as a whole: one version, one
//! checksum, one way to write every value, and paths that cannot lead out of the worktree.

mod text;

use std::fmt;

use super::PathChange;
use super::order;
use crate::path::RepoPath;

/// What a restore is called, and its files with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct JournalId(String);

impl JournalId {
    /// An id of lower-case letters, digits and inner dashes.
    pub fn new(text: &str) -> Result<Self, JournalFault> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let starts = text.bytes().next().is_some_and(is_plain);
        if starts && text.len() <= 64 && text.bytes().all(|byte| is_plain(byte) || byte == b'-') {
            Ok(Self(text.to_owned()))
        } else {
            Err(JournalFault::Id)
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JournalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All that is needed to finish a restore or to take it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// What it is called.
    pub id: JournalId,
    /// The worktree's name, so that another worktree of the same repository leaves it alone.
    pub worktree: Vec<u8>,
    /// Where its stage folder is.
    pub stage: StagePlace,
    /// Whether exec bits mean something here.
    pub modes: Modes,
    /// The changes, in the order in which they are made.
    pub changes: Vec<PathChange>,
    /// Folders that come or go with them.
    pub folders: Vec<FolderNote>,
}

/// Where the stage folder of a restore is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagePlace {
    /// Beside the shadow repository.
    Beside,
    /// In the root of the worktree, where that is another file system.
    Inside,
}

/// Whether the exec bits of a worktree mean something (`core.fileMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modes {
    /// They do.
    Kept,
    /// They do not, and are never compared.
    Ignored,
}

/// A folder that comes or goes with a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderNote {
    /// Where.
    pub path: RepoPath,
    /// What happens to it.
    pub fate: Fate,
    /// Its permissions.
    pub bits: u32,
}

/// What happens to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is missing, and made for a file in it. Taken back, it goes again.
    Made,
    /// It goes if the deletions leave it empty. Taken back, it comes again.
    Emptied,
}

/// Why bytes are no journal of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JournalFault {
    /// Not a name of ours.
    #[error("it is not named as a journal is")]
    Id,
    /// Another version wrote it, or nobody.
    #[error("it is not a journal of a version this program knows")]
    Version,
    /// It was cut or edited.
    #[error("its checksum is wrong")]
    Checksum,
    /// It says something no journal says.
    #[error("line {0} is not one a journal has")]
    Line(usize),
    /// Its changes cannot be made together.
    #[error("its changes contradict each other")]
    Contradiction,
}

impl Journal {
    /// The bytes of a journal whose contents are not staged yet.
    pub fn written(&self) -> Result<Vec<u8>, JournalFault> {
        let mut bytes = text::body(self);
        let end = text::seal("end", &bytes)?;
        bytes.extend_from_slice(&end);
        Ok(bytes)
    }

    /// What is added to them once all is staged.
    pub fn mark(&self) -> Result<Vec<u8>, JournalFault> {
        text::seal("staged", &self.written()?)
    }

    /// Reads a journal back, and whether all was staged. A mark that was cut short is none.
    pub fn read(id: &JournalId, bytes: &[u8]) -> Result<(Self, bool), JournalFault> {
        let journal = text::parse(bytes)?;
        if journal.id != *id {
            return Err(JournalFault::Id);
        }
        let written = journal.written()?;
        let rest = bytes.strip_prefix(written.as_slice());
        let rest = rest.ok_or(JournalFault::Checksum)?;
        let mark = journal.mark()?;
        if !mark.starts_with(rest) {
            return Err(JournalFault::Checksum);
        }
        if order::ordered(journal.changes.clone()).as_ref() != Ok(&journal.changes) {
            return Err(JournalFault::Contradiction);
        }
        let is_staged = rest == mark;
        Ok((journal, is_staged))
    }
}

#[cfg(test)]
mod tests;
