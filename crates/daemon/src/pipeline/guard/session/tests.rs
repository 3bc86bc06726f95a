//! The guard over several events of one session, with a real store.

use super::super::ground::Ground;
use crate::judge::Judge;
use crate::pipeline::PreparedEvent;
use engine::event::{Event, EventKind};
use engine::facts::Facts;
use engine::policy::guard::Guard;
use engine::policy::{ORDER, Policy};
use engine::settings::{Mode, Settings};
use engine::verdict::{Judgement, Verdict};
use serde_json::{Value, json};
use store::table::{approvals, counters};

const WATCHED: &[(&str, &str)] = &[("CLAUDE_CODE_SESSION_ATTENDED", "1")];
const ALONE: &[(&str, &str)] = &[("CLAUDE_CODE_SESSION_ATTENDED", "0")];

/// What the hook answers.
fn said(ground: &Ground, prepared: &PreparedEvent) -> String {
    let recorded = ground.judged(prepared, &Judge::new(ORDER));
    String::from_utf8(recorded.printed.stdout).unwrap()
}

fn before(ground: &Ground, command: &str, env: &[(&str, &str)]) -> String {
    let payload = ground.payload("PreToolUse", "Bash", &json!({ "command": command }));
    said(ground, &answered(ground, &payload, env))
}

/// A call whose questions are answered.
fn answered(ground: &Ground, payload: &Value, env: &[(&str, &str)]) -> PreparedEvent {
    let mut prepared = ground.prepared(payload, env);
    ground.world.answer(&mut prepared);
    prepared
}

/// The last call ran, as this command.
fn ran(ground: &Ground, command: &str, call: &Value) {
    let mut payload = ground.payload("PostToolUse", "Bash", &json!({ "command": command }));
    payload["tool_use_id"] = call.clone();
    payload["tool_response"] = json!({ "stdout": "", "stderr": "" });
    ground.happens(&ground.prepared(&payload, WATCHED));
}

/// Pushes with force; the answer, and the call's id.
fn pushes(ground: &Ground, branch: &str) -> (String, Value) {
    let command = format!("git push -f origin {branch}");
    let payload = ground.payload("PreToolUse", "Bash", &json!({ "command": command }));
    let answer = said(ground, &ground.prepared(&payload, WATCHED));
    (answer, payload["tool_use_id"].clone())
}

#[test]
fn a_rewrite_that_another_hook_overruled_is_the_last_of_its_session() {
    let ground = Ground::new();
    let (answer, call) = pushes(&ground, "one");
    assert!(answer.contains("updatedInput"), "{answer}");
    ran(&ground, "git push --force-with-lease origin one", &call);
    let (answer, call) = pushes(&ground, "two");
    assert!(
        answer.contains("updatedInput"),
        "ours ran, so the next is rewritten: {answer}"
    );
    ran(&ground, "git push -f -v origin two", &call);
    let (answer, _) = pushes(&ground, "three");
    assert!(!answer.contains("updatedInput"), "{answer}");
    assert!(answer.contains("\"deny\"") && answer.contains("git push --force-with-lease origin three"));
    let counters = counters::list(&ground.store().read()).unwrap();
    assert!(
        counters
            .iter()
            .any(|counter| counter.name == "rewrite lost" && counter.count == 1)
    );
}

#[test]
fn the_third_spelling_of_one_denied_effect_is_called_that() {
    let ground = Ground::new();
    let first = before(&ground, "rm -rf /", WATCHED);
    let second = before(&ground, "bash -c '/bin/rm -fr //'", WATCHED);
    let third = before(&ground, "cd / && sudo rm -r -f /.", WATCHED);
    for early in [&first, &second] {
        assert!(
            early.contains("\"deny\"") && !early.contains("attempt"),
            "{early}"
        );
    }
    assert!(third.contains("This is attempt 3 at the same effect."), "{third}");
}

