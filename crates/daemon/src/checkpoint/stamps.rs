//! What is known of the files that tools write, from before a call to the end of its batch: what was there, and when it was
//! left as it is. Who did not change since need not be read again, and what changed before the call ran is noticed.

use super::dating::stamp;
use super::intake::FoundFile;
use super::naming::{PlacedFile, root_of};
use crate::clock;
use git::object::PathState;
use git::path::RepoPath;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// More than this, and calls and batches whose end is never told are forgotten with all others: they are read again.
const MOST: usize = 4096;

/// See the module.
#[derive(Default)]
pub struct CallDates(Mutex<BTreeMap<(PathBuf, RepoPath), DateMark>>);

enum DateMark {
    /// This was there before a call, at that moment.
    Before(PathState, i64),
    /// The call left it with this date.
    Left(i64),
}

impl CallDates {
    /// A file was read before its call.
    pub fn keep_before(&self, found: &FoundFile) {
        if let Some(state) = found.state {
            self.keep(&found.named, DateMark::Before(state, clock::latest()));
        }
    }

    /// A file was read when its call ended. Tells what was there before it, and when that was seen.
    pub fn keep_left(&self, found: &FoundFile) -> Option<(PathState, i64)> {
        let before = self.known().remove(&key(&found.named));
        if let (Some(_), Some(dated)) = (&found.state, found.dated) {
            self.keep(&found.named, DateMark::Left(dated));
        }
        match before? {
            DateMark::Before(state, at) => Some((state, at)),
            DateMark::Left(_) => None,
        }
    }

    /// Whether a file changed since its call ended, as far as is known; asked once.
    pub fn is_news(&self, named: &PlacedFile) -> bool {
        match self.known().remove(&key(named)) {
            Some(DateMark::Left(dated)) => stamp(root_of(&named.place), &named.path) != Some(dated),
            Some(DateMark::Before(..)) | None => true,
        }
    }

    fn keep(&self, named: &PlacedFile, mark: DateMark) {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key(named), mark);
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(PathBuf, RepoPath), DateMark>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(named: &PlacedFile) -> (PathBuf, RepoPath) {
    (root_of(&named.place).to_owned(), named.path.clone())
}
