use super::super::source::TranscriptPath;
use super::*;
use crate::clock;
use crate::environment::Environment;
use crate::frame::request::{Header, HookRequest};
use crate::group_commit::GroupCommit;
use crate::home::Home;
use crate::judge::Judge;
use crate::pipeline::PipelineContext;
use agents::claude_code::ClaudeCode;
use engine::id::{ActorKey, AgentId, AgentKind, ClientSessionId};
use engine::policy::ORDER;
use engine::usage::Tokens;
use fs_err as fs;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::table::usage::SessionUsage;
use tempfile::TempDir;

/// A store that heard what agents did, and the transcripts they wrote.
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

    fn hears(&self, payload: &Value) {
        self.deliveries.set(self.deliveries.get() + 1);
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

    /// A prompt whose turn begins where the transcript ends.
    fn prompt(&self, session: &str, prompt: &str) {
        self.hears(&json!({
            "hook_event_name": "UserPromptSubmit", "session_id": session, "prompt_id": prompt, "prompt": "do it",
            "transcript_path": self.path(session)
        }));
    }

    fn stop(&self, session: &str) {
        self.hears(&json!({ "hook_event_name": "Stop", "session_id": session }));
    }

    fn agent(&self, session: &str, agent: &str) {
        self.hears(&json!({
            "hook_event_name": "SubagentStart", "session_id": session, "agent_id": agent, "agent_type": "Explore"
        }));
    }

    fn actor(&self, session: &str, agent: Option<&str>) -> Actor {
        let key = ActorKey {
            agent_kind: AgentKind::new("claude-code"),
            session: ClientSessionId::new(session),
            agent: agent.map(AgentId::new),
        };
        actors::by_key(&self.writer.store().read(), &key)
            .unwrap()
            .unwrap()
    }

    fn write<T>(&self, work: impl FnOnce(&Db) -> Result<T, StoreError>) -> T {
        let mut store = self.writer.store();
        store.begin().unwrap().only(work).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.jsonl"))
    }

    fn append(&self, name: &str, lines: &[Value]) {
        self.append_bytes(name, text(lines).as_bytes());
    }

    fn append_bytes(&self, name: &str, bytes: &[u8]) {
        let mut options = fs::OpenOptions::new();
        let mut file = options.append(true).create(true).open(self.path(name)).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn reads(&self, session: &str) -> Accounted {
        self.reads_as(session, None, session, false)
    }

    fn reads_as(&self, session: &str, agent: Option<&str>, name: &str, is_last: bool) -> Accounted {
        let actor = self.actor(session, agent);
        let path = self.path(name);
        let from = cursor(&self.writer.store().read(), &path).unwrap();
        let source = TranscriptPath {
            path: &path,
            folder: Some(self.folder.path()),
        };
        let slice = Slice::read(&ClaudeCode, &source, &from, agent.is_some()).unwrap();
        let reading = TranscriptSlice {
            actor: &actor,
            path: &path,
            slice: &slice,
            is_last,
            at: Timestamp(7),
        };
        self.write(|db| account(db, &reading))
    }

    /// What a session used, after making sure that every way to sum it up agrees.
    fn used(&self, session: &str) -> SessionUsage {
        let main = self.actor(session, None).id;
        let used = usage::of_session(&self.writer.store().read(), main).unwrap();
        let turns: Tokens = used.turns.iter().map(|turn| turn.total).sum();
        let actors: Tokens = used.actors.iter().map(|actor| actor.own).sum();
        let models: Tokens = used.models.iter().map(|model| model.total).sum();
        assert_eq!((turns, actors, models), (used.total, used.total, used.total));
        used
    }

    /// The output of each turn; `0` is none.
    fn outputs(&self, session: &str) -> Vec<(u64, u64)> {
        let turns = self.used(session).turns.into_iter();
        turns
            .map(|turn| (turn.turn.unwrap_or(0), turn.total.output))
            .collect()
    }

    fn turn(&self, session: &str, number: u64) -> Turn {
        let main = self.actor(session, None).id;
        turns::numbered(&self.writer.store().read(), main, number)
            .unwrap()
            .unwrap()
    }

    fn counter(&self, name: &str) -> Option<counters::Counter> {
        let all = counters::list(&self.writer.store().read()).unwrap();
        all.into_iter().find(|counter| counter.name == name)
    }
}

fn text(lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    lines.concat()
}

fn user(uuid: &str, prompt: &str) -> Value {
    json!({ "type": "user", "uuid": uuid, "promptId": prompt, "turnOrigin": "human", "message": { "content": "x" } })
}

fn reply(uuid: &str, id: &str, output: u64, stop: &str) -> Value {
    json!({ "type": "assistant", "uuid": uuid, "timestamp": "2026-11-15T13:20:42.667Z",
        "message": { "id": id, "model": "m", "stop_reason": stop,
            "usage": { "input_tokens": 100, "output_tokens": output } } })
}

fn settled(uuid: &str) -> Value {
    json!({ "type": "system", "subtype": "stop_hook_summary", "uuid": uuid, "hookErrors": [] })
}

fn turn_lines(prompt: &str, id: &str, output: u64) -> Vec<Value> {
    vec![
        user(&format!("{prompt}-u"), prompt),
        reply(&format!("{prompt}-a"), id, output, "end_turn"),
        settled(&format!("{prompt}-s")),
    ]
}

#[test]
fn four_rows_of_one_message_count_once_with_the_largest_output() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &[user("u1", "p1")]);
    for output in [1, 20, 7, 20] {
        stage.append("s", &[reply("u2", "m1", output, "tool_use")]);
    }
    stage.reads("s");
    let used = stage.used("s");
    assert_eq!((used.total.input, used.total.output), (100, 20));
    assert_eq!(stage.outputs("s"), [(1, 20)]);
}

