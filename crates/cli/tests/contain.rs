//! A policy that panics or never comes back: the others still decide, the event says so, and there is always a daemon.
//! One that stands still is waited for in full once.
// Lets helpers fail as loudly as the tests they help.
#![cfg(test)]

use engine::policy::guard::pack::{FILES, read};
use std::time::{Duration, Instant};
use testkit::{World, eventually, process};

fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_toprope"))
}

const PANICKED: &str = r#"[{"policy":"rehearsal","cause":"panicked: rehearsed panic"}]"#;
const OVERRAN: &str = r#"[{"policy":"rehearsal","cause":"did not come back in time"}]"#;

fn degraded(world: &World) -> Vec<String> {
    world
        .database()
        .rows("SELECT degraded FROM events WHERE degraded IS NOT NULL")
}

/// Owes the agent a text, which another policy delivers with the next event.
fn owe(world: &World) {
    assert_eq!(world.agent("s1").runs("owe", "rehearse:owe a text").context(), "");
}

#[test]
fn a_policy_that_panics_is_silenced_and_the_others_still_decide() {
    let world = world();
    owe(&world);
    let daemon = world.daemons();
    let output = world.agent("s1").runs("t1", "rehearse:panic");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_eq!(output.context(), "rehearsed notice: a text");
    assert_eq!(degraded(&world), [PANICKED]);
    assert_eq!(world.daemons(), daemon, "the daemon lives");
    let log = fs_err::read_to_string(world.state().join("daemon.log")).unwrap();
    assert!(!log.contains("stumble"), "{log}");
}

#[test]
fn a_policy_that_panics_in_the_hooks_own_process_is_silenced_just_so() {
    let world = world().with("TOPROPE_DAEMON", "never");
    owe(&world);
    let output = world.agent("s1").runs("t1", "rehearse:panic");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_eq!(output.context(), "rehearsed notice: a text");
    assert_eq!(degraded(&world), [PANICKED]);
}

#[test]
fn a_policy_that_never_comes_back_is_given_up_and_a_new_daemon_takes_over() {
    let world = world();
    owe(&world);
    let lost = world.daemons()[0];
    let began = Instant::now();
    let output = world.agent("s1").runs("t1", "rehearse:loop");
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_eq!(output.context(), "rehearsed notice: a text");
    assert_eq!(degraded(&world), [OVERRAN]);
    eventually("the daemon with the lost thread leaves", || {
        (!world.daemons().contains(&lost)).then_some(())
    });
    let output = world.agent("s1").runs("t2", "rehearse:deny again");
    assert_eq!(output.denial().as_deref(), Some("rehearsed denial: again"));
    assert_eq!(world.daemons().len(), 1, "and a new one serves");
}

#[test]
fn a_policy_that_never_comes_back_in_the_hooks_own_process_is_given_up_too() {
    let world = world().with("TOPROPE_DAEMON", "never");
    owe(&world);
    let output = world.agent("s1").runs("t1", "rehearse:loop");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_eq!(output.context(), "rehearsed notice: a text");
    assert_eq!(degraded(&world), [OVERRAN]);
}

#[test]
fn others_are_answered_while_a_policy_is_stuck() {
    let world = world();
    owe(&world);
    std::thread::scope(|scope| {
        let stuck = scope.spawn(|| world.agent("s1").runs("t1", "rehearse:loop"));
        let others: Vec<_> = (0..8)
            .map(|number| {
                let world = &world;
                scope.spawn(move || {
                    world
                        .agent(&format!("other-{number}"))
                        .runs("t", &format!("rehearse:deny {number}"))
                })
            })
            .collect();
        for (number, other) in others.into_iter().enumerate() {
            assert_eq!(
                other.join().unwrap().denial(),
                Some(format!("rehearsed denial: {number}"))
            );
        }
        assert_eq!(stuck.join().unwrap().code, Some(0));
    });
    assert_eq!(world.database().number("SELECT count(*) FROM events"), 10);
    assert_eq!(degraded(&world), [OVERRAN]);
}

#[test]
fn what_was_degraded_can_be_seen() {
    let world = world();
    world.agent("s1").runs("t1", "rehearse:panic");
    let event = world
        .database()
        .number("SELECT seq FROM events WHERE degraded IS NOT NULL");
    let why = world.toprope(&["why", &event.to_string()]).ok();
    assert!(why.contains("rehearsed panic"), "{why}");
    let status = world.toprope(&["status", "--json"]).json().unwrap();
    let counters = status["state"]["counters"].as_array().unwrap().clone();
    let counted = counters
        .iter()
        .find(|counter| counter["name"] == "degraded")
        .unwrap();
    assert_eq!(
        (&counted["count"], &counted["last"]),
        (&1.into(), &"`rehearsal` panicked: rehearsed panic".into())
    );
}

#[test]
fn a_rule_of_the_guard_that_panics_is_answered_with_a_question_or_a_denial_whichever_it_is() {
    let mut world = world();
    world.toprope(&["config", "set", "profile", "strict"]).ok();
    let rules: Vec<_> = FILES
        .iter()
        .flat_map(|(name, text)| read(name, text).rules)
        .collect();
    for (watched, answer) in [("1", "ask"), ("0", "deny")] {
        world.set("CLAUDE_CODE_SESSION_ATTENDED", watched);
        for rule in &rules {
            let command = format!("{}\n# rehearse:fault {}", rule.hits[0], rule.id);
            let output = world.agent("s1").runs(&format!("{answer} {}", rule.id), &command);
            assert_eq!(
                (output.code, output.stderr.as_str()),
                (Some(0), ""),
                "{}",
                rule.id
            );
            let said = output.json().expect("one JSON object");
            let said = &said["hookSpecificOutput"];
            assert_eq!(said["hookEventName"], "PreToolUse", "{}", rule.id);
            assert_eq!(said["permissionDecision"], answer, "{}", rule.id);
        }
    }
    let failed = "SELECT count(*) FROM events WHERE degraded LIKE '%panicked: rehearsed fault in %'";
    let failed = usize::try_from(world.database().number(failed)).expect("a number");
    assert_eq!(
        failed,
        rules.len() * 2,
        "each failed, and none for another reason"
    );
}

#[test]
fn a_daemon_that_stands_still_is_remembered_until_it_answers() {
    let world = world().with("TOPROPE_DEADLINE_MS", "300");
    let daemon = world.start_daemon(&[]);
    let mark = world.state().join("daemon.silent");
    let agent = world.agent("s1");
    agent.is_asked("one").ok();
    assert!(!mark.exists());

    process::pause(daemon);
    agent.is_asked("two").ok();
    assert!(mark.exists());
    agent.is_asked("three").ok();

    process::go_on(daemon);
    eventually("it answers again", || {
        agent.is_asked("four").ok();
        (!mark.exists()).then_some(())
    });
    for prompt in ["one", "two", "three"] {
        let recorded =
            format!("SELECT count(*) FROM payloads WHERE CAST(body AS TEXT) LIKE '%\"{prompt}\"%'");
        assert_eq!(world.database().number(&recorded), 1, "{prompt}");
    }
    assert_eq!(world.daemons(), [daemon]);
}
