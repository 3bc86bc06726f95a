use super::*;
use agents::claude_code::ClaudeCode;
use engine::usage::Tokens;
use fs_err as fs;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn user(uuid: &str, prompt: &str) -> Value {
    json!({ "type": "user", "uuid": uuid, "promptId": prompt, "turnOrigin": "human", "message": { "content": "x" } })
}

fn result(uuid: &str, prompt: &str) -> Value {
    json!({ "type": "user", "uuid": uuid, "promptId": prompt, "toolUseResult": {}, "message": { "content": [] } })
}

fn reply(uuid: &str, id: &str, output: u64, stop: &str) -> Value {
    json!({ "type": "assistant", "uuid": uuid, "message": { "id": id, "model": "m", "stop_reason": stop,
        "usage": { "input_tokens": 100, "output_tokens": output } } })
}

fn settled(uuid: &str) -> Value {
    json!({ "type": "system", "subtype": "stop_hook_summary", "uuid": uuid, "hookErrors": [] })
}

fn text(lines: &[Value]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| format!("{line}\n").into_bytes())
        .collect()
}

struct Transcript {
    _world: TempDir,
    path: PathBuf,
}

impl Transcript {
    fn new(text: &[u8]) -> Self {
        let world = TempDir::new().unwrap();
        let path = world.path().join("s.jsonl");
        fs::write(&path, text).unwrap();
        Self { _world: world, path }
    }

    fn append(&self, text: &[u8]) {
        let mut file = fs::OpenOptions::new().append(true).open(&self.path).unwrap();
        file.write_all(text).unwrap();
    }

    fn read(&self, from: &Cursor) -> Slice {
        read(&self.path, from, false)
    }
}

fn read(path: &Path, from: &Cursor, subagent: bool) -> Slice {
    let source = TranscriptPath { path, folder: None };
    Slice::read(&ClaudeCode, &source, from, subagent).unwrap()
}

/// Everything that slices told, put together as a store would.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    messages: UsageLedger<MessageOffset>,
    spans: BTreeMap<Option<PromptId>, TurnSpan>,
    skipped: (u64, u64, u64),
}

impl Default for Told {
    fn default() -> Self {
        Self {
            messages: UsageLedger::new(),
            spans: BTreeMap::new(),
            skipped: (0, 0, 0),
        }
    }
}

impl Told {
    fn hear(&mut self, slice: Slice) -> Cursor {
        for span in slice.spans {
            let known = self.spans.get(&span.prompt).and_then(|known| known.start);
            let start = known.or(span.start);
            self.spans.insert(span.prompt.clone(), TurnSpan { start, ..span });
        }
        for (usage, found) in slice.messages.into_entries() {
            self.messages.enter(usage, found);
        }
        let skipped = slice.skipped;
        self.skipped.0 += skipped.too_long;
        self.skipped.1 += skipped.unreadable;
        self.skipped.2 += skipped.without_usage;
        slice.cursor
    }
}

fn two_turns() -> Vec<Value> {
    vec![
        user("u1", "p1"),
        reply("u2", "m1", 20, "tool_use"),
        reply("u3", "m1", 20, "tool_use"),
        result("u4", "p1"),
        reply("u5", "m2", 30, "end_turn"),
        settled("u6"),
        json!({ "type": "cost-state", "sessionId": "s" }),
        user("u7", "p2"),
        reply("u8", "m3", 5, "end_turn"),
    ]
}

#[test]
fn a_slice_tells_what_messages_used_and_how_turns_ended() {
    let transcript = Transcript::new(&text(&two_turns()));
    let slice = transcript.read(&Cursor::default());
    let used: Vec<_> = slice
        .messages
        .entries()
        .map(|(usage, found)| (usage.id.as_str(), found.prompt.as_ref().unwrap().as_str()))
        .collect();
    assert_eq!(used, [("m1", "p1"), ("m2", "p1"), ("m3", "p2")]);
    assert_eq!(
        slice.messages.total(),
        Tokens {
            input: 300,
            output: 55,
            ..Tokens::default()
        }
    );
    let turns: Vec<_> = slice
        .spans
        .iter()
        .map(|span| (span.leaf.as_deref().unwrap(), span.close))
        .collect();
    assert_eq!(turns, [("u6", Some(Close::Settled)), ("u8", Some(Close::Said))]);
    assert_eq!(slice.spans[0].start, Some(0));
    assert!(slice.spans[0].end < slice.spans[1].start.unwrap());
    assert_eq!(slice.skipped, SkippedLines::default());
    assert!(!slice.has_more && !slice.is_anew);
}

