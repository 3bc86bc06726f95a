//! Payloads too large for a frame wait in private files; only their paths travel.

use crate::frame::BODY_CAP;
use crate::home::{Home, HomeError, make_private};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The most of a payload that is ever kept: enough to decide, bounded in memory.
pub const LARGEST: usize = 4 * BODY_CAP;

/// Keeps a payload in a private file and returns its path.
pub fn keep(home: &Home, delivery: &str, body: &[u8]) -> io::Result<String> {
    let folder = home.spool();
    home.make()
        .and_then(|()| make_private(&folder))
        .map_err(|error: HomeError| io::Error::other(error))?;
    let path = folder.join(delivery);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    file.write_all(body)?;
    path.into_os_string()
        .into_string()
        .map_err(|_| io::Error::other("the spool's path is not text"))
}

/// Drops what nobody took.
pub fn discard(path: &str) {
    // Gone already, as a rule: whoever takes a payload removes it.
    let _ = fs_err::remove_file(path);
}

/// Takes a payload out of the spool. Only files of the spool itself are read: the path came over a socket.
pub fn take(home: &Home, path: &str) -> io::Result<Vec<u8>> {
    let path = Path::new(path);
    if path.parent() != Some(home.spool().as_path()) {
        return Err(io::Error::other("not a file of the spool"));
    }
    let mut body = Vec::new();
    fs_err::File::open(path)?
        .take(u64::try_from(LARGEST).unwrap_or(u64::MAX))
        .read_to_end(&mut body)?;
    fs_err::remove_file(path)?;
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;

    #[test]
    fn what_is_kept_can_be_taken_once_and_nothing_else_can_be_read() {
        let world = tempfile::tempdir().unwrap();
        let home = Home::of(&Environment::of(&[(
            "TOPROPE_HOME",
            world.path().to_str().unwrap(),
        )]));
        let path = keep(&home, "d1", b"payload").unwrap();
        assert_eq!(take(&home, &path).unwrap(), b"payload");
        assert!(take(&home, &path).is_err());
        assert!(take(&home, "/etc/hostname").is_err());
        let sly = format!("{}/../toprope.db", home.spool().display());
        assert!(take(&home, &sly).is_err());
    }
}
