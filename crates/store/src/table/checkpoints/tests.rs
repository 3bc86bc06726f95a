//! A checkpoint is recorded once, with its files, and numbered where it belongs.

use super::*;
use crate::checkpoint_files::{self, CheckpointFileChange, NewFile};
use crate::stage::{Stage, added, by, deleted, main_of, modified};
use engine::event::StartSource;

fn stage() -> Stage {
    let mut stage = Stage::new();
    stage.starts(&main_of("7c1e"), StartSource::Startup);
    stage
}

#[test]
fn a_checkpoint_is_read_as_it_was_recorded() {
    let mut stage = stage();
    let main = main_of("7c1e");
    let partner = CheckpointId::parse("0123456789ab");
    let draft = NewCheckpoint {
        run: Some(2),
        turn: Some(3),
        summary: Some("ö".repeat(4000)),
        tool_use_id: Some(ToolUseId::new("toolu_1")),
        transcript_end: Some(99),
        degraded: vec!["late look".to_owned(), "moving".to_owned()],
        source: CheckpointSource::Import,
        foreign_id: Some("long-foreign-id".to_owned()),
        partner: partner.clone(),
        undoes: partner.clone(),
        head: None,
        branch: None,
        ..stage.draft(&main, CheckpointKind::Before)
    };
    let skipped = NewFile {
        change: CheckpointFileChange::Skipped,
        skip_reason: Some("too big".to_owned()),
        ..modified("data/big.bin")
    };
    let files = [added("a"), modified("b"), deleted("c"), skipped];
    let found = stage.keep(&draft, &files);
    assert_eq!(found.id, draft.id);
    assert_eq!(
        (found.run, found.turn, found.transcript_end),
        (Some(2), Some(3), Some(99))
    );
    assert_eq!(found.summary.as_deref().map(str::len), Some(2048));
    assert_eq!(found.tool_use_id, draft.tool_use_id);
    assert_eq!(found.degraded, draft.degraded);
    assert_eq!(
        (found.source, &found.foreign_id),
        (CheckpointSource::Import, &draft.foreign_id)
    );
    assert_eq!((&found.partner, &found.undoes), (&partner, &partner));
    assert_eq!((&found.head, &found.branch), (&None, &None));
    let counts = Counts {
        added: 1,
        modified: 1,
        deleted: 1,
        skipped: 1,
    };
    assert_eq!(found.counts, counts);
    let rows = checkpoint_files::of(&stage.read(), &found.id).unwrap();
    let read: Vec<NewFile> = rows.into_iter().map(|row| row.file).collect();
    assert_eq!(read, files);
}

#[test]
fn the_same_trigger_makes_one_checkpoint() {
    let mut stage = stage();
    let draft = stage.draft(&main_of("7c1e"), CheckpointKind::Turn);
    let first = stage.keep(&draft, &[added("a")]);
    let again = NewCheckpoint {
        id: CheckpointId::from_random([9; 6]),
        label: "another".to_owned(),
        ..draft.clone()
    };
    let inserted = stage.write(|db| insert(db, &again, &[added("b")]));
    assert_eq!(inserted, Inserted::Known(Box::new(first)));
    assert_eq!(stage.rows("SELECT COUNT(*) FROM checkpoints"), ["1"]);
    assert_eq!(stage.rows("SELECT COUNT(*) FROM checkpoint_files"), ["1"]);
}

#[test]
fn a_trigger_without_a_session_makes_one_checkpoint_too() {
    let mut stage = stage();
    let mut draft = stage.draft(&main_of("7c1e"), CheckpointKind::Manual);
    (draft.trigger.session, draft.trigger.actor) = (None, None);
    let first = stage.keep(&draft, &[]);
    assert_eq!((first.session, first.sequence, first.point), (None, None, None));
    let again = NewCheckpoint {
        id: CheckpointId::from_random([9; 6]),
        ..draft
    };
    let inserted = stage.write(|db| insert(db, &again, &[]));
    assert_eq!(inserted, Inserted::Known(Box::new(first)));
}

#[test]
fn one_trigger_may_make_a_checkpoint_in_each_worktree() {
    let mut stage = stage();
    let elsewhere = main_of("7c1e").in_worktree("/repo-wt");
    stage.prompts(&elsewhere, "go");
    let here = stage.draft(&main_of("7c1e"), CheckpointKind::Turn);
    let mut there = stage.draft(&elsewhere, CheckpointKind::Turn);
    there.trigger.key.clone_from(&here.trigger.key);
    assert_ne!(here.trigger.worktree, there.trigger.worktree);
    assert!(stage.keep(&here, &[]).seq < stage.keep(&there, &[]).seq);
}

#[test]
fn a_file_that_cannot_be_recorded_takes_its_checkpoint_with_it() {
    let mut stage = stage();
    let draft = stage.draft(&main_of("7c1e"), CheckpointKind::Turn);
    let mut tx = stage.store.begin().unwrap();
    let twice = [added("a"), added("a")];
    assert!(tx.unit(|db| insert(db, &draft, &twice)).is_err());
    tx.commit().unwrap();
    assert_eq!(stage.rows("SELECT COUNT(*) FROM checkpoints"), ["0"]);
}

