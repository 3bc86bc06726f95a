//! A store in a temporary folder, and agents that act on it the way the pipeline lets them.

use crate::events::{NewEvent, StoredReply};
use crate::life::{Acting, LeaseMoment};
use crate::projects::{ProjectKind, ProjectPlace};
use crate::prune::{Pass, PrunedRows};
use crate::{
    Boot, ClientProcess, Db, LeaseTerms, Moment, Payload, ReadConnection, Store, StoreError, actors, events,
    life, projects, sessions, worktrees,
};
use engine::event::{Abilities, Event, EventKind, PromptOrigin, SpawnResult, Spawned, StartSource};
use engine::id::{
    ActorKey, AgentId, AgentKind, ClientSessionId, DeliveryId, EventSeq, ProjectId, SessionId, ToolUseId,
    WorktreeId,
};
use engine::lifecycle;
use engine::time::Timestamp;
use engine::tool::{Action, Background, ToolCall, ToolInput};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

mod cut;
mod hold;

pub(crate) use cut::{added, by, deleted, file, modified, state};

pub(crate) const WAIT: Duration = Duration::from_secs(5);

pub(crate) struct Stage {
    pub store: Store,
    folder: tempfile::TempDir,
    now: i64,
    /// What the boot clock shows; it goes with the other, unless that one is set.
    boot: Boot,
    /// On which terms files are held.
    pub terms: LeaseTerms,
    deliveries: u64,
    checkpoints: u64,
}

/// Someone who sends events.
#[derive(Debug, Clone)]
pub(crate) struct Who {
    pub key: ActorKey,
    pub agent_type: Option<String>,
    pub client: ClientProcess,
    pub worktree: PathBuf,
}

/// What an event left behind.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub actor: actors::Actor,
    pub session: SessionId,
    pub seq: EventSeq,
    pub project: ProjectId,
    pub worktree: WorktreeId,
}

pub(crate) fn main_of(session: &str) -> Who {
    Who {
        key: ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new(session),
            agent: None,
        },
        agent_type: None,
        client: ClientProcess { pid: 100, started: 1 },
        worktree: PathBuf::from("/repo"),
    }
}

impl Who {
    pub fn agent(&self, id: &str, agent_type: &str) -> Self {
        Self {
            key: self.key.sibling(AgentId::new(id)),
            agent_type: Some(agent_type.to_owned()),
            ..self.clone()
        }
    }

    pub fn in_process(&self, pid: u32, started: u64) -> Self {
        Self {
            client: ClientProcess { pid, started },
            ..self.clone()
        }
    }

    pub fn in_worktree(&self, root: &str) -> Self {
        Self {
            worktree: PathBuf::from(root),
            ..self.clone()
        }
    }
}

