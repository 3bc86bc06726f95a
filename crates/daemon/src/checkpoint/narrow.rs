//! The permissions of files that are kept from others: noted beside their content, so that none comes back wider.

use super::cutter::{CutBase, CutError, Cutter};
use super::putting::Draft;
use git::object::{EntryMode, Id, PathState, TreeLeaf};
use git::path::RepoPath;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use store::table::checkpoints::CheckpointKind;

/// Where more files than this are kept from others, that is how all files are made there, and nothing is noted.
const MOST: usize = 10_000;

impl Cutter<'_> {
    /// The notes of a checkpoint: those of the tip, with what is there now of the files it changes. The first checkpoint of
    /// a session, and one before a command that may lose something, looks at every file that git knows.
    pub(super) fn modes(&self, ground: &CutBase<'_>, draft: &Draft<'_>) -> Result<Option<Id>, CutError> {
        let before = ground.tip.layout.and_then(|layout| layout.modes);
        let noted = match before {
            Some(tree) => ground.shadow.leaves(tree)?.into_iter().collect(),
            None => BTreeMap::new(),
        };
        let mut found: BTreeMap<RepoPath, Option<TreeLeaf>> = BTreeMap::new();
        if matches!(
            draft.trigger.kind,
            CheckpointKind::Baseline | CheckpointKind::Before | CheckpointKind::Manual
        ) && ground.seen.is_some()
        {
            found = self.swept(ground, &noted)?;
        }
        for (path, passage) in draft.link {
            let entry = match passage.after {
                PathState::Present { entry, .. }
                    if matches!(entry.mode, EntryMode::File | EntryMode::Exec) =>
                {
                    match self.bits(path) {
                        Some(bits) => ground.shadow.write_bits(bits)?,
                        // It went a moment ago: what is known of it is what it was.
                        None => continue,
                    }
                }
                PathState::Present { .. } | PathState::Absent => None,
            };
            found.insert(path.clone(), entry);
        }
        found.retain(|path, entry| noted.get(path) != entry.as_ref());
        if found.is_empty() {
            return Ok(before);
        }
        Ok(Some(ground.shadow.edit(before, None, &found)?))
    }

    /// The notes of every file that git knows.
    fn swept(
        &self,
        ground: &CutBase<'_>,
        noted: &BTreeMap<RepoPath, TreeLeaf>,
    ) -> Result<BTreeMap<RepoPath, Option<TreeLeaf>>, CutError> {
        let mut found = BTreeMap::new();
        let mut narrow = 0;
        for path in self.site.tracked() {
            let Some(bits) = self.bits(&path) else { continue };
            let entry = ground.shadow.write_bits(bits)?;
            if entry.is_none() && !noted.contains_key(&path) {
                continue;
            }
            narrow += usize::from(entry.is_some());
            if narrow > MOST {
                return Ok(BTreeMap::new());
            }
            found.insert(path, entry);
        }
        Ok(found)
    }

    /// The permissions of a file that is there.
    fn bits(&self, path: &RepoPath) -> Option<u32> {
        let file = self.site.worktree.root.join(path.to_path());
        let found = fs_err::symlink_metadata(file).ok()?;
        found.is_file().then(|| found.permissions().mode() & 0o777)
    }
}
