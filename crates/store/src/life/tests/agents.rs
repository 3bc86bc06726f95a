//! Lives of sessions, turns, calls and agents, told by the events that make them.

use crate::actors::{self, ActorState};
use crate::sessions;
use crate::stage::{Stage, Who, call, main_of};
use crate::{calls, life, turns};
use engine::event::{BackgroundReport, BatchCall, EventKind, PromptOrigin, SpawnResult, StartSource};
use engine::id::{AgentId, ToolUseId};
use serde_json::{Value, json};

const ONE: &str = "a1110000000000001";
const TWO: &str = "a2220000000000002";
const THREE: &str = "a3330000000000003";

fn parents(stage: &Stage) -> Vec<String> {
    stage.rows(
        "SELECT child.label, parent.label, child.spawn_call, child.description, child.announced
         FROM actors AS child LEFT JOIN actors AS parent ON parent.id = child.parent_id
         WHERE child.agent_id <> '' ORDER BY child.id",
    )
}

fn windows(stage: &Stage) -> Vec<String> {
    stage.rows("SELECT id, source, prev_session_id, end_reason FROM sessions ORDER BY id")
}

fn open_calls(stage: &Stage) -> Vec<String> {
    stage.rows("SELECT tool_use_id, COALESCE(how, 'open') FROM calls ORDER BY event")
}

#[test]
fn the_only_fitting_spawn_is_an_agents_parent() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.spawns(&main, "toolu_2", "reviewer", false);
    stage.agent_starts(&child);
    assert_eq!(parents(&stage), ["Explore@a111 main@7c1e toolu_1 task toolu_1 1"]);
    let session = sessions::list(&stage.read(), None, true).unwrap().remove(0);
    assert_eq!(
        session.parent,
        Some(sessions::list(&stage.read(), None, true).unwrap()[1].id)
    );
}

#[test]
fn a_note_of_the_client_tells_two_spawns_alike_apart() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.spawns(&main, "toolu_2", "Explore", false);
    let (one, two) = (main.agent(ONE, "Explore"), main.agent(TWO, "Explore"));
    stage.agent_starts(&one);
    stage.agent_starts(&two);
    let note = |stage: &mut Stage, child: &Who, parent: Option<&str>, call: &str| {
        let parent = parent.map(AgentId::new);
        stage.write(|db| {
            let child = actors::by_key(db, &child.key)?.unwrap();
            life::settle_by_note(db, &child, parent.as_ref(), &ToolUseId::new(call))
        })
    };
    assert!(note(&mut stage, &two, None, "toolu_1"));
    assert_eq!(
        parents(&stage),
        [
            "Explore@a111 - - - 1",
            "Explore@a222 main@7c1e toolu_1 task toolu_1 1"
        ]
    );

    assert!(
        !note(&mut stage, &one, None, "toolu_1"),
        "that call started another"
    );
    assert!(!note(&mut stage, &one, None, "toolu_9"), "nobody made that call");
    assert!(
        !note(&mut stage, &one, Some(TWO), "toolu_2"),
        "another made that call"
    );
    assert!(
        !note(&mut stage, &one, Some(ONE), "toolu_2"),
        "nobody starts itself"
    );
    assert!(note(&mut stage, &one, None, "toolu_2"));
}

#[test]
fn two_spawns_alike_stay_unlinked_until_the_client_says_which_is_which() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.spawns(&main, "toolu_2", "Explore", false);
    stage.agent_starts(&main.agent(ONE, "Explore"));
    stage.agent_starts(&main.agent(TWO, "Explore"));
    assert_eq!(parents(&stage), ["Explore@a111 - - - 1", "Explore@a222 - - - 1"]);

    stage.agent_stops(&main.agent(TWO, "Explore"));
    stage.answered(&main, "toolu_1", TWO, SpawnResult::Completed);
    assert_eq!(
        parents(&stage),
        [
            "Explore@a111 - - - 1",
            "Explore@a222 main@7c1e toolu_1 task toolu_1 1"
        ]
    );
    assert_eq!(stage.state(&main.agent(TWO, "Explore")), "ended stopped");
    assert_eq!(stage.state(&main.agent(ONE, "Explore")), "live");
}

