//! What the next part of a transcript tells: what its messages used, and how far the turns in it have come.

use super::reader::{Piece, ReadPosition, TranscriptReader};
use super::source::{Refused, TranscriptPath};
use agents::Agent;
use agents::transcript::{Close, Says, TranscriptLine};
use engine::id::{AgentId, PromptId};
use engine::usage::UsageLedger;
use serde::{Deserialize, Serialize};

/// A slice ends with the line that brings it over this length: however much is new, memory stays bounded.
const SLICE: u64 = 8 * 1024 * 1024;

/// Where to go on, and what is known there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The place in the file.
    pub place: ReadPosition,
    /// What the lines before it told.
    pub progress: Progress,
}

/// What the lines read so far tell about those to come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// The prompt that the last user line was written for.
    pub prompt: Option<PromptId>,
    /// A user line was seen.
    pub has_begun: bool,
    /// It is the file of an agent that was forked off another conversation.
    #[serde(default)]
    pub is_fork: bool,
    /// How the turn of that prompt was closed; `None` while it is open.
    pub close: Option<Close>,
}

/// Where a message was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageOffset {
    /// The prompt it was written for.
    pub prompt: Option<PromptId>,
    /// Where its first line stands.
    pub offset: u64,
    /// The subagent its lines name.
    pub agent: Option<AgentId>,
}

/// How far a turn has come in this slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSpan {
    /// The prompt it is about.
    pub prompt: Option<PromptId>,
    /// Where it begins; `None` if that was in an earlier slice.
    pub start: Option<u64>,
    /// Where its last line so far ends.
    pub end: u64,
    /// The id of that line.
    pub leaf: Option<String>,
    /// How it was closed; `None` while it is open.
    pub close: Option<Close>,
}

/// Lines that were passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SkippedLines {
    /// Too long to be held in memory.
    pub too_long: u64,
    /// Not UTF-8, not JSON, or not an object.
    pub unreadable: u64,
    /// A message of the model's without an id or without counts.
    pub without_usage: u64,
    /// Where the first of them begins.
    pub first: Option<u64>,
}

/// A part of a transcript, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// What its messages used, each once.
    pub messages: UsageLedger<MessageOffset>,
    /// The turns it tells of, in order. The first may go on from an earlier slice, the last into a later one.
    pub spans: Vec<TurnSpan>,
    /// What was passed over.
    pub skipped: SkippedLines,
    /// Where to go on.
    pub cursor: Cursor,
    /// The file was replaced or cut short, so that it was read from its beginning.
    pub is_anew: bool,
    /// There is more to read right away.
    pub has_more: bool,
    /// How many bytes were read from the file.
    pub bytes_read: u64,
}

impl Slice {
    /// Reads on from a cursor. `subagent` says that the file is a subagent's own.
    pub fn read(
        agent: &dyn Agent,
        source: &TranscriptPath<'_>,
        from: &Cursor,
        subagent: bool,
    ) -> Result<Self, Refused> {
        let mut reader = TranscriptReader::open(source, &from.place)?;
        let progress = if reader.is_anew() || reader.place().offset == 0 {
            Progress::default()
        } else {
            from.progress.clone()
        };
        let mut slice = Self {
            messages: UsageLedger::new(),
            spans: Vec::new(),
            skipped: SkippedLines::default(),
            cursor: Cursor {
                place: reader.place(),
                progress,
            },
            is_anew: reader.is_anew(),
            has_more: false,
            bytes_read: 0,
        };
        let enough = reader.place().offset.saturating_add(SLICE);
        while let Some(piece) = reader.piece().map_err(|error| source.failure(error))? {
            slice.take(agent, &piece, subagent);
            if reader.place().offset >= enough {
                slice.has_more = true;
                break;
            }
        }
        slice.cursor.place = reader.place();
        slice.bytes_read = reader.bytes_read();
        Ok(slice)
    }

    fn take(&mut self, agent: &dyn Agent, piece: &Piece<'_>, subagent: bool) {
        match piece {
            Piece::TooLong { start, .. } => {
                self.skipped.too_long += 1;
                self.skipped.at(*start);
            }
            Piece::Line { bytes, .. } if bytes.trim_ascii().is_empty() => {}
            Piece::Line { start, end, bytes } => {
                if let Ok(line) = agent.transcript_line(bytes) {
                    self.hear(line, *start, *end, subagent);
                } else {
                    self.skipped.unreadable += 1;
                    self.skipped.at(*start);
                }
            }
        }
    }

    fn hear(&mut self, line: TranscriptLine, start: u64, end: u64, subagent: bool) {
        let begins = self.note_prompt(&line);
        // The oldest clients wrote their subagents' lines into the main file.
        if subagent || !line.is_sidechain {
            self.follow(&line, begins, start, end);
        }
        let progress = &mut self.cursor.progress;
        progress.is_fork |= line.says == Says::Fork;
        let is_copy = subagent && progress.is_fork && !progress.has_begun;
        match line.usage {
            // A forked agent's file begins with the message that started it, which is its parent's.
            Some(_) if is_copy => {}
            Some(usage) => {
                let found = MessageOffset {
                    prompt: self.cursor.progress.prompt.clone(),
                    offset: start,
                    agent: line.agent,
                };
                self.messages.enter(usage, found);
            }
            None if line.says == Says::Reply => {
                self.skipped.without_usage += 1;
                self.skipped.at(start);
            }
            None => {}
        }
    }

    /// Remembers which prompt the lines after this one are for; true if it is another than before.
    fn note_prompt(&mut self, line: &TranscriptLine) -> bool {
        if !matches!(line.says, Says::Prompt | Says::Input) {
            return false;
        }
        let progress = &mut self.cursor.progress;
        progress.has_begun = true;
        let is_new = match &line.prompt {
            Some(prompt) => progress.prompt.as_ref() != Some(prompt),
            // A client that gives its prompts no ids: every prompt is another.
            None => line.says == Says::Prompt,
        };
        if is_new {
            progress.prompt.clone_from(&line.prompt);
            progress.close = None;
        }
        is_new
    }

    /// Moves the turn's end along with the conversation.
    fn follow(&mut self, line: &TranscriptLine, begins: bool, start: u64, end: u64) {
        // The summary that follows a compaction may be for another prompt.
        if line.uuid.is_none() || line.says == Says::Compaction {
            return;
        }
        let progress = &mut self.cursor.progress;
        progress.close = match line.says {
            Says::Fork | Says::Other => line.close.or(progress.close),
            Says::Prompt | Says::Input | Says::Reply | Says::Failure | Says::Compaction => line.close,
        };
        let came_to = TurnSpan {
            prompt: progress.prompt.clone(),
            start: begins.then_some(start),
            end,
            leaf: line.uuid.clone(),
            close: progress.close,
        };
        match self.spans.last_mut() {
            Some(span) if !begins => {
                *span = TurnSpan {
                    start: span.start,
                    ..came_to
                };
            }
            Some(_) | None => self.spans.push(came_to),
        }
    }
}

impl SkippedLines {
    fn at(&mut self, offset: u64) {
        self.first = self.first.or(Some(offset));
    }
}

#[cfg(test)]
mod tests;
