//! Reads transcripts on, and seals turns whose last lines have come.

use super::cutter::{CutError, Cutter};
use super::intake::ReadingOrder;
use crate::transcript::{Reading, Slice, Source, account, cursor};
use engine::id::{ActorId, TurnId};
use std::path::PathBuf;
use store::StoreError;
use store::table::actors::{self, Actor};
use store::table::{counters, sessions, transcripts};

/// Transcripts that are not read, with the reason of the newest.
pub const REFUSED: &str = "transcript-refused";
/// Milliseconds after which the closing lines of a turn are looked for again.
pub const AGAIN_MS: [i64; 2] = [500, 2_000];

/// What came of reading.
#[derive(Debug, Default)]
pub struct Read {
    /// Turns that are complete now.
    pub sealed: Vec<TurnId>,
    /// The end that was awaited has not come.
    pub awaits_more: bool,
}

impl Cutter<'_> {
    /// Reads an actor's transcript on from where it was left.
    pub(super) fn read_on(&self, order: &ReadingOrder) -> Result<Read, CutError> {
        let Some(actor) = self.read(|db| actors::by_id(db, order.actor))? else {
            return Ok(Read::default());
        };
        let Some(path) = self.transcript_path(&actor, order.path.as_ref())? else {
            return Ok(Read::default());
        };
        let Some(agent) = agents::by_name(actor.key.agent_kind.as_str()) else {
            return Ok(Read::default());
        };
        let mut read = Read::default();
        let is_last = order.tries >= u32::try_from(AGAIN_MS.len()).unwrap_or(0);
        loop {
            let from = self.read(|db| cursor(db, &path))?;
            let source = Source {
                path: &path,
                folder: None,
            };
            let slice = match Slice::read(agent, &source, &from, actor.key.agent.is_some()) {
                Ok(slice) => slice,
                Err(refused) => {
                    self.write(|db| counters::note(db, REFUSED, &refused.to_string(), self.now()))?;
                    return Ok(read);
                }
            };
            let reading = Reading {
                actor: &actor,
                path: &path,
                slice: &slice,
                is_last: order.closing && is_last,
                at: self.now(),
            };
            let accounted = self.write(|db| account(db, &reading))?;
            read.sealed.extend(accounted.sealed);
            if !slice.has_more {
                break;
            }
        }
        read.awaits_more = order.closing && read.sealed.is_empty() && actor.key.agent.is_none() && !is_last;
        Ok(read)
    }

    /// Where an actor's transcript is: as its newest event said, else as its session did.
    fn transcript_path(&self, actor: &Actor, said: Option<&PathBuf>) -> Result<Option<PathBuf>, StoreError> {
        if let Some(path) = said {
            return Ok(Some(path.clone()));
        }
        let known = self.read(|db| transcripts::of_actor(db, actor.id))?;
        if let Some(known) = known.into_iter().next() {
            return Ok(Some(known.path));
        }
        if actor.key.agent.is_some() {
            return Ok(None);
        }
        self.read(|db| sessions::transcript_of(db, actor.id))
    }

    /// Reads what is there of an actor's transcript before its work is kept.
    pub(super) fn read_before(&self, actor: Option<ActorId>) -> Result<(), CutError> {
        let Some(actor) = actor else { return Ok(()) };
        let order = ReadingOrder {
            actor,
            path: None,
            closing: false,
            tries: 0,
        };
        self.read_on(&order).map(drop)
    }
}
