//! Whatever arrives, translation ends without a panic, and whatever is decided, the reply can be read.

use super::samples::{all, delivery};
use super::{ClaudeCode, PROBE, events};
use crate::agent::{Agent, Reply};
use engine::decision::{Decision, Outcome};
use engine::event::{Event, EventKind};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;
use std::sync::LazyLock;

static SAMPLES: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| all().iter().map(super::samples::Sample::bytes).collect());

/// One way to damage a payload.
#[derive(Debug, Clone)]
enum Damage {
    Byte(Index, u8),
    Cut(Index),
    Insert(Index, Vec<u8>),
    Repeat(Index, Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), token()).prop_map(|(at, token)| Damage::Insert(at, token)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Repeat(from, to)),
    ]
}

/// Text that matters to a JSON parser.
fn token() -> impl Strategy<Value = Vec<u8>> {
    let tokens: &[&[u8]] = &[
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"",
        b"\\",
        b",",
        b":",
        b"null",
        b"1e999",
        b"-",
        b"\\ud800",
        b"\\u",
        b"\xff",
        b"\0",
        b"\xEF\xBB\xBF",
        b"{\"agent_id\":{}}",
        b"\\ud83d\\ude00",
    ];
    select(tokens).prop_map(<[u8]>::to_vec)
}

fn damaged(mut payload: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        let length = payload.len();
        if length == 0 {
            break;
        }
        match damage {
            Damage::Byte(at, byte) => payload[at.index(length)] = *byte,
            Damage::Cut(at) => payload.truncate(at.index(length)),
            Damage::Insert(at, token) => {
                let at = at.index(length);
                payload.splice(at..at, token.iter().copied());
            }
            Damage::Repeat(from, to) => {
                let (from, to) = (from.index(length), to.index(length));
                payload.extend_from_within(from.min(to)..from.max(to));
            }
        }
    }
    payload
}

fn decision() -> impl Strategy<Value = Decision> {
    let outcome = prop_oneof![
        Just(Outcome::Pass),
        ".{0,60}".prop_map(|reason| Outcome::Ask { reason }),
        ("(?s).{0,60}", any::<bool>())
            .prop_map(|(reason, keeps_prompt)| Outcome::Deny { reason, keeps_prompt }),
    ];
    let texts = || proptest::collection::vec("(?s).{0,40}", 0..3);
    let input = proptest::option::of(proptest::collection::vec((".{0,8}", ".{0,8}"), 0..4));
    (outcome, input, texts(), texts()).prop_map(|(outcome, input, context, person)| Decision {
        outcome,
        input: input.map(|keys| {
            keys.into_iter()
                .map(|(key, text)| (key, Value::from(text)))
                .collect()
        }),
        context,
        person,
    })
}

fn any_event_name() -> impl Strategy<Value = String> {
    let known: Vec<String> = events().chain([PROBE, ""]).map(str::to_owned).collect();
    prop_oneof![9 => select(known), 1 => ".{0,12}"]
}

/// The reply is nothing, one JSON object that never allows, plain steering text, or a refusal by exit code.
fn assert_readable(event: &Event, decision: &Decision, reply: &Reply) {
    if reply.exit != 0 {
        assert_eq!(reply.exit, 2);
        assert!(matches!(decision.outcome, Outcome::Deny { .. }));
        assert!(reply.stdout.is_empty() && !reply.stderr.is_empty());
        return;
    }
    assert!(reply.stderr.is_empty());
    let steers = matches!(event.kind, EventKind::CompactBefore { .. }) && !decision.context.is_empty();
    if steers {
        assert!(!reply.stdout.trim_ascii_start().starts_with(b"{"));
    } else if !reply.stdout.is_empty() {
        assert!(reply.stdout.starts_with(b"{") && reply.stdout.ends_with(b"}"));
        assert!(!reply.stdout.contains(&b'\n'));
        let answer: Value = serde_json::from_slice(&reply.stdout).unwrap();
        let specific = &answer["hookSpecificOutput"];
        assert!(specific.is_null() || specific["hookEventName"] == event.name.as_str());
        assert_ne!(specific["permissionDecision"], "allow");
        assert_ne!(specific["decision"]["behavior"], "allow");
    }
    if decision.is_silent() {
        assert!(reply.stdout.is_empty());
    }
}

/// A denial that the event can carry is always carried.
fn assert_denied(event: &Event, decision: &Decision, reply: &Reply) {
    if event.can.block && matches!(decision.outcome, Outcome::Deny { .. }) {
        let stdout = String::from_utf8_lossy(&reply.stdout);
        let refused = ["\"block\"", "\"deny\"", "\"decline\"", "{\"continue\":false,"];
        assert!(reply.exit == 2 || refused.iter().any(|word| stdout.contains(word)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn random_bytes_never_panic_the_translation(payload in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _read_or_refused = ClaudeCode.translate(&payload, &delivery());
    }

    #[test]
    fn damaged_payloads_never_panic_and_are_answered_readably(
        sample in any::<Index>(),
        damages in proptest::collection::vec(damage(), 1..6),
        decision in decision(),
    ) {
        let payload = damaged(sample.get(&SAMPLES).clone(), &damages);
        if let Ok(event) = ClaudeCode.translate(&payload, &delivery()) {
            let reply = ClaudeCode.reply(&event, &decision);
            assert_readable(&event, &decision, &reply);
            assert_denied(&event, &decision, &reply);
        }
    }

    #[test]
    fn any_decision_on_any_event_is_answered_readably(name in any_event_name(), decision in decision()) {
        let payload = serde_json::json!({"hook_event_name": name, "session_id": "s"});
        let event = ClaudeCode.translate(payload.to_string().as_bytes(), &delivery()).unwrap();
        let reply = ClaudeCode.reply(&event, &decision);
        assert_readable(&event, &decision, &reply);
        assert_denied(&event, &decision, &reply);
    }
}
