//! An agent that outlives its session goes on in another file; what it said in the first is read to its end.

use super::{FollowUp, Intake, ReadingOrder};
use engine::effect::{JobKind, NewJob};
use std::path::PathBuf;
use store::StoreError;
use store::table::actors::Actor;
use store::table::sessions;

impl Intake<'_> {
    /// Has the file read that an agent wrote under the session before.
    pub(super) fn read_outlived(&self, agent: &Actor, after: &mut FollowUp) -> Result<(), StoreError> {
        let Some(path) = self.first_file(agent)? else {
            return Ok(());
        };
        let job = NewJob {
            kind: JobKind::ReadTranscript,
            key: agent.id.to_string(),
        };
        let order = ReadingOrder {
            actor: agent.id,
            path: Some(path),
            closing: false,
            tries: 0,
        };
        let detail = serde_json::to_string(&order).unwrap_or_default();
        self.add(&job, self.worktree, Some(&detail), None, after)
    }

    fn first_file(&self, agent: &Actor) -> Result<Option<PathBuf>, StoreError> {
        let main = sessions::transcript_of(self.db(), agent.id)?;
        let (Some(main), Some(id)) = (main, &agent.key.agent) else {
            return Ok(None);
        };
        let files = self
            .subject
            .agent
            .subagent_transcript(&main, &agent.key.session, id);
        Ok(files.into_iter().next())
    }
}
