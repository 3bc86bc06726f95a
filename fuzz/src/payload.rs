//! Any bytes as an agent's payload: read or refused in one line, and whatever is decided about it, the client can read
//! the answer and a denial arrives.

use agents::{Agent, Delivery, Malformed, Reply};
use daemon::pipeline::log_outline::Outline;
use engine::decision::{Decision, Outcome};
use engine::event::{Event, EventKind};
use engine::facts::Facts;
use engine::id::DeliveryId;
use engine::policy::ORDER;
use engine::round::{RoundWatch, decide};
use engine::settings::{Profile, Settings};
use engine::time::Timestamp;
use serde_json::Value;

/// Longest id that is kept, in bytes; a hostile one must not make every row large.
const LONGEST_ID: usize = 512;
const NOW: Timestamp = Timestamp(1_000);

/// Translates the payload and answers it with every kind of decision.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(payload: &[u8]) {
    let agent = agents::by_name("claude-code").expect("the agent is on the list");
    let event = match translated(agent, payload) {
        Ok(event) => event,
        Err(malformed) => {
            let sentence = malformed.to_string();
            assert!(!sentence.contains(char::is_control), "not one line: {sentence:?}");
            return;
        }
    };
    assert_eq!(
        translated(agent, payload),
        Ok(event.clone()),
        "read differently the second time"
    );
    outlined(&event);
    let foreign = String::from_utf8_lossy(payload);
    for decision in decisions(&event, &foreign) {
        answered(&event, &decision, &agent.reply(&event, &decision));
    }
    for profile in Profile::ALL {
        let facts = Facts::empty(NOW, Settings::of(profile));
        let round = decide(ORDER, &event, &facts, &RoundWatch::default());
        assert!(round.degraded.is_empty(), "a policy broke: {:?}", round.degraded);
        answered(&event, &round.decision, &agent.reply(&event, &round.decision));
    }
}

fn translated(agent: &dyn Agent, payload: &[u8]) -> Result<Event, Malformed> {
    let delivery = Delivery {
        id: DeliveryId::new("d1"),
        at: NOW,
        session_hint: None,
        cwd: None,
    };
    agent.translate(payload, &delivery)
}

/// What the record shows of the event is bounded, and its input stays JSON.
fn outlined(event: &Event) {
    assert!(event.name.len() <= LONGEST_ID);
    assert!(event.actor.session.as_str().len() <= LONGEST_ID);
    let outline = Outline::of(&agents::claude_code::ClaudeCode, event);
    if let Some(target) = outline.target {
        assert!(
            target.chars().count() <= 1_001,
            "a subject of {} bytes",
            target.len()
        );
    }
    if let Some(input) = outline.input {
        let read = serde_json::from_str::<Value>(&input);
        assert!(
            read.is_ok_and(|input| input.is_object()),
            "not an object: {input}"
        );
    }
}

/// Every kind of decision, with text of the payload's own making where text belongs.
fn decisions(event: &Event, foreign: &str) -> Vec<Decision> {
    let own = event.kind.call().map(|call| call.input().clone());
    let reason = || foreign.to_owned();
    let deny = |reason, keeps_prompt| Outcome::Deny { reason, keeps_prompt };
    let says = |outcome: Outcome| Decision {
        outcome,
        ..Decision::default()
    };
    let talks = |outcome: Outcome| Decision {
        outcome,
        input: own.clone(),
        context: vec![reason(), String::new()],
        person: vec![reason()],
    };
    vec![
        Decision::default(),
        says(Outcome::Ask { reason: reason() }),
        says(deny(reason(), false)),
        says(deny(reason(), true)),
        says(deny(String::new(), false)),
        says(deny(String::new(), true)),
        Decision {
            input: own.clone(),
            ..Decision::default()
        },
        talks(Outcome::Pass),
        talks(Outcome::Ask { reason: reason() }),
        talks(deny(reason(), false)),
        talks(deny(reason(), true)),
    ]
}

/// The answer is nothing, one object that never allows, plain text for a summary, or a refusal by exit code.
fn answered(event: &Event, decision: &Decision, reply: &Reply) {
    let is_denial = matches!(decision.outcome, Outcome::Deny { .. });
    let mut is_refused = false;
    if reply.exit == 0 {
        assert!(reply.stderr.is_empty());
        let steers = matches!(event.kind, EventKind::CompactBefore { .. }) && !decision.context.is_empty();
        if steers {
            assert!(
                !reply.stdout.trim_ascii_start().starts_with(b"{"),
                "text that looks like an answer"
            );
        } else if !reply.stdout.is_empty() {
            is_refused = object(event, decision, &reply.stdout);
        }
    } else {
        assert_eq!(reply.exit, 2);
        assert!(is_denial && reply.stdout.is_empty() && !reply.stderr.is_empty());
        is_refused = true;
    }
    assert_eq!(
        is_refused,
        is_denial && event.can.block,
        "a denial that is lost, or made up"
    );
    if decision.is_silent() {
        assert!(reply.stdout.is_empty());
    }
}

/// Checks the one object, and says whether it refuses.
fn object(event: &Event, decision: &Decision, stdout: &[u8]) -> bool {
    assert!(stdout.starts_with(b"{") && stdout.ends_with(b"}") && !stdout.contains(&b'\n'));
    let answer: Value = serde_json::from_slice(stdout).expect("an answer is JSON");
    let text = |place: &str| answer.pointer(place).and_then(Value::as_str);
    if answer.get("hookSpecificOutput").is_some() {
        let name = text("/hookSpecificOutput/hookEventName");
        assert_eq!(name, Some(event.name.as_str()), "the client would not honour it");
    }
    let verdicts = [
        text("/decision"),
        text("/hookSpecificOutput/permissionDecision"),
        text("/hookSpecificOutput/decision/behavior"),
        text("/hookSpecificOutput/action"),
    ];
    for verdict in verdicts.into_iter().flatten() {
        assert!(
            matches!(verdict, "block" | "deny" | "ask" | "decline"),
            "it says {verdict}"
        );
    }
    let is_denial = matches!(decision.outcome, Outcome::Deny { .. });
    let updated = answer.pointer("/hookSpecificOutput/updatedInput");
    let wanted = decision
        .input
        .as_ref()
        .filter(|_| event.can.rewrite && !is_denial);
    assert_eq!(
        updated.and_then(Value::as_object),
        wanted,
        "an input that is not carried over whole"
    );
    let stops = answer.get("continue").is_some();
    if stops {
        assert_eq!(answer.get("continue"), Some(&Value::Bool(false)));
        assert!(text("/stopReason").is_some_and(|reason| !reason.is_empty()));
        assert!(
            matches!(event.kind, EventKind::Prompt { .. }),
            "it would end a turn"
        );
    }
    stops || verdicts.into_iter().flatten().any(|verdict| verdict != "ask")
}
