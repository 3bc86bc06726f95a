use super::*;

const OURS: &str =
    r#"{"hooks": [{"type": "command", "command": "toprope", "args": ["hook", "claude-code"]}]}"#;

fn stripped(text: &str, original: Option<&str>) -> String {
    let document = |text: &str| JsonDocument::parse(text.replace("OURS", OURS)).unwrap();
    let original = original.map(document);
    strip(&document(text), original.as_ref())
        .unwrap()
        .document
        .text()
        .to_owned()
}

#[test]
fn containers_that_only_we_filled_go_with_us() {
    assert_eq!(
        stripped(r#"{"a": 1, "hooks": {"Stop": [OURS], "Setup": [OURS]}}"#, None),
        r#"{"a": 1}"#
    );
    assert_eq!(stripped(r#"{"hooks": {"Stop": [OURS]}}"#, None), "{}");
}

#[test]
fn containers_that_were_there_before_us_stay() {
    let text = r#"{"hooks": {"Stop": [OURS], "Setup": [OURS]}}"#;
    assert_eq!(
        stripped(text, Some(r#"{"hooks": {"Stop": [ ]}}"#)),
        r#"{"hooks": {"Stop": [ ]}}"#
    );
    assert_eq!(stripped(text, Some("{\"hooks\": {\n}}")), "{\"hooks\": {\n}}");
    assert_eq!(stripped(text, Some("{\n}")), "{\n}");
}

#[test]
fn a_container_whose_foreign_content_went_meanwhile_stays_empty() {
    let original = r#"{"hooks": {"Stop": [{"hooks": []}]}}"#;
    assert_eq!(
        stripped(r#"{"hooks": {"Stop": [OURS]}}"#, Some(original)),
        r#"{"hooks": {"Stop": []}}"#
    );
}

#[test]
fn foreign_neighbours_stay_in_the_event_and_in_the_entry() {
    let handler = r#"{"type": "command", "command": "toprope", "args": ["hook", "claude-code"]}"#;
    let mine = r#"{"type": "command", "command": "mine"}"#;
    let text = format!(
        r#"{{"hooks": {{"Stop": [{{"hooks": [{handler}, {mine}]}}, OURS, {{"hooks": [{mine}]}}]}}}}"#
    );
    let left = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{mine}]}}, {{"hooks": [{mine}]}}]}}}}"#);
    assert_eq!(stripped(&text, None), left);
}

#[test]
fn the_events_that_had_our_entries_are_named() {
    let text =
        r#"{"hooks": {"Stop": [OURS, OURS], "Setup": [OURS], "SessionEnd": []}}"#.replace("OURS", OURS);
    let document = JsonDocument::parse(text).unwrap();
    assert_eq!(strip(&document, None).unwrap().events, ["Stop", "Setup"]);
}
