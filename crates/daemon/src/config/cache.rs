//! Keeps loaded settings, and notices at the next event that a file or the person's trust changed.

use super::document::Holder;
use super::merge::TrustLookup;
use super::source::{FileStamp, LoadedFile};
use super::{LoadedSettings, SettingsPaths, assemble};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Projects kept at once; the one unused for longest goes first.
const MOST: usize = 256;

/// Settings by project.
#[derive(Debug, Default)]
pub struct Cache {
    entries: HashMap<SettingsPaths, CachedSettings>,
    uses: u64,
}

#[derive(Debug)]
struct CachedSettings {
    loaded: Arc<LoadedSettings>,
    kept: HashMap<PathBuf, LoadedFile>,
    used: u64,
}

impl Cache {
    /// The settings now in force. Costs one `stat` per file unless something changed.
    ///
    /// A file that became broken keeps its last good values, as long as this cache saw them.
    pub fn get(&mut self, places: &SettingsPaths, trusted: &TrustLookup) -> Arc<LoadedSettings> {
        self.uses += 1;
        let mut kept = HashMap::new();
        if let Some(entry) = self.entries.get_mut(places) {
            if entry.is_current(trusted) {
                entry.used = self.uses;
                return Arc::clone(&entry.loaded);
            }
            kept = std::mem::take(&mut entry.kept);
        }
        let loaded = Arc::new(assemble(places, trusted, &mut |path, holder| {
            reread(&mut kept, path, holder)
        }));
        let entry = CachedSettings {
            loaded: Arc::clone(&loaded),
            kept,
            used: self.uses,
        };
        self.entries.insert(places.clone(), entry);
        self.make_room();
        loaded
    }

    fn make_room(&mut self) {
        if self.entries.len() <= MOST {
            return;
        }
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        if let Some(places) = oldest.map(|(places, _)| places.clone()) {
            self.entries.remove(&places);
        }
    }
}

impl CachedSettings {
    fn is_current(&self, trusted: &TrustLookup) -> bool {
        let loaded = &self.loaded;
        loaded
            .stamps
            .iter()
            .all(|stamp| FileStamp::of(&stamp.path) == *stamp)
            && loaded
                .asked
                .iter()
                .all(|asked| trusted(&asked.path, &asked.digest) == asked.trusted)
    }
}

/// The file as it is now; with its last good values if it is broken now.
fn reread(kept: &mut HashMap<PathBuf, LoadedFile>, path: &Path, holder: Holder) -> LoadedFile {
    if let Some(known) = kept.get(path).filter(|known| known.stamp == FileStamp::of(path)) {
        return known.clone();
    }
    let mut reading = LoadedFile::fresh(path, holder);
    if reading.broken.is_some() {
        reading.document = kept.get(path).and_then(|known| known.document.clone());
    }
    kept.insert(path.to_owned(), reading.clone());
    reading
}

#[cfg(test)]
mod tests;
