//! Goldens: every recorded payload as the event it becomes, and every decision as the bytes it becomes.

use super::samples::{Sample, all, folder, of};
use super::{ClaudeCode, PROBE, events};
use crate::agent::{Agent, Reply};
use engine::decision::{Decision, Outcome};
use engine::event::{Event, EventKind};
use engine::tool::{InputPatch, ToolInput};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

#[test]
fn every_recorded_payload_becomes_its_event() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for event in events() {
            let golden: Vec<String> = of(event).iter().map(golden).collect();
            insta::assert_snapshot!(event, golden.join("\n\n"));
        }
    });
}

#[test]
fn every_event_of_the_client_was_recorded_and_none_is_unknown() {
    let not_events = ["StatusLine", "_environment"];
    let recorded: BTreeSet<String> = fs_err::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            Some(
                entry
                    .unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".json")?
                    .to_owned(),
            )
        })
        .filter(|name| !not_events.contains(&name.as_str()))
        .collect();
    assert_eq!(recorded, events().map(str::to_owned).collect());
    assert_eq!(recorded.len(), 33);
    for sample in all() {
        assert_ne!(sample.event().kind, EventKind::Unknown, "{}", sample.input);
    }
}

#[test]
fn every_decision_becomes_the_bytes_the_client_honours() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut golden = String::new();
    for name in events() {
        let event = of(name).remove(0).event();
        writeln!(golden, "{name}").unwrap();
        for (label, decision) in decisions(&event) {
            let reply = ClaudeCode.reply(&event, &decision);
            writeln!(golden, "  {label:<16} {}", shown(&reply)).unwrap();
        }
    }
    settings.bind(|| insta::assert_snapshot!("replies", golden));
}

#[test]
fn the_probe_and_unknown_events_change_nothing() {
    let probe = Sample {
        scenario: String::new(),
        input: serde_json::json!({"hook_event_name": PROBE, "session_id": "s"}),
    };
    let unknown = Sample {
        scenario: String::new(),
        input: serde_json::json!({"hook_event_name": "BrandNew", "session_id": "s", "tool_name": "Bash"}),
    };
    assert_eq!(probe.event().kind, EventKind::Probe);
    assert_eq!(unknown.event().kind, EventKind::Unknown);
    assert_eq!(unknown.event().name, "BrandNew");
    for event in [probe.event(), unknown.event()] {
        assert_eq!(event.can, engine::event::Abilities::default());
        for (label, decision) in decisions(&event) {
            let reply = ClaudeCode.reply(&event, &decision);
            let tells_person = event.name == PROBE && !decision.person.is_empty();
            assert_eq!(shown(&reply) != "-", tells_person, "{} {label}", event.name);
        }
    }
}

/// The sample as an event; a tool's response is only compared, because it is carried over as it came.
fn golden(sample: &Sample) -> String {
    let mut event = sample.event();
    if let EventKind::ToolAfter { response, .. } = &mut event.kind {
        assert_eq!(*response, sample.input["tool_response"]);
        *response = Value::from("as it came");
    }
    format!(
        "{}\n{}",
        sample.scenario,
        wrappers_on_one_line(&format!("{event:#?}"))
    )
}

/// `Some(`, its value and `)` on one line instead of three.
fn wrappers_on_one_line(debug: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in debug.lines() {
        lines.push(line.to_owned());
        while let [.., open, value, close] = lines.as_slice()
            && open.ends_with('(')
            && matches!(close.trim(), ")" | "),")
        {
            let line = format!("{open}{}{}", value.trim().trim_end_matches(','), close.trim());
            lines.truncate(lines.len() - 3);
            lines.push(line);
        }
    }
    lines.join("\n")
}

fn decisions(event: &Event) -> Vec<(&'static str, Decision)> {
    let deny = Outcome::Deny {
        reason: "No. Do B.".to_owned(),
        keeps_prompt: false,
    };
    let hold = Outcome::Deny {
        reason: "Not yet.".to_owned(),
        keeps_prompt: true,
    };
    let ask = Outcome::Ask {
        reason: "Sure?".to_owned(),
    };
    let input = || event.kind.call().map(rewritten);
    let say = |text: &str| vec![text.to_owned()];
    let pass = Decision::default;
    vec![
        ("nothing", pass()),
        (
            "deny",
            Decision {
                outcome: deny.clone(),
                ..pass()
            },
        ),
        (
            "hold",
            Decision {
                outcome: hold,
                ..pass()
            },
        ),
        (
            "ask",
            Decision {
                outcome: ask.clone(),
                ..pass()
            },
        ),
        (
            "rewrite",
            Decision {
                input: input(),
                ..pass()
            },
        ),
        (
            "context",
            Decision {
                context: say("Mind C."),
                ..pass()
            },
        ),
        (
            "person",
            Decision {
                person: say("Look at D."),
                ..pass()
            },
        ),
        (
            "deny + context",
            Decision {
                outcome: deny.clone(),
                context: say("Mind C."),
                ..pass()
            },
        ),
        (
            "ask + rewrite",
            Decision {
                outcome: ask,
                input: input(),
                ..pass()
            },
        ),
        (
            "rewrite + all",
            Decision {
                input: input(),
                context: say("Mind C."),
                person: say("Look at D."),
                ..pass()
            },
        ),
        (
            "deny + person",
            Decision {
                outcome: deny,
                person: say("Look at D."),
                ..pass()
            },
        ),
    ]
}

fn rewritten(call: &engine::tool::ToolCall) -> ToolInput {
    InputPatch::default()
        .set("description", "safer")
        .applied_to(call.input())
}

fn shown(reply: &Reply) -> String {
    let stdout = String::from_utf8(reply.stdout.clone()).unwrap();
    let stderr = String::from_utf8(reply.stderr.clone()).unwrap();
    match (reply.exit, stdout.is_empty(), stderr.is_empty()) {
        (0, true, true) => "-".to_owned(),
        (0, false, true) => stdout,
        (exit, true, false) => format!("exit {exit}, stderr {stderr:?}"),
        _ => panic!("stdout and stderr, or an exit code without a text: {reply:?}"),
    }
}
