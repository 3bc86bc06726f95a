//! Switched off, nothing is kept; without a daemon, hooks keep what they can and leave the rest to whoever comes next.

use crate::oracle::{assert_sound, changes, files_tree, kinds, shadow, tree_as_git_adds};
use crate::world;
use testkit::{World, eventually, process};

fn session(world: &World) {
    let agent = world.agent("s1");
    agent.starts().ok();
    agent.is_asked("Go").ok();
    agent.writes("b.txt", "b\n");
    agent.shell("echo c > c.txt");
    agent.stops().ok();
}

#[test]
fn switched_off_no_shadow_is_made() {
    let world = world();
    world.write(
        "../home/.config/toprope/config.toml",
        "[checkpoints]\nenabled = false\n",
    );
    session(&world);
    world.settled();
    assert!(!world.repo().join(".git/toprope").exists());
    assert_eq!(kinds(&world), Vec::<String>::new());
    assert_eq!(world.git(&["for-each-ref", "refs/toprope"]), "");
    assert_eq!(world.database().number("SELECT count(*) FROM touches"), 0);
}

#[test]
fn a_repository_may_not_switch_checkpoints_off_by_itself() {
    let world = world();
    world.write(
        "toprope.toml",
        "[checkpoints]\nenabled = false\nexclude = [\"*\"]\n",
    );
    session(&world);
    world.settled();
    assert!(shadow(&world).exists());
    assert_eq!(
        changes(&world, "kind = 'step'"),
        ["added b.txt tool", "added c.txt shell"]
    );
}

#[test]
fn looking_at_checkpoints_makes_no_shadow() {
    let world = world();
    world.agent("s1").starts().ok();
    world.settled();
    for arguments in [&["checkpoint", "list"][..], &["undo", "--list"], &["status"]] {
        world.toprope(arguments);
    }
    assert!(!world.repo().join(".git/toprope").exists());
}

#[test]
fn without_a_daemon_what_calls_named_and_what_the_turn_changed_is_kept() {
    let world = world().with("TOPROPE_DAEMON", "never");
    world.write("mine.txt", "mine\n");
    session(&world);
    assert_eq!(world.daemons(), Vec::<u32>::new());
    // Nobody looked at the worktree before the command ran, so that nobody can tell what it made from what was there.
    let mut found = changes(&world, "1");
    found.sort();
    assert_eq!(
        found,
        [
            "added b.txt tool",
            "added c.txt outside",
            "added mine.txt outside"
        ]
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT degraded FROM checkpoints WHERE kind = 'baseline'"),
        ["[\"late look\"]"]
    );
    // In the next turn it can.
    let agent = world.agent("s1");
    agent.is_asked("Go on").ok();
    agent.shell("echo d > d.txt");
    agent.stops().ok();
    assert!(changes(&world, "1").contains(&"added d.txt shell".to_owned()));
    assert!(kinds(&world).contains(&"turn".to_owned()), "{:?}", kinds(&world));
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &world.repo()));
    assert_sound(&world);
}

#[test]
fn without_a_daemon_what_the_person_typed_before_a_call_is_kept_too() {
    let world = world().with("TOPROPE_DAEMON", "never");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("a.txt", "agent\n");
    world.write("a.txt", "person\n");
    agent.reads("a.txt");
    agent.writes("a.txt", "agent again\n");
    agent.stops().ok();
    let states = "SELECT origin FROM checkpoint_files WHERE path = CAST('a.txt' AS BLOB) ORDER BY id";
    assert_eq!(world.database().rows(states), ["tool", "outside", "tool"]);
    assert_sound(&world);
}

#[test]
fn what_hooks_left_undone_a_daemon_does() {
    let mut world = world().with("TOPROPE_DAEMON", "never");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.shell("echo c > c.txt");
    world.set("TOPROPE_DAEMON", "auto");
    world.start_daemon(&[]);
    world.settled();
    world.agent("s1").stops().ok();
    world.settled();
    assert_eq!(files_tree(&world, "1"), tree_as_git_adds(&world, &world.repo()));
    assert_sound(&world);
}

#[test]
fn a_job_whose_hook_was_killed_is_done_by_the_next_hook() {
    let world = world().with("TOPROPE_DAEMON", "never");
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("b.txt", "b\n");
    let payload = agent.payload("Stop", &serde_json::json!({ "stop_hook_active": false }));
    let mut hook = world.command(&["hook", "claude-code"]);
    hook.env("TOPROPE_FAULT", "checkpoint-on-line");
    assert_eq!(
        testkit::run(hook, payload.to_string().as_bytes()).code,
        None,
        "it died"
    );
    agent.is_asked("Go on").ok();
    agent.stops().ok();
    assert_eq!(changes(&world, "1"), ["added b.txt tool"]);
    // A job that the next event ordered once more was done as one with it.
    let left = "SELECT DISTINCT state FROM jobs WHERE kind = 'checkpoint' AND state NOT IN ('done', 'lost')";
    assert_eq!(world.database().rows(left), Vec::<String>::new());
    assert_sound(&world);
}

#[test]
fn a_daemon_that_is_killed_in_mid_turn_loses_nothing_of_it() {
    let world = world();
    let agent = world.agent("s1");
    agent.is_asked("Go").ok();
    agent.writes("one.txt", "1\n");
    for victim in ["two", "three", "four"] {
        let write = agent.is_about_to_write(&format!("{victim}.txt"), victim);
        world.daemons().into_iter().for_each(process::kill);
        write.does_write(victim);
        write.ends(&serde_json::json!({})).ok();
        write.ends_step().ok();
        agent.shell(&format!("echo x > {victim}-shell.txt"));
        world.daemons().into_iter().for_each(process::kill);
    }
    agent.stops().ok();
    eventually("all jobs are done", || {
        if world.daemons().is_empty() {
            world.toprope(&["daemon", "start"]);
        }
        world.is_settled().then_some(())
    });
    let mut found = changes(&world, "1");
    found.sort();
    assert_eq!(
        found,
        [
            "added four-shell.txt shell",
            "added four.txt tool",
            "added one.txt tool",
            "added three-shell.txt shell",
            "added three.txt tool",
            "added two-shell.txt shell",
            "added two.txt tool",
        ]
    );
    assert_eq!(
        world
            .database()
            .rows("SELECT added FROM checkpoints WHERE kind = 'turn'"),
        ["7"]
    );
    assert_eq!(
        files_tree(&world, "kind = 'turn'"),
        tree_as_git_adds(&world, &world.repo())
    );
    assert_sound(&world);
}
