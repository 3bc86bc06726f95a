//! When the files that tools wrote last changed, from the end of a call to the end of its batch: who did not change since
//! need not be read again.

use super::dating::stamp;
use super::intake::FoundFile;
use super::naming::{Named, root_of};
use git::path::RepoPath;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More than this, and batches whose end is never told are forgotten with all others: they are read again.
const MOST: usize = 4096;

/// See the module.
#[derive(Default)]
pub struct Stamps(Mutex<BTreeMap<(PathBuf, RepoPath), i64>>);

impl Stamps {
    /// A file was read when its call ended.
    pub fn keep(&self, found: &FoundFile) {
        let (Some(_), Some(dated)) = (&found.state, found.dated) else {
            return;
        };
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key(&found.named), dated);
    }

    /// Whether a file changed since then, as far as is known; asked once.
    pub fn is_news(&self, named: &Named) -> bool {
        let known = self.known().remove(&key(named));
        known.is_none() || known != stamp(root_of(&named.place), &named.path)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(PathBuf, RepoPath), i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(named: &Named) -> (PathBuf, RepoPath) {
    (root_of(&named.place).to_owned(), named.path.clone())
}
