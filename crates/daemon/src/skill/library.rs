//! What was read of skills, kept as long as a look says that nothing changed.
//!
//! A prompt looks itself where there are few files. Where there are many it looks only whether a skill came or went, and
//! all files are looked at after the reply: what was edited in place is then known to the next prompt.

use super::{Modified, Shelves, Stamp, read, stamps};
use engine::policy::skills::Catalogue;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sets of folders that are remembered; a daemon serves a few projects at a time.
const MOST_KNOWN: usize = 16;
/// As many files as a prompt looks at.
const FEW: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub struct Library {
    known: Mutex<HashMap<Asked, Kept>>,
}

/// Which shelves, and the settings' own words for skills.
type Asked = (Shelves, BTreeMap<String, Vec<String>>);

/// What was read, and what the files were like then.
#[derive(Debug, Clone, Default)]
struct Kept {
    stamps: Vec<Stamp>,
    shelves: Vec<Option<Modified>>,
    catalogue: Arc<Catalogue>,
    /// Told to be old: whoever needs it reads it anew.
    is_old: bool,
    /// Files have to be looked at, after a reply.
    is_due: bool,
    /// How often it was told to be old, so that a look does not overlook that it was once more.
    marks: u64,
}

impl Library {
    /// The skills on these shelves, with the words that call them to mind.
    pub fn catalogue(&self, shelves: &Shelves, map: &BTreeMap<String, Vec<String>>) -> Arc<Catalogue> {
        let asked = (shelves.clone(), map.clone());
        let mut known = self.known();
        if let Some(kept) = known.get_mut(&asked)
            && kept.is_fresh(shelves)
        {
            kept.is_due = kept.stamps.len() > FEW;
            return Arc::clone(&kept.catalogue);
        }
        let marks = known.get(&asked).map_or(0, |kept| kept.marks);
        let kept = Kept::read(&asked, marks);
        let catalogue = Arc::clone(&kept.catalogue);
        keep(&mut known, asked, kept);
        catalogue
    }

    /// A prompt may come that asks for these: they are looked at after the reply.
    pub fn expect(&self, shelves: &Shelves, map: &BTreeMap<String, Vec<String>>) {
        let asked = (shelves.clone(), map.clone());
        let mut known = self.known();
        if let Some(kept) = known.get_mut(&asked) {
            kept.is_due = kept.is_old || kept.stamps.len() > FEW;
            return;
        }
        let unread = Kept {
            is_old: true,
            is_due: true,
            ..Kept::default()
        };
        keep(&mut known, asked, unread);
    }

    /// Something changed: nothing is answered from memory before it is read again.
    pub fn mark_old(&self) {
        for kept in self.known().values_mut() {
            kept.is_old = true;
            kept.is_due = true;
            kept.marks += 1;
        }
    }

    /// Whether files have to be looked at.
    pub fn is_due(&self) -> bool {
        self.known().values().any(|kept| kept.is_due)
    }

    /// Looks at all files that have to be, and reads again where one changed. No prompt waits for it.
    pub fn look(&self) {
        let mut due = Vec::new();
        for (asked, kept) in self.known().iter_mut().filter(|(_, kept)| kept.is_due) {
            kept.is_due = false;
            due.push((asked.clone(), kept.clone()));
        }
        for (asked, before) in due {
            if !before.is_old && before.stamps == stamps(&asked.0) {
                continue;
            }
            let read = Kept::read(&asked, before.marks);
            let mut known = self.known();
            // What was told to be old meanwhile stays so.
            if let Some(kept) = known.get_mut(&asked).filter(|kept| kept.marks == before.marks) {
                *kept = read;
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Asked, Kept>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn read((shelves, map): &Asked, marks: u64) -> Self {
        // The folders first: what comes meanwhile is seen the next time.
        let changed = shelves.changed();
        let stamps = stamps(shelves);
        let found = read(stamps.iter().map(|stamp| stamp.path.as_path()));
        Self {
            shelves: changed,
            catalogue: Arc::new(Catalogue::new(found.skills, map)),
            stamps,
            is_old: false,
            is_due: false,
            marks,
        }
    }

    fn is_fresh(&self, shelves: &Shelves) -> bool {
        if self.is_old {
            return false;
        }
        if self.stamps.len() > FEW {
            self.shelves == shelves.changed()
        } else {
            self.stamps == stamps(shelves)
        }
    }
}

fn keep(known: &mut HashMap<Asked, Kept>, asked: Asked, kept: Kept) {
    if known.len() >= MOST_KNOWN && !known.contains_key(&asked) {
        known.clear();
    }
    known.insert(asked, kept);
}
