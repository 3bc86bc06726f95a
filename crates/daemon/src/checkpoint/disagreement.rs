//! Where what calls say and what is found in the files disagree: counted, so that `toprope doctor` can show it.

use super::cutter::Cutter;
use engine::text::one_line;
use git::path::RepoPath;
use store::StoreError;
use store::table::counters;

/// The counter.
pub const DISAGREED: &str = "scan-disagreed";

/// One of them.
pub(super) enum Disagreement {
    /// A call named a file that is as it was.
    NotChanged(RepoPath),
    /// A file changed, and all calls that ran said what they had changed.
    NotNamed(RepoPath),
}

impl Cutter<'_> {
    pub(super) fn note_disagreements(&self, found: &[Disagreement]) -> Result<(), StoreError> {
        if found.is_empty() {
            return Ok(());
        }
        self.write(|db| {
            for one in found {
                let (path, what) = match one {
                    Disagreement::NotChanged(path) => (path, "was named and did not change"),
                    Disagreement::NotNamed(path) => (path, "changed and was not named"),
                };
                let text = format!("{} {what}", one_line(&path.to_string(), 200));
                counters::note(db, DISAGREED, &text, self.now())?;
            }
            Ok(())
        })
    }
}
