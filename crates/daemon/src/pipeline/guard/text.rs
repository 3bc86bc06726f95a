//! Texts a guard reads: scripts of the session's own, agents' settings, the first lines of what may be a key.

use super::{Unsaid, WorldWitness};
use engine::settings::Scripts;
use std::io::Read;
use std::path::Path;

/// The longest script that is read.
const LONGEST_SCRIPT: u64 = 64 * 1024;
/// The longest settings file that is read.
pub const LONGEST_SETTINGS: u64 = 1024 * 1024;
/// Where a key says that it is one.
const KEY_HEAD: u64 = 4 * 1024;

impl WorldWitness<'_> {
    /// The text of a script, if this session wrote it.
    pub(super) fn script(&self, path: &Path) -> Result<Option<String>, Unsaid> {
        let real = git::target::real(path);
        match self.settings.scripts {
            Scripts::Off => return Ok(None),
            Scripts::All => return Ok(read(&real, LONGEST_SCRIPT)),
            Scripts::Session => {}
        }
        let above = real.parent().unwrap_or(Path::new("/"));
        let place = self.world.place_of(above);
        let known = self
            .world
            .memory
            .authorship(&self.event.actor, &place, &real)
            .ok_or(Unsaid)?;
        Ok(known.wrote.then(|| read(&real, LONGEST_SCRIPT)).flatten())
    }
}

/// The beginning of a regular file as text; nothing where there is none, or it is no text.
pub fn read(path: &Path, longest: u64) -> Option<String> {
    let bytes = head(path, longest)?;
    if bytes.contains(&0) {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a file that is named like a private key is one.
pub fn is_private_key(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let Some(name) = name else { return false };
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".p12", ".pfx", ".jks", ".keystore"]) {
        return head(path, 1).is_some();
    }
    if !ends(&[".pem", ".key", ".ppk", ".asc"]) && !name.starts_with("id_") {
        return false;
    }
    let says = |bytes: &[u8], words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
    head(path, KEY_HEAD)
        .is_some_and(|bytes| says(&bytes, b"PRIVATE KEY") || says(&bytes, b"PuTTY-User-Key-File"))
}

/// The first bytes of a regular file. Pipes and devices are not opened.
fn head(path: &Path, longest: u64) -> Option<Vec<u8>> {
    let is_file = fs_err::metadata(path).is_ok_and(|found| found.is_file());
    let file = is_file.then(|| fs_err::File::open(path).ok()).flatten()?;
    let mut bytes = Vec::new();
    file.take(longest).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