#[test]
fn reading_again_from_where_it_ended_tells_nothing() {
    let transcript = Transcript::new(&text(&two_turns()));
    let first = transcript.read(&Cursor::default());
    let again = transcript.read(&first.cursor);
    assert!(again.messages.is_empty() && again.spans.is_empty());
    assert_eq!((again.cursor, again.bytes_read), (first.cursor, 0));
}

#[test]
fn a_turn_sent_on_by_a_hook_is_open_again() {
    let mut lines = vec![user("u1", "p1"), reply("u2", "m1", 1, "end_turn")];
    let transcript = Transcript::new(&text(&lines));
    let first = transcript.read(&Cursor::default());
    assert_eq!(first.spans[0].close, Some(Close::Said));
    let feedback = json!({ "type": "user", "uuid": "u3", "promptId": "p1", "isMeta": true, "message": { "content": "go on" } });
    let context = json!({ "type": "attachment", "uuid": "u4" });
    lines = vec![feedback, context];
    transcript.append(&text(&lines));
    let second = transcript.read(&first.cursor);
    assert_eq!(second.spans[0].close, None);
    assert_eq!(second.spans[0].start, None);
    assert_eq!(second.spans[0].leaf.as_deref(), Some("u4"));
}

#[test]
fn context_added_after_the_close_keeps_the_turn_closed() {
    let transcript = Transcript::new(&text(&[
        user("u1", "p1"),
        reply("u2", "m1", 1, "end_turn"),
        settled("u3"),
    ]));
    let first = transcript.read(&Cursor::default());
    transcript.append(&text(&[json!({ "type": "attachment", "uuid": "u4" })]));
    let second = transcript.read(&first.cursor);
    assert_eq!(second.spans[0].close, Some(Close::Settled));
    assert_eq!(second.spans[0].leaf.as_deref(), Some("u4"));
}

#[test]
fn a_compaction_asked_for_after_a_turn_is_not_its_end() {
    let boundary =
        json!({ "type": "system", "subtype": "compact_boundary", "uuid": "u4", "parentUuid": null });
    let summary = json!({ "type": "user", "uuid": "u5", "promptId": "p2", "isCompactSummary": true });
    let transcript = Transcript::new(&text(&[
        user("u1", "p1"),
        reply("u2", "m1", 1, "end_turn"),
        settled("u3"),
        boundary,
        summary,
    ]));
    let slice = transcript.read(&Cursor::default());
    assert_eq!(slice.spans[0].leaf.as_deref(), Some("u3"));
    assert_eq!(slice.spans[0].close, Some(Close::Settled));
}

#[test]
fn what_cannot_be_read_is_passed_over_and_counted_with_its_place() {
    let mut hostile = text(&[user("u1", "p1")]);
    let first = u64::try_from(hostile.len()).unwrap();
    hostile.extend_from_slice(b"not json\n\n  \n\xff\xfe\n[1]\n{\"type\":\"assistant\",\"message\":{}}\n");
    hostile.extend_from_slice(&text(&[reply("u2", "m1", 7, "end_turn")]));
    let slice = Transcript::new(&hostile).read(&Cursor::default());
    assert_eq!(
        slice.skipped,
        SkippedLines {
            too_long: 0,
            unreadable: 3,
            without_usage: 1,
            first: Some(first)
        }
    );
    assert_eq!(slice.messages.total().output, 7);
}

