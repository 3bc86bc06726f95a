//! Retention drops what is old, never what is needed, and forgets nobody's work.

use super::*;
use crate::checkpoint_files::{ChangeOrigin, NewFile, set_committed};
use crate::checkpoints::{self, CheckpointKind, NewCheckpoint};
use crate::stage::{Stage, Who, added, by, file, main_of};
use engine::event::StartSource;
use engine::id::CheckpointSeq;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn policy(stage: &Stage) -> Retention {
    let before = |milliseconds: i64| Timestamp(stage.now().0 - milliseconds);
    Retention {
        project: None,
        session: None,
        steps_since: before(DAY),
        others_since: before(30 * DAY),
        undo_since: before(7 * DAY),
        keep_last: 1,
    }
}

fn labels(stage: &Stage, retention: &Retention) -> Vec<String> {
    let found = candidates(&stage.read(), retention, 100).unwrap();
    found.into_iter().map(|checkpoint| checkpoint.label).collect()
}

/// A session that is over, with so many old checkpoints of these kinds, and one new one on the line after them.
fn ended(kinds: &[CheckpointKind], age: i64) -> Stage {
    let mut stage = Stage::new();
    let (old, other) = (main_of("7c1e"), main_of("9999"));
    stage.starts(&old, StartSource::Startup);
    for kind in kinds {
        stage.cut(&old, *kind, 1, &[added("a")]);
    }
    stage.ends(&old, "other");
    stage.pass(age);
    stage.starts(&other, StartSource::Startup);
    stage.cut(&other, CheckpointKind::Turn, 1, &[]);
    stage
}

#[test]
fn steps_go_after_a_day_and_the_rest_after_a_month() {
    let kinds = [
        CheckpointKind::Turn,
        CheckpointKind::Step,
        CheckpointKind::Turn,
        CheckpointKind::Step,
        CheckpointKind::Turn,
    ];
    let stage = ended(&kinds, 2 * DAY);
    assert_eq!(labels(&stage, &policy(&stage)), ["cut 2", "cut 4"]);
    let stage = ended(&kinds, 31 * DAY);
    assert_eq!(
        labels(&stage, &policy(&stage)),
        ["cut 2", "cut 4", "cut 1", "cut 3"],
        "steps first, the last of the session never"
    );
}

#[test]
fn so_many_of_each_session_stay() {
    let stage = ended(&[CheckpointKind::Turn; 5], 31 * DAY);
    let kept = |keep_last| {
        labels(
            &stage,
            &Retention {
                keep_last,
                ..policy(&stage)
            },
        )
    };
    assert_eq!(kept(3), ["cut 1", "cut 2"]);
    assert_eq!(kept(5), Vec::<String>::new());
    assert_eq!(
        kept(0),
        ["cut 1", "cut 2", "cut 3", "cut 4", "cut 5"],
        "never the newest of the line"
    );
}

#[test]
fn what_is_pinned_or_belongs_to_an_open_session_stays() {
    let mut stage = ended(&[CheckpointKind::Turn; 3], 31 * DAY);
    let first = candidates(&stage.read(), &policy(&stage), 1).unwrap().remove(0);
    stage.write(|db| checkpoints::set_pinned(db, &first.id, true));
    assert_eq!(labels(&stage, &policy(&stage)), ["cut 2"]);
    stage.starts(&main_of("7c1e").agent("a3f2", "Explore"), StartSource::Resume);
    assert_eq!(labels(&stage, &policy(&stage)), Vec::<String>::new());
}

#[test]
fn pending_work_stays_until_it_is_committed() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let worktree = stage.starts(&main, StartSource::Startup).worktree;
    let work = by(&stage, &main, added("a"));
    stage.cut(&main, CheckpointKind::Turn, 1, &[work]);
    stage.cut(&main, CheckpointKind::Turn, 2, &[]);
    stage.ends(&main, "other");
    stage.pass(31 * DAY);
    assert_eq!(labels(&stage, &policy(&stage)), Vec::<String>::new());
    stage.write(|db| set_committed(db, worktree, b"a", CheckpointSeq(9), "9e02"));
    assert_eq!(labels(&stage, &policy(&stage)), ["cut 1"]);
}

