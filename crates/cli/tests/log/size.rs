//! The log keeps to its size while agents work, and `toprope doctor` looks at a big one as quickly as at a small one.

use crate::SESSION;
use std::path::{Path, PathBuf};
use testkit::{World, eventually};

const MIB: u64 = 1024 * 1024;

fn length(path: &Path) -> u64 {
    fs_err::metadata(path).map_or(0, |found| found.len())
}

fn write_ahead_log(world: &World) -> PathBuf {
    let mut log = world.database_file().into_os_string();
    log.push("-wal");
    log.into()
}

/// Bytes of the database that are not free.
fn used(world: &World) -> u64 {
    let number = |name: &str| world.database().number(&format!("PRAGMA {name}"));
    let pages = number("page_count") - number("freelist_count");
    u64::try_from(pages * number("page_size")).unwrap_or_default()
}

/// Adds so many thousand events of today, each with a payload of three kilobytes.
fn fill(world: &World, thousands: u32) {
    let database = world.database();
    for _ in 0..thousands {
        database.run(
            "BEGIN;
             INSERT INTO events (seq, at, project_id, actor_id, event, delivery)
                 WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                 SELECT top.seq + i, top.at, top.project_id, top.actor_id, 'Noise', 'noise' || (top.seq + i)
                 FROM n, (SELECT seq, at, project_id, actor_id FROM events ORDER BY seq DESC LIMIT 1) AS top;
             INSERT INTO payloads (event, form, length, head, body)
                 SELECT seq, 'raw', 3000, 0, zeroblob(3000) FROM events
                 WHERE event = 'Noise' AND seq NOT IN (SELECT event FROM payloads);
             COMMIT;",
        );
    }
}

#[test]
fn a_log_that_grows_too_big_in_the_middle_of_a_session_loses_its_oldest_payloads() {
    let world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world.toprope(&["config", "set", "log.max_mib", "16"]).ok();
    let agent = world.agent(SESSION);
    agent.starts().ok();
    agent.is_asked("begin").ok();
    world.settled();
    fill(&world, 10);
    assert!(used(&world) > 30 * MIB);
    let mut longest = 0;
    let mut prompts = 0;
    eventually("the log is within its size", || {
        prompts += 1;
        agent.is_asked(&format!("prompt {prompts}")).ok();
        longest = longest.max(length(&write_ahead_log(&world)));
        (used(&world) <= 16 * MIB).then_some(())
    });
    assert!(longest < 64 * MIB, "{longest} bytes of log");
    let left = "SELECT count(*) FROM events WHERE event = 'Noise'";
    assert_eq!(
        world.database().number(left),
        10_000,
        "lines stay longer than payloads"
    );
    let newest = "SELECT count(*) FROM payloads WHERE event = (SELECT max(event) FROM payloads)";
    assert_eq!(world.database().number(newest), 1);

    let before = length(&world.database_file());
    let doctor = world.toprope(&["doctor", "--compact"]);
    assert!(
        doctor.stdout.starts_with("fixed database: returned "),
        "{}",
        doctor.whole()
    );
    let after = length(&world.database_file());
    assert!(before > 30 * MIB && after < 18 * MIB, "{before} to {after}");
    assert_eq!(world.database().damage(), Vec::<String>::new());
    agent.is_asked("and it goes on").ok();
}

#[test]
fn doctor_looks_at_a_sample_of_a_big_database_unless_asked_for_all() {
    let world = crate::without_daemon();
    world.agent(SESSION).is_asked("begin").ok();
    let line = |arguments: &[&str]| {
        let doctor = world.toprope(arguments).stdout;
        let line = doctor.lines().find(|line| line.contains("  database  "));
        line.unwrap_or_default().to_owned()
    };
    assert!(line(&["doctor"]).contains("sound, "), "{}", line(&["doctor"]));
    fill(&world, 12);
    let sampled = line(&["doctor"]);
    assert!(
        sampled.contains("no damage in a sample of ")
            && sampled.ends_with("`toprope doctor --deep` checks all of it"),
        "{sampled}"
    );
    assert!(line(&["doctor", "--deep"]).contains("sound, "));
    let events = world.toprope(&["doctor"]).stdout;
    assert!(events.contains("2 kinds of events, in 1 session"), "{events}");
}
