//! Keeps what a slice of a transcript told: what its messages used, how far its turns came, and where to go on.
//!
//! Everything is keyed by the client's own ids. To keep the same slice twice, or a copy of it, changes nothing.

use super::reader::ReadPosition;
use super::slice::{Cursor, MessageOffset, Progress, SkippedLines, Slice};
use agents::transcript::Close;
use engine::id::{ActorId, TurnId};
use engine::time::Timestamp;
use engine::usage::{MessageUsage, TurnMark, turn_of};
use std::collections::BTreeSet;
use std::path::Path;
use store::table::actors::{self, Actor};
use store::table::transcripts::{self, Transcript};
use store::table::turns::{self, Seal, Turn};
use store::table::{counters, usage};
use store::{Db, StoreError};

/// The counter of lines that could not be read, with the place of the newest.
pub const UNREADABLE: &str = "transcript-unreadable";
/// The counter of messages that did not say what they used.
pub const WITHOUT_USAGE: &str = "transcript-without-usage";

/// A slice, and what it is a slice of.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptSlice<'a> {
    /// Whose transcript.
    pub actor: &'a Actor,
    /// The file.
    pub path: &'a Path,
    /// What was read.
    pub slice: &'a Slice,
    /// Nothing more will come: the session is over, or the file was given time enough.
    pub is_last: bool,
    /// When it was read.
    pub at: Timestamp,
}

/// What a slice changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Accounted {
    /// Turns whose part of the transcript is complete now.
    pub sealed: Vec<TurnId>,
    /// Messages that were counted before, for this session or another.
    pub known: u64,
    /// Messages that were new.
    pub counted: u64,
}

/// How far a file was read.
pub fn cursor(db: &Db, path: &Path) -> Result<Cursor, StoreError> {
    let Some(row) = transcripts::of(db, path)? else {
        return Ok(Cursor::default());
    };
    // What an older or newer version knew in other words is found again with the next user line.
    let progress = row.state.and_then(|state| serde_json::from_str(&state).ok());
    Ok(Cursor {
        place: ReadPosition {
            device: row.device,
            inode: row.inode,
            offset: row.offset,
        },
        progress: progress.unwrap_or_default(),
    })
}

/// Whether the conversation in a file has come to an end, as far as it was read.
pub fn is_closed(file: &Transcript) -> bool {
    let progress: Option<Progress> = file
        .state
        .as_ref()
        .and_then(|state| serde_json::from_str(state).ok());
    progress.is_some_and(|progress| progress.close.is_some())
}

/// Keeps what a slice told. Belongs into one transaction, so that nothing is told without going on behind it.
pub fn account(db: &Db, reading: &TranscriptSlice<'_>) -> Result<Accounted, StoreError> {
    let slice = reading.slice;
    let session = actors::main_of(db, reading.actor)?;
    let owner = MessageOwner {
        session,
        reading,
        marks: if slice.messages.is_empty()
            && slice.spans.is_empty()
            && !is_settled(slice.cursor.progress.close)
        {
            Vec::new()
        } else {
            numbered(turns::marks(db, session)?)
        },
    };
    owner.note_origin(db)?;
    let mut accounted = Accounted::default();
    for (message, found) in slice.messages.entries() {
        if owner.count(db, message, found)? {
            accounted.counted += 1;
        } else {
            accounted.known += 1;
        }
    }
    if reading.actor.id == session {
        accounted.sealed = owner.follow_turns(db)?;
    }
    note_skipped(db, reading)?;
    keep_place(db, reading)?;
    Ok(accounted)
}

/// Whom messages belong to.
struct MessageOwner<'a> {
    session: ActorId,
    reading: &'a TranscriptSlice<'a>,
    marks: Vec<TurnMark<PromptMark>>,
}

/// A prompt of a turn: the one that opened it, or one that continued it.
#[derive(Debug, Clone, Copy)]
struct PromptMark {
    turn: TurnId,
    number: u64,
    /// Its place among all prompts of the session.
    place: usize,
}

fn numbered(marks: Vec<TurnMark<(TurnId, u64)>>) -> Vec<TurnMark<PromptMark>> {
    let all = marks.into_iter().enumerate();
    all.map(|(place, mark)| TurnMark {
        turn: PromptMark {
            turn: mark.turn.0,
            number: mark.turn.1,
            place,
        },
        prompt: mark.prompt,
        start: mark.start,
    })
    .collect()
}