#[test]
fn a_message_that_grows_between_two_looks_counts_with_its_last_figure() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &[user("u1", "p1"), reply("u2", "m1", 1, "tool_use")]);
    let first = stage.reads("s");
    stage.append("s", &[reply("u3", "m1", 20, "tool_use")]);
    let second = stage.reads("s");
    assert_eq!((first.counted, first.known), (1, 0));
    assert_eq!((second.counted, second.known), (0, 1));
    assert_eq!(stage.outputs("s"), [(1, 20)]);
}

#[test]
fn a_resumed_session_goes_on_in_its_file_and_nothing_counts_twice() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &turn_lines("p1", "m1", 20));
    stage.reads("s");
    stage.reads("s");
    stage.hears(&json!({ "hook_event_name": "SessionStart", "session_id": "s", "source": "resume" }));
    stage.prompt("s", "p2");
    stage.append("s", &turn_lines("p2", "m2", 5));
    stage.reads("s");
    assert_eq!(stage.outputs("s"), [(1, 20), (2, 5)]);
}

#[test]
fn a_fork_adds_only_its_new_messages_and_is_known_as_one() {
    let stage = Stage::new();
    stage.prompt("old", "p1");
    stage.append("old", &turn_lines("p1", "m1", 20));
    stage.reads("old");
    stage.prompt("fork", "p9");
    // The client rewrites the prompts of what it copies to that of the new session.
    stage.append("fork", &turn_lines("p9", "m1", 20));
    stage.append("fork", &turn_lines("p9", "m2", 5));
    let accounted = stage.reads("fork");
    assert_eq!((accounted.counted, accounted.known), (1, 1));
    assert_eq!(stage.outputs("old"), [(1, 20)]);
    assert_eq!(stage.outputs("fork"), [(1, 5)]);
    let store = stage.writer.store();
    let fork = actors::conversation(&store.read(), actor_id(&store, "fork")).unwrap();
    assert_eq!(fork.unwrap().forked_from, Some(ClientSessionId::new("old")));
    let old = actors::conversation(&store.read(), actor_id(&store, "old")).unwrap();
    assert_eq!(old.unwrap().forked_from, None);
}

fn actor_id(store: &Store, session: &str) -> ActorId {
    let key = ActorKey {
        agent_kind: AgentKind::new("claude-code"),
        session: ClientSessionId::new(session),
        agent: None,
    };
    actors::by_key(&store.read(), &key).unwrap().unwrap().id
}