#[test]
fn what_a_recent_undo_needs_stays_though_the_disk_is_full() {
    let kinds = [
        CheckpointKind::BeforeRewind,
        CheckpointKind::Rewind,
        CheckpointKind::Before,
        CheckpointKind::Turn,
        CheckpointKind::Turn,
    ];
    let urgent = |stage: &Stage| Retention {
        steps_since: stage.now(),
        others_since: stage.now(),
        ..policy(stage)
    };
    let stage = ended(&kinds, 6 * DAY);
    assert_eq!(labels(&stage, &urgent(&stage)), ["cut 4"]);
    let stage = ended(&kinds, 8 * DAY);
    assert_eq!(
        labels(&stage, &urgent(&stage)),
        ["cut 1", "cut 2", "cut 3", "cut 4"]
    );
}

#[test]
fn a_person_may_ask_for_one_session_or_one_project() {
    let stage = ended(&[CheckpointKind::Turn; 3], 31 * DAY);
    let (one, two) = (stage.main(&main_of("7c1e")), stage.main(&main_of("9999")));
    let of = |session| {
        labels(
            &stage,
            &Retention {
                session: Some(session),
                ..policy(&stage)
            },
        )
    };
    assert_eq!(of(one), ["cut 1", "cut 2"]);
    assert_eq!(of(two), Vec::<String>::new());
    let elsewhere = Retention {
        project: Some(ProjectId(2)),
        ..policy(&stage)
    };
    assert_eq!(labels(&stage, &elsewhere), Vec::<String>::new());
}

fn rows(stage: &Stage) -> Vec<String> {
    stage.rows(
        "SELECT checkpoint_seq, CAST(path AS TEXT), change, before_id, after_id FROM checkpoint_files
         ORDER BY checkpoint_seq, path",
    )
}

/// A line of checkpoints of one actor, the first without files.
fn line_of(who: &Who, cuts: &[&[NewFile]]) -> (Stage, Vec<CheckpointId>) {
    let mut stage = Stage::new();
    stage.starts(who, StartSource::Startup);
    let mut ids = vec![stage.cut(who, CheckpointKind::Baseline, 1, &[]).id];
    for files in cuts {
        let files: Vec<NewFile> = files.iter().map(|file| by(&stage, who, file.clone())).collect();
        ids.push(stage.cut(who, CheckpointKind::Step, 1, &files).id);
    }
    (stage, ids)
}

#[test]
fn the_next_checkpoint_takes_over_what_a_dropped_one_changed() {
    let (mut stage, ids) = line_of(
        &main_of("7c1e"),
        &[
            &[
                file("edited", Some("1"), Some("2")),
                file("gone", None, Some("1")),
                file("made", None, Some("1")),
                file("back", Some("1"), Some("2")),
                file("alone", None, Some("1")),
            ],
            &[
                file("edited", Some("2"), Some("3")),
                file("gone", Some("1"), None),
                file("made", Some("1"), Some("2")),
                file("back", Some("2"), Some("1")),
            ],
        ],
    );
    assert!(stage.write(|db| drop(db, &ids[1])));
    assert_eq!(
        rows(&stage),
        [
            "3 alone added - blob-1",
            "3 edited modified blob-1 blob-3",
            "3 made added - blob-2",
        ]
    );
    let next = checkpoints::by_id(&stage.read(), &ids[2]).unwrap().unwrap();
    assert_eq!(
        (next.counts.added, next.counts.modified, next.counts.deleted),
        (2, 1, 0)
    );
    assert!(stage.write(|db| drop(db, &ids[1])), "it is gone already");
}

#[test]
fn the_newest_of_a_line_is_never_dropped() {
    let (mut stage, ids) = line_of(&main_of("7c1e"), &[&[added("a")]]);
    assert!(!stage.write(|db| drop(db, &ids[1])));
}

#[test]
fn the_oldest_of_a_line_takes_its_changes_with_it() {
    let (mut stage, ids) = line_of(&main_of("7c1e"), &[&[added("a")], &[added("b")]]);
    assert!(stage.write(|db| drop(db, &ids[0])));
    assert!(stage.write(|db| drop(db, &ids[1])));
    assert_eq!(rows(&stage), ["3 b added - blob-1"]);
}

