//! `guard.on_failure`: what the client is told to do with a shell command when the hook itself breaks.

use crate::site::{LOCAL, settings, world, write};
use fs_err as fs;
use serde_json::{Value, json};
use testkit::World;

/// The entries before calls, as matcher and what happens when the hook breaks.
fn before_calls(world: &World) -> Vec<(Value, Value)> {
    let written = settings(&world.repo().join(LOCAL));
    let groups = written.pointer("/hooks/PreToolUse").and_then(Value::as_array);
    let field = |group: &Value, place: &str| group.pointer(place).cloned().unwrap_or_default();
    groups
        .expect("entries")
        .iter()
        .map(|group| (field(group, "/matcher"), field(group, "/hooks/0/onFailure")))
        .collect()
}

/// What doctor says of the entries.
fn drift(world: &World) -> Vec<String> {
    let examination = world.toprope(&["doctor", "--json"]).json().expect("one object");
    let checks = examination.get("checks").and_then(Value::as_array);
    checks
        .expect("checks")
        .iter()
        .filter(|check| check["name"] == "hooks")
        .map(|check| format!("{} {}", check["state"], check["text"]))
        .collect()
}

#[test]
fn block_registers_the_shell_apart_and_open_takes_it_back() {
    let world = world();
    let set = |value: &str| {
        world.toprope(&["config", "set", "guard.on_failure", value]).ok();
    };
    set("block");
    world.toprope(&["init"]).ok();
    let apart = [
        (json!("Bash|Monitor|PowerShell"), json!("block")),
        (json!("^(?!(?:Bash|Monitor|PowerShell)$)"), Value::Null),
    ];
    assert_eq!(before_calls(&world), apart);
    assert_eq!(
        drift(&world),
        [r#""ok" ".claude/settings.local.json: 30 events""#]
    );
    set("open");
    assert_eq!(
        drift(&world),
        [r#""warn" ".claude/settings.local.json: 1 with another entry than `init` writes (PreToolUse)""#]
    );
    world.toprope(&["doctor", "--fix"]);
    assert_eq!(before_calls(&world), [(Value::Null, Value::Null)]);
    set("block");
    world.toprope(&["doctor", "--fix"]);
    assert_eq!(before_calls(&world), apart);
}

#[test]
fn an_entry_that_lost_its_word_is_found_and_mended() {
    let world = world();
    world
        .toprope(&["config", "set", "guard.on_failure", "block"])
        .ok();
    world.toprope(&["init"]).ok();
    let file = world.repo().join(LOCAL);
    let mut written = settings(&file);
    let handler = written["hooks"]["PreToolUse"][0]["hooks"][0]
        .as_object_mut()
        .expect("a handler");
    handler.remove("onFailure");
    fs::write(&file, format!("{written:#}\n")).expect("changed settings");
    assert!(drift(&world)[0].contains("PreToolUse"), "{:?}", drift(&world));
    world.toprope(&["doctor", "--fix"]);
    assert_eq!(before_calls(&world)[0].1, "block");
}

#[test]
fn both_entries_go_and_every_byte_is_as_before() {
    let world = world();
    let before = "{\n\t\"permissions\": {\"deny\": [\"Bash(rm *)\"]},\n\t\"hooks\": {\"PreToolUse\": [ {\"matcher\":\"Bash\", \"hooks\":[{\"type\":\"command\",\"command\":\"mine.sh\"}]} ]}\n}";
    write(&world, LOCAL, before);
    world
        .toprope(&["config", "set", "guard.on_failure", "block"])
        .ok();
    world.toprope(&["init"]).ok();
    assert_eq!(before_calls(&world).len(), 3);
    world.toprope(&["uninstall"]).ok();
    assert_eq!(
        fs::read_to_string(world.repo().join(LOCAL)).expect("settings"),
        before
    );
}
