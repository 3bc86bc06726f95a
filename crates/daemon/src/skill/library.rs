//! What was read of skills, kept as long as their files have the size and date they had.

use super::{SkillDirs, SkillStamp, read, stamps};
use engine::policy::skills::Catalogue;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Sets of folders that are remembered; a daemon serves a few projects at a time.
const MOST_KNOWN: usize = 16;

/// See the module.
#[derive(Debug, Default)]
pub struct Library {
    known: Mutex<HashMap<CatalogueKey, CachedCatalogue>>,
}

/// Which folders, and the settings' own words for skills.
type CatalogueKey = (SkillDirs, BTreeMap<String, Vec<String>>);

/// What was read, and what the files were like then.
type CachedCatalogue = (Vec<SkillStamp>, Arc<Catalogue>);

impl Library {
    /// The skills in these folders, with the words that call them to mind.
    pub fn catalogue(&self, dirs: &SkillDirs, map: &BTreeMap<String, Vec<String>>) -> Arc<Catalogue> {
        let asked = (dirs.clone(), map.clone());
        let now = stamps(dirs);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, catalogue)) = known.get(&asked)
            && *then == now
        {
            return Arc::clone(catalogue);
        }
        if known.len() >= MOST_KNOWN && !known.contains_key(&asked) {
            known.clear();
        }
        let found = read(now.iter().map(|stamp| stamp.path.as_path()));
        let catalogue = Arc::new(Catalogue::new(found.skills, map));
        known.insert(asked, (now, Arc::clone(&catalogue)));
        catalogue
    }
}