#[test]
fn a_file_put_in_its_place_is_told_again_with_the_same_ids() {
    let transcript = Transcript::new(&text(&two_turns()));
    let mut told = Told::default();
    let cursor = told.hear(transcript.read(&Cursor::default()));
    let before = told.messages.clone();
    let other = transcript.path.with_extension("new");
    fs::write(&other, text(&two_turns())).unwrap();
    fs::rename(&other, &transcript.path).unwrap();
    let slice = transcript.read(&cursor);
    assert!(slice.is_anew);
    told.hear(slice);
    assert_eq!(told.messages, before);
}

#[test]
fn much_at_once_is_told_in_slices() {
    let filler = json!({ "type": "attachment", "uuid": "u", "x": "y".repeat(1_000_000) });
    let mut lines = vec![user("u1", "p1")];
    for number in 0..20 {
        lines.push(filler.clone());
        lines.push(reply("u2", &format!("m{number}"), 1, "tool_use"));
    }
    let whole = text(&lines);
    let transcript = Transcript::new(&whole);
    let mut told = Told::default();
    let (mut cursor, mut slices, mut bytes) = (Cursor::default(), 0, 0);
    loop {
        let slice = transcript.read(&cursor);
        let has_more = slice.has_more;
        slices += 1;
        bytes += slice.bytes_read;
        cursor = told.hear(slice);
        if !has_more {
            break;
        }
    }
    assert_eq!(slices, 3);
    assert_eq!(told.messages.len(), 20);
    assert!(
        bytes * 100 <= u64::try_from(whole.len()).unwrap() * 105,
        "{bytes} bytes"
    );
    assert!(
        told.messages
            .entries()
            .all(|(_, found)| found.prompt == Some(PromptId::new("p1")))
    );
}

#[test]
fn a_session_read_as_it_grows_is_read_hardly_more_than_once() {
    let transcript = Transcript::new(b"");
    let (mut cursor, mut bytes, mut length) = (Cursor::default(), 0, 0);
    let mut told = Told::default();
    for number in 0..50 {
        let filler = json!({ "type": "attachment", "uuid": "u", "x": "y".repeat(20_000) });
        let id = number.to_string();
        let turn = text(&[
            user("u1", &id),
            filler,
            reply("u2", &id, 1, "end_turn"),
            settled("u3"),
        ]);
        // The client is in the middle of a line at every second look.
        let (first, rest) = turn.split_at(turn.len() - 40);
        for part in [first, rest] {
            transcript.append(part);
            let slice = transcript.read(&cursor);
            bytes += slice.bytes_read;
            cursor = told.hear(slice);
            length += part.len();
        }
    }
    assert_eq!(told.messages.len(), 50);
    assert!(
        bytes * 100 <= u64::try_from(length).unwrap() * 105,
        "{bytes} bytes of {length}"
    );
}

#[test]
fn the_message_a_forked_agent_begins_with_is_its_parents() {
    let copy = [
        json!({ "type": "fork-context-ref", "agentId": "a1" }),
        reply("u1", "m1", 20, "tool_use"),
        reply("u2", "m1", 20, "tool_use"),
        result("u3", "p1"),
        reply("u4", "m2", 9, "end_turn"),
    ];
    let transcript = Transcript::new(&text(&copy));
    let slice = read(&transcript.path, &Cursor::default(), true);
    let ids: Vec<_> = slice
        .messages
        .entries()
        .map(|(usage, _)| usage.id.as_str())
        .collect();
    assert_eq!(ids, ["m2"]);
    let as_main = transcript.read(&Cursor::default());
    assert_eq!(as_main.messages.len(), 2);
}

#[test]
fn an_agent_that_goes_on_in_another_file_begins_with_a_message_of_its_own() {
    let rest = [reply("u1", "m1", 20, "tool_use"), result("u2", "p1")];
    let transcript = Transcript::new(&text(&rest));
    let slice = read(&transcript.path, &Cursor::default(), true);
    assert_eq!(slice.messages.len(), 1);
}

#[test]
fn a_message_before_any_prompt_id_is_found_by_its_offset() {
    let old = json!({ "type": "user", "uuid": "u1", "message": { "content": "hello" } });
    let transcript = Transcript::new(&text(&[old.clone(), reply("u2", "m1", 1, "end_turn")]));
    let slice = transcript.read(&Cursor::default());
    let (_, found) = slice.messages.entries().next().unwrap();
    assert_eq!(found.prompt, None);
    assert_eq!(found.offset, u64::try_from(text(&[old]).len()).unwrap());
}