impl MessageOwner<'_> {
    /// Counts a message; false if it was known.
    fn count(&self, db: &Db, message: &MessageUsage, found: &MessageOffset) -> Result<bool, StoreError> {
        let kind = &self.reading.actor.key.agent_kind;
        let is_new = usage::owner(db, kind, message.id.as_str())?.is_none();
        let counted = usage::StoredUsage {
            agent_kind: kind.clone(),
            id: message.id.as_str().to_owned(),
            request_id: message.request.clone(),
            session: self.session,
            actor: self.actor(db, found)?,
            turn: self.turn(db, found)?,
            model: message.model.clone(),
            tokens: message.tokens,
            at: message.at.unwrap_or(self.reading.at),
        };
        usage::count(db, &counted)?;
        Ok(is_new)
    }

    /// Who asked the model: the file's actor, or the agent that its lines name in a file for all.
    fn actor(&self, db: &Db, found: &MessageOffset) -> Result<ActorId, StoreError> {
        let own = self.reading.actor;
        let (None, Some(agent)) = (&own.key.agent, &found.agent) else {
            return Ok(own.id);
        };
        let named = actors::by_key(db, &own.key.sibling(agent.clone()))?;
        Ok(named.map_or(own.id, |named| named.id))
    }

    /// The turn a message was written for. A place in a subagent's file says nothing about the session's turns; when
    /// the agent was started does.
    fn turn(&self, db: &Db, found: &MessageOffset) -> Result<Option<u64>, StoreError> {
        let own = self.reading.actor;
        let is_main = own.id == self.session;
        let offset = is_main.then_some(found.offset);
        match turn_of(&self.marks, found.prompt.as_ref(), offset) {
            Some(mark) => Ok(Some(mark.number)),
            None if is_main => Ok(None),
            None => turns::number_at(db, self.session, own.first_seen),
        }
    }

    /// A session that begins with messages of another is a copy of it.
    fn note_origin(&self, db: &Db) -> Result<(), StoreError> {
        let slice = self.reading.slice;
        let first = slice.messages.entries().min_by_key(|(_, found)| found.offset);
        let (Some((message, _)), true) = (first, self.reading.actor.id == self.session) else {
            return Ok(());
        };
        let kind = &self.reading.actor.key.agent_kind;
        let Some(owner) = usage::owner(db, kind, message.id.as_str())?.filter(|owner| *owner != self.session)
        else {
            return Ok(());
        };
        match actors::by_id(db, owner)? {
            Some(original) => actors::set_forked_from(db, self.session, &original.key.session),
            None => Ok(()),
        }
    }

    /// Keeps how far each turn has come, and says which became complete.
    fn follow_turns(&self, db: &Db) -> Result<Vec<TurnId>, StoreError> {
        let mut newest = None;
        let mut settled = BTreeSet::new();
        for span in &self.reading.slice.spans {
            let offset = span.start.or(span.end.checked_sub(1));
            let Some(PromptMark { turn, place, .. }) = turn_of(&self.marks, span.prompt.as_ref(), offset)
            else {
                continue;
            };
            let seal = Seal {
                end: span.end,
                leaf_uuid: span.leaf.as_deref(),
                complete: false,
            };
            turns::seal(db, turn, &seal)?;
            newest = newest.max(Some(place));
            if is_settled(span.close) {
                settled.insert(turn);
            } else {
                settled.remove(&turn);
            }
        }
        // Closing lines that were read while the turn was still open count now that it is not.
        let progress = &self.reading.slice.cursor.progress;
        if self.reading.slice.spans.is_empty() && is_settled(progress.close) {
            let before = self.reading.slice.cursor.place.offset.checked_sub(1);
            settled.extend(turn_of(&self.marks, progress.prompt.as_ref(), before).map(|mark| mark.turn));
        }
        self.seal(db, |turn| {
            let is_over =
                self.reading.is_last || settled.contains(&turn.id) || self.last_prompt(turn) < newest;
            // What was over may have been opened again by a report from the background.
            is_over && turn.state != "open"
        })
    }

    /// The place of a turn's last prompt.
    fn last_prompt(&self, turn: &Turn) -> Option<usize> {
        let own = self.marks.iter().filter(|mark| mark.turn.turn == turn.id);
        own.map(|mark| mark.turn.place).max()
    }

    /// Seals those of the open turns that are complete.
    fn seal(&self, db: &Db, is_complete: impl Fn(&Turn) -> bool) -> Result<Vec<TurnId>, StoreError> {
        let mut sealed = Vec::new();
        for turn in turns::unsealed(db, self.session)?
            .iter()
            .filter(|turn| is_complete(turn))
        {
            let seal = Seal {
                end: turn.transcript_end.or(turn.transcript_start).unwrap_or_default(),
                leaf_uuid: None,
                complete: true,
            };
            turns::seal(db, turn.id, &seal)?;
            sealed.push(turn.id);
        }
        Ok(sealed)
    }
}

/// Whether nothing more can come of a turn. After the model's last word its hooks may still send it on.
fn is_settled(close: Option<Close>) -> bool {
    match close {
        Some(Close::Settled | Close::Interrupted | Close::Failed | Close::Stopped) => true,
        Some(Close::Said) | None => false,
    }
}

fn note_skipped(db: &Db, reading: &TranscriptSlice<'_>) -> Result<(), StoreError> {
    let SkippedLines {
        too_long,
        unreadable,
        without_usage,
        first,
    } = reading.slice.skipped;
    let place = format!("{} at byte {}", reading.path.display(), first.unwrap_or_default());
    for (name, count) in [
        (UNREADABLE, too_long.saturating_add(unreadable)),
        (WITHOUT_USAGE, without_usage),
    ] {
        if let Some(more) = count.checked_sub(1) {
            counters::note(db, name, &place, reading.at)?;
            counters::add(db, name, more)?;
        }
    }
    Ok(())
}

fn keep_place(db: &Db, reading: &TranscriptSlice<'_>) -> Result<(), StoreError> {
    let Cursor { place, progress } = &reading.slice.cursor;
    transcripts::keep(
        db,
        &Transcript {
            path: reading.path.to_owned(),
            actor: reading.actor.id,
            device: place.device,
            inode: place.inode,
            offset: place.offset,
            // A line that has no end yet is read again once it has one.
            partial_line: Vec::new(),
            state: serde_json::to_string(progress).ok(),
            read_at: reading.at,
        },
    )
}

#[cfg(test)]
mod tests;
