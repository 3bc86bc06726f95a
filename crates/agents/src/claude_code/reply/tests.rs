use super::*;
use crate::claude_code::samples::translated;
use serde_json::{Value, json};

fn event(name: &str) -> Event {
    translated(
        json!({"hook_event_name": name, "session_id": "s"})
            .to_string()
            .as_bytes(),
    )
}

fn deny(reason: &str) -> Decision {
    Decision {
        outcome: Outcome::Deny {
            reason: reason.to_owned(),
            keeps_prompt: false,
        },
        ..Decision::default()
    }
}

fn context(pieces: &[&str]) -> Decision {
    Decision {
        context: pieces.iter().map(|piece| (*piece).to_owned()).collect(),
        ..Decision::default()
    }
}

fn stdout(name: &str, decision: &Decision) -> String {
    let reply = reply(&event(name), decision);
    assert_eq!((reply.exit, reply.stderr.len()), (0, 0));
    String::from_utf8(reply.stdout).unwrap()
}

#[test]
fn a_denial_stays_on_one_line_whatever_its_reason_holds() {
    insta::assert_snapshot!(
        stdout("PreToolUse", &deny("No.\nUse \"B\" \u{1b}[31m instead.")),
        @r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No.\nUse \"B\" \u001b[31m instead."}}"#
    );
}

#[test]
fn a_denial_without_a_reason_is_still_a_denial() {
    insta::assert_snapshot!(
        stdout("Stop", &deny(" ")),
        @r#"{"decision":"block","reason":"Toprope stopped this; `toprope log` shows why."}"#
    );
    let idle = reply(&event("TeammateIdle"), &deny(""));
    assert_eq!((idle.exit, idle.stderr), (2, NO_REASON.as_bytes().to_vec()));
}

#[test]
fn a_prompt_that_is_held_stays_in_the_history_and_nothing_else_ends_a_turn() {
    let held = Decision {
        outcome: Outcome::Deny {
            reason: "Not yet.".to_owned(),
            keeps_prompt: true,
        },
        ..Decision::default()
    };
    insta::assert_snapshot!(
        stdout("UserPromptSubmit", &held),
        @r#"{"continue":false,"stopReason":"Not yet."}"#
    );
    insta::assert_snapshot!(
        stdout("Stop", &held),
        @r#"{"decision":"block","reason":"Not yet."}"#
    );
}

#[test]
fn a_denied_call_is_never_rewritten_as_well() {
    let mut decision = deny("No.");
    decision.input = Some(ToolInput::new());
    assert!(!stdout("PreToolUse", &decision).contains("updatedInput"));
}

#[test]
fn pieces_of_context_become_one_text_and_blank_ones_wake_nobody() {
    insta::assert_snapshot!(
        stdout("Stop", &context(&["One.", "", "Two."])),
        @r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"One.\n\nTwo."}}"#
    );
    assert_eq!(stdout("Stop", &context(&["", " \n"])), "");
}

#[test]
fn texts_for_the_person_become_lines() {
    let decision = Decision {
        person: vec!["One.".to_owned(), "Two.".to_owned()],
        ..Decision::default()
    };
    insta::assert_snapshot!(
        stdout("SessionStart", &decision),
        @r#"{"systemMessage":"One.\nTwo."}"#
    );
}

#[test]
fn context_that_the_client_would_replace_is_cut_between_characters() {
    let cut_text = |text: &str| {
        let answer: Value = serde_json::from_str(&stdout("PostToolUse", &context(&[text]))).unwrap();
        answer["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let fits = "é".repeat(CONTEXT_LIMIT);
    assert_eq!(cut_text(&fits), fits);
    let too_long = cut_text(&format!("{fits}é"));
    assert_eq!(utf16_len(&too_long), CONTEXT_LIMIT);
    assert!(too_long.ends_with("é…"));
    let emoji = cut_text(&"😀".repeat(CONTEXT_LIMIT));
    assert_eq!(emoji, format!("{}…", "😀".repeat(CONTEXT_LIMIT / 2 - 1)));
}

#[test]
fn a_long_reason_is_sent_whole() {
    let reason = "x".repeat(30_000);
    assert!(stdout("PreToolUse", &deny(&reason)).contains(&reason));
}

#[test]
fn steering_a_summary_is_plain_text_that_cannot_be_taken_for_an_answer() {
    assert_eq!(
        stdout("PreCompact", &context(&["Keep the plan.", "Keep the branch."])),
        "Keep the plan.\n\nKeep the branch."
    );
    assert_eq!(
        stdout("PreCompact", &context(&[" {\"continue\":false}"])),
        "Keep:  {\"continue\":false}"
    );
    let long = stdout("PreCompact", &context(&["x".repeat(20_000).as_str()]));
    assert_eq!(utf16_len(&long), CONTEXT_LIMIT);
}