impl Stage {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("toprope.db"), WAIT).unwrap();
        Self {
            store,
            folder,
            now: 1_000_000,
            boot: Boot { id: 1, ms: 400_000 },
            terms: LeaseTerms::default(),
            deliveries: 0,
            checkpoints: 0,
        }
    }

    /// Takes every step of a pass.
    pub fn prune(&mut self, keep_days: u32, max_mib: u64) -> PrunedRows {
        let mut pass = Pass::new(keep_days, max_mib, self.now());
        let mut all = PrunedRows::default();
        loop {
            let pruned = self.write(|db| pass.step(db));
            all.events += pruned.events;
            all.payloads += pruned.payloads;
            if !pruned.more {
                return all;
            }
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("toprope.db")
    }

    pub fn now(&self) -> Timestamp {
        Timestamp(self.now)
    }

    pub fn pass(&mut self, milliseconds: i64) {
        self.now += milliseconds;
        self.boot.ms += milliseconds;
    }

    /// Sets the clock on the wall.
    pub fn set_wall(&mut self, milliseconds: i64) {
        self.now += milliseconds;
    }

    /// Starts the machine anew.
    pub fn reboot(&mut self) {
        self.boot = Boot {
            id: self.boot.id + 1,
            ms: 0,
        };
    }

    pub fn moment(&self) -> Moment {
        Moment {
            at: self.now(),
            boot: Some(self.boot),
        }
    }

    /// The moment, on the stage's terms.
    pub fn hour(&self) -> LeaseMoment {
        LeaseMoment {
            moment: self.moment(),
            terms: self.terms,
        }
    }

    pub fn read(&self) -> ReadConnection<'_> {
        self.store.read()
    }

    pub fn write<T>(&mut self, work: impl FnOnce(&Db) -> Result<T, StoreError>) -> T {
        let mut tx = self.store.begin().unwrap();
        let value = tx.unit(work).unwrap();
        tx.commit().unwrap();
        value
    }

    /// One event, with everything the pipeline does for it.
    pub fn send(&mut self, who: &Who, name: &str, kind: EventKind) -> Sent {
        self.pass(1);
        self.deliveries += 1;
        let delivery = DeliveryId::new(format!("delivery-{}", self.deliveries));
        let event = event(who, name, kind, &delivery, self.now());
        let now = self.hour();
        self.write(|db| record(db, who, &event, &now))
    }

    pub fn starts(&mut self, who: &Who, source: StartSource) -> Sent {
        let model = Some("model".to_owned());
        self.send(who, "SessionStart", EventKind::SessionStart { source, model })
    }

    pub fn prompts(&mut self, who: &Who, text: &str) -> Sent {
        let origin = PromptOrigin::Person;
        let text = text.to_owned();
        self.send(who, "UserPromptSubmit", EventKind::Prompt { text, origin })
    }

    pub fn calls(&mut self, who: &Who, tool: &str, id: &str, input: Value) -> Sent {
        let call = call(tool, id, input);
        self.send(who, "PreToolUse", EventKind::ToolBefore { call })
    }

    pub fn spawns(&mut self, who: &Who, id: &str, agent_type: &str, background: bool) -> Sent {
        let input = json!({"subagent_type": agent_type, "description": format!("task {id}"), "background": background});
        self.calls(who, "Agent", id, input)
    }

    pub fn answered(&mut self, who: &Who, id: &str, agent: &str, result: SpawnResult) -> Sent {
        let kind = EventKind::ToolAfter {
            call: call("Agent", id, json!({"subagent_type": "x"})),
            response: Value::Null,
            duration_ms: None,
            spawned: Some(Spawned {
                agent: Some(AgentId::new(agent)),
                result,
                worked: true,
            }),
            changed: None,
            todo: None,
        };
        self.send(who, "PostToolUse", kind)
    }

    pub fn returns(&mut self, who: &Who, id: &str) -> Sent {
        let kind = EventKind::ToolAfter {
            call: call("Bash", id, json!({})),
            response: Value::Null,
            duration_ms: Some(8),
            spawned: None,
            changed: None,
            todo: None,
        };
        self.send(who, "PostToolUse", kind)
    }

    pub fn agent_starts(&mut self, who: &Who) -> Sent {
        self.send(who, "SubagentStart", EventKind::AgentStart)
    }

    pub fn agent_stops(&mut self, who: &Who) -> Sent {
        let kind = EventKind::AgentStop {
            already_continued: false,
            last_message: None,
            transcript: None,
        };
        self.send(who, "SubagentStop", kind)
    }

    pub fn stops(&mut self, who: &Who) -> Sent {
        let kind = EventKind::TurnEnd {
            already_continued: false,
            last_message: None,
            background: None,
        };
        self.send(who, "Stop", kind)
    }

    pub fn ends(&mut self, who: &Who, reason: &str) -> Sent {
        let reason = reason.to_owned();
        self.send(who, "SessionEnd", EventKind::SessionEnd { reason })
    }

    pub fn actor(&self, who: &Who) -> actors::Actor {
        actors::by_key(&self.read(), &who.key)
            .unwrap()
            .expect("it was seen")
    }

    /// State and reason of an actor, as one text.
    pub fn state(&self, who: &Who) -> String {
        let actor = self.actor(who);
        match actor.end_reason {
            Some(reason) => format!("{} {reason}", actor.state.as_str()),
            None => actor.state.as_str().to_owned(),
        }
    }

    /// The rows of a query, columns joined by blanks.
    pub fn rows(&self, sql: &str) -> Vec<String> {
        let reader = self.read();
        let mut statement = reader.connection().prepare(sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let cells: Vec<String> = (0..columns)
                .map(
                    |column| match row.get::<_, rusqlite::types::Value>(column).unwrap() {
                        rusqlite::types::Value::Null => "-".to_owned(),
                        rusqlite::types::Value::Integer(value) => value.to_string(),
                        rusqlite::types::Value::Text(text) => text,
                        other => format!("{other:?}"),
                    },
                )
                .collect();
            Ok(cells.join(" "))
        });
        rows.unwrap().map(Result::unwrap).collect()
    }
}

