use super::super::samples::folder;
use super::super::{ClaudeCode, NAME};
use super::*;
use crate::agent::Agent;
use crate::transcript::Forked;
use engine::time::Timestamp;
use engine::usage::{Tokens, UsageLedger};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn read(line: &Value) -> TranscriptLine {
    ClaudeCode.transcript_line(line.to_string().as_bytes()).unwrap()
}

fn sample(path: &str) -> Vec<u8> {
    fs_err::read(folder().join("transcripts").join(path)).unwrap()
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// The lines that take part in a conversation, one word each.
fn outline(path: &str) -> String {
    let text = sample(path);
    let words = lines(&text).filter_map(|line| {
        let line = ClaudeCode.transcript_line(line).unwrap();
        let word = match (line.says, line.close) {
            (Says::Other, None) => return None,
            (says, None) => format!("{says:?}"),
            (says, Some(close)) => format!("{says:?}/{close:?}"),
        };
        Some(word)
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_recorded_turn_begins_with_its_prompt_and_is_closed_by_the_settled_line() {
    insta::assert_snapshot!(
        outline("simple-edit/project_slug/uuid-1.jsonl"),
        @"Prompt Reply Reply Input Reply Input Reply/Said Other/Settled"
    );
}

#[test]
fn a_subagents_transcript_ends_with_what_it_said_last() {
    insta::assert_snapshot!(
        outline("subagent-foreground/project_slug/uuid-1/subagents/agent-agent-5.jsonl"),
        @"Prompt Reply Reply Input Reply Input Reply/Said"
    );
}

#[test]
fn a_compaction_is_no_prompt_and_its_summary_neither() {
    insta::assert_snapshot!(
        outline("compact/project_slug/uuid-1.jsonl"),
        @"Prompt Reply Input Reply/Said Other/Settled Prompt Compaction Input Reply/Said Other/Settled Compaction Input Input Input Input"
    );
}

#[test]
fn recorded_messages_count_once_each_and_all_lines_are_read() {
    for (path, messages) in [
        ("simple-edit/project_slug/uuid-1.jsonl", 3),
        ("compact/project_slug/uuid-1.jsonl", 3),
        (
            "subagent-foreground/project_slug/uuid-1/subagents/agent-agent-5.jsonl",
            3,
        ),
    ] {
        let text = sample(path);
        let mut ledger = UsageLedger::new();
        for line in lines(&text) {
            if let Some(usage) = ClaudeCode.transcript_line(line).unwrap().usage {
                ledger.enter(usage, ());
            }
        }
        assert_eq!(ledger.len(), messages, "{path}");
        assert!(
            ledger.total().input >= 300 && ledger.total().output == 60,
            "{path}"
        );
    }
}

#[test]
fn everything_a_line_says_is_found() {
    let line = json!({
        "type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": "s1", "agentId": "a1",
        "isSidechain": true, "requestId": "req_1", "timestamp": "2026-11-15T13:20:42.667Z",
        "message": { "id": "msg_1", "model": "m-1", "stop_reason": "end_turn", "content": [], "usage": {
            "input_tokens": 1, "cache_creation_input_tokens": 50, "cache_read_input_tokens": 3, "output_tokens": 40,
            "output_tokens_details": { "thinking_tokens": 7 },
            "cache_creation": { "ephemeral_1h_input_tokens": 20, "ephemeral_5m_input_tokens": 30 } } }
    });
    let line = read(&line);
    assert_eq!(line.says, Says::Reply);
    assert_eq!(line.close, Some(Close::Said));
    assert_eq!(line.uuid.as_deref(), Some("u2"));
    assert_eq!(line.parent.as_deref(), Some("u1"));
    assert_eq!(line.session, Some(ClientSessionId::new("s1")));
    assert_eq!(line.agent, Some(AgentId::new("a1")));
    assert!(line.is_sidechain);
    assert_eq!(line.at, Some(Timestamp(1_794_748_842_667)));
    let usage = line.usage.unwrap();
    assert_eq!(usage.id.as_str(), "msg_1");
    assert_eq!(usage.request.as_deref(), Some("req_1"));
    assert_eq!(usage.model.as_deref(), Some("m-1"));
    assert_eq!(
        usage.tokens,
        Tokens {
            input: 1,
            cache_write_5m: 30,
            cache_write_1h: 20,
            cache_read: 3,
            output: 40,
            thinking: 7
        }
    );
}

fn tokens(usage: &Value) -> Tokens {
    let line = json!({ "type": "assistant", "message": { "id": "msg_1", "usage": usage } });
    read(&line).usage.unwrap().tokens
}

#[test]
fn cache_writes_without_a_split_are_for_five_minutes() {
    let whole = tokens(&json!({ "cache_creation_input_tokens": 50 }));
    assert_eq!((whole.cache_write_5m, whole.cache_write_1h), (50, 0));
    let part = tokens(&json!({
        "cache_creation_input_tokens": 50, "cache_creation": { "ephemeral_1h_input_tokens": 20 }
    }));
    assert_eq!((part.cache_write_5m, part.cache_write_1h), (30, 20));
}

#[test]
fn counts_may_be_fractions_and_are_never_absurd() {
    let count = |number: Value| tokens(&json!({ "output_tokens": number })).output;
    assert_eq!(count(json!(20.0)), 20);
    assert_eq!(count(json!(2e3)), 2_000);
    assert_eq!(count(json!(20.9)), 20);
    assert_eq!(count(json!(1_000_000_000_000_u64)), 1_000_000_000_000);
    for absurd in [
        json!(-1),
        json!(-0.5),
        json!(1e300),
        json!(u64::MAX),
        json!("20"),
        json!([20]),
        json!(true),
    ] {
        assert_eq!(count(absurd.clone()), 0, "{absurd}");
    }
}

#[test]
fn thinking_is_never_more_than_the_output_it_is_part_of() {
    let tokens = tokens(&json!({
        "output_tokens": 5, "output_tokens_details": { "thinking_tokens": 9 }
    }));
    assert_eq!((tokens.output, tokens.thinking), (5, 5));
}

#[test]
fn a_message_without_id_or_usage_has_none_to_count() {
    for message in [
        json!({}),
        json!(null),
        json!("x"),
        json!({ "id": "msg_1" }),
        json!({ "usage": { "output_tokens": 1 } }),
        json!({ "id": "", "usage": {} }),
        json!({ "id": "x".repeat(257), "usage": {} }),
        json!({ "id": 7, "usage": {} }),
        json!({ "id": "msg_1", "usage": [1] }),
    ] {
        let line = read(&json!({ "type": "assistant", "message": message }));
        assert_eq!((line.says, line.usage), (Says::Reply, None), "{message}");
    }
}

#[test]
fn what_the_client_says_in_the_models_place_used_nothing() {
    let message = json!({ "id": "x", "model": "<synthetic>", "usage": { "output_tokens": 0 },
        "stop_reason": "stop_sequence" });
    for line in [
        json!({ "type": "assistant", "message": message }),
        json!({ "type": "assistant", "isApiErrorMessage": true, "message": { "id": "x", "usage": {} } }),
    ] {
        let line = read(&line);
        assert_eq!(
            (line.says, line.usage, line.close),
            (Says::Failure, None, Some(Close::Failed))
        );
    }
}

#[test]
fn a_turn_closes_in_five_ways_and_feedback_of_a_hook_is_none_of_them() {
    let closed = |line: Value| read(&line).close;
    let summary = |errors: Value| {
        closed(json!({ "type": "system", "subtype": "stop_hook_summary", "hookErrors": errors }))
    };
    assert_eq!(summary(json!([])), Some(Close::Settled));
    assert_eq!(summary(json!(["go on"])), None);
    assert_eq!(
        closed(json!({ "type": "system", "subtype": "turn_duration" })),
        Some(Close::Settled)
    );
    let stopped = json!({ "type": "system", "subtype": "informational", "preventContinuation": true });
    assert_eq!(closed(stopped), Some(Close::Stopped));
    let user =
        |content: Value| closed(json!({ "type": "user", "isMeta": true, "message": { "content": content } }));
    assert_eq!(user(json!("Stop hook feedback:\nGo on.")), None);
    let interrupted = json!([{ "type": "text", "text": "[Request interrupted by user for tool use]" }]);
    assert_eq!(user(interrupted), Some(Close::Interrupted));
    let said = |reason: Value| closed(json!({ "type": "assistant", "message": { "stop_reason": reason } }));
    assert_eq!(said(json!("tool_use")), None);
    assert_eq!(said(json!(null)), None);
    for reason in ["end_turn", "max_tokens", "stop_sequence", "refusal"] {
        assert_eq!(said(json!(reason)), Some(Close::Said), "{reason}");
    }
}

#[test]
fn a_prompt_is_told_from_everything_else_in_the_users_name() {
    let says = |mut fields: Value, content: Value| {
        fields["type"] = json!("user");
        fields["message"] = json!({ "role": "user", "content": content });
        read(&fields).says
    };
    let prompts = [
        (json!({}), json!("do it")),
        (json!({}), json!([{ "type": "text", "text": "do it" }])),
        (json!({ "promptSource": "typed" }), json!("<task-notification>")),
        (
            json!({ "turnOrigin": "sdk" }),
            json!("<command-name>/x</command-name>"),
        ),
        (
            json!({ "turnOrigin": "sdk" }),
            json!([{ "type": "image" }, { "type": "text" }]),
        ),
    ];
    for (fields, content) in prompts {
        assert_eq!(says(fields, content.clone()), Says::Prompt, "{content}");
    }
    let inputs = [
        (json!({ "isMeta": true, "turnOrigin": "sdk" }), json!("caveat")),
        (
            json!({ "isCompactSummary": true }),
            json!("This session is being continued"),
        ),
        (json!({ "toolUseResult": {} }), json!("do it")),
        (json!({}), json!([{ "type": "tool_result", "content": "do it" }])),
        (json!({}), json!("<command-name>/model</command-name>")),
        (json!({}), json!("[Request interrupted by user]")),
        (json!({}), json!(7)),
        (json!({}), json!(null)),
        (json!({}), json!([])),
    ];
    for (fields, content) in inputs {
        assert_eq!(says(fields, content.clone()), Says::Input, "{content}");
    }
}

#[test]
fn unknown_types_and_odd_fields_are_lines_that_say_nothing() {
    for line in [
        "{}",
        r#"{"type":"next-years-type","uuid":[1]}"#,
        r#"{"type":7,"message":{"id":"x","usage":{}}}"#,
        r#"{"uuid":null,"promptId":{},"timestamp":12}"#,
        r#"{"a":"lone \ud83d surrogate","b":"\udc00"}"#,
    ] {
        let line = ClaudeCode.transcript_line(line.as_bytes()).unwrap();
        assert_eq!((line.says, line.close, line.usage), (Says::Other, None, None));
        assert_eq!((line.uuid, line.prompt, line.at), (None, None, None));
    }
}

#[test]
fn half_an_emoji_in_a_tools_output_hides_no_usage() {
    let line =
        br#"{"type":"assistant","message":{"id":"m","content":"cut \ud83d","usage":{"output_tokens":3}}}"#;
    let line = ClaudeCode.transcript_line(line).unwrap();
    assert_eq!(line.usage.unwrap().tokens.output, 3);
}

#[test]
fn the_last_of_equal_fields_counts() {
    let line = br#"{"type":"user","type":"assistant","uuid":"a","uuid":"b"}"#;
    let line = ClaudeCode.transcript_line(line).unwrap();
    assert_eq!((line.says, line.uuid.as_deref()), (Says::Reply, Some("b")));
}

#[test]
fn what_is_not_an_object_is_refused_in_one_line() {
    let deep = [b"[".repeat(200_000), b"]".repeat(200_000)].concat();
    let hostile: [&[u8]; 9] = [
        b"",
        b" \r",
        b"null",
        b"[]",
        b"{\"type\":\"user\"",
        b"{\"type\":\"user\"} {}",
        b"\xff{}",
        b"{\"a\":\"\xc3\x28\"}",
        &deep,
    ];
    for line in hostile {
        let refused = ClaudeCode.transcript_line(line).unwrap_err().to_string();
        assert!(!refused.contains('\n') && refused.len() < 300, "{refused}");
    }
}

#[test]
fn nesting_of_any_depth_is_passed_over_without_a_deep_stack() {
    let deep = format!(
        r#"{{"type":"user","x":{}1{},"message":{{"content":{}{}}}}}"#,
        r#"{"a":"#.repeat(100_000),
        "}".repeat(100_000),
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let line = ClaudeCode.transcript_line(deep.as_bytes()).unwrap();
    assert_eq!(line.says, Says::Input);
}

#[test]
fn a_subagents_transcript_is_looked_for_where_clients_ever_kept_it() {
    let at = |session: &str, agent: &str| {
        let main = Path::new("/c/projects/p/s1.jsonl");
        let places =
            ClaudeCode.subagent_transcript(main, &ClientSessionId::new(session), &AgentId::new(agent));
        let shown: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        shown.join(" ")
    };
    assert_eq!(
        at("s1", "a41f"),
        "/c/projects/p/s1/subagents/agent-a41f.jsonl /c/projects/p/agent-a41f.jsonl /c/projects/p/s1.jsonl"
    );
    assert_eq!(
        at("s1", "areviewer-0f"),
        at("s1", "a41f").replace("a41f", "areviewer-0f")
    );
    assert_eq!(
        at("../s1", "a1"),
        "/c/projects/p/agent-a1.jsonl /c/projects/p/s1.jsonl"
    );
    for hostile in [
        "../../etc/passwd",
        "",
        "a/b",
        "a\0",
        "-rf",
        "a b",
        &"a".repeat(10_000),
    ] {
        assert_eq!(at("s1", hostile), "/c/projects/p/s1.jsonl", "{hostile}");
    }
}

#[test]
fn a_session_is_resumed_by_its_id_and_an_odd_id_by_nothing() {
    let command = |id: &str| ClaudeCode.resume_command(&ClientSessionId::new(id));
    assert_eq!(command("ab31-c0de").unwrap(), ["claude", "--resume", "ab31-c0de"]);
    for odd in ["", "--help", "a b", "$(x)", "a;b", "é"] {
        assert_eq!(command(odd), None, "{odd}");
    }
    let main = Path::new("/c/projects/p/s1.jsonl");
    let beside = |id: &str| ClaudeCode.forked_transcript(main, &ClientSessionId::new(id));
    assert_eq!(beside("s2"), Some(PathBuf::from("/c/projects/p/s2.jsonl")));
    assert_eq!(beside("../s2"), None);
    assert_eq!(
        ClaudeCode.transcript_folder(Path::new("/c")),
        Path::new("/c/projects")
    );
    assert_eq!(ClaudeCode.name(), NAME);
}

fn fork(line: &str, leaf: &str) -> Forked {
    ClaudeCode.fork_line(line.as_bytes(), leaf, &ClientSessionId::new("new\"id"))
}

#[test]
fn a_forked_line_differs_in_nothing_but_the_session() {
    let line = r#"{"uuid":"u1", "n": 1.50,"sessionId":"old","x":{"sessionId":"old"},"session_id" : "old","z":"old"}"#;
    let expected = r#"{"uuid":"u1", "n": 1.50,"sessionId":"new\"id","x":{"sessionId":"old"},"session_id" : "new\"id","z":"old"}"#;
    assert_eq!(fork(line, "u2"), Forked::Kept(expected.into()));
    assert_eq!(fork(line, "u1"), Forked::Leaf(expected.into()));
}

#[test]
fn bookkeeping_and_broken_lines_stay_with_the_old_session() {
    for line in [
        r#"{"type":"last-prompt","leafUuid":"u1","sessionId":"old"}"#,
        r#"{"type":"cost-state","sessionId":"old","totalCostUSD":1}"#,
        r#"{"type":"queue-operation","sessionId":"old"}"#,
        r#"{"uuid":"u1""#,
        "",
    ] {
        assert_eq!(fork(line, "u1"), Forked::LeftOut, "{line}");
    }
}

#[test]
fn of_a_recorded_session_the_whole_first_turn_goes_along_and_nothing_after_it() {
    let text = sample("compact/project_slug/uuid-1.jsonl");
    let settled = lines(&text)
        .map(|line| ClaudeCode.transcript_line(line).unwrap())
        .find(|line| line.close == Some(Close::Settled))
        .unwrap();
    let leaf = settled.uuid.unwrap();
    let session = ClientSessionId::new("s2");
    let mut kept = Vec::new();
    for line in lines(&text) {
        match ClaudeCode.fork_line(line, &leaf, &session) {
            Forked::LeftOut => {}
            Forked::Kept(line) => kept.push(line),
            Forked::Leaf(line) => {
                kept.push(line);
                break;
            }
        }
    }
    let whole = kept.concat();
    let whole = String::from_utf8_lossy(&whole);
    assert!(whole.contains("first done") && !whole.contains("second"));
    for line in &kept {
        let line = ClaudeCode.transcript_line(line).unwrap();
        assert_eq!(line.session.as_ref(), Some(&session));
        assert!(line.uuid.is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn random_bytes_never_panic_and_are_read_the_same_twice(line in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(ClaudeCode.transcript_line(&line), ClaudeCode.transcript_line(&line));
        fork(&String::from_utf8_lossy(&line), "u");
    }

    #[test]
    fn a_damaged_line_never_panics_and_its_fork_stays_readable(
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
        which in any::<proptest::sample::Index>(),
    ) {
        let text = sample("simple-edit/project_slug/uuid-1.jsonl");
        let all: Vec<&[u8]> = lines(&text).collect();
        let mut line = which.get(&all).to_vec();
        let place = at.index(line.len());
        line[place] = byte;
        let read = ClaudeCode.transcript_line(&line);
        match ClaudeCode.fork_line(&line, "u", &ClientSessionId::new("s")) {
            Forked::LeftOut => {}
            Forked::Kept(forked) | Forked::Leaf(forked) => {
                let (read, forked) = (read.unwrap(), ClaudeCode.transcript_line(&forked).unwrap());
                prop_assert_eq!(read.uuid, forked.uuid);
                prop_assert_eq!(read.usage, forked.usage);
            }
        }
    }
}

#[test]
fn a_note_about_a_subagent_names_the_call_that_started_it_and_whose_that_was() {
    let main = Path::new("/c/projects/p/s1.jsonl");
    let at = |session: &str, agent: &str| {
        ClaudeCode.origin_note(main, &ClientSessionId::new(session), &AgentId::new(agent))
    };
    let place = Path::new("/c/projects/p/s1/subagents/agent-a41f.meta.json");
    assert_eq!(at("s1", "a41f").as_deref(), Some(place));
    assert_eq!(at("s1", "../a"), None);
    assert_eq!(at("../s1", "a41f"), None);

    let read = |note: &str| {
        let origin = ClaudeCode.read_origin(note.as_bytes())?;
        let parent = origin.parent.map(|parent| parent.as_str().to_owned());
        Some((origin.call.as_str().to_owned(), parent))
    };
    assert_eq!(
        read(r#"{"agentType":"general-purpose","toolUseId":"toolu_1","spawnDepth":1}"#),
        Some(("toolu_1".to_owned(), None))
    );
    assert_eq!(
        read(r#"{"toolUseId":"toolu_1","parentAgentId":"a1"}"#),
        Some(("toolu_1".to_owned(), Some("a1".to_owned())))
    );
    for unusable in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"toolUseId":7}"#,
        r#"{"parentAgentId":"a1"}"#,
    ] {
        assert_eq!(read(unusable), None, "{unusable}");
    }
}