#[test]
fn a_late_subagent_belongs_to_the_turn_that_launched_it() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &turn_lines("p1", "m1", 20));
    stage.agent("s", "a1");
    stage.prompt("s", "p2");
    stage.append("s", &turn_lines("p2", "m2", 5));
    stage.reads("s");
    stage.append("agent", &[user("x1", "p1"), reply("x2", "m3", 300, "end_turn")]);
    stage.reads_as("s", Some("a1"), "agent", false);
    assert_eq!(stage.outputs("s"), [(1, 320), (2, 5)]);
    let used = stage.used("s");
    let agent = stage.actor("s", Some("a1")).id;
    assert_eq!(used.turns[0].subagents.len(), 1);
    assert_eq!(used.turns[0].subagents[0].0, agent);
    assert_eq!(used.turns[0].main.output, 20);
}

#[test]
fn an_agent_whose_file_names_no_prompt_belongs_to_the_turn_it_was_started_in() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.agent("s", "a1");
    let old_user = json!({ "type": "user", "uuid": "u1", "message": { "content": "hello" } });
    stage.append("agent", &[old_user, reply("x2", "m3", 300, "end_turn")]);
    stage.reads_as("s", Some("a1"), "agent", false);
    assert_eq!(stage.outputs("s"), [(1, 300)]);
}

#[test]
fn lines_of_an_agent_in_the_main_file_are_the_agents() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.agent("s", "a1");
    let mut line = reply("u2", "m1", 20, "tool_use");
    line["agentId"] = json!("a1");
    line["isSidechain"] = json!(true);
    stage.append("s", &[user("u1", "p1"), line]);
    stage.reads("s");
    let used = stage.used("s");
    assert_eq!(used.turns[0].main, Tokens::default());
    assert_eq!(used.turns[0].subagents[0].1.output, 20);
}

#[test]
fn without_prompt_ids_the_place_in_the_file_decides() {
    let stage = Stage::new();
    let old_user = json!({ "type": "user", "uuid": "u1", "message": { "content": "hello" } });
    for (prompt, id, output) in [("p1", "m1", 20), ("p2", "m2", 5)] {
        stage.prompt("s", prompt);
        stage.append("s", &[old_user.clone(), reply("u2", id, output, "end_turn")]);
    }
    stage.reads("s");
    assert_eq!(stage.outputs("s"), [(1, 20), (2, 5)]);
}

#[test]
fn cutting_short_and_replacing_the_file_counts_nothing_twice() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &turn_lines("p1", "m1", 20));
    stage.reads("s");
    fs::write(stage.path("s"), text(&turn_lines("p1", "m1", 20)[..2])).unwrap();
    stage.reads("s");
    let other = stage.path("other");
    fs::write(&other, text(&turn_lines("p1", "m1", 20))).unwrap();
    fs::rename(&other, stage.path("s")).unwrap();
    stage.reads("s");
    assert_eq!(stage.outputs("s"), [(1, 20)]);
}

#[test]
fn a_turn_is_sealed_once_its_closing_lines_are_seen_and_keeps_its_leaf() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    let lines = turn_lines("p1", "m1", 20);
    stage.append("s", &lines[..2]);
    assert_eq!(stage.reads("s").sealed, []);
    let turn = stage.turn("s", 1);
    assert_eq!((turn.sealed, turn.leaf_uuid.as_deref()), (false, Some("p1-a")));
    stage.append("s", &lines[2..]);
    assert_eq!(stage.reads("s").sealed, [], "its end was not told yet");
    stage.stop("s");
    assert_eq!(stage.reads("s").sealed, [turn.id]);
    let turn = stage.turn("s", 1);
    assert_eq!((turn.sealed, turn.leaf_uuid.as_deref()), (true, Some("p1-s")));
    assert_eq!(turn.transcript_end, Some(text(&lines).len().try_into().unwrap()));
    assert_eq!(stage.reads("s").sealed, []);
}

