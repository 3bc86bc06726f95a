//! What is known of the files that tools write, from before a call to the end of its batch: what was there, and when it was
//! left as it is. Who did not change since need not be read again, and what changed before the call ran is noticed.

use super::dating::stamp;
use super::intake::FoundFile;
use super::naming::{Named, root_of};
use crate::clock;
use git::object::State;
use git::path::RepoPath;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More than this, and calls and batches whose end is never told are forgotten with all others: they are read again.
const MOST: usize = 4096;

/// See the module.
#[derive(Default)]
pub struct Stamps(Mutex<BTreeMap<(PathBuf, RepoPath), Mark>>);

enum Mark {
    /// This was there before a call, at that moment.
    Before(State, i64),
    /// The call left it with this date.
    Left(i64),
}

impl Stamps {
    /// A file was read before its call.
    pub fn keep_before(&self, found: &FoundFile) {
        if let Some(state) = found.state {
            self.keep(&found.named, Mark::Before(state, clock::latest()));
        }
    }

    /// A file was read when its call ended. Tells what was there before it, and when that was seen.
    pub fn keep_left(&self, found: &FoundFile) -> Option<(State, i64)> {
        let before = self.known().remove(&key(&found.named));
        if let (Some(_), Some(dated)) = (&found.state, found.dated) {
            self.keep(&found.named, Mark::Left(dated));
        }
        match before? {
            Mark::Before(state, at) => Some((state, at)),
            Mark::Left(_) => None,
        }
    }

    /// Whether a file changed since its call ended, as far as is known; asked once.
    pub fn is_news(&self, named: &Named) -> bool {
        match self.known().remove(&key(named)) {
            Some(Mark::Left(dated)) => stamp(root_of(&named.place), &named.path) != Some(dated),
            Some(Mark::Before(..)) | None => true,
        }
    }

    fn keep(&self, named: &Named, mark: Mark) {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key(named), mark);
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(PathBuf, RepoPath), Mark>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(named: &Named) -> (PathBuf, RepoPath) {
    (root_of(&named.place).to_owned(), named.path.clone())
}
