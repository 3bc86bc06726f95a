//! Subagents: every event that tells of a start or an end.

use super::*;
use crate::event::{SpawnResult, Spawned};
use crate::id::AgentId;
use crate::tool::Background;

fn spawned(agent: Option<&str>, result: SpawnResult) -> Spawned {
    Spawned {
        agent: agent.map(AgentId::new),
        result,
        worked: false,
    }
}

#[test]
fn a_subagent_begins_with_the_state_before_its_first_change() {
    insta::assert_snapshot!(means(&event(EventKind::AgentStart).by("a1", "Explore")), @"
    baseline
    cut agent-start of Actor, key Run, scan Never, label Agent(Starting), Now
    ");
    assert_eq!(means(&event(EventKind::AgentStart)), "", "nobody is named");
}

#[test]
fn a_subagent_ends_with_its_own_transcript() {
    insta::assert_snapshot!(means(&agent_stop_event().by("a1", "Explore")), @r#"
    read Agent Some("/t/agent.jsonl"), closing
    cut agent-stop of Actor, key Run, scan IfRoamed, label Agent(Finished), Now
    link commits
    "#);
    let untyped = Event {
        agent_type: None,
        ..agent_stop_event().by("a1", "")
    };
    assert_eq!(means(&untyped), means(&agent_stop_event().by("a1", "Explore")));
    assert_eq!(means(&agent_stop_event()), "", "nobody is named");
}

#[test]
fn a_subagent_that_is_held_back_makes_a_step() {
    insta::assert_snapshot!(means_denied(&agent_stop_event().by("a1", "Explore")), @"
    cut step of Actor, key Event, scan IfRoamed, label Step(None), Now
    link commits
    ");
}

#[test]
fn the_clients_own_summariser_is_counted_and_never_kept() {
    insta::assert_snapshot!(means(&agent_stop_event().by("a7", "")), @r#"read Compaction Some("/t/agent.jsonl"), closing"#);
    assert_eq!(means_denied(&agent_stop_event().by("a7", "")), "");
    let failed = event(EventKind::TurnFailed {
        error: "overloaded".to_owned(),
    });
    assert!(!means(&failed.by("a7", "")).contains("cut"));
}

#[test]
fn a_launch_is_no_end() {
    for result in [
        SpawnResult::Launched,
        SpawnResult::Teammate,
        SpawnResult::Other("x".to_owned()),
    ] {
        let answer = finished(
            call("Agent", json!({})),
            Some(spawned(Some("a1"), result)),
            None,
            None,
        );
        assert_eq!(means(&answer), "describe a1 by call-1");
    }
}

#[test]
fn a_foreground_agent_that_answers_has_ended_whichever_event_came_first() {
    let answer = |agent| {
        means(&finished(
            call("Agent", json!({})),
            Some(spawned(agent, SpawnResult::Completed)),
            None,
            None,
        ))
    };
    insta::assert_snapshot!(answer(Some("a1")), @r#"
    describe a1 by call-1
    cut agent-stop of Agent(AgentId("a1")), key Run, scan IfRoamed, label Agent(Finished), Now
    "#);
    insta::assert_snapshot!(answer(None), @r#"cut agent-stop of AgentOf(ToolUseId("call-1")), key Run, scan IfRoamed, label Agent(Finished), Now"#);
    insta::assert_snapshot!(means(&failing("Agent", json!({}))), @r#"cut agent-stop of AgentOf(ToolUseId("call-1")), key Run, scan IfRoamed, label Agent(Failed), Now"#);
}

#[test]
fn where_no_event_announces_agents_the_calls_stand_for_them() {
    insta::assert_snapshot!(means(&before_call("Task", json!({}))), @r#"cut agent-start of AgentOf(ToolUseId("call-1")), key Run, scan Never, label Agent(Starting), Now"#);
    let nameless = event(EventKind::ToolBefore {
        call: ToolCall::new("Task", None, ToolInput::new(), |_, _| Action::SpawnAgent {
            agent_type: None,
            description: None,
            background: Background::No,
            announced: false,
        }),
    });
    assert_eq!(means(&nameless), "");
}

#[test]
fn an_agent_whose_model_failed_has_failed() {
    let failed = event(EventKind::TurnFailed {
        error: "overloaded".to_owned(),
    });
    insta::assert_snapshot!(means(&failed.by("a1", "Explore")), @"
    read Agent None, closing
    cut agent-stop of Actor, key Run, scan IfRoamed, label Agent(Failed), Now
    link commits
    ");
}
