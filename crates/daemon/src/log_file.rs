//! What the daemon has to say, in a file that never grows beyond its cap. Never on stdout, never in a hook.

use crate::clock;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// When the file reaches this size it becomes the old one, and a new one begins.
const CAP: u64 = 512 * 1024;

/// A log file with one predecessor.
pub struct LogFile {
    path: Mutex<PathBuf>,
}

impl LogFile {
    /// A log at this path.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path: Mutex::new(path),
        }
    }

    /// Writes one line. A log that cannot be written is not worth failing for.
    pub fn line(&self, text: &str) {
        let path = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        if fs_err::metadata(&*path).is_ok_and(|found| found.len() > CAP) {
            let _ = fs_err::rename(&*path, path.with_extension("log.old"));
        }
        let text = engine::text::one_line(text, 2_000);
        if let Ok(mut file) = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&*path)
        {
            let _ = writeln!(file, "{} {text}", clock::now().0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_makes_room_and_keeps_one_predecessor() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("daemon.log");
        fs_err::write(&path, vec![b'x'; usize::try_from(CAP).unwrap() + 1]).unwrap();
        LogFile::new(path.clone()).line("fresh\nline");
        assert!(fs_err::read_to_string(&path).unwrap().ends_with("fresh\\nline\n"));
        assert!(world.path().join("daemon.log.old").exists());
    }
}