#[test]
fn a_link_that_was_guessed_gives_way_to_what_the_client_says() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.spawns(&main, "toolu_1", "Explore", true);
    stage.agent_starts(&main.agent(ONE, "Explore"));
    stage.answered(&main, "toolu_1", TWO, SpawnResult::Launched);
    assert_eq!(
        parents(&stage),
        [
            "Explore@a111 - - - 1",
            "Explore@a222 main@7c1e toolu_1 task toolu_1 1"
        ]
    );
}

#[test]
fn a_background_agent_is_known_from_its_launch_and_lives_past_its_parents_turn() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.prompts(&main, "look around");
    stage.spawns(&main, "toolu_1", "Explore", true);
    stage.answered(&main, "toolu_1", ONE, SpawnResult::Launched);
    assert_eq!(open_calls(&stage), ["toolu_1 done"]);
    assert_eq!(parents(&stage), ["Explore@a111 main@7c1e toolu_1 task toolu_1 1"]);

    stage.agent_starts(&child);
    stage.stops(&main);
    stage.prompts(&main, "and now?");
    assert_eq!(stage.state(&child), "live");
    stage.agent_stops(&child);
    assert_eq!(stage.state(&child), "ended stopped");
}

#[test]
fn nested_agents_have_the_agent_that_called_as_their_parent() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "planner");
    let grandchild = main.agent(TWO, "Explore");
    stage.spawns(&main, "toolu_1", "planner", false);
    stage.agent_starts(&child);
    stage.spawns(&child, "toolu_2", "Explore", false);
    stage.agent_starts(&grandchild);
    assert_eq!(
        parents(&stage),
        [
            "planner@a111 main@7c1e toolu_1 task toolu_1 1",
            "Explore@a222 planner@a111 toolu_2 task toolu_2 1"
        ]
    );
}

#[test]
fn a_prompt_ends_the_agents_that_were_waited_for_and_theirs() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let (child, grandchild) = (main.agent(ONE, "planner"), main.agent(TWO, "Explore"));
    let background = main.agent(THREE, "tester");
    stage.spawns(&main, "toolu_0", "tester", true);
    stage.answered(&main, "toolu_0", THREE, SpawnResult::Launched);
    stage.agent_starts(&background);
    stage.spawns(&main, "toolu_1", "planner", false);
    stage.agent_starts(&child);
    stage.spawns(&child, "toolu_2", "Explore", false);
    stage.agent_starts(&grandchild);

    stage.prompts(&main, "stop that");
    assert_eq!(stage.state(&child), "ended interrupted");
    assert_eq!(stage.state(&grandchild), "ended interrupted");
    assert_eq!(stage.state(&background), "live");
    assert_eq!(
        open_calls(&stage),
        ["toolu_0 done", "toolu_1 interrupted", "toolu_2 interrupted"]
    );
}

#[test]
fn a_prompt_ends_agents_alike_though_nobody_knows_which_call_was_whose() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.agent_starts(&main.agent(THREE, "Explore"));
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.spawns(&main, "toolu_2", "Explore", false);
    stage.agent_starts(&main.agent(ONE, "Explore"));
    stage.agent_starts(&main.agent(TWO, "Explore"));
    stage.prompts(&main, "stop that");
    assert_eq!(stage.state(&main.agent(ONE, "Explore")), "ended interrupted");
    assert_eq!(stage.state(&main.agent(TWO, "Explore")), "ended interrupted");
    assert_eq!(stage.state(&main.agent(THREE, "Explore")), "live");
}

#[test]
fn an_id_nobody_announced_is_an_actor_of_its_own() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.spawns(&main, "toolu_1", "Explore", false);
    let stranger = main.agent(ONE, "Explore");
    stage.calls(&stranger, "Write", "toolu_9", json!({}));
    let actor = stage.actor(&stranger);
    assert_eq!((actor.announced, actor.parent), (false, None));
    assert_eq!(actor.state, ActorState::Live);
}

#[test]
fn an_agent_seen_before_a_call_was_not_started_by_it() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let early = main.agent(ONE, "Explore");
    stage.calls(&early, "Read", "toolu_9", json!({}));
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.agent_starts(&early);
    assert_eq!(stage.actor(&early).parent, None);
}

