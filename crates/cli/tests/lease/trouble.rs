//! Processes that are gone, and a database that cannot be read.

use crate::{OTHER, SESSION, denied, runs, world};
use serde_json::json;
use testkit::{Agent, World, eventually};

/// A third session.
const THIRD: &str = "ef53c0de-0000-4000-8000-000000000003";

/// Puts something else in the place of the database.
fn damage(world: &World) {
    fs_err::write(world.database_file(), b"this is no database, and never was one").expect("a file");
    for name in ["-wal", "-shm"] {
        let mut path = world.database_file().into_os_string();
        path.push(name);
        let _ = fs_err::remove_file(path);
    }
}

#[test]
fn the_files_of_a_killed_agent_are_free_at_the_next_conflict_and_the_next_writer_is_told() {
    let mut world = world();
    let one = world.agent(SESSION);
    one.starts().ok();
    one.is_asked("Go on.").ok();
    one.writes("src/parser.rs", "two\n");
    world.restart_client();
    let two = world.agent(OTHER);
    two.starts().ok();
    two.is_asked("Go on.").ok();
    let file = world.repo().join("src/parser.rs");
    let input = json!({ "file_path": file, "old_string": "a", "new_string": "b" });
    let taken = two.before("toolu_1", "Edit", &input);
    assert_eq!(taken.denial(), None);
    assert!(
        taken
            .context()
            .contains("main@ab31 stopped in the middle of src/parser.rs"),
        "{}",
        taken.whole()
    );
}

#[test]
fn what_a_killed_agent_had_reserved_is_free_at_the_next_conflict() {
    for wanted in ["a file", "a folder", "the whole tree"] {
        let mut world = world();
        let one = world.agent(SESSION);
        one.starts().ok();
        one.is_asked("Go on.").ok();
        runs(&world, &one, &["lease", "reserve", "src/p*"]).ok();
        let two = world.agent(OTHER);
        two.starts().ok();
        two.is_asked("Go on.").ok();
        let denial = |two: &Agent<'_>| match wanted {
            "a file" => denied(two, "src/parser.rs"),
            "a folder" => two.runs("toolu_folder", "mv src elsewhere").denial(),
            _ => two.runs("toolu_tree", "git pull").denial(),
        };
        assert!(denial(&two).is_some(), "{wanted}: it is there");
        two.leaves().ok();
        drop((one, two));
        world.restart_client();
        let three = world.agent(THIRD);
        three.starts().ok();
        three.is_asked("Go on.").ok();
        assert_eq!(denial(&three), None, "{wanted}");
    }
}

#[test]
fn what_is_promised_to_a_killed_agent_goes_to_the_next_in_line() {
    let mut world = world();
    for session in [SESSION, OTHER] {
        let agent = world.agent(session);
        agent.starts().ok();
        agent.is_asked("Go on.").ok();
    }
    world.agent(SESSION).writes("src/parser.rs", "two\n");
    assert!(denied(&world.agent(OTHER), "src/parser.rs").is_some());
    world.restart_client();
    let (holder, next) = (world.agent(SESSION), world.agent(THIRD));
    holder.runs("toolu_alive", "ls").ok();
    next.starts().ok();
    next.is_asked("Go on.").ok();
    assert!(denied(&next, "src/parser.rs").is_some(), "it is held");
    holder.stops().ok();
    let told = next.runs("toolu_next", "ls").context();
    assert!(told.contains("src/parser.rs is yours for"), "{told}");
    assert_eq!(denied(&next, "src/parser.rs"), None);
}

