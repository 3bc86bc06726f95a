//! The person's commits are linked to the work they hold, whichever way they make them.

use crate::world;
use testkit::{Agent, World};

/// A world in which an agent was asked for something.
fn asked(world: &World) -> Agent<'_> {
    let agent = world.agent("one");
    agent.starts().ok();
    agent.is_asked("go").ok();
    agent
}

/// A turn in which the agent writes these files.
fn turn(world: &World, agent: &Agent<'_>, files: &[(&str, &str)]) {
    for (path, content) in files {
        agent.writes(path, content);
    }
    agent.stops().ok();
    world.settled();
}

fn sh(world: &World, script: &str) {
    let mut command = world.person("sh");
    command.args(["-ec", script]);
    testkit::run(command, b"").ok();
}

/// What is linked once the agent is asked again, oldest link first: `subject how matched/total`.
fn links(world: &World) -> Vec<String> {
    world.agent("one").is_asked("and now?").ok();
    world.settled();
    let rows = world.database().rows(
        "SELECT commit_id, how || ' ' || paths_matched || '/' || paths_total ||
             IIF(superseded_by IS NULL, '', ' superseded') FROM commit_links ORDER BY id",
    );
    rows.iter()
        .map(|row| {
            let (commit, said) = row.split_once('|').unwrap();
            format!("{} {said}", subject(world, commit))
        })
        .collect()
}

/// Which commit holds each path; `-` where it is pending.
fn held(world: &World) -> Vec<String> {
    let rows = world.database().rows(
        "SELECT CAST(path AS TEXT), COALESCE(committed_in, '-') FROM checkpoint_files
         WHERE session_id IS NOT NULL AND place = 'files' GROUP BY path, committed_in ORDER BY path, id",
    );
    rows.iter()
        .map(|row| {
            let (path, commit) = row.split_once('|').unwrap();
            let commit = if commit == "-" {
                "-".to_owned()
            } else {
                subject(world, commit)
            };
            format!("{path} {commit}")
        })
        .collect()
}

fn subject(world: &World, commit: &str) -> String {
    world.git(&["log", "-1", "--format=%s", commit]).trim().to_owned()
}

#[test]
fn a_commit_of_everything_has_the_tree_of_the_turn() {
    let world = world();
    let agent = asked(&world);
    turn(&world, &agent, &[("b.txt", "b\n"), ("c.txt", "c\n")]);
    sh(&world, "git add -A; git commit -qm all");
    assert_eq!(links(&world), ["all tree 2/2"]);
    assert_eq!(held(&world), ["b.txt all", "c.txt all"]);
}

#[test]
fn a_turn_split_into_two_commits_is_linked_to_both() {
    let world = world();
    let agent = asked(&world);
    let files = [
        ("a.txt", "A\n"),
        ("b.txt", "B\n"),
        ("c.txt", "C\n"),
        ("d.txt", "D\n"),
    ];
    turn(&world, &agent, &files);
    sh(
        &world,
        "git add c.txt d.txt; git commit -qm first; git add a.txt b.txt; git commit -qm second",
    );
    assert_eq!(links(&world), ["first paths 2/2", "second tree 2/2"]);
    assert_eq!(
        held(&world),
        ["a.txt second", "b.txt second", "c.txt first", "d.txt first"]
    );
}

#[test]
fn a_half_staged_file_is_pending_until_its_other_half_is_committed() {
    let world = world();
    let lines = (0..30)
        .map(|line| format!("{line}\n"))
        .collect::<Vec<_>>()
        .concat();
    world.write("long.txt", &lines);
    sh(&world, "git add -A; git commit -qm long");
    let agent = asked(&world);
    turn(&world, &agent, &[("long.txt", &format!("top\n{lines}bottom\n"))]);
    sh(
        &world,
        "printf 'y\\nn\\n' | git add -p long.txt >/dev/null; git commit -qm top",
    );
    assert_eq!(links(&world), ["top paths 1/1"]);
    assert_eq!(held(&world), ["long.txt -"]);
    sh(&world, "git commit -qam bottom");
    assert_eq!(links(&world), ["top paths 1/1", "bottom tree 1/1"]);
    assert_eq!(held(&world), ["long.txt bottom"]);
}

#[test]
fn a_commit_of_something_else_has_no_link() {
    let world = world();
    let agent = asked(&world);
    turn(&world, &agent, &[("b.txt", "b\n")]);
    sh(
        &world,
        "echo mine > mine.txt; git add mine.txt; git commit -qm mine",
    );
    assert_eq!(links(&world), Vec::<String>::new());
    assert_eq!(held(&world), ["b.txt -"]);
}

#[test]
fn a_file_the_agent_deleted_and_the_person_makes_anew_is_not_its_work() {
    let world = world();
    let agent = asked(&world);
    agent.shell("rm a.txt");
    agent.stops().ok();
    world.settled();
    sh(&world, "echo anew > a.txt; git commit -qam anew");
    assert_eq!(links(&world), Vec::<String>::new());
}

#[test]
fn three_commits_in_one_turn_are_three_links() {
    let world = world();
    let agent = asked(&world);
    for name in ["x", "y", "z"] {
        agent.writes(&format!("{name}.txt"), "work\n");
        world.settled();
        agent.shell(&format!("git add {name}.txt; git commit -qm {name}"));
        world.settled();
    }
    agent.stops().ok();
    assert_eq!(links(&world), ["x tree 1/1", "y tree 1/1", "z tree 1/1"]);
    assert_eq!(held(&world), ["x.txt x", "y.txt y", "z.txt z"]);
}

