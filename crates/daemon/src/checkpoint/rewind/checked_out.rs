//! The bytes a checkout gives a file: of one that was as committed, a checkpoint has the stored form alone.

use crate::checkpoint::cutter::Cutter;
use git::object::{EntryMode, Id, PathState};
use git::path::RepoPath;
use git::run::Limits;
use git::shadow::{Shadow, ShadowError};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

/// A filter that takes longer than this is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes that git made from stored forms, by the ids they will have.
#[derive(Debug, Clone, Default)]
pub struct CheckedOut {
    made: BTreeMap<Id, Vec<u8>>,
}

impl CheckedOut {
    /// The same state with the bytes a checkout gives the file. Where git gives none, the stored form is all there is.
    pub fn refine(
        &mut self,
        cutter: &Cutter<'_>,
        shadow: &Shadow,
        path: &RepoPath,
        state: PathState,
    ) -> Result<PathState, ShadowError> {
        let PathState::Present { entry, raw: None } = state else {
            return Ok(state);
        };
        if !matches!(entry.mode, EntryMode::File | EntryMode::Exec) {
            return Ok(state);
        }
        let mut named = OsString::from("--path=");
        named.push(path.to_path());
        let arguments = [
            "cat-file".into(),
            "--filters".into(),
            named,
            entry.id.to_string().into(),
        ];
        let limits = Limits {
            time: PATIENCE,
            bytes: usize::try_from(cutter.rules().max_file).unwrap_or(usize::MAX),
        };
        let Ok(bytes) = cutter.site.git().run::<OsString>(&arguments, limits) else {
            return Ok(state);
        };
        let id = shadow.hash_blob(&bytes)?;
        if id == entry.id {
            return Ok(state);
        }
        self.made.insert(id, bytes);
        Ok(PathState::Present { entry, raw: Some(id) })
    }

    /// Whether these bytes are at hand.
    pub fn has(&self, id: Id) -> bool {
        self.made.contains_key(&id)
    }

    /// Keeps them, so that they can be put back.
    pub fn keep(&self, shadow: &Shadow) -> Result<(), ShadowError> {
        for bytes in self.made.values() {
            shadow.write_blob(bytes)?;
        }
        Ok(())
    }
}
