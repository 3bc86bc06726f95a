//! Who has a file, and until when.

use crate::leases::{self, TakeResult};
use crate::stage::{Stage, main_of};
use crate::tokens::{self, Bearer};
use crate::{calls, sessions};
use engine::event::StartSource;
use engine::lease::EndReason;

const ONE: &str = "a1110000000000001";
const TWO: &str = "a2220000000000002";

#[test]
fn a_file_has_one_writer_however_often_it_writes() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e").agent(ONE, "x"), main_of("7c1e").agent(TWO, "x"));
    assert!(matches!(
        stage.writes(&one, "toolu_1", "a.rs"),
        TakeResult::New(_)
    ));
    assert!(matches!(
        stage.writes(&one, "toolu_2", "a.rs"),
        TakeResult::Again(_)
    ));
    let TakeResult::Held(lease) = stage.edits(&two, "toolu_3", "a.rs") else {
        panic!("it was free");
    };
    assert_eq!(lease.holder(), stage.actor(&one).id);
    assert_eq!(stage.held(), ["a.rs x@a111 2"]);
}

#[test]
fn one_file_under_two_names_is_one_lease() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    let sent = stage.calls(&one, "Edit", "toolu_1", serde_json::json!({}));
    let other = stage.calls(&two, "Edit", "toolu_1", serde_json::json!({}));
    let linked = |path: &str| engine::lease::FileKey {
        file_id: Some("1:77".to_owned()),
        ..stage.file(path)
    };
    let (a, b) = (linked("a.rs"), linked("b.rs"));
    let (taking, others) = (stage.taking(&sent), stage.taking(&other));
    let again = stage.write(|db| {
        leases::take(db, &taking, &a)?;
        assert!(matches!(leases::take(db, &others, &b)?, TakeResult::Held(_)));
        leases::take(db, &taking, &b)
    });
    assert!(matches!(again, TakeResult::Again(_)));
    assert_eq!(stage.held(), ["a.rs main@7c1e 0"]);
}

#[test]
fn paths_outside_every_worktree_and_in_others_are_files_of_their_own() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999").in_worktree("/linked"));
    let (sent, other) = (stage.prompts(&one, "go"), stage.prompts(&two, "go"));
    let mut outside = stage.file("/tmp/a.rs");
    outside.worktree = None;
    let mut linked = stage.file("a.rs");
    linked.worktree = Some(other.worktree);
    let near = stage.file("a.rs");
    let (mine, theirs) = (stage.taking(&sent), stage.taking(&other));
    stage.write(|db| {
        assert!(matches!(leases::take(db, &mine, &near)?, TakeResult::New(_)));
        assert!(matches!(leases::take(db, &theirs, &linked)?, TakeResult::New(_)));
        assert!(matches!(leases::take(db, &mine, &outside)?, TakeResult::New(_)));
        assert!(matches!(
            leases::take(db, &theirs, &outside)?,
            TakeResult::Held(_)
        ));
        let elsewhere = leases::elsewhere(db, sent.project, &near, 5)?;
        assert_eq!(elsewhere.len(), 1);
        assert_eq!(elsewhere[0].owner, other.actor.id);
        Ok(())
    });
}

#[test]
fn a_double_grant_is_impossible_even_for_a_wrong_decision() {
    let mut stage = Stage::new();
    stage.writes(&main_of("7c1e"), "toolu_1", "a.rs");
    let twice = stage.read().connection().execute(
        "INSERT INTO leases (worktree_id, kind, path, actor_id, taken_at, touched_at) VALUES (1, 'edit', 'a.rs', 1, 1, 1)",
        [],
    );
    assert!(twice.unwrap_err().to_string().contains("UNIQUE"));
}

#[test]
fn a_call_that_wrote_nothing_leaves_nothing_behind() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.edits(&main, "toolu_1", "failed.rs");
    stage.fails(&main, "toolu_1");
    stage.edits(&main, "toolu_2", "refused.rs");
    stage.is_refused(&main, "toolu_2");
    stage.edits(&main, "toolu_3", "declined.rs");
    stage.batches(&main);
    assert_eq!(
        stage.over(),
        [
            "failed.rs main@7c1e no_write",
            "refused.rs main@7c1e no_write",
            "declined.rs main@7c1e no_write"
        ]
    );
}

