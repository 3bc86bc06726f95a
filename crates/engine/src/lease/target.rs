//! What one call writes: as its input says, and as it was found in the world.

use super::key::FileKey;
use super::scope::BulkScope;
use super::seen::ContentIdentity;
use crate::id::EventSeq;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChangeKind {
    /// Its whole content is replaced, whatever is in it.
    Overwrite,
    /// What is there is built upon.
    Change,
    /// It goes.
    Remove,
}

/// What writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Means {
    /// A tool for writing.
    Tool,
    /// A command.
    Shell,
}

impl Means {
    /// Its word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Shell => "shell",
        }
    }
}

/// A file a call writes, as its input says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WantedFile {
    /// Absolute; `.` and `..` resolved by their letters, links not followed.
    pub path: PathBuf,
    /// What happens to it.
    pub how: FileChangeKind,
    /// What writes.
    pub means: Means,
    /// If it is a folder, every file below it goes the same way: `rm -r`, `mv`, `git restore`.
    #[serde(default)]
    pub below: bool,
    /// If it is a folder, the file of this name in it is meant instead: `cp a.rs src`.
    #[serde(default)]
    pub into: Option<String>,
    /// It may be written after the call returned, by a command in the background.
    #[serde(default)]
    pub background: bool,
    /// The call does not name it: it was found changed after a command ran.
    #[serde(default)]
    pub incidental: bool,
}

impl WantedFile {
    /// Exactly this file, written before the call returns.
    pub fn file(path: PathBuf, how: FileChangeKind, means: Means) -> Self {
        Self {
            path,
            how,
            means,
            below: false,
            into: None,
            background: false,
            incidental: false,
        }
    }
}

/// A file a call writes, as it was found in the world. Part of the facts that are stored with the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own")]
pub struct FileTarget {
    /// Which file.
    pub key: FileKey,
    /// The worktree's root, by its real path; `None` outside all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
    /// The path as messages show it: relative to the worktree, cut and escaped.
    pub shown: String,
    /// What happens to it.
    pub how: FileChangeKind,
    /// What writes.
    pub means: Means,
    /// Whether there is a file now.
    pub exists: bool,
    /// It is a folder, and everything below goes the same way. Nothing is taken for it; the files below that somebody
    /// holds are targets of their own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub folder: bool,
    /// It may be written after the call returned, by a command in the background.
    #[serde(default, skip_serializing_if = "is_false")]
    pub background: bool,
    /// The call does not name it: it was found changed after a command ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub incidental: bool,
    /// A command writes it, and git does not track it: a log, build output, a new file.
    #[serde(default, skip_serializing_if = "is_false")]
    pub untracked: bool,
    /// A command writes it, and git is known to track it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tracked: bool,
    /// It changed, came or went while the call ran; only of calls that are over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub moved: bool,
    /// No device, pipe or socket, and nothing of `/dev`, `/proc` or `/sys`.
    pub leasable: bool,
    /// Size, time and inode of what is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<ContentStamp>,
    /// What is known of its content.
    #[serde(default, skip_serializing_if = "ContentIdentity::is_nothing")]
    pub content: ContentIdentity,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_false(value: &bool) -> bool {
    !value
}

/// What says cheaply that a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentStamp {
    /// In bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Its inode.
    pub inode: u64,
}

/// What changed in a worktree in which a commit is made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommitAnswers {
    /// The root of the worktree, by its real path.
    pub root: PathBuf,
    /// It runs in another folder than the root.
    #[serde(default, skip_serializing_if = "is_false")]
    pub elsewhere: bool,
    /// The options of the commit, if they can be written again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// Of the files that agents hold or wrote, those that differ from the last commit.
    pub changed: Vec<String>,
    /// Those of them that the commit takes along.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken: Vec<String>,
}

/// What the world says of the files a call names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeaseAnswers {
    /// The newest event when the files were looked at; what a later one tells of came after it.
    #[serde(skip)]
    pub looked: Option<EventSeq>,
    /// The files it writes, each once, sorted by root and key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<FileTarget>,
    /// Folders that go as a whole: what is held below them counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<FileTarget>,
    /// The files it reads as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<FileTarget>,
    /// The files it reads a part of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub glimpsed: Vec<FileTarget>,
    /// Paths that lead nowhere: too long, with a NUL, a loop of links. Nothing is decided about them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// The command that changes the whole tree, as [`WantedOfCall::bulk`](super::WantedOfCall::bulk) says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bulk: Option<String>,
    /// The parts of the tree that it changes; empty if it is all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bulk_scopes: Vec<BulkScope>,
    /// What a commit of everything would take along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitAnswers>,
    /// The root of the worktree it changes, by its real path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bulk_root: Option<PathBuf>,
}
