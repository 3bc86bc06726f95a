//! Every address of a checkpoint finds the one people mean, or none.

use super::*;
use crate::checkpoints::{CheckpointKind, NewCheckpoint};
use crate::commit_links::{self, CommitLink, LinkKind};
use crate::stage::{Stage, Who, added, main_of};
use engine::id::CheckpointId;

fn digits(checkpoint: Option<Checkpoint>) -> Option<String> {
    checkpoint.map(|checkpoint| checkpoint.label)
}

fn scope(stage: &Stage, who: &Who) -> AddressScope {
    AddressScope {
        session: stage.main(who),
        worktree: None,
    }
}

/// A turn of somebody, with as many steps, that points at its own checkpoint.
fn turn(stage: &mut Stage, who: &Who, number: u64, steps: usize) {
    stage.prompts(who, "go");
    for _ in 0..steps {
        stage.cut(who, CheckpointKind::Step, number, &[added("a")]);
    }
    let cut = stage.cut(who, CheckpointKind::Turn, number, &[added("b")]);
    point_at(stage, who, number, &cut.id);
    stage.stops(who);
}

fn point_at(stage: &mut Stage, who: &Who, number: u64, id: &CheckpointId) {
    let actor = stage.main(who);
    stage.write(|db| {
        let turn = turns::numbered(db, actor, number)?.unwrap();
        turns::set_checkpoint(db, turn.id, id)
    });
}

#[test]
fn an_id_is_found_by_its_first_four_digits_and_by_all_of_them() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    for bytes in [
        [0x7b, 0xe1, 0, 0, 0, 1],
        [0x7b, 0xe1, 0, 0, 0, 2],
        [0x7b, 0xe2, 0, 0, 0, 3],
    ] {
        let draft = NewCheckpoint {
            id: CheckpointId::from_random(bytes),
            ..stage.draft(&main, CheckpointKind::Turn)
        };
        stage.keep(&draft, &[]);
    }
    let found = |text: &str| -> Vec<String> {
        let found = by_prefix(&stage.read(), text).unwrap();
        found
            .into_iter()
            .map(|checkpoint| checkpoint.id.to_string())
            .collect()
    };
    assert_eq!(found("7be1"), ["7be100000002", "7be100000001"]);
    assert_eq!(found("7be2"), ["7be200000003"]);
    assert_eq!(found("7be100000001"), ["7be100000001"]);
    for none in ["7be", "", "7be10000000ff", "%", "____", "7BE1", "éé"] {
        assert_eq!(found(none), Vec::<String>::new(), "{none}");
    }
}

#[test]
fn counting_back_stays_in_the_session_and_may_pass_over_steps() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    turn(&mut stage, &one, 1, 1);
    turn(&mut stage, &two, 1, 0);
    turn(&mut stage, &one, 2, 1);
    let nth = |nth, steps| digits(nth_newest(&stage.read(), &scope(&stage, &one), nth, steps).unwrap());
    assert_eq!(nth(0, false).unwrap(), "cut 5");
    assert_eq!(nth(1, false).unwrap(), "cut 2");
    assert_eq!(nth(2, false), None);
    assert_eq!(nth(1, true).unwrap(), "cut 4");
    assert_eq!(nth(3, true).unwrap(), "cut 1");
    assert_eq!(nth(9, true), None);
}

#[test]
fn a_session_begins_with_the_baseline_of_the_worktree_asked_for() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let away = main.in_worktree("/repo-wt");
    stage.prompts(&away, "go");
    stage.prompts(&main, "go");
    let mut both = scope(&stage, &main);
    assert_eq!(baseline(&stage.read(), &both).unwrap(), None);
    stage.cut(&main, CheckpointKind::Baseline, 1, &[]);
    stage.cut(&away, CheckpointKind::Baseline, 1, &[]);
    both.worktree = Some(stage.worktree("/repo"));
    assert_eq!(digits(baseline(&stage.read(), &both).unwrap()).unwrap(), "cut 1");
    both.worktree = Some(stage.worktree("/repo-wt"));
    assert_eq!(digits(baseline(&stage.read(), &both).unwrap()).unwrap(), "cut 2");
}

