//! Our own commands in an agent's shell know who runs them.

use crate::{SESSION, siblings, token_of, world};

/// The command that runs instead, if another does.
fn rewritten(output: &testkit::Output) -> Option<String> {
    let reply = output.json()?;
    let command = reply.pointer("/hookSpecificOutput/updatedInput/command")?;
    Some(command.as_str()?.to_owned())
}

#[test]
fn a_command_of_ours_is_told_whose_it_is_and_nothing_else_is_said() {
    let world = world();
    let [one, _] = siblings(&world);
    let output = one.runs("toolu_1", "cd src && toprope lease wait parser.rs; ls");
    let command = rewritten(&output).expect("it is signed");
    let filters = vec![(r"[0-9a-f]{32}", "[token]")];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(command, @"cd src && toprope lease wait --as [token] parser.rs; ls");
    });
    let reply = output.json().expect("a reply");
    assert!(
        reply.pointer("/hookSpecificOutput/permissionDecision").is_none(),
        "{reply}"
    );
    assert!(
        reply.pointer("/hookSpecificOutput/additionalContext").is_none(),
        "{reply}"
    );
}

#[test]
fn a_token_the_model_made_up_is_replaced() {
    let world = world();
    let [one, _] = siblings(&world);
    let output = one.runs("toolu_1", "toprope lease release --as forged --all");
    let command = rewritten(&output).expect("it is signed");
    assert!(!command.contains("forged"), "{command}");
}

#[test]
fn a_command_that_a_policy_rewrote_is_told_whose_it_is_too() {
    let world = world();
    let [one, _] = siblings(&world);
    let output = one.runs("toolu_1", "git push -f origin feat; toprope lease list");
    let command = rewritten(&output).expect("it is signed");
    let filters = vec![(r"[0-9a-f]{32}", "[token]")];
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(command, @"git push --force-with-lease origin feat; toprope lease list --as [token]");
    });
    let input = serde_json::json!({ "command": command });
    let response = serde_json::json!({ "stdout": "", "stderr": "" });
    let after = one.after("toolu_1", "Bash", &input, &response);
    assert!(!after.context().contains("Another hook"), "{}", after.whole());
}

#[test]
fn text_about_our_commands_stays_as_it_is() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    let output = main.runs("toolu_1", "echo 'toprope lease wait a'; toprope status");
    assert_eq!(rewritten(&output), None);
}

#[test]
fn a_session_command_takes_the_token_it_is_given_and_no_other() {
    let world = world();
    let [one, _] = siblings(&world);
    let token = token_of(&one, "toprope session actors");
    world.toprope(&["session", "actors", "--as", &token]).ok();
    let forged = world.toprope(&["session", "actors", "--as", "forged"]);
    assert_eq!(forged.code, Some(5), "{}", forged.whole());
}
