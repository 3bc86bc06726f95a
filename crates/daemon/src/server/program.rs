//! Whether the binary this daemon runs was replaced, or a hook comes from a newer one: then it is time to hand over.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The binary this process was started from.
pub struct OwnBinary {
    path: Option<PathBuf>,
    stamp: Option<BinaryStamp>,
}

#[derive(Debug, PartialEq, Eq)]
struct BinaryStamp {
    device: u64,
    inode: u64,
    modified: (i64, i64),
}

impl OwnBinary {
    /// The binary as it is now.
    pub fn running() -> Self {
        Self::at(std::env::current_exe().ok())
    }

    fn at(path: Option<PathBuf>) -> Self {
        if let Some(successor) = path.as_deref().and_then(successor) {
            return Self {
                path: Some(successor),
                stamp: None,
            };
        }
        let stamp = path
            .as_ref()
            .and_then(|path| fs_err::metadata(path).ok())
            .as_ref()
            .map(stamp);
        Self { path, stamp }
    }

    /// Whether hooks come from a newer binary than this process.
    pub fn is_outdated(&self, hook_version: &str) -> bool {
        self.was_replaced() || is_newer(hook_version, env!("CARGO_PKG_VERSION"))
    }

    fn was_replaced(&self) -> bool {
        let Some(path) = &self.path else { return false };
        let now = fs_err::metadata(path).ok().as_ref().map(stamp);
        // A binary that is merely gone has no successor to hand over to.
        now.is_some() && now != self.stamp
    }
}

/// Where a successor is, or will be, if the binary was replaced while we started: the system marks the path then.
fn successor(path: &Path) -> Option<PathBuf> {
    let plain = path.as_os_str().as_bytes().strip_suffix(b" (deleted)")?;
    (!path.exists()).then(|| PathBuf::from(OsStr::from_bytes(plain)))
}

fn stamp(found: &Metadata) -> BinaryStamp {
    BinaryStamp {
        device: found.dev(),
        inode: found.ino(),
        modified: (found.mtime(), found.mtime_nsec()),
    }
}

/// Compares `1.10.0` and `1.9.3` by their numbers.
fn is_newer(one: &str, other: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        version
            .split(['.', '-', '+'])
            .map_while(|part| part.parse().ok())
            .collect()
    };
    numbers(one) > numbers(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number_and_the_same_version_is_not_newer() {
        assert!(is_newer("0.10.0", "0.9.9"));
        assert!(!is_newer("0.9.9", "0.10.0"));
        assert!(!is_newer("0.1.0", "0.1.0"));
        assert!(!is_newer("", "0.1.0"));
    }

    #[test]
    fn a_binary_that_was_replaced_while_it_started_is_noticed_too() {
        let world = tempfile::tempdir().unwrap();
        let program = OwnBinary::at(Some(world.path().join("toprope (deleted)")));
        assert!(!program.was_replaced(), "there is no successor yet");
        fs_err::write(world.path().join("toprope"), "new").unwrap();
        assert!(program.was_replaced());
    }

    #[test]
    fn a_binary_that_was_replaced_is_noticed_and_one_that_is_gone_is_not() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("toprope");
        fs_err::write(&path, "old").unwrap();
        let stamp = fs_err::metadata(&path).ok().as_ref().map(stamp);
        let program = OwnBinary {
            path: Some(path.clone()),
            stamp,
        };
        assert!(!program.was_replaced());
        fs_err::write(world.path().join("new"), "new").unwrap();
        fs_err::rename(world.path().join("new"), &path).unwrap();
        assert!(program.was_replaced());
        fs_err::remove_file(&path).unwrap();
        assert!(!program.was_replaced());
    }
}