#[test]
fn what_a_command_had_written_when_its_agent_was_killed_counts() {
    let mut world = world();
    let one = world.agent(SESSION);
    one.starts().ok();
    one.is_asked("Go on.").ok();
    one.is_about_to_run("echo two > src/parser.rs; echo new > src/new.rs; sleep 30; echo two > src/lexer.rs");
    world.write("src/parser.rs", "two\n");
    world.write("src/new.rs", "new\n");
    world.restart_client();
    let two = world.agent(OTHER);
    two.starts().ok();
    two.is_asked("Go on.").ok();
    let told = |path: &str| {
        let input = json!({ "file_path": world.repo().join(path), "old_string": "a", "new_string": "b" });
        let taken = two.call("Edit", &input).begins();
        assert_eq!(taken.denial(), None, "{path}");
        taken.context()
    };
    assert!(told("src/parser.rs").contains("main@ab31 stopped in the middle of src/parser.rs"));
    assert!(told("src/new.rs").contains("main@ab31 stopped in the middle of src/new.rs"));
    assert_eq!(told("src/lexer.rs"), "");
    let left = "SELECT path || ' ' || end_reason || ' ' || writes FROM leases WHERE ended_at IS NOT NULL ORDER BY path";
    assert_eq!(
        world.database().rows(left),
        [
            "src/lexer.rs interrupted 0",
            "src/new.rs process_gone 1",
            "src/parser.rs process_gone 1"
        ]
    );
}

#[test]
fn with_a_daemon_they_are_free_without_anybody_asking() {
    let mut world = World::new(env!("CARGO_BIN_EXE_toprope"));
    world.write("src/parser.rs", "one\n");
    let one = world.agent(SESSION);
    one.starts().ok();
    one.is_asked("Go on.").ok();
    one.writes("src/parser.rs", "two\n");
    world.restart_client();
    eventually("the lease has ended", || {
        let ended = world
            .database()
            .rows("SELECT end_reason FROM leases WHERE ended_at IS NOT NULL");
        (ended == ["process_gone"]).then_some(())
    });
}

#[test]
fn with_a_database_that_cannot_be_read_writes_go_on_and_destruction_does_not() {
    let world = world();
    let one = world.agent(SESSION);
    one.starts().ok();
    damage(&world);
    assert_eq!(denied(&one, "src/parser.rs"), None);
    let denial = one.is_about_to_run_maybe("rm -rf /");
    assert!(denial.is_some(), "it went through");
}

/// Without a database only the names of empty files remember, which is enough for once a session.
#[test]
fn a_database_that_cannot_be_read_is_told_once_to_the_agent_and_once_to_the_person() {
    let world = world();
    let one = world.agent(SESSION);
    one.starts().ok();
    damage(&world);
    let stopped = one.stops();
    assert!(stopped.whole().contains("systemMessage"), "{}", stopped.whole());
    assert_eq!(stopped.context(), "", "context would wake the agent up again");
    let asked = one.is_asked("Go on.");
    insta::assert_snapshot!(asked.context(), @"Toprope cannot use its database: the database file is damaged. Until that is mended nobody holds a file and stale writes go unseen: another agent may be editing what you edit. Tell the user to run `toprope doctor`.");
    assert!(!asked.whole().contains("systemMessage"), "{}", asked.whole());
    let input =
        json!({ "file_path": world.repo().join("src/parser.rs"), "old_string": "a", "new_string": "b" });
    assert_eq!(one.call("Edit", &input).begins().stdout, "");
    assert_eq!(one.is_asked("And now?").stdout, "");
    let other = world.agent(OTHER).starts();
    assert!(
        other.context().contains("nobody holds a file"),
        "{}",
        other.whole()
    );
    assert!(other.whole().contains("systemMessage"), "{}", other.whole());
}

/// A call that a policy holds back says why, and nothing else; what the agent is owed comes with the next.
#[test]
fn a_denied_call_does_not_use_up_what_the_agent_is_told() {
    let world = world();
    let one = world.agent(SESSION);
    one.starts().ok();
    damage(&world);
    assert!(one.is_about_to_run_maybe("rm -rf /").is_some());
    assert!(one.is_asked("Go on.").context().contains("nobody holds a file"));
}