#[test]
fn the_clients_own_helper_ends_nothing_but_itself() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.prompts(&main, "go");
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.agent_starts(&child);
    let helper = main.agent(TWO, "");
    stage.agent_stops(&helper);
    assert_eq!(stage.state(&main), "live");
    assert_eq!(stage.state(&child), "live");
    assert_eq!(stage.state(&helper), "ended stopped");
    assert_eq!(open_calls(&stage), ["toolu_1 open"]);
    assert!(stage.actor(&main).turn_open);
}

#[test]
fn a_revived_agent_is_the_same_actor_with_a_new_window() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.spawns(&main, "toolu_1", "Explore", false);
    let first = stage.agent_starts(&child);
    stage.agent_stops(&child);
    let again = stage.agent_starts(&child);
    assert_eq!(again.actor.id, first.actor.id);
    assert_eq!(again.actor.was, ActorState::Ended);
    assert_eq!(stage.state(&child), "live");
    assert_eq!(stage.actor(&child).parent, Some(stage.actor(&main).id));
    let window = sessions::by_id(&stage.read(), again.session).unwrap().unwrap();
    assert_eq!(window.previous, Some(first.session));
}

#[test]
fn a_circle_of_parents_is_refused() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let (one, two) = (main.agent(ONE, "x"), main.agent(TWO, "x"));
    stage.spawns(&one, "toolu_1", "x", true);
    stage.answered(&one, "toolu_1", TWO, SpawnResult::Launched);
    stage.spawns(&two, "toolu_2", "x", true);
    stage.answered(&two, "toolu_2", ONE, SpawnResult::Launched);
    stage.answered(&two, "toolu_2", TWO, SpawnResult::Launched);
    assert_eq!(stage.actor(&one).parent, None);
    assert_eq!(stage.actor(&two).parent, Some(stage.actor(&one).id));
}

#[test]
fn a_batch_closes_what_never_ran_and_spares_the_background() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.spawns(&main, "toolu_2", "Explore", true);
    let calls = vec![BatchCall {
        call: call("Bash", "toolu_1", json!({})),
        response: Value::Null,
    }];
    stage.send(&main, "PostToolBatch", EventKind::ToolBatch { calls });
    assert_eq!(open_calls(&stage), ["toolu_1 not_run", "toolu_2 open"]);
    let reach = stage.rows("SELECT reach FROM calls ORDER BY event");
    assert_eq!(reach, ["none", "-"], "what never ran wrote nothing");
    stage.prompts(&main, "next");
    assert_eq!(open_calls(&stage), ["toolu_1 not_run", "toolu_2 interrupted"]);
}

#[test]
fn one_call_id_of_two_agents_is_two_calls() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "x");
    let (first, second) = (
        stage.calls(&main, "Bash", "toolu_1", json!({})),
        stage.calls(&child, "Bash", "toolu_1", json!({})),
    );
    stage.returns(&main, "toolu_1");
    let id = ToolUseId::new("toolu_1");
    assert_eq!(calls::open(&stage.read(), first.actor.id, &id).unwrap(), None);
    assert!(
        calls::open(&stage.read(), second.actor.id, &id)
            .unwrap()
            .is_some()
    );
}

#[test]
fn turns_are_numbered_across_windows_and_say_how_they_ended() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    stage.prompts(&main, "one");
    stage.stops(&main);
    stage.prompts(&main, "two");
    stage.starts(&main, StartSource::Compact);
    let text = "<task-notification>".to_owned();
    let origin = PromptOrigin::Notification(BackgroundReport::default());
    stage.send(&main, "UserPromptSubmit", EventKind::Prompt { text, origin });
    stage.prompts(&main, "four");
    let told: Vec<String> = turns::list(&stage.read(), stage.actor(&main).id, 10)
        .unwrap()
        .into_iter()
        .map(|turn| {
            format!(
                "{} {} {} in {}",
                turn.number, turn.prompt, turn.state, turn.session
            )
        })
        .collect();
    assert_eq!(
        told,
        ["3 four open in 2", "2 two interrupted in 1", "1 one done in 1"]
    );
}