#[test]
fn a_failure_after_a_write_leaves_the_file_with_its_writer() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.edits(&main, "toolu_2", "a.rs");
    stage.fails(&main, "toolu_2");
    assert_eq!(stage.held(), ["a.rs main@7c1e 1"]);
}

#[test]
fn while_a_person_decides_nothing_expires() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.edits(&main, "toolu_1", "a.rs");
    stage.pass(30 * 60_000);
    stage.settles("a.rs");
    assert_eq!(stage.held(), ["a.rs main@7c1e 0"]);
    stage.pass(4 * 3_600_000);
    stage.settles("a.rs");
    assert_eq!(stage.over(), ["a.rs main@7c1e expired"]);
}

#[test]
fn a_prompt_frees_what_an_interrupted_call_held_and_keeps_what_was_written() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    stage.writes(&main, "toolu_1", "written.rs");
    stage.edits(&main, "toolu_2", "unwritten.rs");
    stage.prompts(&main, "something else");
    assert_eq!(stage.held(), ["written.rs main@7c1e 1"]);
    assert_eq!(stage.over(), ["unwritten.rs main@7c1e interrupted"]);
    stage.stops(&main);
    assert_eq!(stage.held(), Vec::<String>::new());
}

#[test]
fn a_late_report_of_an_interrupted_write_takes_the_file_again_if_it_is_free() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    stage.prompts(&main, "go");
    stage.edits(&main, "toolu_1", "free.rs");
    stage.edits(&main, "toolu_2", "taken.rs");
    stage.prompts(&main, "something else");
    stage.writes(&other, "toolu_1", "taken.rs");
    let sent = stage.returns(&main, "toolu_1");
    let id = engine::id::ToolUseId::new("toolu_1");
    let late = calls::newest(&stage.read(), sent.actor.id, &id).unwrap().unwrap();
    assert_eq!(late.how.as_deref(), Some("interrupted"));
    let over = leases::Taking {
        call: None,
        ..stage.taking(&sent)
    };
    let (free, taken, at) = (stage.file("free.rs"), stage.file("taken.rs"), stage.moment());
    stage.write(|db| {
        let TakeResult::New(lease) = leases::take(db, &over, &free)? else {
            panic!("it is held");
        };
        leases::wrote(db, lease, at)?;
        assert!(matches!(leases::take(db, &over, &taken)?, TakeResult::Held(_)));
        Ok(())
    });
    assert_eq!(stage.held(), ["free.rs main@7c1e 1", "taken.rs main@9999 1"]);
}

#[test]
fn a_client_that_waits_for_the_person_holds_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    let kind = engine::event::EventKind::Notification {
        kind: "idle_prompt".to_owned(),
        message: String::new(),
    };
    stage.send(&main, "Notification", kind);
    assert_eq!(stage.over(), ["a.rs main@7c1e turn_end"]);
}

#[test]
fn a_stop_frees_the_main_threads_files_and_no_childs() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "x");
    stage.writes(&main, "toolu_1", "main.rs");
    stage.writes(&child, "toolu_2", "child.rs");
    stage.stops_beside(&main, &[ONE]);
    assert_eq!(stage.held(), ["child.rs x@a111 1"]);
    stage.agent_stops(&child);
    assert_eq!(
        stage.over(),
        ["main.rs main@7c1e turn_end", "child.rs x@a111 actor_end"]
    );
}

#[test]
fn where_the_settings_say_so_a_main_thread_keeps_its_files_past_its_turn() {
    let mut stage = Stage::new();
    stage.terms.past_turn = true;
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.stops(&main);
    assert_eq!(stage.held(), ["a.rs main@7c1e 1"]);
    stage.ends(&main, "other");
    assert_eq!(stage.over(), ["a.rs main@7c1e session_end"]);
}