#[test]
fn a_turn_is_its_end_or_what_came_before_where_it_changed_nothing() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "one");
    stage.cut(&main, CheckpointKind::Baseline, 1, &[]);
    stage.stops(&main);
    turn(&mut stage, &main, 2, 2);
    stage.prompts(&main, "three");
    stage.stops(&main);
    stage.prompts(&main, "four");
    stage.cut(&main, CheckpointKind::Step, 4, &[added("a")]);
    let end = |number| digits(end_of_turn(&stage.read(), &scope(&stage, &main), number).unwrap());
    assert_eq!(end(1).unwrap(), "cut 1", "the baseline");
    assert_eq!(end(2).unwrap(), "cut 4");
    assert_eq!(end(3).unwrap(), "cut 4", "nothing changed");
    assert_eq!(end(4).unwrap(), "cut 5", "so far");
    assert_eq!(end(5), None);
    assert_eq!(
        turns::range(&stage.read(), stage.main(&main)).unwrap(),
        Some((1, 4))
    );
}

#[test]
fn a_turns_end_is_not_moved_by_an_agent_that_ends_later() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    turn(&mut stage, &main, 1, 0);
    let late = main.agent("a3f2", "Explore");
    stage.agent_starts(&late);
    turn(&mut stage, &main, 2, 0);
    stage.cut(&late, CheckpointKind::AgentStop, 1, &[added("late")]);
    let end = end_of_turn(&stage.read(), &scope(&stage, &main), 1).unwrap();
    assert_eq!(digits(end).unwrap(), "cut 1");
}

#[test]
fn a_turn_whose_checkpoint_is_gone_is_not_taken_for_another() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    turn(&mut stage, &main, 1, 0);
    turn(&mut stage, &main, 2, 0);
    stage.write(|db| db.execute("DELETE FROM checkpoints WHERE turn = 2", &[]));
    let end = |number| end_of_turn(&stage.read(), &scope(&stage, &main), number).unwrap();
    assert!(end(1).is_some());
    assert_eq!(end(2), None);
}

#[test]
fn points_of_a_turn_are_numbered_in_their_order() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    turn(&mut stage, &main, 1, 2);
    let at = |number| digits(point(&stage.read(), &scope(&stage, &main), 1, number).unwrap());
    assert_eq!(at(1).unwrap(), "cut 1");
    assert_eq!(at(2).unwrap(), "cut 2");
    assert_eq!(at(3), None, "the end of the turn is the turn itself");
}

#[test]
fn an_agent_is_its_latest_run() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    stage.prompts(&main, "go");
    let child = main.agent("a3f2", "Explore");
    stage.agent_starts(&child);
    let actor = stage.actor(&child).id;
    assert_eq!(latest_run(&stage.read(), actor).unwrap(), None);
    let mut cut = |kind, run| {
        let draft = NewCheckpoint {
            run: Some(run),
            ..stage.draft(&child, kind)
        };
        stage.keep(&draft, &[]);
        let run = latest_run(&stage.read(), actor).unwrap().unwrap();
        (run.number, digits(run.start), run.end.label)
    };
    let told = |run, start: &str, end: &str| (Some(run), Some(start.to_owned()), end.to_owned());
    assert_eq!(cut(CheckpointKind::AgentStart, 1), told(1, "cut 1", "cut 1"));
    assert_eq!(cut(CheckpointKind::Step, 1), told(1, "cut 1", "cut 2"));
    assert_eq!(cut(CheckpointKind::AgentStop, 1), told(1, "cut 1", "cut 3"));
    assert_eq!(cut(CheckpointKind::AgentStart, 2), told(2, "cut 4", "cut 4"));
    assert_eq!(cut(CheckpointKind::AgentStop, 2), told(2, "cut 4", "cut 5"));
}

#[test]
fn a_commit_is_the_newest_checkpoint_linked_to_it() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let sent = stage.prompts(&main, "go");
    let (first, second) = (
        stage.cut(&main, CheckpointKind::Turn, 1, &[]),
        stage.cut(&main, CheckpointKind::Turn, 2, &[]),
    );
    let at = stage.now();
    let mut link = |session, checkpoint: &Checkpoint, commit: &str| {
        let link = CommitLink {
            project: sent.project,
            commit: commit.to_owned(),
            checkpoint: checkpoint.id.clone(),
            session,
            how: LinkKind::Tree,
            paths_matched: 1,
            paths_total: 1,
            patch_id: None,
            superseded_by: None,
            linked_at: at,
        };
        stage.write(|db| commit_links::link(db, &link));
    };
    link(None, &second, "9e02");
    link(Some(sent.actor.id), &first, "9e02");
    let newest = |commit| newest_linked(&stage.read(), sent.project, commit).unwrap();
    assert_eq!(newest("9e02").unwrap().id, second.id);
    assert_eq!(newest("0000"), None);
}