#[test]
fn windows_of_one_conversation_follow_each_other() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    stage.prompts(&main, "go");
    let compacted = stage.starts(&main, StartSource::Compact);
    stage.ends(&main, "other");
    let later = main.in_process(200, 9);
    let resumed = stage.starts(&later, StartSource::Resume);
    assert_eq!(
        windows(&stage),
        ["1 startup - compact", "2 compact 1 other", "3 resume 2 -"]
    );
    assert_eq!(resumed.session.0, 3);
    let of_event = stage.rows(&format!(
        "SELECT session_id FROM events WHERE seq = {}",
        compacted.seq
    ));
    assert_eq!(of_event, ["2"]);
}

#[test]
fn a_turn_goes_on_across_a_compaction_and_not_across_a_resume() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.starts(&main, StartSource::Compact);
    assert!(stage.actor(&main).turn_open);
    assert_eq!(open_calls(&stage), ["toolu_1 open"]);
    stage.starts(&main.in_process(200, 9), StartSource::Resume);
    assert!(!stage.actor(&main).turn_open);
    assert_eq!(open_calls(&stage), ["toolu_1 interrupted"]);
}

#[test]
fn clear_and_fork_go_on_from_the_last_conversation_of_their_process() {
    let mut stage = Stage::new();
    stage.starts(&main_of("aaaa").in_process(7, 7), StartSource::Startup);
    let main = main_of("bbbb");
    stage.starts(&main, StartSource::Startup);
    stage.agent_starts(&main.agent(ONE, "Explore"));
    stage.ends(&main, "clear");
    stage.starts(&main_of("cccc"), StartSource::Clear);
    stage.starts(&main_of("dddd").in_process(8, 8), StartSource::Fork);
    assert_eq!(
        windows(&stage),
        [
            "1 startup - -",
            "2 startup - clear",
            "3 unseen - -",
            "4 clear 2 -",
            "5 fork - -"
        ]
    );
    assert_eq!(stage.state(&main.agent(ONE, "Explore")), "live");
}

#[test]
fn a_window_whose_first_events_came_before_its_start_is_one_window() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let trigger = "init".to_owned();
    stage.send(&main, "Setup", EventKind::Setup { trigger });
    stage.starts(&main, StartSource::Startup);
    assert_eq!(windows(&stage), ["1 startup - -"]);
}

#[test]
fn a_session_seen_only_in_its_middle_has_a_window_of_its_own() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.starts(&main.in_process(200, 9), StartSource::Resume);
    assert_eq!(windows(&stage), ["1 unseen - resume", "2 resume 1 -"]);
}

#[test]
fn the_end_of_a_session_ends_all_of_it_unless_its_agents_outlive_it() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "Explore");
    stage.prompts(&main, "go");
    stage.calls(&main, "Bash", "toolu_1", json!({}));
    stage.agent_starts(&child);
    stage.calls(&child, "Bash", "toolu_2", json!({}));
    stage.ends(&main, "clear");
    assert_eq!(stage.state(&main), "ended clear");
    assert_eq!(stage.state(&child), "live");
    assert_eq!(open_calls(&stage), ["toolu_1 session_end", "toolu_2 open"]);

    stage.ends(&main, "prompt_input_exit");
    assert_eq!(stage.state(&child), "ended session_end");
    assert_eq!(open_calls(&stage), ["toolu_1 session_end", "toolu_2 session_end"]);
    assert_eq!(stage.rows("SELECT state FROM turns"), ["interrupted"]);
}

#[test]
fn a_process_that_is_gone_takes_everything_of_it_along() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let other = main_of("9999").in_process(300, 3);
    stage.prompts(&main, "go");
    stage.spawns(&main, "toolu_1", "Explore", true);
    stage.answered(&main, "toolu_1", ONE, SpawnResult::Launched);
    stage.calls(&main, "Bash", "toolu_2", json!({}));
    stage.starts(&other, StartSource::Startup);
    let live = sessions::live_processes(&stage.read()).unwrap();
    assert_eq!(live.len(), 2);

    let at = stage.now();
    let reused = main.in_process(100, 77).client;
    assert_eq!(stage.write(|db| sessions::close_lost(db, &reused, at)), 0);
    assert_eq!(stage.write(|db| sessions::close_lost(db, &main.client, at)), 2);
    assert_eq!(stage.state(&main), "lost process_gone");
    assert_eq!(stage.state(&main.agent(ONE, "Explore")), "lost process_gone");
    assert_eq!(stage.state(&other), "live");
    assert_eq!(open_calls(&stage), ["toolu_1 done", "toolu_2 interrupted"]);
    assert_eq!(stage.rows("SELECT state FROM turns"), ["interrupted"]);
    assert_eq!(sessions::live_processes(&stage.read()).unwrap().len(), 1);
}

