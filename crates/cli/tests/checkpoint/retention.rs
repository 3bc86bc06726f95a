//! Old checkpoints go, needed ones stay, and whatever kills who tidies, the line is right.

use crate::world;
use std::collections::BTreeSet;
use testkit::{World, eventually};

const SHADOW: &str = "--git-dir=.git/toprope/shadow.git";

/// A world in which one session has ended, with so many turns of one file each, all of them committed.
fn with_turns(turns: usize) -> World {
    let world = world();
    keep_last(&world, 1);
    let agent = world.agent("old");
    agent.starts().ok();
    for turn in 1..=turns {
        agent.is_asked(&format!("turn {turn}")).ok();
        world.settled();
        agent.writes("work.txt", &format!("{turn}a\n"));
        world.settled();
        agent.writes("work.txt", &format!("{turn}b\n"));
        world.settled();
        agent.writes(&format!("{turn}.txt"), "new\n");
        agent.stops().ok();
        world.settled();
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "all of it"]);
    agent.is_asked("link").ok();
    agent.stops().ok();
    agent.leaves().ok();
    world.settled();
    world
}

fn keep_last(world: &World, count: u32) {
    settings(world, &format!("keep_last = {count}"));
}

fn settings(world: &World, lines: &str) {
    world.has_settings(&format!("[checkpoints]\n{lines}\n"));
}

/// Lets so many days go by for everything there is.
fn age(world: &World, days: u32) {
    world.database().run(&format!(
        "UPDATE checkpoints SET created_at = created_at - {days} * 86400000;
         DELETE FROM counters WHERE name LIKE 'tidied/%';"
    ));
    let touched =
        world.shell("find .git/toprope/shadow.git/objects -type f -exec touch -d '2 days ago' {} +");
    touched.ok();
}

/// A session starts, which is when a day's tidying is done.
fn another_day(world: &World, session: &str) {
    world.agent(session).starts().ok();
    world.settled();
}

fn kinds(world: &World) -> Vec<String> {
    world.database().rows("SELECT kind FROM checkpoints ORDER BY seq")
}

