//! Whose warnings count: each session's and each subagent's own, for as long as its model remembers them.

use crate::SESSION;
use serde_json::json;
use testkit::{Agent, Output, World};

const OTHER: &str = "ffee0000-0000-4000-8000-000000000002";

/// A world with changes that no commit has.
fn world() -> World {
    let world = crate::world();
    world.write("src/a.txt", "changed\n");
    world.write("app/b.txt", "changed\n");
    world
}

/// A call that is held or passes; the model reads the answer.
fn runs(agent: &Agent<'_>, command: &str) -> Output {
    let call = agent.call("Bash", &json!({ "command": command, "description": "run" }));
    let answer = call.begins();
    call.ends_step().ok();
    answer
}

#[track_caller]
fn is_held(agent: &Agent<'_>, command: &str) {
    let reason = runs(agent, command).denial().unwrap_or_default();
    assert!(reason.ends_with(", held once]"), "{reason}");
}

#[track_caller]
fn passes(agent: &Agent<'_>, command: &str) {
    let answer = runs(agent, command);
    assert_eq!(answer.denial(), None, "{}", answer.whole());
}

#[test]
fn two_sessions_in_one_project_share_no_warning_and_clear_none_of_each_other() {
    let world = world();
    let (one, two) = (world.agent(SESSION), world.agent(OTHER));
    one.starts().ok();
    two.starts().ok();
    is_held(&one, "rm -rf src");
    is_held(&two, "rm -rf app");
    passes(&one, "rm -rf src");
    two.sends("SessionStart", &json!({ "source": "compact" })).ok();
    passes(&one, "rm -rf src");
    is_held(&two, "rm -rf app");
    two.leaves().ok();
    passes(&one, "rm -rf src");
}

#[test]
fn a_compacted_or_cleared_session_forgets_and_a_resumed_one_remembers() {
    let world = world();
    let agent = world.agent(SESSION);
    agent.starts().ok();
    is_held(&agent, "rm -rf src");
    agent.sends("SessionStart", &json!({ "source": "resume" })).ok();
    passes(&agent, "rm -rf src");
    for source in ["compact", "clear"] {
        agent.sends("SessionStart", &json!({ "source": source })).ok();
        is_held(&agent, "rm -rf src");
        passes(&agent, "rm -rf src");
    }
}

#[test]
fn what_the_main_thread_was_told_a_subagent_was_not() {
    let world = world();
    let main = world.agent(SESSION);
    main.starts().ok();
    let helper = main.subagent("a3f2000000000000a", "general-purpose");
    helper.begins().ok();
    is_held(&main, "rm -rf src");
    is_held(&helper, "rm -rf src");
    passes(&helper, "rm -rf src");
    passes(&main, "rm -rf src");
}

#[test]
fn two_calls_of_one_step_are_both_held_and_an_interrupted_step_is_heard_with_the_next_prompt() {
    let world = world();
    let agent = world.agent(SESSION);
    agent.starts().ok();
    // A session that has shown the end of a step always does.
    runs(&agent, "ls");
    for call in ["toolu_1", "toolu_2"] {
        let reason = agent.runs(call, "rm -rf src").denial();
        assert!(reason.is_some_and(|reason| reason.contains(", held once]")));
    }
    agent.is_asked("go on").ok();
    assert_eq!(agent.runs("toolu_3", "rm -rf src").denial(), None);
}
