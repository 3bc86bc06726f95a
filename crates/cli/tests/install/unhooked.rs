//! A change of the client's settings that ends our hooks: postponed while an agent works, told, and in `strict` undone.

use crate::site::{LOCAL, settings, world};
use fs_err as fs;
use serde_json::{Value, json};
use testkit::{Output, World, eventually};

/// A world whose hooks are installed under a profile.
fn installed(profile: &str) -> World {
    let world = world();
    world.toprope(&["init", "--profile", profile]).ok();
    world.agent("s1").starts().ok();
    world
}

/// The settings lose our entries, and the client reports the change.
fn drops(world: &World) -> Output {
    let file = world.repo().join(LOCAL);
    fs::write(&file, "{\n  \"model\": \"opus\"\n}\n").expect("settings");
    let fields = json!({ "source": "local_settings", "file_path": file });
    world.agent("s1").sends("ConfigChange", &fields)
}

fn decision(output: &Output) -> Value {
    let answer = output.json().unwrap_or_default();
    answer.get("decision").cloned().unwrap_or_default()
}

fn entries(world: &World) -> usize {
    let written = settings(&world.repo().join(LOCAL));
    let events = written.get("hooks").and_then(Value::as_object);
    events.map(serde_json::Map::len).unwrap_or_default()
}

/// What the person is told.
fn told(world: &World) -> String {
    world.toprope(&["status"]).ok()
}

#[test]
fn strict_puts_the_entries_back_and_leaves_what_else_changed() {
    let world = installed("strict");
    let call = world.agent("s1").is_about_to_run("make");
    assert_eq!(decision(&drops(&world)), "block");
    eventually("our entries are back", || (entries(&world) == 30).then_some(()));
    let written = settings(&world.repo().join(LOCAL));
    assert_eq!(written["model"], "opus");
    assert_eq!(
        written["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"],
        "block"
    );
    call.ends(&json!({ "stdout": "" })).ok();
    assert!(told(&world).contains("its entries are put back"));
    world.toprope(&["uninstall"]).ok();
    assert_eq!(
        fs::read_to_string(world.repo().join(LOCAL)).expect("settings"),
        "{\n  \"model\": \"opus\"\n}\n"
    );
}

#[test]
fn standard_postpones_the_change_and_tells() {
    let world = installed("standard");
    world.agent("s1").is_about_to_run("make");
    assert_eq!(decision(&drops(&world)), "block");
    assert!(told(&world).contains("this session keeps its hooks"));
    assert_eq!(entries(&world), 0);
}

#[test]
fn a_person_may_take_us_out_while_no_agent_works() {
    for profile in ["standard", "strict"] {
        let world = installed(profile);
        assert_eq!(decision(&drops(&world)), Value::Null);
        assert!(told(&world).contains("from here on this session goes unguarded"));
        assert_eq!(entries(&world), 0);
    }
}