/// Rows and line agree: each checkpoint's commit is on the line, in its order, with the files its row names.
#[track_caller]
fn assert_right(world: &World) {
    let line = world.git(&[
        SHADOW,
        "log",
        "--all",
        "--reverse",
        "--format=%H %(trailers:key=Toprope-Checkpoint,valueonly,separator=%x20) \
         %(trailers:key=Toprope-Kind,valueonly,separator=%x20)",
    ]);
    let on_line: Vec<(String, String)> = line
        .lines()
        .filter(|commit| !commit.ends_with(" seal"))
        .map(|commit| {
            let mut words = commit.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect();
    let rows: Vec<(String, String)> = world
        .database()
        .rows("SELECT commit_id || ' ' || id FROM checkpoints ORDER BY seq")
        .iter()
        .map(|row| {
            let (commit, id) = row.split_once(' ').unwrap();
            (commit.to_owned(), id.to_owned())
        })
        .collect();
    assert_eq!(on_line, rows);
    for row in world.database().rows(
        "SELECT commit_id, files_tree FROM checkpoints
         UNION ALL SELECT sealed_commit, '' FROM checkpoints WHERE sealed_commit IS NOT NULL",
    ) {
        let (commit, files) = row.split_once('|').unwrap();
        let found = world.git(&[SHADOW, "rev-parse", &format!("{commit}:files")]);
        assert!(files.is_empty() || found.trim() == files, "{row}");
    }
    world.git(&[SHADOW, "fsck", "--full", "--strict", "--no-dangling"]);
}

fn objects(world: &World) -> BTreeSet<String> {
    let listed = world.git(&[
        SHADOW,
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objectname)",
    ]);
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn steps_go_after_a_day_and_turns_stay_where_they_were() {
    let world = with_turns(3);
    let turns = "SELECT id, files_tree FROM checkpoints WHERE kind = 'turn' ORDER BY seq";
    let before = world.database().rows(turns);
    let changed = "SELECT CAST(path AS TEXT), before_id, after_id FROM checkpoint_files JOIN checkpoints
         ON seq = checkpoint_seq WHERE kind IN ('turn', 'step') AND CAST(path AS TEXT) = 'work.txt' ORDER BY seq";
    assert_eq!(world.database().rows(changed).len(), 6);
    assert!(kinds(&world).contains(&"step".to_owned()));
    age(&world, 2);
    another_day(&world, "new");
    assert_right(&world);
    assert!(!kinds(&world).contains(&"step".to_owned()), "{:?}", kinds(&world));
    assert_eq!(world.database().rows(turns), before);
    let rows = world.database().rows(changed);
    assert_eq!(rows.len(), 3, "what steps changed, turns changed: {rows:?}");
    for (turn, id) in [1, 2, 3].into_iter().zip(&before) {
        let (id, tree) = id.split_once('|').unwrap();
        assert_eq!(
            world.git(&[SHADOW, "cat-file", "blob", &format!("{tree}:work.txt")]),
            format!("{turn}b\n"),
        );
        let points_at = world.database().rows(&format!(
            "SELECT checkpoint_id FROM turns WHERE number = {turn} AND prompt LIKE 'turn%'"
        ));
        assert_eq!(points_at, [id], "t{turn} is what it was");
    }
}

#[test]
fn after_a_month_only_what_is_kept_in_any_case_is_left_and_the_rest_is_really_gone() {
    let world = with_turns(4);
    let first = world.shell("printf '1a\\n' | git hash-object --stdin").ok();
    let first = first.trim();
    assert!(objects(&world).contains(first));
    let bases = world.git(&["for-each-ref", "--format=%(refname)", "refs/toprope/keep"]);
    assert!(!bases.is_empty());
    age(&world, 40);
    another_day(&world, "new");
    assert_right(&world);
    assert_eq!(kinds(&world).len(), 1, "{:?}", kinds(&world));
    assert!(
        !objects(&world).contains(first),
        "the content of a dropped checkpoint"
    );
    let held = world.git(&["for-each-ref", "--format=%(refname)", "refs/toprope/keep"]);
    let used = world
        .database()
        .rows("SELECT DISTINCT 'refs/toprope/keep/' || base_commit FROM checkpoints");
    assert_eq!(held.lines().collect::<Vec<_>>(), used);
}

#[test]
fn pinned_pending_open_and_recently_undoable_checkpoints_stay_whatever_their_age() {
    let world = world();
    keep_last(&world, 0);
    let (pending, open) = (world.agent("pending"), world.agent("open"));
    for (agent, file) in [(&pending, "p.txt"), (&open, "o.txt")] {
        agent.starts().ok();
        agent.is_asked("go").ok();
        agent.writes(file, "work\n");
        agent.stops().ok();
        world.settled();
    }
    pending.leaves().ok();
    world.settled();
    let database = world.database();
    database.run("UPDATE checkpoints SET pinned = 1 WHERE kind = 'baseline' AND session_id = 1");
    age(&world, 400);
    let before = database.rows(
        "SELECT id FROM checkpoints WHERE pinned OR session_id = 2 OR seq IN
        (SELECT checkpoint_seq FROM checkpoint_files WHERE session_id = 1)",
    );
    another_day(&world, "new");
    assert_right(&world);
    let after = database.rows("SELECT id FROM checkpoints");
    assert_eq!(before.iter().filter(|id| !after.contains(id)).count(), 0);
    assert!(before.len() >= 4, "{before:?}");
}

#[test]
fn where_protected_checkpoints_alone_are_too_much_nothing_goes_and_it_is_said_once_a_day() {
    let world = world();
    settings(&world, "keep_last = 0\nmax_store_mb = 1");
    let agent = world.agent("big");
    agent.starts().ok();
    agent.is_asked("go").ok();
    world.settled();
    agent.shell("head -c 3000000 /dev/urandom > big.bin");
    agent.stops().ok();
    agent.leaves().ok();
    world.settled();
    age(&world, 400);
    another_day(&world, "b");
    assert_eq!(kinds(&world), ["step", "turn"], "the work that is in no commit");
    let owed = "SELECT text FROM notices WHERE kind = 'checkpoints.store'";
    let told = world.database().rows(owed);
    let told = told
        .join("\n")
        .replace(" 3 MB", " 2 MB")
        .replace(&*world.repo().to_string_lossy(), "[repo]");
    insta::assert_snapshot!(told, @"The checkpoints of [repo] take 2 MB, more than checkpoints.max_store_mb (1). Nothing was deleted: all that is left is pinned, not committed, of an open session or recent. Commit or unpin, or raise the limit.");
    age(&world, 0);
    another_day(&world, "c");
    assert_eq!(world.database().rows(owed).len(), 1, "told once a day");
    assert_eq!(kinds(&world), ["step", "turn"]);
    assert_right(&world);
}

#[test]
fn too_much_is_brought_within_the_limit_by_dropping_the_oldest_first() {
    let world = world();
    settings(&world, "keep_last = 1\nmax_store_mb = 2");
    let agent = world.agent("big");
    agent.starts().ok();
    for turn in 0..6 {
        agent.is_asked(&format!("turn {turn}")).ok();
        world.settled();
        agent.shell("head -c 700000 /dev/urandom > big.bin");
        agent.stops().ok();
        world.settled();
    }
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "all of it"]);
    agent.is_asked("link").ok();
    agent.leaves().ok();
    world.settled();
    age(&world, 1);
    another_day(&world, "b");
    assert_right(&world);
    let size = world
        .shell("du -sk .git/toprope/shadow.git/objects | cut -f1")
        .ok();
    let size: u64 = size.trim().parse().unwrap();
    let left = world
        .database()
        .rows("SELECT turn FROM checkpoints WHERE kind = 'turn' ORDER BY seq");
    assert!(size <= 2 * 1024 + 200, "{size} kB with {left:?}");
    assert!(
        !left.is_empty() && left.len() < 6,
        "as much as fits is left: {left:?}"
    );
    assert!(left.contains(&"6".to_owned()), "the oldest go first: {left:?}");
}

