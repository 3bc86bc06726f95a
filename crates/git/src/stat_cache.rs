//! What is known of files that were captured before, so that a file nobody touched is not read again.

use std::collections::BTreeMap;

use crate::capture::Conversion;
use crate::object::{PathState, TreeLeaf};
use crate::path::RepoPath;
use crate::stat::Stat;

/// File systems keep time in steps. A file written again within one step has the same times as before.
const STEP: i128 = 50_000_000;

/// The captured files of one working tree, in memory.
#[derive(Debug, Default)]
pub struct StatCache(BTreeMap<RepoPath, CachedFile>);

/// A file, and what it was captured as.
#[derive(Debug)]
struct CachedFile {
    stat: Stat,
    tracked: Option<TreeLeaf>,
    conversion: Conversion,
    state: PathState,
    hashed_at: i128,
}

impl StatCache {
    /// How many files are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all but these files.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&RepoPath) -> bool) {
        self.0.retain(|path, _| is_kept(path));
    }

    /// What a file is, if nothing that plays a part has changed since, and enough time had passed when it was read.
    pub(crate) fn state(
        &self,
        path: &RepoPath,
        stat: &Stat,
        tracked: Option<TreeLeaf>,
        conversion: &Conversion,
    ) -> Option<PathState> {
        let known = self.0.get(path)?;
        let is_same = known.stat == *stat && known.tracked == tracked && known.conversion == *conversion;
        let is_settled = stat.changed.saturating_add(STEP) < known.hashed_at;
        (is_same && is_settled).then_some(known.state)
    }

    /// Remembers a file that was read no earlier than `hashed_at`, in nanoseconds since 1970.
    pub(crate) fn remember(
        &mut self,
        path: &RepoPath,
        stat: Stat,
        tracked: Option<TreeLeaf>,
        conversion: Conversion,
        (state, hashed_at): (PathState, i128),
    ) {
        let known = CachedFile {
            stat,
            tracked,
            conversion,
            state,
            hashed_at,
        };
        self.0.insert(path.clone(), known);
    }
}
