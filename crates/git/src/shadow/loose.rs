//! Writes small objects without compressing them, in the form git itself gives them where compression is off. What fits
//! into one block of the file system takes the same room either way, and tidying packs it; but a compressor has to be set
//! up for each object, which costs more than all the rest of writing it.

use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use gix::objs::Kind;

/// The largest content that is written here: one block, less what is written around it.
pub(super) const SMALL: usize = 4000;

/// Zlib's own header, for a stream that was made with the least effort.
const ZLIB: [u8; 2] = [0x78, 0x01];
/// The last block, and its content is stored as it is.
const STORED: u8 = 1;
/// A folder that is removed as often as it is made is somebody else's trouble.
const ATTEMPTS: usize = 5;
/// Of the checksum: the largest prime below 2^16.
const ADLER: u32 = 65_521;

/// Writes an object to its place among those in a folder, whole or not at all.
pub(super) fn write(objects: &Path, place: &Path, kind: Kind, bytes: &[u8]) -> io::Result<()> {
    let content = stream(kind, bytes)?;
    let draft = draft(objects, &content)?;
    let mut placed = fs_err::rename(&draft, place);
    for _ in 0..ATTEMPTS {
        match &placed {
            // Whoever tidies may remove the folder again, because it is empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                placed = make_folder_of(place).and_then(|()| fs_err::rename(&draft, place));
            }
            Ok(()) | Err(_) => break,
        }
    }
    if placed.is_err() {
        let _ = fs_err::remove_file(&draft);
    }
    placed
}

/// A new file with this content. One that a killed process leaves behind goes when the shadow is tidied.
fn draft(objects: &Path, content: &[u8]) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    static PROCESS: OnceLock<u32> = OnceLock::new();
    let process = PROCESS.get_or_init(std::process::id);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = objects.join(format!(".tmp-{process}-{number}"));
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create_new(true);
        options.options_mut().mode(0o444);
        match options.open(&path) {
            Ok(mut file) => {
                let written = file.write_all(content);
                if written.is_err() {
                    let _ = fs_err::remove_file(&path);
                }
                return written.map(|()| path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn make_folder_of(place: &Path) -> io::Result<()> {
    let Some(folder) = place.parent() else {
        return Ok(());
    };
    match fs_err::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The file of an object: its header and content in one block.
fn stream(kind: Kind, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut object = format!("{kind} {}\0", bytes.len()).into_bytes();
    object.extend_from_slice(bytes);
    let length = u16::try_from(object.len()).map_err(io::Error::other)?;
    let mut stream = Vec::with_capacity(object.len() + 11);
    stream.extend_from_slice(&ZLIB);
    stream.push(STORED);
    stream.extend_from_slice(&length.to_le_bytes());
    stream.extend_from_slice(&(!length).to_le_bytes());
    stream.extend_from_slice(&object);
    stream.extend_from_slice(&checksum(&object).to_be_bytes());
    Ok(stream)
}

fn checksum(bytes: &[u8]) -> u32 {
    let (mut low, mut high) = (1, 0);
    for byte in bytes {
        low = (low + u32::from(*byte)) % ADLER;
        high = (high + low) % ADLER;
    }
    high << 16 | low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Bench;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn git_reads_what_is_written() {
        let bench = Bench::with_repository();
        let objects = bench.path("repo").join(".git/objects");
        for length in [0, 1, 1000, SMALL] {
            let content = "ä\n".repeat(SMALL).into_bytes();
            let content = content.get(..length).unwrap();
            fs_err::write(bench.path("repo").join("file"), content).unwrap();
            let id = bench.git("repo", &["hash-object", "file"]).trim().to_owned();
            let (folder, rest) = id.split_at(2);
            let place = objects.join(folder).join(rest);
            // Twice: somebody else may have written it meanwhile.
            for _ in 0..2 {
                write(&objects, &place, Kind::Blob, content).unwrap();
            }
            let size = bench.git("repo", &["cat-file", "-s", &id]);
            assert_eq!(size.trim(), length.to_string());
            let file = fs_err::metadata(&place).unwrap();
            assert!(file.len() <= 4096, "{} bytes", file.len());
            assert_eq!(file.permissions().mode() & 0o777, 0o444);
        }
        bench.git("repo", &["fsck", "--strict"]);
        let left = fs_err::read_dir(&objects).unwrap().flatten();
        let mut left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".tmp"));
        assert!(left.next().is_none());
    }
}