#[test]
fn a_turn_without_closing_lines_is_sealed_by_the_next_or_by_the_last_look() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &[user("u1", "p1"), reply("u2", "m1", 1, "tool_use")]);
    assert_eq!(stage.reads("s").sealed, []);
    stage.prompt("s", "p2");
    stage.append("s", &[user("u3", "p2")]);
    assert_eq!(stage.reads("s").sealed, [stage.turn("s", 1).id]);
    assert_eq!(stage.turn("s", 1).leaf_uuid.as_deref(), Some("u2"));
    assert_eq!(stage.reads_as("s", None, "s", true).sealed, [], "it goes on");
    stage.stop("s");
    let last = stage.reads_as("s", None, "s", true);
    assert_eq!(last.sealed, [stage.turn("s", 2).id]);
}

#[test]
fn a_report_from_the_background_counts_for_the_turn_it_continues() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &turn_lines("p1", "m1", 20));
    stage.stop("s");
    assert_eq!(stage.reads("s").sealed, [stage.turn("s", 1).id]);
    stage.hears(&json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt_id": "n1",
        "prompt": "<task-notification></task-notification>", "transcript_path": stage.path("s")
    }));
    let late = turn_lines("n1", "m2", 300);
    stage.append("s", &late[..2]);
    stage.stop("s");
    assert_eq!(stage.reads("s").sealed, [], "its last lines are missing");
    stage.append("s", &late[2..]);
    assert_eq!(stage.reads("s").sealed, [stage.turn("s", 1).id]);
    assert_eq!(stage.outputs("s"), [(1, 320)]);
    assert_eq!(stage.turn("s", 1).leaf_uuid.as_deref(), Some("n1-s"));
}

#[test]
fn what_was_passed_over_is_counted_with_its_place() {
    let stage = Stage::new();
    stage.prompt("s", "p1");
    stage.append("s", &[user("u1", "p1")]);
    stage.append_bytes("s", b"garbage\n\xff\n");
    stage.append("s", &[json!({ "type": "assistant", "uuid": "u2" })]);
    stage.reads("s");
    let unreadable = stage.counter(UNREADABLE).unwrap();
    assert_eq!(unreadable.count, 2);
    let place = format!(" at byte {}", text(&[user("u1", "p1")]).len());
    assert!(unreadable.last_text.unwrap().ends_with(&place));
    assert_eq!(stage.counter(WITHOUT_USAGE).unwrap().count, 1);
}

#[test]
fn a_recorded_session_with_its_subagent_sums_up() {
    let samples = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/real-client/samples/transcripts/subagent-foreground/project_slug"
    );
    let stage = Stage::new();
    stage.prompt("s", "{{uuid-2}}");
    stage.agent("s", "a5");
    for (from, to) in [
        ("uuid-1.jsonl", "s"),
        ("uuid-1/subagents/agent-agent-5.jsonl", "agent"),
    ] {
        fs::copy(format!("{samples}/{from}"), stage.path(to)).unwrap();
    }
    stage.stop("s");
    stage.reads("s");
    stage.reads_as("s", Some("a5"), "agent", false);
    let used = stage.used("s");
    assert_eq!((used.total.input, used.total.output), (500, 100));
    assert_eq!(used.turns.len(), 1);
    assert_eq!(used.turns[0].turn, Some(1));
    assert_eq!(used.turns[0].main.output, 40);
    assert!(stage.turn("s", 1).sealed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_are_the_same_however_the_file_is_read(
        turns in proptest::collection::vec(proptest::collection::vec((0_u8..8, 0_u64..50), 0..5), 1..4),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
    ) {
        let mut lines = Vec::new();
        for (number, messages) in turns.iter().enumerate() {
            lines.push(user("u", &format!("p{number}")));
            for (id, output) in messages {
                lines.push(reply("a", &format!("m{id}"), *output, "tool_use"));
            }
        }
        let whole = text(&lines).into_bytes();
        let prompts = |stage: &Stage| {
            for number in 0..turns.len() {
                stage.prompt("s", &format!("p{number}"));
            }
        };
        let at_once = Stage::new();
        prompts(&at_once);
        at_once.append_bytes("s", &whole);
        at_once.reads("s");

        let sliced = Stage::new();
        prompts(&sliced);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
        ends.extend([0, whole.len()]);
        ends.sort_unstable();
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            sliced.append_bytes("s", &whole[*from..*to]);
            sliced.reads("s");
        }
        prop_assert_eq!(sliced.used("s"), at_once.used("s"));
    }
}