#[test]
fn recorded_transcripts_are_read_without_a_line_passed_over() {
    let samples = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/real-client/samples/transcripts"
    );
    for (name, messages) in [
        ("simple-edit/project_slug/uuid-1.jsonl", 3),
        ("nested-subagents/project_slug/uuid-1.jsonl", 2),
        ("compact/project_slug/uuid-1.jsonl", 3),
    ] {
        let recorded = fs::read(Path::new(samples).join(name)).unwrap();
        let slice = Transcript::new(&recorded).read(&Cursor::default());
        assert_eq!(slice.skipped, SkippedLines::default(), "{name}");
        assert_eq!(slice.messages.len(), messages, "{name}");
        assert!(
            slice.messages.entries().all(|(_, found)| found.prompt.is_some()),
            "{name}"
        );
    }
}

/// A line of a plausible transcript.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let prompt = || (0_u8..4).prop_map(|number| format!("p{number}"));
    prop_oneof![
        3 => prompt().prop_map(|prompt| text(&[user("u", &prompt)])),
        2 => prompt().prop_map(|prompt| text(&[result("r", &prompt)])),
        6 => (0_u8..12, 0_u64..50, any::<bool>()).prop_map(|(id, output, ends)| {
            let stop = if ends { "end_turn" } else { "tool_use" };
            text(&[reply("a", &format!("m{id}"), output, stop)])
        }),
        2 => Just(text(&[settled("s")])),
        1 => Just(text(&[json!({ "type": "attachment", "uuid": "c" })])),
        1 => Just(text(&[json!({ "type": "cost-state" })])),
        1 => Just(text(&[json!({ "type": "assistant", "uuid": "n" })])),
        1 => Just(b"broken\n".to_vec()),
        1 => Just(b"\n".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn read_in_random_slices_it_tells_the_same_as_at_once(
        lines in proptest::collection::vec(any_line(), 0..40),
        cuts in proptest::collection::vec(any::<Index>(), 0..12),
    ) {
        let whole = lines.concat();
        let mut at_once = Told::default();
        at_once.hear(Transcript::new(&whole).read(&Cursor::default()));

        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(whole.len() + 1)).collect();
        ends.extend([0, whole.len()]);
        ends.sort_unstable();
        let transcript = Transcript::new(b"");
        let mut told = Told::default();
        let mut cursor = Cursor::default();
        for (from, to) in ends.iter().zip(ends.iter().skip(1)) {
            transcript.append(&whole[*from..*to]);
            cursor = told.hear(transcript.read(&cursor));
            let kept = serde_json::to_string(&cursor.progress).unwrap();
            cursor.progress = serde_json::from_str(&kept).unwrap();
        }
        prop_assert_eq!(told, at_once);
    }

    #[test]
    fn cut_short_or_replaced_at_any_moment_it_counts_nothing_twice(
        lines in proptest::collection::vec(any_line(), 1..20),
        cut in any::<Index>(),
        replaced in any::<bool>(),
    ) {
        let whole = lines.concat();
        let mut at_once = Told::default();
        at_once.hear(Transcript::new(&whole).read(&Cursor::default()));

        let transcript = Transcript::new(&whole);
        let mut told = Told::default();
        let mut cursor = told.hear(transcript.read(&Cursor::default()));
        let rest = cut.index(whole.len() + 1);
        if replaced {
            let other = transcript.path.with_extension("new");
            fs::write(&other, &whole[..rest]).unwrap();
            fs::rename(&other, &transcript.path).unwrap();
        } else {
            fs::write(&transcript.path, &whole[..rest]).unwrap();
        }
        cursor = told.hear(transcript.read(&cursor));
        transcript.append(&whole[rest..]);
        told.hear(transcript.read(&cursor));
        prop_assert_eq!(told.messages.total(), at_once.messages.total());
        prop_assert_eq!(told.messages.len(), at_once.messages.len());
    }
}