#[test]
fn an_amended_or_reworded_commit_takes_the_link_over() {
    let world = world();
    let agent = asked(&world);
    turn(&world, &agent, &[("b.txt", "b\n")]);
    sh(&world, "git add -A; git commit -qm one");
    assert_eq!(links(&world), ["one tree 1/1"]);
    sh(&world, "git commit -q --amend -m reworded");
    assert_eq!(links(&world), ["one tree 1/1 superseded", "reworded rewrite 1/1"]);
    assert_eq!(held(&world), ["b.txt reworded"]);
    sh(
        &world,
        "echo more > more.txt; git add -A; git commit -q --amend -m amended",
    );
    assert_eq!(
        links(&world),
        [
            "one tree 1/1 superseded",
            "reworded rewrite 1/1 superseded",
            "amended rewrite 1/2"
        ]
    );
    assert_eq!(held(&world), ["b.txt amended"]);
}

#[test]
fn rebased_and_picked_commits_are_known_by_their_change() {
    let world = world();
    sh(&world, "git checkout -q -b topic");
    let agent = asked(&world);
    turn(&world, &agent, &[("b.txt", "b\n")]);
    sh(&world, "git add -A; git commit -qm work");
    assert_eq!(links(&world), ["work tree 1/1"]);
    sh(
        &world,
        "git checkout -q main; echo main > m.txt; git add -A; git commit -qm main",
    );
    sh(&world, "git checkout -q topic; git rebase -q main");
    assert_eq!(links(&world), ["work tree 1/1 superseded", "work rewrite 1/1"]);
    sh(
        &world,
        "git checkout -q -b other main~1; echo o > o.txt; git add -A; git commit -qm o; git cherry-pick topic >/dev/null",
    );
    assert_eq!(
        links(&world),
        ["work tree 1/1 superseded", "work rewrite 1/1", "work patch 1/1"]
    );
}

#[test]
fn a_rebase_that_stops_is_linked_once_it_is_over() {
    let world = world();
    sh(&world, "git checkout -q -b topic");
    let agent = asked(&world);
    agent.writes("b.txt", "b\n");
    world.settled();
    turn(&world, &agent, &[("a.txt", "1\n")]);
    sh(
        &world,
        "git add b.txt; git commit -qm work; git commit -qam clash",
    );
    assert_eq!(links(&world), ["work tree 1/1", "clash tree 1/1"]);
    sh(
        &world,
        "git checkout -q main; echo 2 > a.txt; git commit -qam theirs; git checkout -q topic",
    );
    sh(
        &world,
        "git rebase -q main >/dev/null 2>&1 || true; test -d .git/rebase-merge",
    );
    world.agent("one").is_asked("in the middle").ok();
    let database = world.database();
    testkit::eventually("the job waits for the end of the rebase", || {
        let waiting = database
            .number("SELECT count(*) FROM jobs WHERE kind = 'link-commits' AND not_before IS NOT NULL");
        (waiting > 0).then_some(())
    });
    sh(
        &world,
        "echo both > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue >/dev/null 2>&1",
    );
    testkit::eventually("it is linked though nothing else happens", || {
        (database.number("SELECT count(*) FROM commit_links WHERE how = 'rewrite'") == 2).then_some(())
    });
    let mut links = links(&world);
    links.sort();
    assert_eq!(
        links,
        [
            "clash rewrite 1/1",
            "clash tree 1/1 superseded",
            "work rewrite 1/1",
            "work tree 1/1 superseded"
        ]
    );
}

#[test]
fn squashed_commits_are_linked_as_one() {
    let world = world();
    let agent = asked(&world);
    turn(&world, &agent, &[("b.txt", "b\n")]);
    sh(&world, "git add -A; git commit -qm b");
    agent.is_asked("more").ok();
    turn(&world, &agent, &[("c.txt", "c\n")]);
    sh(&world, "git add -A; git commit -qm c");
    assert_eq!(links(&world).len(), 2);
    sh(&world, "git reset -q --soft HEAD~2; git commit -qm both");
    let links = links(&world);
    assert_eq!(
        links.iter().filter(|link| link.ends_with("superseded")).count(),
        2,
        "{links:?}"
    );
    assert!(links.iter().any(|link| link.starts_with("both ")), "{links:?}");
    assert_eq!(held(&world), ["b.txt both", "c.txt both"]);
}

#[test]
fn work_that_was_stashed_and_came_back_is_linked_when_it_is_committed() {
    let world = world();
    let agent = asked(&world);
    turn(&world, &agent, &[("a.txt", "agent\n")]);
    sh(
        &world,
        "git stash -q; echo other > o.txt; git add o.txt; git commit -qm other",
    );
    assert_eq!(links(&world), Vec::<String>::new());
    sh(&world, "git stash pop -q; git commit -qam popped");
    let links = links(&world);
    assert!(links.len() == 1 && links[0].starts_with("popped "), "{links:?}");
}

#[test]
fn a_clash_is_told_again_after_the_others_work_was_committed() {
    let world = world();
    let agent = asked(&world);
    turn(&world, &agent, &[("b.txt", "b\n")]);
    let other = world.agent("two");
    other.starts().ok();
    let is_told = || other.is_asked("me too").ok().contains("uncommitted work");
    assert!(is_told());
    other.stops().ok();
    assert!(!is_told(), "once");
    other.stops().ok();
    sh(&world, "git add -A; git commit -qm all");
    assert_eq!(links(&world), ["all tree 1/1"]);
    let live =
        "SELECT count(*) FROM warnings WHERE rule_id = 'checkpoints.concurrent' AND forgotten_at IS NULL";
    assert_eq!(world.database().number(live), 0);
    agent.is_asked("more").ok();
    turn(&world, &agent, &[("b.txt", "again\n")]);
    assert!(is_told());
}