#[test]
fn a_teammate_that_idles_holds_nothing_whatever_a_main_thread_may_keep() {
    let mut stage = Stage::new();
    stage.terms.past_turn = true;
    let mate = main_of("7c1e").agent("areviewer-91c0ffee00112233", "reviewer");
    stage.writes(&mate, "toolu_1", "a.rs");
    let teammate = "reviewer".to_owned();
    stage.send(
        &mate,
        "TeammateIdle",
        engine::event::EventKind::TeammateIdle { teammate },
    );
    assert_eq!(stage.over(), ["a.rs reviewer@91c0 turn_end"]);
    assert_eq!(stage.state(&mate), "live");
}

#[test]
fn a_cleared_conversation_frees_the_main_threads_files_and_not_its_agents() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "x");
    stage.writes(&main, "toolu_1", "main.rs");
    stage.writes(&child, "toolu_2", "child.rs");
    stage.ends(&main, "clear");
    assert_eq!(stage.held(), ["child.rs x@a111 1"]);
    stage.ends(&main, "other");
    assert_eq!(
        stage.over(),
        ["main.rs main@7c1e session_end", "child.rs x@a111 session_end"]
    );
}

#[test]
fn a_process_that_is_gone_holds_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "main.rs");
    stage.edits(&main.agent(ONE, "x"), "toolu_2", "child.rs");
    let now = stage.hour();
    stage.write(|db| sessions::close_lost(db, &main.client, now));
    assert_eq!(
        stage.over(),
        ["main.rs main@7c1e process_gone", "child.rs x@a111 interrupted"]
    );
}

#[test]
fn who_was_cut_off_and_comes_back_finds_its_file_unless_another_took_it() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999").in_process(7, 7));
    stage.writes(&main, "toolu_1", "free.rs");
    stage.writes(&main, "toolu_2", "taken.rs");
    let now = stage.hour();
    stage.write(|db| sessions::close_lost(db, &main.client, now));
    stage.writes(&other, "toolu_1", "taken.rs");
    stage.stops(&other);
    stage.calls(&main, "Read", "toolu_3", serde_json::json!({}));
    assert_eq!(stage.held(), ["free.rs main@7c1e 1"]);
}

#[test]
fn who_comes_back_finds_nothing_that_was_promised_to_another() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999").in_process(7, 7));
    stage.writes(&main, "toolu_1", "a.rs");
    stage.prompts(&other, "go");
    stage.waits(&other, "a.rs");
    let now = stage.hour();
    stage.write(|db| sessions::close_lost(db, &main.client, now));
    stage.calls(&main, "Read", "toolu_2", serde_json::json!({}));
    assert_eq!(stage.held(), Vec::<String>::new());
    assert_eq!(stage.line(), ["a.rs main@9999 offered"]);
}

#[test]
fn who_stopped_and_is_revived_has_nothing() {
    let mut stage = Stage::new();
    let child = main_of("7c1e").agent(ONE, "x");
    stage.writes(&child, "toolu_1", "a.rs");
    stage.agent_stops(&child);
    stage.agent_starts(&child);
    assert_eq!(stage.held(), Vec::<String>::new());
    assert!(matches!(
        stage.writes(&child, "toolu_2", "a.rs"),
        TakeResult::New(_)
    ));
}

#[test]
fn a_helper_that_was_never_started_ends_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let unannounced = main.agent(ONE, "");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.writes(&unannounced, "toolu_2", "b.rs");
    stage.agent_stops(&main.agent(TWO, ""));
    assert_eq!(stage.held(), ["a.rs main@7c1e 1", "b.rs agent@a111 1"]);
}

#[test]
fn a_session_that_was_killed_and_is_resumed_holds_what_it_wrote_until_it_stops() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    stage.writes(&main, "toolu_1", "written.rs");
    stage.edits(&main, "toolu_2", "wanted.rs");
    let now = stage.hour();
    stage.write(|db| sessions::close_lost(db, &main.client, now));
    assert_eq!(stage.held(), Vec::<String>::new());
    let main = main.in_process(9, 9);
    stage.starts(&main, StartSource::Resume);
    assert_eq!(stage.held(), ["written.rs main@7c1e 1"]);
    stage.prompts(&main, "go on");
    assert_eq!(stage.held(), ["written.rs main@7c1e 1"]);
    stage.stops(&main);
    assert_eq!(stage.held(), Vec::<String>::new());
}

