//! `toprope guard allow`: who may answer, and what an answer is worth.

use crate::{SESSION, assert_shown, world};
use std::process::Command;
use testkit::{Output, World, run, skip};

const TOPROPE: &str = env!("CARGO_BIN_EXE_toprope");

/// A denied call, and the request it left.
fn denied(world: &World) -> String {
    let agent = world.agent(SESSION);
    agent.starts();
    let denial = agent.runs("toolu_1", "npm publish").denial().expect("a denial");
    let at = denial.find("g-").expect("an id");
    denial[at..at + 8].to_owned()
}

/// Runs a command line in a terminal of its own, with this typed into it; `None` where no terminal can be had.
fn in_a_terminal(world: &World, line: &str, typed: &str) -> Option<Output> {
    if Command::new("script").arg("--version").output().is_err() {
        skip("guard-allow-terminal", "there is no `script`");
        return None;
    }
    let mut command = world.person("script");
    command.args(["-qec", line, "/dev/null"]);
    Some(run(command, typed.as_bytes()))
}

#[test]
fn a_request_waits_for_a_person() {
    let world = world();
    assert_shown!(world, world.toprope(&["guard", "allow"]), @"
    exit 0
    --- stdout
    --- stderr
    Nothing waits for you.
    ");
    denied(&world);
    assert_shown!(world, world.toprope(&["guard", "allow"]), @"
    exit 0
    --- stdout
    g-[id]  [age]  ab31  packages.publish  npm publish  in [world]/repo
    --- stderr
    ");
}

#[test]
fn a_pipe_is_no_person() {
    let world = world();
    let id = denied(&world);
    assert_shown!(world, world.toprope(&["guard", "allow", &id]), @"
    exit 5
    --- stdout
    --- stderr
    error: Approvals come from a person in their own terminal.
    ");
    assert_eq!(world.toprope(&["guard", "allow", "--refuse", &id]).code, Some(5));
    assert_eq!(world.toprope(&["guard", "allow", "--revoke", &id]).code, Some(5));
    let ahead = ["guard", "allow", "--command", "rm -rf /", "--session", SESSION];
    assert_eq!(world.toprope(&ahead).code, Some(5));
}

#[test]
fn an_agents_shell_is_no_person_even_in_a_terminal() {
    let world = world();
    let id = denied(&world);
    for sign in ["CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s", "AI_AGENT=x"] {
        let line = format!("{sign} {TOPROPE} guard allow {id}");
        let Some(output) = in_a_terminal(&world, &line, "y\n") else {
            return;
        };
        assert_eq!(output.code, Some(5), "{sign}: {}", output.whole());
    }
}

#[test]
fn a_child_of_an_agent_is_no_person_through_script_either() {
    let mut world = world();
    let id = denied(&world);
    // This test plays the client, and thereby is a live agent above every command it runs.
    world.set("CLAUDE_PID", &std::process::id().to_string());
    world.agent("ffee0000-0000-4000-8000-000000000002").starts();
    let line = format!("{TOPROPE} guard allow {id}");
    let Some(output) = in_a_terminal(&world, &line, "y\n") else {
        return;
    };
    assert_eq!(output.code, Some(5), "{}", output.whole());
}

#[test]
fn what_a_person_allows_runs_once() {
    let world = world();
    let id = denied(&world);
    let Some(output) = in_a_terminal(&world, &format!("{TOPROPE} guard allow {id}"), "y\n") else {
        return;
    };
    assert_shown!(world, output, @"
    exit 0
    --- stdout
    y
      npm publish
      in [world]/repo
      by session ab31c0de-0000-4000-8000-000000000001
      rule packages.publish
      it would publish to everybody

    Allow it? [y/N] g-[id] allowed 1 time, for 15 min
    --- stderr
    ");
    let agent = world.agent(SESSION);
    assert_eq!(agent.runs("toolu_2", "npm publish").denial(), None, "allowed");
    assert!(agent.runs("toolu_3", "npm publish").denial().is_some(), "once");
    assert!(
        agent.runs("toolu_4", "npm publish ").denial().is_some(),
        "another byte is another command"
    );
}

#[test]
fn a_no_changes_nothing_and_a_refusal_ends_the_request() {
    let world = world();
    let id = denied(&world);
    let Some(no) = in_a_terminal(&world, &format!("{TOPROPE} guard allow {id}"), "n\n") else {
        return;
    };
    assert_eq!(no.code, Some(3), "{}", no.whole());
    let refused =
        in_a_terminal(&world, &format!("{TOPROPE} guard allow --refuse {id}"), "").expect("a terminal");
    assert_shown!(world, refused, @"
    exit 0
    --- stdout
    g-[id] refused
    --- stderr
    ");
    let again = in_a_terminal(&world, &format!("{TOPROPE} guard allow {id}"), "y\n").expect("a terminal");
    assert_shown!(world, again, @"
    exit 4
    --- stdout
    y
    error: g-[id] is refused already
    hint: toprope guard allow
    --- stderr
    ");
}

#[test]
fn a_command_is_allowed_in_advance_and_taken_back() {
    let world = world();
    world.agent(SESSION).starts();
    let line = format!("{TOPROPE} guard allow --command 'npm publish' --session ab31 --times 2 --for 2h");
    let Some(output) = in_a_terminal(&world, &line, "y\n") else {
        return;
    };
    assert_shown!(world, output, @"
    exit 0
    --- stdout
    y
      npm publish
      in [world]/repo
      by session ab31c0de-0000-4000-8000-000000000001

    Allow it? [y/N] g-[id] allowed 2 times, for 2 h
    --- stderr
    ");
    let agent = world.agent(SESSION);
    assert_eq!(agent.runs("toolu_1", "npm publish").denial(), None);
    let shown = output.whole();
    let at = shown.rfind("g-").expect("an id");
    let id = &shown[at..at + 8];
    let revoked =
        in_a_terminal(&world, &format!("{TOPROPE} guard allow --revoke {id}"), "").expect("a terminal");
    assert_eq!(revoked.code, Some(0), "{}", revoked.whole());
    assert!(agent.runs("toolu_2", "npm publish").denial().is_some());
}

#[test]
fn an_answer_is_the_persons_line_in_the_log() {
    let world = world();
    let id = denied(&world);
    let line = format!("{TOPROPE} guard allow {id}");
    let Some(output) = in_a_terminal(&world, &line, "y\n") else {
        return;
    };
    assert_eq!(output.code, Some(0), "{}", output.whole());
    let log = world.toprope(&["log"]).ok();
    let ours: Vec<&str> = log.lines().filter(|line| line.contains(" you ")).collect();
    assert_eq!(ours.len(), 1, "{log}");
    assert!(
        ours[0].contains("Approval") && ours[0].contains("npm publish") && ours[0].contains("allowed"),
        "{log}"
    );
}
