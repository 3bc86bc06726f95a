//! Sessions with their turns, and the subagents that worked for each turn.

use crate::failure::Failure;
use engine::id::ActorId;
use engine::usage::Tokens;
use serde::Serialize;
use std::collections::BTreeMap;
use store::table::usage::UsageEntry;
use store::table::{actors, projects, turns};
use store::{Db, StoreError};

/// Everything that was used. The order of the fields is that of the JSON object.
#[derive(Debug, Default, Serialize)]
pub struct UsageReport {
    /// Oldest first.
    pub sessions: Vec<SessionUsageReport>,
    /// Over all of them.
    pub total: Tokens,
}

/// What a session used.
#[derive(Debug, Serialize)]
pub struct SessionUsageReport {
    /// The client's id.
    #[serde(rename = "session_id")]
    pub id: String,
    /// Its name.
    pub alias: Option<String>,
    /// Which agent program.
    pub agent: String,
    /// Where its main thread works.
    pub project: Option<String>,
    /// By turn; last what belongs to none.
    pub turns: Vec<TurnUsageReport>,
    /// By model.
    pub models: Vec<Model>,
    /// Over all of it.
    pub total: Tokens,
}

/// What was used for a turn.
#[derive(Debug, Serialize)]
pub struct TurnUsageReport {
    /// Its number; `None` for what belongs to no turn that is known.
    #[serde(rename = "turn")]
    pub number: Option<u64>,
    /// What was asked.
    pub prompt: Option<String>,
    /// Its part of the transcript was read to the end.
    pub complete: bool,
    /// The main thread's part.
    pub main: Tokens,
    /// The parts of those that worked for it.
    pub subagents: Vec<Subagent>,
    /// Over all of it.
    pub total: Tokens,
}

/// What a subagent used for a turn.
#[derive(Debug, Serialize)]
pub struct Subagent {
    /// The client's id.
    pub agent_id: String,
    /// As people know it.
    pub label: String,
    /// The kind of agent.
    pub agent_type: Option<String>,
    /// How much.
    pub total: Tokens,
}

/// What was used of a model.
#[derive(Debug, Serialize)]
pub struct Model {
    /// Its name.
    pub model: Option<String>,
    /// How much.
    pub total: Tokens,
}

impl UsageReport {
    /// Sums up messages.
    pub fn of(db: &Db, entries: &[UsageEntry]) -> Result<Self, Failure> {
        let mut by_session: Vec<(ActorId, Vec<&UsageEntry>)> = Vec::new();
        let mut places: BTreeMap<ActorId, usize> = BTreeMap::new();
        for entry in entries {
            let place = *places.entry(entry.session).or_insert_with(|| {
                by_session.push((entry.session, Vec::new()));
                by_session.len().saturating_sub(1)
            });
            if let Some((_, of_session)) = by_session.get_mut(place) {
                of_session.push(entry);
            }
        }
        let sessions = by_session
            .iter()
            .map(|(session, entries)| SessionUsageReport::of(db, *session, entries));
        Ok(Self {
            sessions: sessions.collect::<Result<_, _>>()?,
            total: entries.iter().map(|entry| entry.tokens).sum(),
        })
    }
}

impl SessionUsageReport {
    fn of(db: &Db, id: ActorId, entries: &[&UsageEntry]) -> Result<Self, StoreError> {
        let known = actors::conversation(db, id)?;
        let project = actors::by_id(db, id)?.and_then(|main| main.project);
        let project = project.map(|id| projects::by_id(db, id)).transpose()?.flatten();
        let mut models: BTreeMap<Option<&str>, Tokens> = BTreeMap::new();
        let mut by_turn: BTreeMap<Option<u64>, Vec<&UsageEntry>> = BTreeMap::new();
        for entry in entries {
            *models.entry(entry.model.as_deref()).or_default() += entry.tokens;
            by_turn.entry(entry.turn).or_default().push(entry);
        }
        let of_none = by_turn.remove(&None).map(|entries| (None, entries));
        let turns = by_turn.into_iter().chain(of_none);
        let (client_id, alias, agent) = match known {
            Some(known) => (
                known.client_session.to_string(),
                known.alias,
                known.agent_kind.to_string(),
            ),
            None => (String::new(), None, String::new()),
        };
        Ok(Self {
            id: client_id,
            alias,
            agent,
            project: project.map(|project| project.place.root.display().to_string()),
            turns: turns
                .map(|(number, entries)| TurnUsageReport::of(db, id, number, &entries))
                .collect::<Result<_, _>>()?,
            models: models
                .into_iter()
                .map(|(model, total)| Model {
                    model: model.map(str::to_owned),
                    total,
                })
                .collect(),
            total: entries.iter().map(|entry| entry.tokens).sum(),
        })
    }
}

impl TurnUsageReport {
    fn of(
        db: &Db,
        session: ActorId,
        number: Option<u64>,
        entries: &[&UsageEntry],
    ) -> Result<Self, StoreError> {
        let known = number.map(|number| turns::numbered(db, session, number));
        let known = known.transpose()?.flatten();
        let mut main = Tokens::default();
        let mut others: BTreeMap<ActorId, Tokens> = BTreeMap::new();
        for entry in entries {
            if entry.actor == session {
                main += entry.tokens;
            } else {
                *others.entry(entry.actor).or_default() += entry.tokens;
            }
        }
        let subagents = others.into_iter().map(|(id, total)| Subagent::of(db, id, total));
        Ok(Self {
            number,
            complete: known.as_ref().is_some_and(|turn| turn.sealed),
            prompt: known.map(|turn| turn.prompt),
            main,
            subagents: subagents.collect::<Result<_, _>>()?,
            total: entries.iter().map(|entry| entry.tokens).sum(),
        })
    }
}

impl Subagent {
    fn of(db: &Db, id: ActorId, total: Tokens) -> Result<Self, StoreError> {
        let known = actors::by_id(db, id)?;
        let (agent_id, label, agent_type) = match known {
            Some(known) => {
                let id = known.key.agent.map(|id| id.to_string()).unwrap_or_default();
                (id, known.label, known.agent_type)
            }
            None => (String::new(), String::new(), None),
        };
        Ok(Self {
            agent_id,
            label,
            agent_type,
            total,
        })
    }
}
