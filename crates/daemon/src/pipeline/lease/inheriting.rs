//! A session that is a copy of another (`--fork-session`, `/fork`, `toprope resume`) knows what that one saw before: the calls
//! that showed it are in its own transcript.

use super::gathering::Gathering;
use crate::pipeline::PipelineContext;
use crate::transcript::{Piece, TranscriptPath, TranscriptReader};
use engine::event::{Event, EventKind};
use engine::id::ToolUseId;
use engine::lease::FileKey;
use rustix::event::{Timespec, poll};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use store::StoreError;
use store::table::{seen, sessions};

/// The part of a transcript that is looked through.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// The client writes what it copied a little after its first events.
const LATE: Duration = Duration::from_millis(500);
const GLANCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 10_000_000,
};

impl PipelineContext {
    /// Waits a moment for the transcript of a session that is a copy and writes its first file.
    pub(in crate::pipeline) fn await_copy(&self, event: &Event) {
        let begins = matches!(event.kind, EventKind::ToolBefore { .. }) && event.actor.agent.is_none();
        let (Some(transcript), true) = (&event.transcript, begins) else {
            return;
        };
        let has_calls = || {
            let found = fs_err::read(transcript).unwrap_or_default();
            let word = b"\"tool_use\"";
            found.windows(word.len()).any(|part| part == word)
        };
        let is_written = |length: u64| length > MOST_BYTES;
        let length = fs_err::metadata(transcript).map_or(0, |found| found.len());
        if is_written(length) || !self.memory.is_young_copy(&event.actor) {
            return;
        }
        let until = Instant::now() + LATE;
        while !has_calls() && Instant::now() < until {
            // A signal that does not end the process only cuts this short.
            let _ = poll(&mut [], Some(&GLANCE));
        }
    }
}

impl Gathering<'_> {
    /// Takes over what the original of this session knew of a file; false if it is no copy, or its original never saw it.
    pub(super) fn inherits(&self, key: &FileKey) -> Result<bool, StoreError> {
        if self.actor.key.agent.is_some() || !sessions::may_be_copy(self.db, self.actor.id)? {
            return Ok(false);
        }
        let looks = seen::looks_of_others(self.db, key, self.actor.id)?;
        let (false, Some(transcript)) = (looks.is_empty(), sessions::transcript_of(self.db, self.actor.id)?)
        else {
            return Ok(false);
        };
        let ids = looks.iter().map(|(_, id)| id).collect();
        let Some(shown) = self.first_call(&transcript, &ids) else {
            return Ok(false);
        };
        for (actor, _) in looks.iter().filter(|(_, id)| *id == shown) {
            seen::take_over(self.db, key, *actor, self.actor.id)?;
        }
        Ok(true)
    }

    /// The first of these calls that is in the transcript.
    fn first_call(&self, transcript: &Path, ids: &HashSet<&ToolUseId>) -> Option<ToolUseId> {
        let agent = agents::by_name(self.actor.key.agent_kind.as_str())?;
        let source = TranscriptPath {
            path: transcript,
            folder: transcript.parent(),
        };
        let mut lines = TranscriptReader::near_end(&source, MOST_BYTES).ok()?;
        while let Ok(Some(piece)) = lines.piece() {
            let Piece::Line { bytes, .. } = piece else {
                continue;
            };
            let calls = agent.calls_in(bytes).map(|calling| calling.calls);
            if let Some(found) = calls.into_iter().flatten().find(|id| ids.contains(id)) {
                return Some(found);
            }
        }
        None
    }
}
