//! The end of a conversation is waited for as long as it may still come, and no longer.

use super::*;
use crate::environment::Environment;
use crate::frame::request::{Header, HookRequest};
use crate::home::Home;
use crate::judge::Judge;
use crate::pipeline::PipelineContext;
use engine::id::{ActorKey, AgentId, AgentKind, ClientSessionId};
use engine::policy::ORDER;
use fs_err as fs;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::table::usage;
use tempfile::TempDir;

const LAST_TRY: u32 = 2;

/// A store that hears events, beside the transcripts that lag behind them.
struct Stage {
    folder: TempDir,
    world: PipelineContext,
    writer: GroupCommit,
    deliveries: Cell<u64>,
}

impl Stage {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let environment = Environment::of(&[("TOPROPE_HOME", folder.path().to_str().unwrap())]);
        let home = Home::of(&environment);
        let store = Store::open(&home.database(), Duration::from_secs(5)).unwrap();
        Self {
            world: PipelineContext::new(home, &environment),
            writer: GroupCommit::new(store, Judge::new(ORDER)),
            deliveries: Cell::new(0),
            folder,
        }
    }

    fn hears(&self, event: &str, more: &Value) {
        self.deliveries.set(self.deliveries.get() + 1);
        let mut payload = json!({
            "hook_event_name": event, "session_id": "s", "prompt_id": "p1", "transcript_path": self.path("s"),
        });
        let fields = payload.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let request = HookRequest {
            header: Header {
                agent: "claude-code".into(),
                delivery: format!("d{}", self.deliveries.get()),
                ..Header::default()
            },
            body: payload.to_string().into_bytes(),
        };
        let prepared = Arc::new(self.world.prepare(request, clock::now()));
        self.writer.submit(prepared, |outcome| drop(outcome.unwrap()));
    }

    fn actor(&self, agent: Option<&str>) -> ActorId {
        let key = ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new("s"),
            agent: agent.map(AgentId::new),
        };
        self.writer
            .ask(|db| actors::by_key(db, &key))
            .unwrap()
            .unwrap()
            .id
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.jsonl"))
    }

    fn says(&self, name: &str, line: &Value) {
        let mut options = fs::OpenOptions::new();
        let mut file = options.append(true).create(true).open(self.path(name)).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn reads(&self, agent: Option<&str>, closing: bool, tries: u32) -> Read {
        let order = ReadingOrder {
            actor: self.actor(agent),
            path: Some(self.path(agent.unwrap_or("s"))),
            closing,
            tries,
        };
        read_on(&self.writer, &order).unwrap()
    }

    fn refused(&self) -> u64 {
        let counters = self.writer.ask(counters::list).unwrap();
        let refused = counters.iter().find(|counter| counter.name == REFUSED);
        refused.map_or(0, |counter| counter.count)
    }
}

fn asked() -> Value {
    json!({"type": "user", "uuid": "u1", "promptId": "p1", "message": {"role": "user", "content": "do it"}})
}

fn answered(id: &str, reason: &str) -> Value {
    json!({"type": "assistant", "uuid": id, "message": {"id": id, "role": "assistant", "stop_reason": reason,
        "usage": {"input_tokens": 1, "output_tokens": 20}, "content": []}})
}

fn settled() -> Value {
    json!({"type": "system", "subtype": "turn_duration", "uuid": "u9"})
}

#[test]
fn a_subagents_last_words_are_waited_for_and_counted() {
    let stage = Stage::new();
    stage.hears("UserPromptSubmit", &json!({"prompt": "do it"}));
    stage.hears(
        "SubagentStart",
        &json!({"agent_id": "a1", "agent_type": "Explore"}),
    );
    stage.says("a1", &asked());
    stage.says("a1", &answered("m1", "tool_use"));
    let early = stage.reads(Some("a1"), true, 0);
    assert_eq!((early.ended, early.awaits_more), (None, true));
    stage.says("a1", &answered("m2", "end_turn"));
    let late = stage.reads(Some("a1"), true, 1);
    assert_eq!(
        (late.ended, late.awaits_more),
        (Some(stage.actor(Some("a1"))), false)
    );
    let main = stage.actor(None);
    let used = stage.writer.ask(|db| usage::of_session(db, main)).unwrap();
    assert_eq!(used.total.output, 40);
}

#[test]
fn nobody_waits_for_ever() {
    let stage = Stage::new();
    stage.hears("UserPromptSubmit", &json!({"prompt": "do it"}));
    stage.hears(
        "SubagentStart",
        &json!({"agent_id": "a1", "agent_type": "Explore"}),
    );
    stage.says("a1", &asked());
    stage.says("s", &asked());
    stage.hears("Stop", &json!({"stop_hook_active": false}));
    let agent = stage.reads(Some("a1"), true, LAST_TRY);
    assert_eq!((agent.ended.is_some(), agent.awaits_more), (true, false));
    let main = stage.reads(None, true, LAST_TRY);
    assert_eq!((main.sealed.len(), main.awaits_more), (1, false));
}

#[test]
fn a_session_whose_turns_are_complete_awaits_nothing() {
    let stage = Stage::new();
    stage.hears("UserPromptSubmit", &json!({"prompt": "do it"}));
    stage.says("s", &asked());
    stage.hears("Stop", &json!({"stop_hook_active": false}));
    assert!(
        stage.reads(None, true, 0).awaits_more,
        "the answer is not there yet"
    );
    stage.says("s", &answered("m1", "end_turn"));
    stage.says("s", &settled());
    let sealed = stage.reads(None, true, 1);
    assert_eq!((sealed.sealed.len(), sealed.awaits_more), (1, false));
    assert!(
        !stage.reads(None, true, 0).awaits_more,
        "the session's end has nothing to add"
    );
}

#[test]
fn a_transcript_that_is_not_written_yet_is_no_trouble() {
    let stage = Stage::new();
    stage.hears("UserPromptSubmit", &json!({"prompt": "do it"}));
    assert_eq!(stage.reads(None, false, 0), Read::default());
    assert!(stage.reads(None, true, 0).awaits_more);
    assert_eq!(stage.refused(), 0);
    assert_eq!(stage.reads(None, true, LAST_TRY), Read::default());
    assert_eq!(stage.refused(), 1, "one that never came is told of");
}
