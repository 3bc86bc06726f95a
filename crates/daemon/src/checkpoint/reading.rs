//! Reads transcripts on, and says which turns and agents are complete with it.
//!
//! Needs the store and the file alone: what an agent used is counted even when the worktree it worked in is gone.

use super::intake::ReadingOrder;
use crate::clock;
use crate::group_commit::GroupCommit;
use crate::transcript::{Refused, Slice, TranscriptPath, TranscriptSlice, account, cursor};
use engine::id::{ActorId, TurnId};
use std::path::PathBuf;
use store::StoreError;
use store::table::actors::{self, Actor};
use store::table::{counters, sessions, transcripts, turns};

/// Transcripts that are not read, with the reason of the newest.
pub const REFUSED: &str = "transcript-refused";
/// Milliseconds after which closing lines are looked for again.
pub const AGAIN_MS: [i64; 2] = [500, 2_000];

/// What came of reading.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// Turns that are complete now.
    pub sealed: Vec<TurnId>,
    /// A subagent that came to its end, and whose transcript will not grow any more.
    pub ended: Option<ActorId>,
    /// The end that was awaited has not come.
    pub awaits_more: bool,
}

/// Reads an actor's transcript on from where it was left.
pub fn read_on(writer: &GroupCommit, order: &ReadingOrder) -> Result<Read, StoreError> {
    let Some(actor) = writer.ask(|db| actors::by_id(db, order.actor))? else {
        return Ok(Read::default());
    };
    let Some(path) = transcript_path(writer, &actor, order.path.as_ref())? else {
        return Ok(Read::default());
    };
    let Some(agent) = agents::by_name(actor.key.agent_kind.as_str()) else {
        return Ok(Read::default());
    };
    let is_subagent = actor.key.agent.is_some();
    let is_last = order.tries >= u32::try_from(AGAIN_MS.len()).unwrap_or(0);
    let mut read = Read::default();
    let has_closed = loop {
        let from = writer.ask(|db| cursor(db, &path))?;
        let source = TranscriptPath {
            path: &path,
            folder: None,
        };
        let slice = match Slice::read(agent, &source, &from, is_subagent) {
            Ok(slice) => slice,
            // It is written a little after the events that tell of it.
            Err(Refused::Missing(_)) if !(order.closing && is_last) => {
                read.awaits_more = order.closing;
                return Ok(read);
            }
            Err(refused) => {
                writer.change(|db| counters::note(db, REFUSED, &refused.to_string(), clock::now()))?;
                return Ok(read);
            }
        };
        let reading = TranscriptSlice {
            actor: &actor,
            path: &path,
            slice: &slice,
            is_last: order.closing && is_last,
            at: clock::now(),
        };
        let accounted = writer.change(|db| account(db, &reading))?;
        read.sealed.extend(accounted.sealed);
        if !slice.has_more {
            break slice.cursor.progress.close.is_some();
        }
    };
    if is_subagent {
        read.ended = (order.closing && (has_closed || is_last)).then_some(actor.id);
        read.awaits_more = order.closing && read.ended.is_none();
    } else {
        read.awaits_more = order.closing && !is_last && has_unsealed(writer, actor.id)?;
    }
    Ok(read)
}

/// Reads what is there of an actor's transcript, before its work is kept.
pub fn read_before(writer: &GroupCommit, actor: ActorId) -> Result<Read, StoreError> {
    let order = ReadingOrder {
        actor,
        path: None,
        closing: false,
        tries: 0,
    };
    read_on(writer, &order)
}

/// Whether a turn that is over still misses its last lines.
fn has_unsealed(writer: &GroupCommit, session: ActorId) -> Result<bool, StoreError> {
    let unsealed = writer.ask(|db| turns::unsealed(db, session))?;
    Ok(unsealed.iter().any(|turn| turn.state != "open"))
}

/// Where an actor's transcript is: as its newest event said, else as its session did.
fn transcript_path(
    writer: &GroupCommit,
    actor: &Actor,
    said: Option<&PathBuf>,
) -> Result<Option<PathBuf>, StoreError> {
    if let Some(path) = said {
        return Ok(Some(path.clone()));
    }
    let known = writer.ask(|db| transcripts::of_actor(db, actor.id))?;
    if let Some(known) = known.into_iter().next() {
        return Ok(Some(known.path));
    }
    if actor.key.agent.is_some() {
        return Ok(None);
    }
    writer.ask(|db| sessions::transcript_of(db, actor.id))
}

#[cfg(test)]
mod tests;
