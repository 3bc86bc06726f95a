//! Who started an agent, where its events alone do not tell: several alike were started at once. The client notes it down.

use crate::pipeline::AgentEvent;
use std::io::Read;
use store::table::actors::{self, Actor};
use store::{Db, StoreError, life};

/// More than any note has.
const LONGEST_NOTE: u64 = 65_536;
/// Steps up that are looked at.
const DEEPEST: usize = 16;

/// Settles who started the acting agent, and those above it, as far as notes tell.
pub fn settle(db: &Db, subject: &AgentEvent, actor: &Actor) -> Result<(), StoreError> {
    let mut next = Some(actor.id);
    for _ in 0..DEEPEST {
        let Some(id) = next else { break };
        let Some(agent) = actors::by_id(db, id)? else {
            break;
        };
        next = match agent.parent {
            Some(parent) => Some(parent),
            None if settle_one(db, subject, &agent)? => actors::by_id(db, id)?.and_then(|agent| agent.parent),
            None => None,
        };
    }
    Ok(())
}

fn settle_one(db: &Db, subject: &AgentEvent, agent: &Actor) -> Result<bool, StoreError> {
    let Some(note) = note(subject, agent) else {
        return Ok(false);
    };
    let Some(origin) = subject.agent.read_origin(&note) else {
        return Ok(false);
    };
    life::settle_by_note(db, agent, origin.parent.as_ref(), &origin.call)
}

/// What the client noted down about an agent, if it is there yet.
fn note(subject: &AgentEvent, agent: &Actor) -> Option<Vec<u8>> {
    let id = agent.key.agent.as_ref()?;
    let main = subject.event.transcript.as_deref()?;
    let path = subject.agent.origin_note(main, &agent.key.session, id)?;
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
    let file = is_file.then(|| std::fs::File::open(&path).ok())??;
    let mut bytes = Vec::new();
    file.take(LONGEST_NOTE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
