use super::*;
use crate::testing::{call, command, object};
use serde_json::json;

#[test]
fn an_action_always_is_what_the_input_says() {
    let before = call("Bash", json!({"command": "rm -rf build", "timeout": 5}));
    let after = before.patched(&InputPatch::default().set("command", "ls build"));
    assert_eq!(
        after.action(),
        &Action::RunCommand {
            command: "ls build".to_owned(),
            background: false,
        }
    );
    assert_eq!(after.tool(), "Bash");
    assert_eq!(after.id(), before.id());
}

#[test]
fn a_patch_lays_over_the_input_and_drops_nothing() {
    let input = object(json!({"command": "ls", "nested": {"kept": true}, "description": "list"}));
    let patched = InputPatch::default()
        .set("command", "ls -a")
        .set("timeout", 10)
        .applied_to(&input);
    assert_eq!(
        serde_json::to_string(&patched).unwrap(),
        r#"{"command":"ls -a","nested":{"kept":true},"description":"list","timeout":10}"#
    );
}

#[test]
fn the_later_of_two_values_for_one_key_counts() {
    let patch = InputPatch::default().set("a", 1).set("a", 2);
    assert_eq!(patch.applied_to(&ToolInput::new()), object(json!({"a": 2})));
}

#[test]
fn an_empty_patch_changes_nothing() {
    let call = call("Bash", json!({"command": "ls"}));
    assert_eq!(call.patched(&InputPatch::default()), call);
}

#[test]
fn only_actions_on_files_name_a_path() {
    let path = |tool, input| call(tool, input).action().path().cloned();
    assert_eq!(
        path("Edit", json!({"file_path": "a.rs"})),
        Some(PathBuf::from("a.rs"))
    );
    assert_eq!(path("Bash", json!({"command": "cat a.rs"})), None);
}

#[test]
fn an_event_about_a_call_knows_its_id() {
    assert_eq!(command("ls").tool_use_id().map(ToolUseId::as_str), Some("call-1"));
}

#[test]
fn a_call_reaches_what_its_input_says_and_anything_where_it_says_nothing() {
    let file = json!({"file_path": "a.rs"});
    for tool in ["Write", "Edit"] {
        assert_eq!(
            call(tool, file.clone()).action().reach(),
            WriteReach::Path(Path::new("a.rs"))
        );
    }
    assert_eq!(
        call("Bash", json!({"command": "ls"})).action().reach(),
        WriteReach::Anything
    );
    assert_eq!(
        call("mcp__files__write", file.clone()).action().reach(),
        WriteReach::Anything
    );
    assert_eq!(call("Read", file).action().reach(), WriteReach::Nothing);
    assert_eq!(call("Grep", json!({})).action().reach(), WriteReach::Nothing);
    assert_eq!(call("Agent", json!({})).action().reach(), WriteReach::Nothing);
}
