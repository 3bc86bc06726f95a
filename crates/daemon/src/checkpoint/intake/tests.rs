//! What events leave behind for whoever cuts checkpoints.

use super::*;
use crate::pipeline::guard::ground::Ground;
use serde_json::{Value, json};
use store::table::worktrees;

fn happens(ground: &Ground, event: &str, fields: &Value) {
    let mut payload = json!({ "hook_event_name": event, "session_id": "7c1e", "cwd": ground.path("repo") });
    for (name, value) in fields.as_object().into_iter().flatten() {
        payload[name] = value.clone();
    }
    ground.happens(&ground.prepared(&payload, &[]));
}

/// What the checkpoints of agents' ends will say, as far as they wait to be cut.
fn last_words(ground: &Ground) -> Vec<Option<String>> {
    let store = ground.store();
    let db = store.read();
    let worktree = worktrees::by_id(&db, WorktreeId(1)).unwrap().unwrap();
    let due = jobs::due_for(&db, worktree.id, Timestamp(i64::MAX)).unwrap();
    let orders = due.iter().filter_map(Order::of);
    orders
        .filter(|order| order.kind == CheckpointKind::AgentStop.as_str())
        .map(|order| order.summary)
        .collect()
}

#[test]
fn an_agents_last_words_stay_when_another_event_tells_of_its_end() {
    let ground = Ground::new();
    happens(&ground, "UserPromptSubmit", &json!({ "prompt": "go" }));
    let call = json!({
        "tool_name": "Agent", "tool_use_id": "toolu_1",
        "tool_input": { "description": "a task", "prompt": "x", "subagent_type": "fixer", "run_in_background": false },
        "tool_response": { "status": "completed", "agentId": "a111", "agentType": "fixer", "content": [] },
    });
    happens(&ground, "PreToolUse", &call);
    let agent = json!({ "agent_id": "a111", "agent_type": "fixer", "last_assistant_message": "all done" });
    happens(&ground, "SubagentStart", &agent);
    happens(&ground, "SubagentStop", &agent);
    assert_eq!(last_words(&ground), [Some("all done".to_owned())]);
    happens(&ground, "PostToolUse", &call);
    assert_eq!(last_words(&ground), [Some("all done".to_owned())]);
}