#[test]
fn a_run_is_counted_from_zero_and_a_turn_from_one() {
    let mut stage = stage();
    let main = main_of("7c1e");
    let child = main.agent("a3f2", "Explore");
    stage.agent_starts(&child);
    let mut cut = |who, kind, run, turn| {
        let draft = NewCheckpoint {
            run,
            turn,
            ..stage.draft(who, kind)
        };
        stage.keep(&draft, &[]);
    };
    cut(&main, CheckpointKind::Baseline, None, Some(1));
    cut(&child, CheckpointKind::AgentStart, Some(1), Some(1));
    cut(&main, CheckpointKind::Step, None, Some(1));
    cut(&child, CheckpointKind::AgentStop, Some(1), Some(1));
    cut(&main, CheckpointKind::Turn, None, Some(1));
    cut(&child, CheckpointKind::AgentStart, Some(2), Some(2));
    cut(&child, CheckpointKind::AgentStop, Some(2), Some(2));
    assert_eq!(
        stage.rows("SELECT kind, run, sequence, turn, point FROM checkpoints ORDER BY seq"),
        [
            "baseline - 0 1 -",
            "agent-start 1 0 1 1",
            "step - 1 1 2",
            "agent-stop 1 1 1 3",
            "turn - 2 1 -",
            "agent-start 2 0 2 1",
            "agent-stop 2 1 2 2",
        ]
    );
}

#[test]
fn the_ends_of_a_run_are_found_apart_from_its_steps_and_from_other_runs() {
    let mut stage = stage();
    let child = main_of("7c1e").agent("a3f2", "Explore");
    stage.agent_starts(&child);
    let mut cut = |kind, run| {
        let draft = NewCheckpoint {
            run: Some(run),
            ..stage.draft(&child, kind)
        };
        stage.keep(&draft, &[])
    };
    let start = cut(CheckpointKind::AgentStart, 1);
    cut(CheckpointKind::Step, 1);
    let stop = cut(CheckpointKind::AgentStop, 1);
    cut(CheckpointKind::AgentStart, 2);
    let actor = start.actor.unwrap();
    let ends = ends_of_run(&stage.read(), actor, 1).unwrap();
    let ids: Vec<_> = ends.into_iter().map(|row| row.id).collect();
    assert_eq!(ids, [start.id, stop.id]);
}

#[test]
fn what_is_learned_later_is_added_to_the_row() {
    let mut stage = stage();
    let main = main_of("7c1e");
    let first = stage.cut(&main, CheckpointKind::Turn, 1, &[]);
    let second = stage.cut(&main, CheckpointKind::Turn, 2, &[]);
    let (worktree, project) = (first.worktree, stage.starts(&main, StartSource::Resume).project);
    stage.write(|db| {
        set_sealed(db, &first.id, "seal")?;
        set_commits(db, &second.id, "new", Some("new-seal"))?;
        set_label(db, &second.id, "Starting: look around")?;
        assert!(set_pinned(db, &first.id, true)?);
        assert!(!set_pinned(db, &CheckpointId::from_random([9; 6]), true)?);
        Ok(())
    });
    assert_eq!(
        stage.rows("SELECT commit_id, sealed_commit, label, pinned FROM checkpoints ORDER BY seq"),
        ["commit-1 seal cut 1 1", "new new-seal Starting: look around 0"]
    );
    let db = stage.read();
    assert_eq!(tip(&db, worktree).unwrap().unwrap().id, second.id);
    assert_eq!(line(&db, worktree).unwrap().len(), 2);
    assert!(uses_base(&db, project, "base").unwrap());
    assert!(!uses_base(&db, project, "other").unwrap());
}

#[test]
fn a_tree_is_found_once_for_each_session_that_had_it() {
    let mut stage = stage();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    let project = stage.starts(&two, StartSource::Startup).project;
    let mut cut = |who| {
        let draft = NewCheckpoint {
            files_tree: "same".to_owned(),
            ..stage.draft(who, CheckpointKind::Turn)
        };
        stage.keep(&draft, &[]).id
    };
    let (_, second, third) = (cut(&one), cut(&one), cut(&two));
    let found = with_tree(&stage.read(), project, "same").unwrap();
    let found: Vec<CheckpointId> = found.into_iter().map(|checkpoint| checkpoint.id).collect();
    assert_eq!(found, [third, second]);
    assert_eq!(with_tree(&stage.read(), project, "other").unwrap(), []);
}

#[test]
fn every_kind_is_found_by_its_word() {
    for kind in CheckpointKind::ALL {
        assert_eq!(CheckpointKind::from_word(kind.as_str()), Some(kind));
    }
    assert_eq!(CheckpointKind::from_word("sing"), None);
    assert_eq!(CheckpointKind::parse("sing"), CheckpointKind::Manual);
}

#[test]
fn who_did_it_is_told_by_name() {
    let mut stage = stage();
    let main = main_of("7c1e");
    let session = stage.main(&main);
    stage.write(|db| crate::actors::fix_alias(db, session, "2026-11-15"));
    let work = by(&stage, &main, added("a"));
    let cut = stage.cut(&main, CheckpointKind::Turn, 1, &[work]);
    let row = checkpoint_files::of(&stage.read(), &cut.id).unwrap().remove(0);
    assert_eq!(row.label.as_deref(), Some("main@7c1e"));
    assert_eq!(row.session_alias.as_deref(), Some("2026-11-15-7c1e"));
}