#[test]
fn a_persons_prompt_grants_one_run_of_what_was_denied() {
    let ground = Ground::new();
    let denied = before(&ground, "npm publish", ALONE);
    let waiting = approvals::pending(&ground.store().read(), None).unwrap();
    let id = waiting[0].id.as_str();
    assert!(denied.contains("\"deny\"") && denied.contains(id), "{denied}");
    let prompt = |id: &str, env: &[(&str, &str)]| {
        let text = format!("toprope guard allow {id}");
        let payload = json!({
            "hook_event_name": "UserPromptSubmit", "session_id": "7c1e", "cwd": ground.path("repo"), "prompt": text,
        });
        said(&ground, &ground.prepared(&payload, env))
    };
    assert!(
        !prompt(id, ALONE).contains("allowed"),
        "nobody is there to say it"
    );
    assert!(before(&ground, "npm publish", ALONE).contains("\"deny\""));
    assert!(prompt("g-zzzzzz", WATCHED).contains("nothing was decided"));
    assert!(prompt(id, WATCHED).contains("The person allowed request"));
    assert!(!before(&ground, "npm publish", ALONE).contains("\"deny\""));
    assert!(
        before(&ground, "npm publish", ALONE).contains("\"deny\""),
        "it was used"
    );
}

#[test]
fn a_payload_without_ids_is_judged_and_its_warnings_belong_to_its_folder() {
    let ground = Ground::new();
    ground.write("other/readme", "");
    let runs = |at: i64, folder: &str| {
        let payload = json!({
            "tool_name": "Bash", "tool_input": { "command": "rm -rf *" }, "cwd": ground.path(folder),
        });
        said(&ground, &ground.prepared_at(at, &payload, WATCHED))
    };
    assert!(runs(1_000, "repo").contains("core.filesystem.rm"));
    assert!(
        runs(1_001, "repo").contains("\"deny\""),
        "nobody can have read the warning yet"
    );
    assert!(
        runs(9_000, "other").contains("\"deny\""),
        "another folder was not warned"
    );
    assert!(!runs(9_000, "repo").contains("\"deny\""));
}

/// A policy after the guard that lets nothing through, as a lease of somebody else's would.
struct Taken;

impl Policy for Taken {
    fn name(&self) -> &'static str {
        "taken"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, event: &Event, _facts: &Facts) -> bool {
        matches!(event.kind, EventKind::ToolBefore { .. })
    }

    fn judge(&self, _event: &Event, _facts: &Facts) -> Judgement {
        Verdict::Deny("somebody else works here".to_owned()).into()
    }
}

#[test]
fn what_a_later_policy_denies_has_no_checkpoint_and_its_strike_stays_heard() {
    let ground = Ground::new();
    ground.write("repo/src/a.rs", "two");
    let held = before(&ground, "git reset --hard", WATCHED);
    assert!(held.contains("held once"), "{held}");
    let batch = json!({
        "hook_event_name": "PostToolBatch", "session_id": "7c1e", "cwd": ground.path("repo"), "tool_calls": [],
    });
    ground.happens(&ground.prepared(&batch, WATCHED));
    let retry = |judge: &Judge| {
        let payload = ground.payload("PreToolUse", "Bash", &json!({ "command": "git reset --hard" }));
        ground.judged(&answered(&ground, &payload, WATCHED), judge)
    };
    let denied = retry(&Judge::new(&[&Guard, &Taken]));
    let said = String::from_utf8(denied.printed.stdout).unwrap();
    assert!(said.contains("somebody else works here"), "{said}");
    assert!(
        denied.waiting.is_none() && denied.after.before.is_none(),
        "nothing is kept"
    );
    let passed = retry(&Judge::new(ORDER));
    assert!(passed.waiting.is_some() && passed.after.before.is_some());
}

#[test]
fn whoever_asks_again_before_the_state_is_kept_is_not_let_through() {
    for (env, answer) in [(WATCHED, "\"ask\""), (ALONE, "\"deny\"")] {
        let ground = Ground::new();
        ground.write("repo/src/a.rs", "two");
        assert!(before(&ground, "git reset --hard", env).contains("held once"));
        let batch = json!({
            "hook_event_name": "PostToolBatch", "session_id": "7c1e", "cwd": ground.path("repo"), "tool_calls": [],
        });
        ground.happens(&ground.prepared(&batch, env));
        let payload = ground.payload("PreToolUse", "Bash", &json!({ "command": "git reset --hard" }));
        let call = answered(&ground, &payload, env);
        assert!(ground.judged(&call, &Judge::new(ORDER)).waiting.is_some());
        let again = said(&ground, &call);
        assert!(again.contains(answer), "{again:?}");
        assert!(again.contains("o checkpoint could be taken"), "{again:?}");
    }
}
