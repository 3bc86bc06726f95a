//! What a guard's decisions leave in the store, event by event.

use crate::judge::Judge;
use crate::pipeline::PreparedEvent;
use crate::pipeline::guard::ground::Ground;
use engine::effect::{Effect, Explanation, Parked, Struck};
use engine::event::{Event, EventKind};
use engine::facts::Facts;
use engine::policy::Policy;
use engine::policy::guard::facts::GuardFacts;
use engine::settings::{Mode, Settings};
use engine::verdict::{Judgement, Verdict};
use serde_json::json;
use std::sync::Mutex;
use store::table::approvals::{self, Grant, RequestState, Via};
use store::table::{verdicts, warnings};

/// Holds a command once, denies `deny`, spends approvals, and remembers what it was told.
struct Scripted;

static SEEN: Mutex<Vec<(String, GuardFacts)>> = Mutex::new(Vec::new());

impl Policy for Scripted {
    fn name(&self) -> &'static str {
        "guard"
    }

    fn mode(&self, _settings: &Settings) -> Mode {
        Mode::Enforce
    }

    fn concerns(&self, _event: &Event, _facts: &Facts) -> bool {
        true
    }

    fn judge(&self, event: &Event, facts: &Facts) -> Judgement {
        let (always, granted) = (Vec::new(), Vec::new());
        let silent = Judgement {
            verdict: Verdict::Silent,
            always,
            granted,
        };
        match &event.kind {
            EventKind::ToolBatch { .. } => Judgement {
                always: vec![Effect::Hear],
                ..silent
            },
            EventKind::SessionEnd { .. } => Judgement {
                always: vec![Effect::ForgetWarnings, Effect::ExpireRequests],
                ..silent
            },
            EventKind::ToolBefore { .. } => called(facts),
            _ => silent,
        }
    }
}

fn called(facts: &Facts) -> Judgement {
    let known = facts.answers.guard.as_deref().cloned().unwrap_or_default();
    SEEN.lock().unwrap().push((facts.label.clone(), known.clone()));
    if let Some(id) = known.approval {
        return Judgement {
            verdict: Verdict::Silent,
            always: vec![explained(Some(id.clone()))],
            granted: vec![Effect::SpendApproval { id }],
        };
    }
    let parked = Parked {
        id: known.request.unwrap(),
        rule: "core.test".to_owned(),
        shown: "rm -rf x".to_owned(),
    };
    Judgement {
        verdict: Verdict::Deny("held".to_owned()),
        always: vec![
            Effect::Strike(struck()),
            Effect::Warn {
                rule: "core.test".into(),
                key: "/x".to_owned(),
            },
            Effect::ParkRequest(parked),
            explained(None),
        ],
        granted: Vec::new(),
    }
}

fn struck() -> Struck {
    Struck {
        rule: "core.test".to_owned(),
        targets: vec!["files /x".to_owned()],
    }
}

fn explained(approval: Option<String>) -> Effect {
    Effect::Explain(Box::new(Explanation {
        policy: "guard",
        rule: Some("core.test".to_owned()),
        strike: Some(struck()),
        approval,
        facts: Some("{}".to_owned()),
        ..Explanation::default()
    }))
}

fn last_seen() -> GuardFacts {
    SEEN.lock().unwrap().last().unwrap().1.clone()
}

fn judge() -> Judge {
    Judge::new(&[&Scripted])
}

fn runs(ground: &Ground, command: &str) -> PreparedEvent {
    ground.calls("Bash", &json!({ "command": command }))
}

#[test]
fn a_strike_is_heard_a_request_granted_and_an_approval_used_once() {
    let ground = Ground::new();
    let judge = judge();
    ground.judged(&runs(&ground, "rm -rf x"), &judge);
    ground.judged(&runs(&ground, "rm -rf x"), &judge);
    let facts = last_seen();
    assert_eq!(facts.strikes.len(), 1);
    assert!(!facts.strikes[0].heard, "nothing told that the model read it");
    assert_eq!(
        (facts.denials[0].target.as_str(), facts.denials[0].times),
        ("/x", 1)
    );
    let store = ground.store();
    let waiting = approvals::pending(&store.read(), None).unwrap();
    assert_eq!(waiting.len(), 1, "asked again, it is the same request");
    assert_eq!(facts.request.as_deref(), Some(waiting[0].id.as_str()));
    let rows = verdicts::explained(&store.read(), waiting[0].asked_event.unwrap()).unwrap();
    assert_eq!(rows[0].detail.rule_id.as_deref(), Some("core.test"));
    assert!(rows[0].detail.strike_id.is_some());
    drop(store);

    let batch = json!({
        "hook_event_name": "PostToolBatch", "session_id": "7c1e", "cwd": ground.path("repo"), "tool_calls": [],
    });
    ground.judged(&ground.prepared(&batch, &[]), &judge);
    ground.judged(&runs(&ground, "rm -rf y"), &judge);
    assert!(last_seen().strikes[0].heard);

    let mut store = ground.store();
    let yes = Grant {
        ttl_ms: 60_000,
        times: 1,
        via: Via::Terminal,
        at: engine::time::Timestamp(1_000),
    };
    let tx = store.begin().unwrap();
    tx.only(|db| approvals::grant(db, &waiting[0].id, &yes)).unwrap();
    let granted = runs(&ground, "rm -rf x");
    ground.judged(&granted, &judge);
    assert_eq!(last_seen().approval.as_deref(), Some(waiting[0].id.as_str()));
    ground.judged(&runs(&ground, "rm -rf x"), &judge);
    assert_eq!(last_seen().approval, None, "it was used");
    let used = approvals::by_id(&store.read(), &waiting[0].id).unwrap().unwrap();
    assert_eq!(used.state, RequestState::Used);
    let newest = store::table::events::newest(&store.read()).unwrap();
    let silent = verdicts::explained(&store.read(), engine::id::EventSeq(newest.0 - 1)).unwrap();
    assert_eq!(
        silent[0].detail.approval_id.as_deref(),
        Some(waiting[0].id.as_str())
    );

    let ended = json!({
        "hook_event_name": "SessionEnd", "session_id": "7c1e", "cwd": ground.path("repo"), "reason": "other",
    });
    let ended = ground.prepared(&ended, &[]);
    ground.judged(&ended, &judge);
    let key = crate::pipeline::guard::ground::event_of(&ended).0.actor.clone();
    assert!(warnings::live_of(&store.read(), &key).unwrap().is_empty());
    assert!(approvals::pending(&store.read(), None).unwrap().is_empty());
}
