//! The guard through the hook command: one JSON object, also for a payload that names neither a session nor an event.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use serde_json::{Value, json};
use std::path::Path;
use testkit::{Output, World};

fn world() -> World {
    let world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world
        .toprope(&["config", "set", "guard.retry_after_ms", "0"])
        .ok();
    world
}

/// A payload as the oldest hooks got it.
fn bare(world: &World, command: &str, cwd: &Path) -> Output {
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}, "cwd": cwd});
    world.hook(payload.to_string().as_bytes())
}

#[test]
fn a_denial_is_one_json_object_and_nothing_else() {
    let output = world().agent("s1").runs("t1", "rm -rf /");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    let answer = output.json().expect("an answer");
    let specific = answer.pointer("/hookSpecificOutput").expect("its verdict");
    assert_eq!(
        specific.pointer("/hookEventName"),
        Some(&Value::from("PreToolUse"))
    );
    assert_eq!(
        specific.pointer("/permissionDecision"),
        Some(&Value::from("deny"))
    );
    let reason = output.denial().expect("a reason");
    assert!(
        reason.starts_with("`rm -rf /` would remove files the machine needs (/).")
            && reason.ends_with("[core.filesystem.rm-floor]"),
        "{reason}"
    );
}

#[test]
fn a_payload_without_ids_is_judged_and_its_retry_passes_behind_a_checkpoint() {
    let world = world();
    let repo = world.repo();
    world.write("a.txt", "changed\n");
    let held = bare(&world, "git reset --hard", &repo)
        .denial()
        .expect("it is held");
    assert!(
        held.starts_with("`git reset --hard` would throw away changes in 1 file (a.txt).")
            && held.ends_with("[core.git.reset-hard, held once]"),
        "{held}"
    );
    let passed = bare(&world, "git reset --hard", &repo);
    assert_eq!(passed.denial(), None);
    assert!(passed.context().contains("toprope undo "), "{}", passed.whole());
    assert_eq!(bare(&world, "git status", &repo).stdout, "");
}