#[test]
fn a_conversation_taken_over_by_another_process_is_not_lost_with_the_first() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    let later = main.in_process(200, 9);
    stage.calls(&later, "Bash", "toolu_1", json!({}));
    let at = stage.now();
    assert_eq!(stage.write(|db| sessions::close_lost(db, &main.client, at)), 0);
    assert_eq!(stage.state(&main), "live");
}

#[test]
fn others_are_the_live_ones_with_their_place_where_it_differs() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let near = main.agent(ONE, "Explore");
    let far = main_of("9999").in_worktree("/repo-linked");
    stage.spawns(&main, "toolu_1", "Explore", false);
    stage.agent_starts(&near);
    stage.agent_starts(&main.agent(TWO, "done"));
    stage.agent_stops(&main.agent(TWO, "done"));
    stage.starts(&far, StartSource::Startup);
    let sent = stage.prompts(&main, "go on");
    stage.agent_starts(&near);
    let seen = |stage: &Stage| -> Vec<String> {
        actors::others(&stage.read(), sent.project, sent.actor.id, stage.now())
            .unwrap()
            .into_iter()
            .map(|other| format!("{} {:?} {:?}", other.label, other.description, other.place))
            .collect()
    };
    assert_eq!(
        seen(&stage),
        [
            r#"Explore@a111 Some("task toolu_1") None"#,
            r#"main@9999 None Some("repo-linked")"#
        ]
    );
    stage.pass(25 * 60 * 60 * 1000);
    assert!(seen(&stage).is_empty());
}

#[test]
fn a_client_whose_agents_never_show_does_not_tell_them_apart() {
    let mut stage = Stage::new();
    let (good, bad) = (main_of("7c1e"), main_of("9999"));
    let indistinct = |stage: &Stage, who: &Who| sessions::is_indistinct(&stage.read(), &who.key).unwrap();
    stage.prompts(&good, "go");
    stage.spawns(&good, "toolu_1", "Explore", false);
    stage.agent_starts(&good.agent(ONE, "Explore"));
    stage.answered(&good, "toolu_1", ONE, SpawnResult::Completed);
    assert!(!indistinct(&stage, &good));
    stage.prompts(&bad, "go");
    stage.spawns(&bad, "toolu_1", "Explore", false);
    stage.answered(&bad, "toolu_1", TWO, SpawnResult::Completed);
    assert!(indistinct(&stage, &bad));
    assert!(indistinct(&stage, &bad.agent(TWO, "Explore")));
    assert!(!indistinct(&stage, &good));
    stage.starts(&bad, StartSource::Compact);
    assert!(indistinct(&stage, &bad), "the next window is of the same client");
}

#[test]
fn the_stop_of_an_agent_without_a_name_says_that_agents_have_none() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    stage.agent_stops(&main);
    assert!(sessions::is_indistinct(&stage.read(), &main.key).unwrap());
    assert_eq!(stage.state(&main), "live");
}

#[test]
fn a_call_is_found_after_it_was_closed_with_how_it_ended() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let id = ToolUseId::new("toolu_1");
    let sent = stage.calls(&main, "Edit", "toolu_1", json!({}));
    stage.prompts(&main, "stop that");
    stage.read().spent();
    let closed = calls::newest(&stage.read(), sent.actor.id, &id).unwrap().unwrap();
    assert_eq!(
        (closed.event, closed.how.as_deref()),
        (sent.seq, Some("interrupted"))
    );
    assert_eq!(stage.read().spent().scanned, 0);
    assert_eq!(
        calls::newest(&stage.read(), sent.actor.id, &ToolUseId::new("toolu_2")).unwrap(),
        None
    );
}
