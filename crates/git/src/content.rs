//! Whether a file still holds the bytes that an object holds.

use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::object::{EntryMode, Id, TreeLeaf};

/// Whether the bytes of a regular file are those of a blob; nothing where it is longer than `most`, or cannot be read.
pub fn holds(path: &Path, id: Id, most: u64) -> Option<bool> {
    let is_file = fs_err::symlink_metadata(path).ok()?.is_file();
    if !is_file {
        return Some(false);
    }
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).ok()?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    if u64::try_from(bytes.len()).ok()? > most {
        return None;
    }
    Some(is_content(id, &bytes))
}

/// Whether these bytes are those of a blob.
pub fn is_content(id: Id, bytes: &[u8]) -> bool {
    gix::objs::compute_hash(id.0.kind(), gix::objs::Kind::Blob, bytes).is_ok_and(|found| found == id.0)
}

/// Whether what is at a path is what a tree has there, byte by byte and with its mode; nothing as with `holds`.
pub fn is_as_in(path: &Path, entry: TreeLeaf, most: u64) -> Option<bool> {
    match entry.mode {
        EntryMode::Link => {
            let target = fs_err::read_link(path).ok()?;
            let bytes = target.as_os_str().as_bytes();
            let found = gix::objs::compute_hash(entry.id.0.kind(), gix::objs::Kind::Blob, bytes).ok()?;
            Some(found == entry.id.0)
        }
        EntryMode::File | EntryMode::Exec => {
            let mode = fs_err::symlink_metadata(path).ok()?.permissions().mode();
            let may_run = mode & 0o100 != 0;
            Some(may_run == (entry.mode == EntryMode::Exec) && holds(path, entry.id, most)?)
        }
        EntryMode::Commit => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Bench;

    #[test]
    fn a_file_is_compared_with_what_git_calls_its_bytes() {
        for format in ["sha1", "sha256"] {
            let bench = Bench::new();
            let object_format = format!("--object-format={format}");
            bench.git(".", &["init", "-q", &object_format, "repo"]);
            bench.write("repo/file", "one\n");
            let id: Id = bench.git("repo", &["hash-object", "file"]).parse().unwrap();
            let file = bench.path("repo/file");
            assert_eq!(holds(&file, id, 100), Some(true), "{format}");
            assert_eq!(holds(&file, id, 2), None, "longer than is read");
            bench.write("repo/file", "two\n");
            assert_eq!(holds(&file, id, 100), Some(false));
            assert_eq!(holds(&bench.path("repo"), id, 100), Some(false));
            assert_eq!(holds(&bench.path("repo/gone"), id, 100), None);
        }
    }
}
