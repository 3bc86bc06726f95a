//! Promises of the small tables: projects, worktrees, labels, warnings, trusts, counters.

use crate::projects::{ProjectKind, ProjectPlace};
use crate::stage::{Stage, main_of};
use crate::trusts::Fingerprint;
use crate::warnings::Warning;
use crate::{actors, counters, projects, trusts, warnings, worktrees};
use engine::event::StartSource;
use engine::id::EventSeq;
use engine::time::Timestamp;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[test]
fn a_place_is_one_project_and_its_bytes_stay_bytes() {
    let mut stage = Stage::new();
    let odd = PathBuf::from(OsStr::from_bytes(b"/repo-\xff"));
    let place = ProjectPlace {
        key: odd.join(".git"),
        root: odd.clone(),
        kind: ProjectKind::Git,
    };
    let moved = ProjectPlace {
        root: PathBuf::from("/elsewhere"),
        ..place.clone()
    };
    let (first, again, worktree) = stage.write(|db| {
        let first = projects::ensure(db, &place, Timestamp(1))?;
        let worktree = worktrees::ensure(db, first, &odd, Timestamp(1))?;
        assert_eq!(worktrees::ensure(db, first, &odd, Timestamp(2))?, worktree);
        Ok((first, projects::ensure(db, &moved, Timestamp(2))?, worktree))
    });
    assert_eq!(first, again);
    let known = projects::by_key(&stage.read(), &place.key).unwrap().unwrap();
    assert_eq!((known.place, known.first_seen), (moved, Timestamp(1)));
    assert_eq!(
        worktrees::by_id(&stage.read(), worktree).unwrap().unwrap().root,
        odd
    );
    assert_eq!(worktrees::of(&stage.read(), first).unwrap().len(), 1);
    assert_eq!(projects::list(&stage.read()).unwrap().len(), 1);
}

#[test]
fn two_live_actors_of_a_project_never_share_a_label() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1eaaaa-1"), main_of("7c1eabbb-2"));
    stage.starts(&one, StartSource::Startup);
    stage.starts(&two, StartSource::Startup);
    assert_eq!(stage.actor(&one).label, "main@7c1e");
    assert_eq!(stage.actor(&two).label, "main@7c1ea");

    stage.ends(&one, "other");
    let three = main_of("7c1eaccc-3");
    stage.starts(&three, StartSource::Startup);
    assert_eq!(stage.actor(&three).label, "main@7c1e");
    stage.starts(&one, StartSource::Resume);
    assert_eq!(stage.actor(&one).label, "main@7c1eaa", "its old label is taken");
}

#[test]
fn an_event_that_does_not_say_where_changes_nothing_about_the_place() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.starts(&main, StartSource::Startup);
    let before = stage.actor(&main);
    let sighting = actors::Sighting {
        key: &main.key,
        agent_type: None,
        project: None,
        worktree: None,
        cwd: None,
        at: Timestamp(2_000_000),
        boot: None,
    };
    let after = stage.write(|db| actors::ensure(db, &sighting));
    assert_eq!(
        (after.project, after.worktree, &after.cwd),
        (before.project, before.worktree, &before.cwd)
    );
    assert_eq!(stage.actor(&main).last_seen, Timestamp(2_000_000));
    assert_eq!(
        actors::list(&stage.read(), before.project, true).unwrap().len(),
        1
    );
}

#[test]
fn a_warning_lives_for_one_agent_one_rule_and_one_key() {
    let mut stage = Stage::new();
    let (main, child) = (main_of("7c1e").key, main_of("7c1e").agent("a1", "x").key);
    let about = |actor, key| Warning {
        actor,
        rule_id: "core.git.reset-hard",
        key,
    };
    assert_eq!(
        stage.write(|db| warnings::remember(db, &about(&main, ""), EventSeq(1), Timestamp(1))),
        1
    );
    assert_eq!(
        stage.write(|db| warnings::remember(db, &about(&main, ""), EventSeq(2), Timestamp(2))),
        2
    );
    let db = stage.read();
    assert!(warnings::is_live(&db, &about(&main, "")).unwrap());
    assert!(!warnings::is_live(&db, &about(&main, "other")).unwrap());
    assert!(!warnings::is_live(&db, &about(&child, "")).unwrap());
}

#[test]
fn a_warning_that_is_no_longer_so_is_forgotten_and_can_be_given_anew() {
    let mut stage = Stage::new();
    let main = main_of("7c1e").key;
    let about = |key| Warning {
        actor: &main,
        rule_id: "checkpoints.concurrent",
        key,
    };
    for key in ["ab31 4c1f", "ab3_ 4c1f"] {
        stage.write(|db| warnings::remember(db, &about(key), EventSeq(1), Timestamp(1)));
    }
    let forgotten = stage.write(|db| warnings::forget(db, "checkpoints.concurrent", "ab3_ ", Timestamp(2)));
    assert_eq!(forgotten, 1);
    assert!(warnings::is_live(&stage.read(), &about("ab31 4c1f")).unwrap());
    assert!(!warnings::is_live(&stage.read(), &about("ab3_ 4c1f")).unwrap());
    let hits = stage.write(|db| warnings::remember(db, &about("ab3_ 4c1f"), EventSeq(3), Timestamp(3)));
    assert_eq!(hits, 1);
}

#[test]
fn trust_is_for_the_very_bytes() {
    let mut stage = Stage::new();
    let path = Path::new("/repo/toprope.toml");
    let (old, new) = (Fingerprint::of(b"old"), Fingerprint::of(b"new"));
    stage.write(|db| trusts::trust(db, path, &old, Timestamp(1)));
    assert!(trusts::is_trusted(&stage.read(), path, &old).unwrap());
    assert!(!trusts::is_trusted(&stage.read(), path, &new).unwrap());
    stage.write(|db| trusts::trust(db, path, &new, Timestamp(2)));
    assert!(!trusts::is_trusted(&stage.read(), path, &old).unwrap());
    let listed = trusts::list(&stage.read()).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        listed[0].sha256.to_string(),
        "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437"
    );
    assert!(stage.write(|db| trusts::revoke(db, path, Timestamp(3))));
    assert!(!stage.write(|db| trusts::revoke(db, path, Timestamp(4))));
    assert!(!trusts::is_trusted(&stage.read(), path, &new).unwrap());
}

#[test]
fn counters_add_up_and_remember_the_last() {
    let mut stage = Stage::new();
    stage.write(|db| {
        counters::add(db, "fallback", 2)?;
        counters::add(db, "fallback", 3)?;
        counters::note(db, "malformed", "empty", Timestamp(1))?;
        counters::note(db, "malformed", "not an object", Timestamp(2))
    });
    let told: Vec<String> = counters::list(&stage.read())
        .unwrap()
        .into_iter()
        .map(|counter| format!("{} {} {:?}", counter.name, counter.count, counter.last_text))
        .collect();
    assert_eq!(told, ["fallback 5 None", r#"malformed 2 Some("not an object")"#]);
}
