//! An event as programs read it: one JSON object, keys in a fixed order. Only a tool's input is cut.

use super::names::PlaceNames;
use super::redact::Veil;
use crate::moment;
use agents::Delivery;
use engine::id::{DeliveryId, EventSeq};
use serde::Serialize;
use serde_json::Value;
use store::table::events::EventRow;
use store::table::{payloads, verdicts};
use store::{Db, StoreError};

/// See the module. The order of the fields is a promise.
#[derive(Debug, Serialize)]
pub struct LogRecord {
    seq: i64,
    at: String,
    event: String,
    actor: Option<LogActor>,
    tool: Option<String>,
    tool_use_id: Option<String>,
    target: Option<String>,
    input: Option<Value>,
    outcome: Option<String>,
    duration_ms: Option<u64>,
    verdicts: Vec<Said>,
    decision_us: Option<u64>,
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Value>,
}

#[derive(Debug, Serialize)]
struct LogActor {
    /// `you` for the person, who has none of the rest.
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    agent_id: Option<String>,
}

impl LogActor {
    fn of(row: &EventRow) -> Option<Self> {
        let Some(actor) = &row.actor else {
            return row.is_persons().then(|| Self {
                label: "you".to_owned(),
                agent_kind: None,
                session_id: None,
                agent_id: None,
            });
        };
        Some(Self {
            label: actor.label.clone(),
            agent_kind: Some(actor.agent_kind.to_string()),
            session_id: Some(actor.session.to_string()),
            agent_id: actor.agent.as_ref().map(ToString::to_string),
        })
    }
}

#[derive(Debug, Serialize)]
struct Said {
    policy: String,
    verdict: &'static str,
    reason: String,
}

impl LogRecord {
    /// The record of an event; with its payload, if everything is to be shown.
    pub fn of(db: &Db, names: &mut PlaceNames, row: &EventRow) -> Result<Self, StoreError> {
        let veil = names.veil;
        let payload = match veil {
            Veil::Lifted => payload(db, row.seq)?,
            Veil::Drawn => None,
        };
        let stored = || row.input.as_deref().map(json);
        let input = payload.as_deref().and_then(|payload| whole_input(row, payload));
        let said = verdicts::of(db, row.seq)?.into_iter();
        Ok(Self {
            seq: row.seq.0,
            at: moment::rfc3339(row.at),
            event: row.name.clone(),
            actor: LogActor::of(row),
            tool: row.tool.clone(),
            tool_use_id: row.tool_use_id.as_ref().map(ToString::to_string),
            target: row.target.as_deref().map(|target| veil.text(target)),
            input: input.or_else(stored).map(|input| veil.input(input)),
            outcome: row.outcome.clone(),
            duration_ms: row.duration_ms,
            verdicts: said
                .map(|said| Said {
                    policy: said.policy,
                    verdict: said.verdict.as_str(),
                    reason: veil.text(&said.reason),
                })
                .collect(),
            decision_us: row.decision_us,
            project: names
                .project(db, row)?
                .map(|root| root.to_string_lossy().into_owned()),
            payload: payload.as_deref().map(json),
        })
    }
}

/// The input of the event's tool as it came; `None` where too little of the payload is left.
fn whole_input(row: &EventRow, payload: &str) -> Option<Value> {
    let agent = agents::by_name(row.actor.as_ref()?.agent_kind.as_str())?;
    let delivery = Delivery {
        id: DeliveryId::new(""),
        at: row.at,
        session_hint: None,
        cwd: None,
    };
    let event = agent.translate(payload.as_bytes(), &delivery).ok()?;
    Some(Value::Object(event.kind.call()?.input().clone()))
}

/// What came with an event, as text; `None` once the log has dropped it.
pub fn payload(db: &Db, event: EventSeq) -> Result<Option<String>, StoreError> {
    let Some(payload) = payloads::of(db, event)? else {
        return Ok(None);
    };
    Ok(Some(String::from_utf8_lossy(&payload.bytes()?).into_owned()))
}

/// The value a text is in JSON; what is none stays text.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
