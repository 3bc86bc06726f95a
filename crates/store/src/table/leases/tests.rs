//! Leases as people list them, and how long they are kept.

use super::*;
use crate::stage::{Stage, Who, main_of};

fn listed(stage: &Stage, filter: &LeaseFilter<'_>) -> Vec<String> {
    let found = list(&stage.read(), filter).unwrap();
    found.into_iter().map(|lease| lease.key.path).collect()
}

fn reserve_docs(stage: &mut Stage, who: &Who) {
    let (actor, worktree, at) = (stage.actor(who), stage.worktree("/repo"), stage.moment());
    let wanted = Reservation {
        actor: actor.id,
        project: actor.project,
        worktree,
        patterns: &["docs/**".to_owned()],
        for_ms: 1000,
        reason: Some("release notes"),
        at,
    };
    stage.write(|db| reserve(db, &wanted));
}

#[test]
fn leases_are_found_by_project_worktree_actor_and_path() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&one, "toolu_1", "a.rs");
    stage.writes(&two, "toolu_1", "b.rs");
    reserve_docs(&mut stage, &two);
    let (actor, other) = (stage.actor(&one), stage.actor(&two));
    let all = LeaseFilter {
        project: actor.project,
        worktree: actor.worktree,
        ..LeaseFilter::default()
    };
    assert_eq!(listed(&stage, &all), ["a.rs", "b.rs", "docs/**"]);
    let nowhere = LeaseFilter {
        project: Some(ProjectId(99)),
        ..LeaseFilter::default()
    };
    assert_eq!(listed(&stage, &nowhere), Vec::<String>::new());
    let of_actor = LeaseFilter {
        actor: Some(other.id),
        ..LeaseFilter::default()
    };
    assert_eq!(listed(&stage, &of_actor), ["b.rs", "docs/**"]);
    let over = |path| LeaseFilter {
        path: Some(path),
        ..LeaseFilter::default()
    };
    assert_eq!(listed(&stage, &over("a.rs")), ["a.rs"]);
    assert_eq!(listed(&stage, &over("docs/guide.md")), ["docs/**"]);
}

#[test]
fn ended_leases_are_listed_newest_first_with_their_reasons() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.writes(&main, "toolu_1", "a.rs");
    stage.edits(&main, "toolu_2", "b.rs");
    stage.fails(&main, "toolu_2");
    stage.stops(&main);
    let ended = LeaseFilter {
        ended: true,
        most: 200,
        ..LeaseFilter::default()
    };
    let told: Vec<String> = list(&stage.read(), &ended)
        .unwrap()
        .into_iter()
        .map(|lease| format!("{} {}", lease.key.path, lease.ended.unwrap().1.as_str()))
        .collect();
    assert_eq!(told, ["a.rs turn_end", "b.rs no_write"]);
    assert_eq!(listed(&stage, &LeaseFilter { most: 1, ..ended }), ["a.rs"]);
}

#[test]
fn leases_that_ended_long_ago_are_forgotten_and_live_ones_are_not() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    stage.writes(&one, "toolu_1", "a.rs");
    stage.writes(&two, "toolu_1", "b.rs");
    stage.prompts(&two, "go");
    stage.waits(&two, "a.rs");
    stage.stops(&one);
    stage.releases("b.rs", EndReason::Released);
    stage.writes(&two, "toolu_2", "b.rs");
    stage.pass(40 * 24 * 3_600_000);
    stage.prune(30, 512);
    assert_eq!(stage.over(), Vec::<String>::new());
    assert_eq!(stage.held(), ["b.rs main@9999 1"]);
    assert_eq!(stage.line(), ["a.rs main@9999 offered"]);
}

#[test]
fn what_is_held_below_a_folder_is_found_without_a_look_at_its_neighbours() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let paths = ["src.rs", "src/a.rs", "src/deep/b.rs", "src0.rs", "srcs/c.rs"];
    for (number, path) in paths.into_iter().enumerate() {
        stage.writes(&main, &format!("toolu_{number}"), path);
    }
    stage.overruns(&main, "toolu_9");
    let worktree = stage.worktree("/repo");
    let below = |folder: &str| -> Vec<String> {
        let found = below(&stage.read(), worktree, folder).unwrap();
        found.into_iter().map(|lease| lease.key.path).collect()
    };
    assert_eq!(below("src"), ["src/a.rs", "src/deep/b.rs"]);
    assert_eq!(below("src/deep/"), ["src/deep/b.rs"]);
    assert_eq!(below(""), paths);
    stage.read().spent();
    below("docs");
    let spent = stage.read().spent();
    assert_eq!(spent.scanned, 0);
    assert!(spent.steps < 40, "{spent:?}");
}
