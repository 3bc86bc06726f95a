//! Sums of usage. All of them are made from the same rows, so they agree.

use super::tokens;
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::ActorId;
use engine::usage::Tokens;
use rusqlite::named_params;
use std::collections::BTreeMap;

/// More steps up than any chain of agents has.
const DEEPEST: usize = 32;

/// What a session used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionUsage {
    /// Everything.
    pub total: Tokens,
    /// By turn; first what belongs to none.
    pub turns: Vec<TurnUsage>,
    /// By actor, in the order they were first seen.
    pub actors: Vec<ActorUsage>,
    /// By model, by name.
    pub models: Vec<ModelUsage>,
}

/// What was used for one turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnUsage {
    /// Its number; `None` for what belongs to no turn.
    pub turn: Option<u64>,
    /// Everything.
    pub total: Tokens,
    /// The main thread's part.
    pub main: Tokens,
    /// The parts of the agents that worked for it, however late.
    pub subagents: Vec<(ActorId, Tokens)>,
}

/// What an actor used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorUsage {
    /// Who.
    pub actor: ActorId,
    /// Who started it; for an agent nobody is known to have started, the session's main thread.
    pub parent: Option<ActorId>,
    /// Its own part.
    pub own: Tokens,
    /// Its own part and that of all agents below it.
    pub total: Tokens,
}

/// What was used of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelUsage {
    /// Which; `None` where the transcript did not say.
    pub model: Option<String>,
    /// How much.
    pub total: Tokens,
}

/// One actor's use of one model for one turn.
struct UsagePart {
    turn: Option<u64>,
    actor: ActorId,
    model: Option<String>,
    tokens: Tokens,
}

/// What a session used, by the row of its main thread.
pub fn of_session(db: &Db, session: ActorId) -> Result<SessionUsage, StoreError> {
    let parts = parts(db, session, None)?;
    let mut total = Tokens::default();
    let mut models: BTreeMap<Option<String>, Tokens> = BTreeMap::new();
    for part in &parts {
        total += part.tokens;
        *models.entry(part.model.clone()).or_default() += part.tokens;
    }
    Ok(SessionUsage {
        total,
        turns: by_turn(session, &parts),
        actors: by_actor(db, session, &parts)?,
        models: models
            .into_iter()
            .map(|(model, total)| ModelUsage { model, total })
            .collect(),
    })
}

/// What one turn of a session used.
pub fn of_turn(db: &Db, session: ActorId, turn: u64) -> Result<TurnUsage, StoreError> {
    let parts = parts(db, session, Some(turn))?;
    Ok(by_turn(session, &parts).pop().unwrap_or(TurnUsage {
        turn: Some(turn),
        ..TurnUsage::default()
    }))
}

fn parts(db: &Db, session: ActorId, turn: Option<u64>) -> Result<Vec<UsagePart>, StoreError> {
    db.all(
        "SELECT turn, actor_id, model, SUM(input), SUM(cache_write_5m), SUM(cache_write_1h), SUM(cache_read),
             SUM(output), SUM(thinking)
         FROM usage WHERE session_id = :session AND (:turn IS NULL OR turn = :turn)
         GROUP BY turn, actor_id, model ORDER BY turn, actor_id, model",
        named_params! { ":session": session.0, ":turn": turn.map(column_of) },
        |row| {
            Ok(UsagePart {
                turn: row.optional_count()?,
                actor: ActorId(row.take()?),
                model: row.take()?,
                tokens: tokens::take(row)?,
            })
        },
    )
}

fn by_turn(session: ActorId, parts: &[UsagePart]) -> Vec<TurnUsage> {
    let mut turns: BTreeMap<Option<u64>, (TurnUsage, BTreeMap<ActorId, Tokens>)> = BTreeMap::new();
    for part in parts {
        let (usage, subagents) = turns.entry(part.turn).or_default();
        usage.total += part.tokens;
        if part.actor == session {
            usage.main += part.tokens;
        } else {
            *subagents.entry(part.actor).or_default() += part.tokens;
        }
    }
    turns
        .into_iter()
        .map(|(turn, (usage, subagents))| TurnUsage {
            turn,
            subagents: subagents.into_iter().collect(),
            ..usage
        })
        .collect()
}

fn by_actor(db: &Db, session: ActorId, parts: &[UsagePart]) -> Result<Vec<ActorUsage>, StoreError> {
    let parents = parents(db, session)?;
    let mut actors: BTreeMap<ActorId, (Tokens, Tokens)> = BTreeMap::new();
    for part in parts {
        actors.entry(part.actor).or_default().0 += part.tokens;
        for above in chain(part.actor, session, &parents) {
            actors.entry(above).or_default().1 += part.tokens;
        }
    }
    let usage = |(actor, (own, total))| ActorUsage {
        actor,
        parent: parent_of(actor, session, &parents),
        own,
        total,
    };
    Ok(actors.into_iter().map(usage).collect())
}

/// Who started whom in a session.
fn parents(db: &Db, session: ActorId) -> Result<BTreeMap<ActorId, ActorId>, StoreError> {
    let pairs = db.all(
        "SELECT child.id, child.parent_id FROM actors AS main
         JOIN actors AS child ON child.agent_kind = main.agent_kind
             AND child.client_session_id = main.client_session_id
         WHERE main.id = :session AND child.parent_id IS NOT NULL",
        named_params! { ":session": session.0 },
        |row| Ok((ActorId(row.take()?), ActorId(row.take()?))),
    )?;
    Ok(pairs.into_iter().collect())
}

/// An actor and everybody above it. A chain without end, which only a damaged row makes, ends somewhere.
fn chain(
    actor: ActorId,
    session: ActorId,
    parents: &BTreeMap<ActorId, ActorId>,
) -> impl Iterator<Item = ActorId> {
    std::iter::successors(Some(actor), move |actor| parent_of(*actor, session, parents)).take(DEEPEST)
}

fn parent_of(actor: ActorId, session: ActorId, parents: &BTreeMap<ActorId, ActorId>) -> Option<ActorId> {
    (actor != session).then(|| parents.get(&actor).copied().unwrap_or(session))
}