pub(crate) fn call(tool: &str, id: &str, input: Value) -> ToolCall {
    let Value::Object(input) = input else {
        panic!("an input is an object")
    };
    ToolCall::new(tool, Some(ToolUseId::new(id)), input, action)
}

fn action(tool: &str, input: &ToolInput) -> Action {
    if tool != "Agent" {
        return Action::Other;
    }
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    Action::SpawnAgent {
        agent_type: text("subagent_type"),
        description: text("description"),
        background: match input.get("background").and_then(Value::as_bool) {
            Some(true) => Background::Yes,
            Some(false) => Background::No,
            None => Background::Unsaid,
        },
        announced: true,
    }
}

fn event(who: &Who, name: &str, kind: EventKind, delivery: &DeliveryId, at: Timestamp) -> Event {
    Event {
        name: name.to_owned(),
        at,
        delivery: delivery.clone(),
        actor: who.key.clone(),
        agent_type: who.agent_type.clone(),
        cwd: Some(who.worktree.clone()),
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        can: Abilities::default(),
        kind,
    }
}

/// What the pipeline does for one event, but for the decision.
pub(crate) fn record(db: &Db, who: &Who, event: &Event, now: &LeaseMoment) -> Result<Sent, StoreError> {
    let place = ProjectPlace {
        key: PathBuf::from("/repo/.git"),
        root: PathBuf::from("/repo"),
        kind: ProjectKind::Git,
    };
    let project = projects::ensure(db, &place, event.at)?;
    let worktree = worktrees::ensure(db, project, &who.worktree, event.at)?;
    let sighting = actors::Sighting {
        key: &who.key,
        agent_type: who.agent_type.as_deref(),
        project: Some(project),
        worktree: Some(worktree),
        cwd: event.cwd.as_deref(),
        at: event.at,
        boot: now.moment.boot,
    };
    if event.kind == EventKind::AgentStart {
        actors::part(db, &who.key)?;
    }
    let (actor, _) = life::take_over(db, actors::ensure(db, &sighting)?, &who.client, event.at)?;
    let transcript = Path::new("/transcript.jsonl");
    let session = sessions::ensure(
        db,
        actor.id,
        Some(worktree),
        &who.client,
        Some(transcript),
        event.at,
    )?;
    let call = event.kind.call();
    let new = NewEvent {
        delivery: &event.delivery,
        at: event.at,
        project: Some(project),
        worktree: Some(worktree),
        actor: Some(actor.id),
        session: Some(session),
        name: &event.name,
        tool: call.map(ToolCall::tool),
        tool_use_id: event.tool_use_id(),
        target: Some("src/lib.rs"),
        input: Some("{}"),
        payload: &Payload::prepare(b"{\"a\":1}", 1024),
        client: &who.client,
        prompt_id: None,
        duration_ms: None,
        facts: None,
        degraded: None,
    };
    let seq = events::insert(db, &new)?;
    let acting = Acting {
        actor: &actor,
        key: &who.key,
        session,
        event: seq,
        client: &who.client,
        at: event.at,
        boot: now.moment.boot,
        terms: now.terms,
        prompt_id: None,
    };
    let session = life::apply(db, &lifecycle::steps(event), &acting)?;
    events::set_reply(db, seq, &StoredReply::default(), "ok", 40)?;
    Ok(Sent {
        actor,
        session,
        seq,
        project,
        worktree,
    })
}
