use super::*;
use serde_json::{Value, json};

fn settings(handler: &Value) -> JsonDocument {
    let settings = json!({"hooks": {"Stop": [{"hooks": [handler]}]}});
    JsonDocument::parse(settings.to_string()).unwrap()
}

fn is_ours(handler: &Value) -> bool {
    handlers(&settings(handler)).unwrap().first().unwrap().is_ours()
}

fn described(handler: &Value) -> String {
    handlers(&settings(handler))
        .unwrap()
        .first()
        .unwrap()
        .description()
}

#[test]
fn exec_form_is_ours_by_program_and_arguments() {
    let exec = |program: &str, args: Value| json!({"type": "command", "command": program, "args": args});
    assert!(is_ours(&exec("/opt/bin/toprope", json!(["hook", "claude-code"]))));
    assert!(is_ours(&exec("toprope", json!(["hook", "claude-code"]))));
    assert!(is_ours(&exec(
        "toprope",
        json!(["hook", "claude-code", "--later-option"])
    )));
    assert!(!is_ours(&exec("/opt/bin/toprope", json!(["status"]))));
    assert!(!is_ours(&exec(
        "/opt/bin/nottoprope",
        json!(["hook", "claude-code"])
    )));
    assert!(!is_ours(&exec("toprope", json!("hook claude-code"))));
    assert!(!is_ours(
        &json!({"type": "http", "command": "toprope", "args": ["hook", "claude-code"]})
    ));
}

#[test]
fn shell_form_is_ours_only_with_nothing_around_it() {
    let shell = |command: &str| json!({"type": "command", "command": command});
    for ours in [
        "toprope hook claude-code",
        " /opt/bin/toprope  hook\tclaude-code ",
        "\"/opt/my tools/toprope\" hook claude-code",
        "'/opt/my tools/toprope' hook claude-code",
        "\"$HOME\"/bin/toprope hook claude-code",
        "~/bin/toprope hook claude-code",
    ] {
        assert!(is_ours(&shell(ours)), "{ours}");
    }
    for foreign in [
        "tee log | toprope hook claude-code",
        "mine;toprope hook claude-code",
        "nice toprope hook claude-code",
        "$(which toprope) hook claude-code",
        "/opt/my tools/toprope hook claude-code",
        "toprope hook claude-code && mine",
        "toprope hook other",
        "nottoprope hook claude-code",
        "\"toprope hook claude-code",
        "toprope hookclaude-code",
        "echo done",
    ] {
        assert!(!is_ours(&shell(foreign)), "{foreign}");
    }
}

#[test]
fn a_foreign_hook_is_described_by_what_it_starts() {
    assert_eq!(
        described(&json!({"type": "command", "command": "lint", "args": ["--fix"]})),
        "lint --fix"
    );
    assert_eq!(
        described(&json!({"type": "http", "url": "http://localhost:1"})),
        "http://localhost:1"
    );
    assert_eq!(described(&json!({"type": "agent"})), "agent");
    assert_eq!(described(&json!(7)), "unreadable");
}

#[test]
fn odd_shapes_inside_an_event_are_somebody_elses_business() {
    let text = r#"{"hooks": {"Stop": [1, {}, {"hooks": 2}, {"hooks": [null]}], "$comment": "mine"}}"#;
    let document = JsonDocument::parse(text.to_owned()).unwrap();
    let found = handlers(&document).unwrap();
    assert_eq!(found.len(), 1);
    assert!(!found.first().unwrap().is_ours());
}

#[test]
fn shapes_an_edit_would_have_to_touch_are_refused() {
    let refused = |text: &str| {
        let document = JsonDocument::parse(text.to_owned()).unwrap();
        handlers(&document).unwrap_err().to_string()
    };
    let shown = [r"[]", r#"{"hooks": null}"#, r#"{"hooks": {"Stop": {}}}"#].map(refused);
    insta::assert_snapshot!(shown.join("\n"), @"
    the file is not an object
    `hooks` is not an object
    `hooks.Stop` is not an array
    ");
}