#[test]
fn a_session_that_is_resumed_waits_for_nothing_and_gets_nothing_that_others_took() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999").in_process(7, 7));
    stage.writes(&main, "toolu_1", "mine.rs");
    stage.writes(&other, "toolu_2", "theirs.rs");
    stage.waits(&main, "theirs.rs");
    // Nobody noticed that the process was gone.
    stage.starts(&main.in_process(9, 9), StartSource::Resume);
    assert_eq!(stage.held(), ["mine.rs main@7c1e 1", "theirs.rs main@9999 1"]);
    assert_eq!(stage.line(), ["theirs.rs main@7c1e remembered"]);
}

#[test]
fn a_session_that_starts_anew_holds_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.starts(&main, StartSource::Compact);
    assert_eq!(
        stage.held(),
        ["a.rs main@7c1e 1"],
        "a turn goes on across a compaction"
    );
    stage.starts(&main.in_process(9, 9), StartSource::Startup);
    assert_eq!(stage.over(), ["a.rs main@7c1e turn_end"]);
}

#[test]
fn a_call_made_anew_keeps_what_its_first_try_took() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.edits(&main, "toolu_1", "a.rs");
    assert!(matches!(
        stage.edits(&main, "toolu_1", "a.rs"),
        TakeResult::Again(_)
    ));
    stage.fails(&main, "toolu_1");
    assert_eq!(stage.over(), ["a.rs main@7c1e no_write"]);
}

#[test]
fn a_call_made_anew_and_refused_leaves_nothing_of_its_first_try() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.edits(&main, "toolu_1", "a.rs");
    stage.calls(&main, "Edit", "toolu_1", serde_json::json!({}));
    assert_eq!(stage.held(), ["a.rs main@7c1e 0"]);
    stage.is_refused(&main, "toolu_1");
    assert_eq!(stage.over(), ["a.rs main@7c1e no_write"]);
}

#[test]
fn one_call_id_of_two_agents_holds_two_files() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e").agent(ONE, "x"), main_of("7c1e").agent(TWO, "x"));
    stage.edits(&one, "toolu_1", "one.rs");
    stage.edits(&two, "toolu_1", "two.rs");
    stage.fails(&one, "toolu_1");
    assert_eq!(stage.held(), ["two.rs x@a222 0"]);
}

#[test]
fn a_command_that_goes_on_in_the_background_keeps_its_files_until_the_turn_ends() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let TakeResult::New(lease) = stage.edits(&main, "toolu_1", "a.rs") else {
        panic!("it was free");
    };
    stage.write(|db| leases::go_on_in_background(db, lease));
    stage.returns(&main, "toolu_1");
    assert_eq!(stage.held(), ["a.rs main@7c1e 0"]);
    stage.stops(&main);
    assert_eq!(stage.over(), ["a.rs main@7c1e turn_end"]);
}

#[test]
fn a_failing_call_does_not_free_what_a_command_in_the_background_may_still_write() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let TakeResult::New(lease) = stage.edits(&main, "toolu_1", "background.rs") else {
        panic!("it was free");
    };
    stage.write(|db| leases::go_on_in_background(db, lease));
    stage.returns(&main, "toolu_1");
    stage.edits(&main, "toolu_2", "background.rs");
    stage.fails(&main, "toolu_2");
    stage.edits(&main, "toolu_3", "alone.rs");
    stage.fails(&main, "toolu_3");
    assert_eq!(stage.held(), ["background.rs main@7c1e 0"]);
    stage.stops(&main);
    assert_eq!(stage.held(), [""; 0]);
}

#[test]
fn a_command_that_changes_everything_has_the_worktree_until_it_ends() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    assert!(matches!(stage.overruns(&main, "toolu_1"), TakeResult::New(_)));
    assert!(matches!(stage.overruns(&other, "toolu_1"), TakeResult::Held(_)));
    let TakeResult::Held(everything) = stage.edits(&other, "toolu_2", "a.rs") else {
        panic!("it was free");
    };
    assert!(everything.is_everything());
    assert_eq!(everything.reason.as_deref(), Some("git stash"));
    assert!(matches!(
        stage.edits(&main, "toolu_3", "a.rs"),
        TakeResult::New(_)
    ));
    stage.returns(&main, "toolu_1");
    assert_eq!(stage.over(), ["** main@7c1e released"]);
}

