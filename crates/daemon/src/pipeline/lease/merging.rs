//! Who an agent is whose id the client never announced: a known one, if that one's own transcript has its calls.
//!
//! Looked up where the answer matters: it is denied something, or has what another wants. Nothing is guessed; an id
//! that no transcript explains stays an actor of its own.

use super::gathering::Gathering;
use crate::transcript::{Piece, TranscriptPath, TranscriptReader};
use agents::Agent;
use engine::id::{ActorId, EventSeq, ToolUseId};
use engine::lease::{ActorLabel, LeaseFacts};
use engine::round::VerdictRecord;
use engine::verdict::VerdictKind;
use std::collections::HashSet;
use std::path::Path;
use store::StoreError;
use store::life::{self, Merged};
use store::table::actors::{self, Actor, Sighting};
use store::table::{calls, sessions, verdicts};

/// Calls of the unannounced id that are looked for, newest first.
const MOST_CALLS: u64 = 64;
/// Known agents whose transcripts are looked at, newest activity first.
const MOST_AGENTS: usize = 16;
/// Bytes of each transcript that are read, from its end: what is looked for was called lately.
const MOST_BYTES: u64 = 512 * 1024;
/// Actors in the way that are looked up for one event.
const MOST_LOOKED_UP: usize = 8;

/// What is known of the files of an event.
#[derive(Debug, Default)]
pub struct GatheredFacts {
    /// Who really acts, where that is another than the event's id says.
    pub itself: Option<Actor>,
    /// What is known; `None` where the event is about no files.
    pub facts: Option<LeaseFacts>,
}

/// Which actors of a conflict turned out to be others.
#[derive(Debug, Default)]
struct MergedActors {
    /// The acting agent is this one.
    me: Option<ActorId>,
    /// Somebody in the way is another than was thought.
    others: bool,
}

impl Gathering<'_> {
    /// What is known of the files of an event, once everybody in a conflict about them is known for who they are.
    pub fn met(&self, event: EventSeq, sighting: &Sighting<'_>) -> Result<GatheredFacts, StoreError> {
        let Some(facts) = self.facts()? else {
            return Ok(GatheredFacts::default());
        };
        let unmasked = self.unmask(&facts, event)?;
        let itself = match unmasked.me {
            Some(id) => Some(actors::see(self.db, actors::by_id(self.db, id)?, sighting)?),
            None if unmasked.others => None,
            None => {
                return Ok(GatheredFacts {
                    itself: None,
                    facts: Some(facts),
                });
            }
        };
        let again = Gathering {
            actor: itself.as_ref().unwrap_or(self.actor),
            ..*self
        };
        let facts = again.facts()?;
        Ok(GatheredFacts { itself, facts })
    }

    /// Merges those who take part in a conflict and were never announced into the agents they are.
    fn unmask(&self, facts: &LeaseFacts, event: EventSeq) -> Result<MergedActors, StoreError> {
        let mut found = MergedActors::default();
        let mut suspects = in_the_way(facts);
        if suspects.is_empty() {
            return Ok(found);
        }
        suspects.insert(0, self.actor.id);
        for id in suspects.into_iter().take(MOST_LOOKED_UP) {
            // Its parent may have been settled just now, and with that it is announced.
            let Some(alias) = actors::by_id(self.db, id)?.filter(is_unannounced) else {
                continue;
            };
            let Some(agent) = self.known_as(&alias)? else {
                continue;
            };
            let acts = id == self.actor.id;
            let merged = Merged {
                alias: &alias,
                agent: &agent,
                event,
                acts,
            };
            if life::merge(self.db, &merged, self.now)? {
                verdicts::insert(self.db, event, &record(&alias, &agent))?;
                found.others |= !acts;
                found.me = acts.then_some(agent.id).or(found.me);
            }
        }
        Ok(found)
    }

    /// The known agent whose transcript has calls of this one; `None` if none has, or several do.
    fn known_as(&self, alias: &Actor) -> Result<Option<Actor>, StoreError> {
        let calls = calls::own_ids(self.db, alias.id, MOST_CALLS)?;
        let (Some(agent), Some(main), false) = (
            agents::by_name(alias.key.agent_kind.as_str()),
            sessions::transcript_of(self.db, alias.id)?,
            calls.is_empty(),
        ) else {
            return Ok(None);
        };
        let calls: HashSet<ToolUseId> = calls.into_iter().collect();
        let mut known = actors::of_session(self.db, &alias.key)?;
        known.retain(|actor| actor.announced && actor.key.agent.is_some() && actor.merged_into.is_none());
        known.sort_by_key(|actor| std::cmp::Reverse(actor.last_seen));
        known.truncate(MOST_AGENTS);
        known.retain(|actor| makes_one_of(agent, &main, actor, &calls));
        let only = known.pop();
        Ok(only.filter(|_| known.is_empty()))
    }
}

/// Whoever stands in the way of a call, each once.
fn in_the_way(facts: &LeaseFacts) -> Vec<ActorId> {
    let targets = facts.targets.iter();
    let of_files = targets.flat_map(|target| {
        let held = target.held.as_ref().map(|held| &held.who);
        let offered = target.offered.as_ref().map(|offered| &offered.who);
        let reserved = target.reserved.iter().map(|reserved| &reserved.who);
        held.into_iter().chain(offered).chain(reserved)
    });
    let held = facts.bulk.iter().flat_map(|_| &facts.editing);
    let of_worktree = held.chain(&facts.everything).map(|held| &held.who);
    let mut found: Vec<ActorId> = Vec::new();
    let is_another = |who: &&ActorLabel| !facts.me.is(who);
    for who in of_files.chain(of_worktree).filter(is_another) {
        if !found.contains(&who.actor) {
            found.push(who.actor);
        }
    }
    found
}

fn is_unannounced(actor: &Actor) -> bool {
    actor.key.agent.is_some() && !actor.announced && actor.merged_into.is_none()
}

/// Whether the transcript of a known agent has one of these calls as its own. Its session's is not its own.
fn makes_one_of(agent: &dyn Agent, main: &Path, known: &Actor, calls: &HashSet<ToolUseId>) -> bool {
    let Some(id) = &known.key.agent else {
        return false;
    };
    let mut places = agent.subagent_transcript(main, &known.key.session, id);
    places.retain(|path| path != main);
    places.iter().any(|path| {
        let source = TranscriptPath {
            path,
            folder: main.parent(),
        };
        let Ok(mut lines) = TranscriptReader::near_end(&source, MOST_BYTES) else {
            return false;
        };
        while let Ok(Some(piece)) = lines.piece() {
            let Piece::Line { bytes, .. } = piece else {
                continue;
            };
            let is_its = agent.calls_in(bytes).is_some_and(|calling| {
                calling.agent.as_ref() == Some(id) && calling.calls.iter().any(|call| calls.contains(call))
            });
            if is_its {
                return true;
            }
        }
        false
    })
}

/// What the log keeps of it.
fn record(alias: &Actor, agent: &Actor) -> VerdictRecord {
    VerdictRecord {
        policy: "lease",
        verdict: VerdictKind::Silent,
        reason: format!(
            "{} is {}: a call of that id, which the client never announced, is in this agent's transcript.",
            alias.label, agent.label
        ),
        applied: true,
        took_us: 0,
    }
}
