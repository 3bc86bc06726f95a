//! Killed at any step of a checkpoint: the line is right, what was not recorded is brought back from the commits, and
//! nothing is there twice.

use crate::oracle::{assert_sound, git, kinds, shadow};
use crate::world;
use testkit::{World, eventually, process};

/// A session in which a path changes hands within a step, which leases would not allow, a command writes, and the
/// conversation ends after its turn. After every step all that was left to do is done, by a new daemon if the one before died over it.
fn session(world: &World) {
    world.has_settings("[lease]\nmode = 'off'\n");
    let main = world.agent("s1");
    let helper = main.subagent("a3f2", "general-purpose");
    let settle = || {
        eventually("all jobs are done", || {
            if world.daemons().is_empty() {
                world.toprope(&["daemon", "start"]);
            }
            world.is_settled().then_some(())
        });
    };
    world.write("notes.md", "mine\n");
    main.is_asked("Build it").ok();
    settle();
    helper.begins().ok();
    settle();
    let first = main.is_about_to_write("a.txt", "main\n");
    first.does_write("main\n");
    first.ends(&serde_json::json!({})).ok();
    let file = world.repo().join("a.txt");
    let reading = helper.call("Read", &serde_json::json!({ "file_path": file }));
    reading.begins().ok();
    reading.ends(&serde_json::json!({ "type": "text" })).ok();
    let second = helper.is_about_to_write("a.txt", "helper\n");
    second.does_write("helper\n");
    second.ends(&serde_json::json!({})).ok();
    second.ends_step().ok();
    settle();
    helper.ends().ok();
    settle();
    main.shell("echo made > made.txt; echo more > notes.md");
    settle();
    main.stops().ok();
    settle();
    main.writes_transcript("Build it", "msg_1");
    main.is_asked("And now?").ok();
    settle();
    main.stops().ok();
    settle();
}

/// Everything that must come out the same, however often somebody died on the way.
fn story(world: &World) -> Vec<String> {
    let database = world.database();
    let mut story = database.rows(
        "SELECT kind, turn, checkpoints.label, agent_id, files_tree, added, modified, deleted, sequence, point, summary,
             sealed_commit IS NOT NULL FROM checkpoints LEFT JOIN actors ON actors.id = actor_id ORDER BY checkpoints.seq",
    );
    story.extend(database.rows(
        "SELECT path, change, origin, agent_id, before_id, after_id FROM checkpoint_files
             LEFT JOIN actors ON actors.id = actor_id ORDER BY checkpoint_files.id",
    ));
    story.extend(
        database.rows(
            "SELECT number, state, summary, checkpoint_id IS NOT NULL, sealed FROM turns ORDER BY number",
        ),
    );
    story.extend(database.rows("SELECT message_id, output FROM usage"));
    story.extend(database.rows("SELECT path, consumed_by IS NULL FROM touches ORDER BY id"));
    story.extend(database.rows("SELECT kind, key, state FROM jobs WHERE state = 'failed'"));
    story
}

/// Lives through the session once for every time the point is passed, and dies there.
#[track_caller]
fn dies_at(point: &str, least: usize) {
    let calm = world();
    session(&calm);
    let expected = story(&calm);
    assert_sound(&calm);
    let mut deaths = 0;
    loop {
        let world = world();
        let fault = format!("{point}:{}", deaths + 1);
        let daemon = world.start_daemon(&[("TOPROPE_FAULT", &fault)]);
        session(&world);
        assert_eq!(story(&world), expected, "{fault}");
        assert_sound(&world);
        if process::is_alive(daemon) {
            break;
        }
        deaths += 1;
    }
    assert!(deaths >= least, "only {deaths} deaths at {point}");
}

#[test]
fn before_the_commit_is_written() {
    dies_at("checkpoint-written", 6);
}

#[test]
fn between_the_commit_and_the_line() {
    dies_at("checkpoint-committed", 6);
}

#[test]
fn between_the_line_and_the_row() {
    dies_at("checkpoint-on-line", 6);
}

#[test]
fn between_the_row_and_the_end_of_the_job() {
    dies_at("checkpoint-recorded", 5);
}

#[test]
fn between_two_checkpoints_of_one_cut() {
    dies_at("between-recorded", 1);
}

#[test]
fn while_the_end_of_a_conversation_is_added() {
    for point in ["seal-committed", "seal-on-line", "seal-recorded"] {
        dies_at(point, 1);
    }
}

#[test]
fn over_any_job() {
    dies_at("worktree-job-taken", 12);
}

#[test]
fn rows_that_are_lost_are_brought_back_from_the_commits() {
    let world = world();
    session(&world);
    let before = story(&world);
    let database = world.database();
    database.run("PRAGMA foreign_keys = OFF");
    database.run(
        "DELETE FROM checkpoint_files WHERE checkpoint_seq > 2; DELETE FROM checkpoints WHERE seq > 2;
         UPDATE turns SET checkpoint_id = NULL, summary = NULL WHERE number = 1; UPDATE touches SET consumed_by = NULL",
    );
    world.agent("s1").is_asked("Once more").ok();
    world.settled();
    let mut after = story(&world);
    after.retain(|row| !row.starts_with("3|"));
    assert_eq!(after, before);
    assert_sound(&world);
}

#[test]
fn a_conversation_that_is_damaged_leaves_the_others_alone() {
    let world = world();
    session(&world);
    let all = kinds(&world);
    let page = git(
        &world,
        &[
            "rev-parse",
            "--verify",
            &format!("{}:session/metadata.json", commit_of(&world, "agent-stop")),
        ],
    );
    let (folder, rest) = page.split_at(2);
    let object = shadow(&world).join("objects").join(folder).join(rest);
    fs_err::remove_file(&object).unwrap();
    fs_err::write(&object, "no object").unwrap();
    let database = world.database();
    database.run("PRAGMA foreign_keys = OFF; DELETE FROM checkpoint_files; DELETE FROM checkpoints");
    let agent = world.agent("s1");
    agent.is_asked("Once more").ok();
    world.settled();
    agent.writes("b.txt", "b\n");
    world.settled();
    let mut expected: Vec<String> = all.into_iter().filter(|kind| kind != "agent-stop").collect();
    expected.push("step".to_owned());
    assert_eq!(kinds(&world), expected);
}

fn commit_of(world: &World, kind: &str) -> String {
    let rows = world.database().rows(&format!(
        "SELECT commit_id FROM checkpoints WHERE kind = '{kind}'"
    ));
    rows.into_iter().next().unwrap()
}
