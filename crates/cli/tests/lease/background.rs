//! Commands in the background.

use super::{siblings, world};
use serde_json::json;
use testkit::Agent;

/// An agent starts a command that the client runs in the background.
fn starts(agent: &Agent<'_>, command: &str, task: &str) {
    let call = agent.call("Bash", &json!({ "command": command, "run_in_background": true }));
    call.begins().ok();
    call.ends(&json!({ "stdout": "", "stderr": "", "backgroundTaskId": task }))
        .ok();
    call.ends_step().ok();
}

#[test]
fn a_failing_edit_does_not_free_what_a_background_command_of_the_same_agent_may_still_write() {
    let world = world();
    let [fixer, reviewer] = siblings(&world);
    starts(&fixer, "sed -i s/one/two/ src/lexer.rs", "bsh1");
    starts(&fixer, "sed -i s/two/three/ src/lexer.rs", "bsh2");
    fixer.shell("sed -i s/nothing/new/ src/lexer.rs");
    let edit =
        json!({ "file_path": world.repo().join("src/lexer.rs"), "old_string": "x", "new_string": "y" });
    fixer.reads("src/lexer.rs");
    let call = fixer.call("Edit", &edit);
    call.begins().ok();
    call.fails("String to replace not found in file.").ok();
    call.ends_step().ok();
    let denial = super::denied(&reviewer, "src/lexer.rs").unwrap_or_default();
    assert!(denial.contains("is being edited by fixer@a111"), "{denial}");
    fixer.ends().ok();
    reviewer.reads("src/lexer.rs");
    assert_eq!(super::denied(&reviewer, "src/lexer.rs"), None);
}