#[test]
fn two_hundred_turns_without_changes_add_nothing() {
    let world = world();
    let agent = world.agent("idle");
    agent.starts().ok();
    agent.is_asked("first").ok();
    agent.stops().ok();
    world.settled();
    let (before, rows) = (objects(&world), kinds(&world));
    for turn in 0..200 {
        agent.is_asked(&format!("what about {turn}?")).ok();
        agent.stops().ok();
    }
    world.settled();
    assert_eq!(objects(&world), before);
    assert_eq!(kinds(&world), rows);
    assert_eq!(world.database().number("SELECT count(*) FROM turns"), 201);
}

#[test]
fn what_the_same_edits_add_does_not_depend_on_the_size_of_the_repository() {
    let added = |files: usize| {
        let world = world();
        world
            .shell(&format!(
                "mkdir -p d/e; for n in $(seq {files}); do echo $n > f$n; echo $n > d/e/f$n; done; git add -A"
            ))
            .ok();
        world.git(&["commit", "-q", "-m", "many"]);
        let agent = world.agent("same");
        agent.starts().ok();
        agent.is_asked("go").ok();
        world.settled();
        let before = objects(&world).len();
        for turn in 0..5 {
            agent.writes("d/e/new.txt", &format!("{turn}\n"));
            world.settled();
        }
        agent.stops().ok();
        world.settled();
        agent.leaves().ok();
        age(&world, 0);
        another_day(&world, "b");
        assert_right(&world);
        objects(&world).len() - before
    };
    assert_eq!(added(10), added(400));
}

/// The room that the objects of checkpoints take on disk, in KiB.
fn room(world: &World) -> u64 {
    let said = world
        .shell("du -sk .git/toprope/shadow.git/objects | cut -f1")
        .ok();
    said.trim().parse().unwrap()
}

