//! Killed while a file changes hands: every agent gets its answer, and the file has the holder it would have had anyway.

use crate::TOPROPE;
use serde_json::{Value, json};
use store::fault::OF_LEASES;
use testkit::{Agent, Output, World, process, run};

/// What an event meets besides.
const OF_EVENTS: [&str; 5] = [
    "after-begin",
    "after-insert",
    "after-effects",
    "before-commit",
    "after-commit",
];

/// The hits of a point at which the process dies: a take, a denial, a release with its offer and another take each meet it.
const HITS: u32 = 6;

/// Every step of a file that goes from one session to another: an event of one of the two.
const STEPS: [(usize, &str); 7] = [
    (0, "UserPromptSubmit"),
    (1, "UserPromptSubmit"),
    (0, "PreToolUse"),
    (0, "PostToolUse"),
    (1, "PreToolUse"),
    (0, "Stop"),
    (1, "PreToolUse"),
];

/// The fields of a step's event; calls have ids of their own.
fn fields(world: &World, step: usize, event: &str, file: &str) -> Value {
    let input = json!({ "file_path": world.repo().join(file), "old_string": "one", "new_string": "two" });
    let call = |step: usize| format!("{file} {step}");
    match event {
        "UserPromptSubmit" => json!({ "prompt": "Go on." }),
        "PreToolUse" => json!({ "tool_name": "Edit", "tool_input": input, "tool_use_id": call(step) }),
        "PostToolUse" => json!({
            "tool_name": "Edit", "tool_input": input, "tool_use_id": call(step - 1),
            "tool_response": { "filePath": file },
        }),
        _ => json!({ "stop_hook_active": false }),
    }
}

/// What the agents were told, one line per step, with the file's own name left out.
fn told(answers: &[Output], file: &str) -> Vec<String> {
    let line = |answer: &Output| {
        assert_eq!(
            (answer.code, answer.stderr.as_str()),
            (Some(0), ""),
            "{}",
            answer.whole()
        );
        let text = answer.denial().unwrap_or_else(|| answer.context());
        // Durations and labels differ from scene to scene.
        let gist = ["Nothing was written", "is yours for", "You are 1st in line"];
        let gist = gist
            .into_iter()
            .filter(|part| text.contains(part))
            .collect::<Vec<_>>();
        format!("{} {}", text.contains(file), gist.join(", "))
    };
    answers.iter().map(line).collect()
}

/// How the file's leases and its line ended up.
fn rows(world: &World, file: &str) -> Vec<String> {
    let database = world.database();
    assert_eq!(database.damage(), Vec::<String>::new());
    let mut rows = database.rows(&format!(
        "SELECT writes || ' ' || coalesce(end_reason, 'live') FROM leases WHERE path = '{file}' ORDER BY id"
    ));
    rows.extend(database.rows(&format!(
        "SELECT state || ' ' || denials FROM tickets WHERE path = '{file}' ORDER BY id"
    )));
    rows
}

/// A day in which nothing dies.
const WHOLE: [&str; 3] = ["1 turn_end", "0 live", "used 1"];

fn scene<'a>(world: &'a World, name: &str) -> [Agent<'a>; 2] {
    let agents = ["one", "two"].map(|who| world.agent(&format!("{who}-{name}")));
    for agent in &agents {
        agent.starts().ok();
    }
    agents
}

fn told_in_full(world: &World) -> Vec<String> {
    let agents = scene(world, "whole");
    let file = "whole.rs";
    let answers: Vec<Output> = STEPS
        .iter()
        .enumerate()
        .map(|(step, &(who, event))| act(world, &agents, step, who, event, file))
        .collect();
    assert_eq!(rows(world, file), WHOLE);
    told(&answers, file)
}

fn act(world: &World, agents: &[Agent<'_>; 2], step: usize, who: usize, event: &str, file: &str) -> Output {
    if event == "PostToolUse" {
        world.write(file, "two\n");
    }
    agents[who].sends(event, &fields(world, step, event, file))
}

#[test]
fn a_daemon_that_dies_while_a_file_changes_hands_costs_no_answer_and_no_place_in_line() {
    let world = World::new(TOPROPE);
    world.has_settings("checkpoints.enabled = false\n");
    let whole = told_in_full(&world);
    let mut died_at = Vec::new();
    for point in OF_LEASES.into_iter().chain(OF_EVENTS) {
        for hit in 1..=HITS {
            let (name, file) = (format!("{point}-{hit}"), format!("{point}-{hit}.rs"));
            let agents = scene(&world, &name);
            world.toprope(&["daemon", "stop"]).ok();
            let mut start = world.command(&["daemon", "start"]);
            start.env("TOPROPE_FAULT", format!("{point}:{hit}"));
            run(start, b"");
            let doomed = world.daemons().first().copied();
            let mut answers = Vec::new();
            for (step, &(who, event)) in STEPS.iter().enumerate() {
                answers.push(act(&world, &agents, step, who, event, &file));
            }
            assert_eq!(told(&answers, &file), whole, "{name}");
            assert_eq!(rows(&world, &file), WHOLE, "{name}");
            if doomed.is_some_and(|doomed| !process::is_alive(doomed)) {
                died_at.push(point);
            }
        }
    }
    died_at.dedup();
    let all: Vec<&str> = OF_LEASES.into_iter().chain(OF_EVENTS).collect();
    assert_eq!(died_at, all, "every point was met by a daemon at work");
}

#[test]
fn a_hook_that_dies_while_a_file_changes_hands_leaves_all_of_it_or_nothing() {
    let world = World::new(TOPROPE).with("TOPROPE_DAEMON", "never");
    world.has_settings("checkpoints.enabled = false\n");
    let whole = told_in_full(&world);
    for point in OF_LEASES.into_iter().chain(OF_EVENTS) {
        let (name, file) = (point, format!("{point}.rs"));
        let agents = scene(&world, name);
        let mut answers = Vec::new();
        let mut died = 0;
        for (step, &(who, event)) in STEPS.iter().enumerate() {
            let before = rows(&world, &file);
            if event == "PostToolUse" {
                world.write(&file, "two\n");
            }
            let payload = agents[who]
                .payload(event, &fields(&world, step, event, &file))
                .to_string();
            let mut hook = world.command(&["hook", "claude-code"]);
            hook.env("TOPROPE_FAULT", point);
            let first = run(hook, payload.as_bytes());
            if first.code.is_some() {
                answers.push(first);
                continue;
            }
            died += 1;
            let left = rows(&world, &file);
            if point != "after-commit" {
                assert_eq!(left, before, "{name}, {event}");
            }
            answers.push(world.hook(payload.as_bytes()));
            if point == "after-commit" {
                assert_eq!(
                    rows(&world, &file),
                    left,
                    "{name}, {event}: the second try changes nothing"
                );
            }
        }
        assert!(died > 0, "{name}");
        assert_eq!(told(&answers, &file), whole, "{name}");
        assert_eq!(rows(&world, &file), WHOLE, "{name}");
    }
}