#[test]
fn a_checkpoint_that_keeps_two_hands_apart_is_needed() {
    let main = main_of("7c1e");
    let (mut stage, ids) = line_of(&main, &[&[file("a", None, Some("1"))]]);
    let edit = NewFile {
        origin: ChangeOrigin::Outside,
        ..file("a", Some("1"), Some("2"))
    };
    let outside = stage.draft(&main, CheckpointKind::Outside);
    stage.keep(
        &NewCheckpoint {
            turn: Some(2),
            ..outside
        },
        &[edit],
    );
    stage.cut(&main, CheckpointKind::Turn, 2, &[]);
    let before = rows(&stage);
    assert!(!stage.write(|db| drop(db, &ids[1])));
    assert_eq!(rows(&stage), before);
}

#[test]
fn a_step_that_a_turn_ended_with_is_kept_as_long_as_turns_are() {
    let mut stage = Stage::new();
    let (old, other) = (main_of("7c1e"), main_of("9999"));
    stage.starts(&old, StartSource::Startup);
    stage.prompts(&old, "look only");
    stage.cut(&old, CheckpointKind::Step, 1, &[]);
    let end = stage.cut(&old, CheckpointKind::Step, 1, &[]).id;
    let session = stage.main(&old);
    let turn = crate::turns::current(&stage.read(), session).unwrap().unwrap();
    stage.write(|db| crate::turns::set_checkpoint(db, turn.id, &end));
    stage.cut(&old, CheckpointKind::Step, 1, &[]);
    stage.cut(&old, CheckpointKind::Turn, 2, &[]);
    stage.ends(&old, "other");
    stage.pass(2 * DAY);
    stage.starts(&other, StartSource::Startup);
    stage.cut(&other, CheckpointKind::Turn, 1, &[]);
    assert_eq!(labels(&stage, &policy(&stage)), ["cut 1", "cut 3"]);
    stage.pass(30 * DAY);
    assert_eq!(labels(&stage, &policy(&stage)), ["cut 1", "cut 3", "cut 2"]);
}

#[test]
fn a_commit_stays_linked_to_the_checkpoint_that_takes_over_the_work() {
    let main = main_of("7c1e");
    let (mut stage, ids) = line_of(&main, &[&[added("a")], &[added("b")]]);
    let link = commit_links::CommitLink {
        project: ProjectId(1),
        commit: "9e02".to_owned(),
        checkpoint: ids[1].clone(),
        session: Some(stage.main(&main)),
        how: commit_links::LinkKind::Paths,
        paths_matched: 1,
        paths_total: 1,
        patch_id: None,
        superseded_by: None,
        linked_at: Timestamp(1),
    };
    stage.write(|db| commit_links::link(db, &link));
    assert!(stage.write(|db| drop(db, &ids[1])));
    let found = checkpoints::newest_linked(&stage.read(), ProjectId(1), "9e02").unwrap();
    assert_eq!(found.map(|found| found.id), Some(ids[2].clone()));
}

#[test]
fn what_rows_speak_of_is_named_for_whoever_tidies() {
    let (stage, _) = line_of(
        &main_of("7c1e"),
        &[
            &[file("a", Some("1"), Some("2"))],
            &[file("a", Some("2"), None), file("b", None, Some("3"))],
        ],
    );
    let mut named = checkpoint_files::objects(&stage.read(), ProjectId(1)).unwrap();
    named.sort();
    assert_eq!(named, ["blob-1", "blob-2", "blob-3"]);
    let mut stage = stage;
    let ids = stage.rows("SELECT id FROM checkpoints ORDER BY seq");
    for id in &ids[..2] {
        let id = CheckpointId::parse(id).unwrap();
        assert!(stage.write(|db| drop(db, &id)));
    }
    let mut named = checkpoint_files::objects(&stage.read(), ProjectId(1)).unwrap();
    named.sort();
    assert_eq!(named, ["blob-3"], "nothing is put back to before the oldest");
    assert!(
        checkpoint_files::objects(&stage.read(), ProjectId(2))
            .unwrap()
            .is_empty()
    );
}
