//! Reads the small files a repository consists of, without trusting their kind or their size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// How much more room there is than a file needs.
const ROOM: usize = 64;

/// Opens a regular file, and nothing else: a pipe or a device under this name would keep the reader waiting.
pub fn open(path: &Path) -> io::Result<File> {
    opened(path).map(|(file, _)| file)
}

/// The same with how long it is now.
fn opened(path: &Path) -> io::Result<(File, u64)> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if found.is_file() {
        Ok((file, found.len()))
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// The whole content of a regular file, or `FileTooLarge` if it has more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, length) = opened(path)?;
    // Room for more than there is to read: its end is seen without asking for more, and no first piece is read apart.
    let mut content = Vec::with_capacity(usize::try_from(length.min(limit)).unwrap_or(0) + ROOM);
    file.take(limit.saturating_add(1)).read_to_end(&mut content)?;
    if u64::try_from(content.len()).is_ok_and(|length| length <= limit) {
        Ok(content)
    } else {
        Err(io::ErrorKind::FileTooLarge.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs_err::write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_pipe_without_a_writer_is_refused_instead_of_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        crate::fixture::make_pipe(&path);
        assert_eq!(read(&path, 10).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