#[test]
fn what_is_pruned_is_gone_from_the_disk_at_once_and_exactly_what_was_foretold() {
    let world = with_turns(8);
    let only = world.shell("printf '1a\\n' | git hash-object --stdin").ok();
    let only = only.trim();
    assert!(objects(&world).contains(only));
    let foretold = world.toprope(&["checkpoint", "prune", "--before", "0m", "--dry-run"]);
    let foretold: BTreeSet<String> = foretold
        .stdout
        .lines()
        .map(|line| line[..12].to_owned())
        .collect();
    assert!(foretold.len() > 8, "{foretold:?}");
    let rows = || -> BTreeSet<String> {
        world
            .database()
            .rows("SELECT id FROM checkpoints")
            .into_iter()
            .collect()
    };
    let (before, took) = (rows(), room(&world));
    let output = world.toprope(&["checkpoint", "prune", "--before", "0m", "--yes"]);
    assert_eq!(output.code, Some(0), "{}", output.whole());
    assert_eq!(&before - &rows(), foretold, "what it says is what goes");
    assert_right(&world);
    assert!(!objects(&world).contains(only), "only pruned checkpoints held it");
    assert!(room(&world) * 3 < took, "{took} KiB before, {} now", room(&world));
    insta::with_settings!({ filters => vec![(r"\d[\d.]* [KM]iB", "[size]"), (r"\d+ checkpoints;", "[n] checkpoints;")] }, {
        insta::assert_snapshot!(output.stderr, @"
        Dropped [n] checkpoints; the checkpoints took [size] on disk, and take [size] now.
        What agents sent stays in the log for 30 days (log.keep_days).
        ");
    });
    let log = world.toprope(&["log", "--event", "Prune"]).ok();
    assert!(log.contains(" you ") && log.contains("checkpoints"), "{log}");
    let again = world.toprope(&["checkpoint", "prune", "--before", "0m", "--yes"]);
    // It may still tidy what the daemon left beside it.
    assert_eq!(again.code, Some(0), "{}", again.whole());
    assert!(
        again.stderr.starts_with("Nothing to drop.\n"),
        "{}",
        again.whole()
    );
}

#[test]
fn what_the_settings_dropped_a_moment_ago_a_prune_removes_though_it_has_nothing_to_drop() {
    let world = with_turns(3);
    let only = world.shell("printf '1a\\n' | git hash-object --stdin").ok();
    let only = only.trim();
    // The rows are old, and the objects are as young as they are.
    world.database().run(
        "UPDATE checkpoints SET created_at = created_at - 40 * 86400000;
         DELETE FROM counters WHERE name LIKE 'tidied/%';",
    );
    another_day(&world, "new");
    assert!(
        objects(&world).contains(only),
        "an hour is left to who may be about to use it"
    );
    let output = world.toprope(&["checkpoint", "prune", "--yes"]);
    assert!(
        output.stderr.starts_with("Nothing to drop.\n"),
        "{}",
        output.whole()
    );
    assert!(!objects(&world).contains(only), "{}", output.whole());
    assert_right(&world);
}

#[cfg(feature = "testing")]
#[test]
fn whoever_is_killed_while_dropping_leaves_a_line_that_is_right() {
    for point in ["line-written", "line-recorded", "line-moved"] {
        let world = with_turns(3);
        world.toprope(&["daemon", "stop"]).ok();
        age(&world, 2);
        let daemon = world.start_daemon(&[("TOPROPE_FAULT", point)]);
        world.agent("new").starts().ok();
        eventually("the daemon dies over it", || {
            (!world.daemons().contains(&daemon)).then_some(())
        });
        let agent = world.agent("new");
        agent.is_asked("go on").ok();
        agent.writes("more.txt", "more\n");
        agent.stops().ok();
        world.settled();
        assert_right(&world);
        let steps = world
            .database()
            .number("SELECT count(*) FROM checkpoints WHERE kind = 'step' AND session_id = 1");
        assert_eq!(steps, 0, "{point}: it was done by the next");
    }
}