#[test]
fn a_file_may_be_called_like_the_pattern_for_everything() {
    let mut stage = Stage::new();
    let (main, other) = (main_of("7c1e"), main_of("9999"));
    assert!(matches!(stage.writes(&main, "toolu_1", "**"), TakeResult::New(_)));
    assert!(matches!(
        stage.edits(&other, "toolu_1", "a.rs"),
        TakeResult::New(_)
    ));
    assert!(matches!(stage.overruns(&main, "toolu_2"), TakeResult::New(_)));
    stage.returns(&main, "toolu_2");
    assert_eq!(stage.held(), ["** main@7c1e 1", "a.rs main@9999 0"]);
}

#[test]
fn the_last_holder_of_a_free_file_is_known_with_how_it_ended() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    let key = stage.file("a.rs");
    assert_eq!(leases::newest_ended(&stage.read(), &key).unwrap(), None);
    let now = stage.hour();
    stage.write(|db| sessions::close_lost(db, &main.client, now));
    let left = leases::newest_ended(&stage.read(), &key).unwrap().unwrap();
    assert_eq!(left.ended, Some((stage.now(), EndReason::ProcessGone)));
}

#[test]
fn a_token_speaks_for_its_call_until_that_is_closed() {
    let mut stage = Stage::new();
    let child = main_of("7c1e").agent(ONE, "x");
    let sent = stage.calls(&child, "Bash", "toolu_1", serde_json::json!({}));
    let (bearer, at) = (
        Bearer {
            actor: sent.actor.id,
            call: sent.seq,
        },
        stage.moment(),
    );
    stage.write(|db| tokens::issue(db, "5f0c", bearer, at));
    assert_eq!(tokens::bearer(&stage.read(), "5f0c").unwrap(), Some(bearer));
    assert_eq!(tokens::bearer(&stage.read(), "5f0d").unwrap(), None);
    assert!(!stage.rows("SELECT hex(token) FROM call_tokens")[0].contains("35663063"));
    stage.returns(&child, "toolu_1");
    assert_eq!(tokens::bearer(&stage.read(), "5f0c").unwrap(), None);
}

#[test]
fn a_token_of_a_command_in_the_background_is_good_until_its_turn_ends() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let child = main.agent(ONE, "x");
    for (who, token) in [(&main, "5f0c"), (&child, "5f0d")] {
        let sent = stage.calls(who, "Bash", "toolu_1", serde_json::json!({}));
        let (actor, at) = (sent.actor.id, stage.moment());
        let bearer = Bearer {
            actor,
            call: sent.seq,
        };
        stage.write(|db| tokens::issue(db, token, bearer, at));
        stage.returns(who, "toolu_1");
        let id = engine::id::ToolUseId::new("toolu_1");
        stage.write(|db| tokens::go_on_in_background(db, actor, &id));
    }
    let is_good = |stage: &Stage, token| tokens::bearer(&stage.read(), token).unwrap().is_some();
    assert_eq!((is_good(&stage, "5f0c"), is_good(&stage, "5f0d")), (true, true));
    stage.stops(&main);
    assert_eq!((is_good(&stage, "5f0c"), is_good(&stage, "5f0d")), (false, true));
    stage.agent_stops(&child);
    assert!(!is_good(&stage, "5f0d"));
}

#[test]
fn what_a_person_interrupted_does_not_come_back_however_long_its_agent_thinks() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.edits(&main, "toolu_1", "a.rs");
    stage.prompts(&main, "no, something else");
    assert_eq!(stage.over(), ["a.rs main@7c1e interrupted"]);
    stage.pass(120_000);
    stage.calls(&main, "Read", "toolu_2", serde_json::json!({}));
    assert_eq!(stage.held(), [""; 0]);
}
