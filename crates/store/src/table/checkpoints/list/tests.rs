//! A list shows what was asked for, newest first, and costs the same however long the history is.

use super::*;
use crate::checkpoints::NewCheckpoint;
use crate::commit_links::LinkKind;
use crate::stage::{Stage, added, main_of};
use engine::event::StartSource;
use engine::id::CheckpointId;

const ALL: CheckpointFilter = CheckpointFilter {
    worktree: None,
    session: None,
    actor: None,
    turn: None,
    kind: None,
    path: None,
    steps: true,
    limit: 50,
};

fn labels(stage: &Stage, filter: &CheckpointFilter) -> Vec<String> {
    let listed = list(&stage.read(), filter).unwrap();
    listed.into_iter().map(|one| one.checkpoint.label).collect()
}

#[test]
fn every_filter_lets_its_own_through_newest_first() {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    let away = one.in_worktree("/repo-wt");
    let child = one.agent("a3f2", "Explore");
    for who in [&away, &one, &two] {
        stage.starts(who, StartSource::Startup);
    }
    stage.agent_starts(&child);
    stage.cut(&one, CheckpointKind::Baseline, 1, &[]);
    stage.cut(&one, CheckpointKind::Step, 1, &[added("src/a.rs")]);
    stage.cut(&child, CheckpointKind::AgentStop, 1, &[added("src/deep/b.rs")]);
    stage.cut(&one, CheckpointKind::Turn, 1, &[added("src0.rs")]);
    stage.cut(&two, CheckpointKind::Turn, 1, &[added("src")]);
    stage.cut(&away, CheckpointKind::Turn, 2, &[]);

    let told = |filter: &CheckpointFilter| labels(&stage, filter).join(", ");
    let session = Some(stage.main(&one));
    assert_eq!(told(&ALL), "cut 6, cut 5, cut 4, cut 3, cut 2, cut 1");
    assert_eq!(told(&CheckpointFilter { limit: 2, ..ALL }), "cut 6, cut 5");
    assert_eq!(
        told(&CheckpointFilter { steps: false, ..ALL }),
        "cut 6, cut 5, cut 4, cut 3, cut 1"
    );
    assert_eq!(
        told(&CheckpointFilter { session, ..ALL }),
        "cut 6, cut 4, cut 3, cut 2, cut 1"
    );
    let turn = Some(1);
    assert_eq!(
        told(&CheckpointFilter { session, turn, ..ALL }),
        "cut 4, cut 3, cut 2, cut 1"
    );
    let actor = Some(stage.actor(&child).id);
    assert_eq!(told(&CheckpointFilter { actor, ..ALL }), "cut 3");
    assert_eq!(
        told(&CheckpointFilter {
            session,
            actor,
            turn,
            ..ALL
        }),
        "cut 3"
    );
    let worktree = Some(stage.worktree("/repo-wt"));
    assert_eq!(told(&CheckpointFilter { worktree, ..ALL }), "cut 6");
    assert_eq!(
        told(&CheckpointFilter {
            worktree,
            session,
            turn,
            ..ALL
        }),
        ""
    );
    let kind = Some(CheckpointKind::Step);
    assert_eq!(
        told(&CheckpointFilter {
            kind,
            steps: false,
            ..ALL
        }),
        "cut 2",
        "asked for by name"
    );
    let path = |path: &str| Some(path.as_bytes().to_vec());
    assert_eq!(
        told(&CheckpointFilter {
            path: path("src"),
            ..ALL
        }),
        "cut 5, cut 3, cut 2"
    );
    assert_eq!(
        told(&CheckpointFilter {
            session,
            path: path("src/a.rs"),
            ..ALL
        }),
        "cut 2"
    );
    assert_eq!(
        told(&CheckpointFilter {
            path: path("src/a"),
            ..ALL
        }),
        ""
    );
}

#[test]
fn a_line_says_who_it_was_and_which_commits_hold_it() {
    let mut stage = Stage::new();
    let main = main_of("7c1e");
    let sent = stage.starts(&main, StartSource::Startup);
    let cut = stage.cut(&main, CheckpointKind::Turn, 1, &[added("a")]);
    stage.write(|db| crate::actors::fix_alias(db, sent.actor.id, "2026-11-15"));
    let mut nobody = stage.draft(&main, CheckpointKind::Manual);
    (nobody.trigger.session, nobody.trigger.actor) = (None, None);
    stage.keep(&nobody, &[]);
    let at = stage.now();
    for (commit, superseded_by) in [("old", Some("new".to_owned())), ("new", None)] {
        let link = CommitLink {
            project: sent.project,
            commit: commit.to_owned(),
            checkpoint: cut.id.clone(),
            session: Some(sent.actor.id),
            how: LinkKind::Rewrite,
            paths_matched: 1,
            paths_total: 1,
            patch_id: None,
            superseded_by,
            linked_at: at,
        };
        stage.write(|db| commit_links::link(db, &link));
    }
    let listed = list(&stage.read(), &ALL).unwrap();
    assert_eq!((&listed[0].who, &listed[0].session_alias), (&None, &None));
    let who = listed[1].who.as_ref().unwrap();
    assert_eq!((&who.key, who.label.as_str()), (&main.key, "main@7c1e"));
    assert_eq!(listed[1].session_alias.as_deref(), Some("2026-11-15-7c1e"));
    let commits: Vec<&str> = listed[1]
        .commits
        .iter()
        .map(|link| link.commit.as_str())
        .collect();
    assert_eq!(commits, ["new"]);
}

/// What the database did for a list, in its own steps, after so many checkpoints of two sessions.
fn steps_of(filters: &[CheckpointFilter], checkpoints: usize) -> Vec<i32> {
    let mut stage = Stage::new();
    let (one, two) = (main_of("7c1e"), main_of("9999"));
    stage.starts(&one, StartSource::Startup);
    stage.starts(&two, StartSource::Startup);
    let blank = [
        stage.draft(&one, CheckpointKind::Turn),
        stage.draft(&two, CheckpointKind::Turn),
    ];
    let drafts: Vec<NewCheckpoint> = (0..checkpoints)
        .map(|number| {
            let mut draft = blank[number / 10 % 2].clone();
            draft.id = CheckpointId::parse(&format!("{number:012x}")).unwrap();
            draft.trigger.key = number.to_string();
            draft.trigger.kind = if number % 10 == 0 {
                CheckpointKind::Turn
            } else {
                CheckpointKind::Step
            };
            draft
        })
        .collect();
    stage.write(|db| {
        for draft in &drafts {
            crate::checkpoints::insert(db, draft, &[added("a")])?;
        }
        Ok(())
    });
    let mut steps = Vec::new();
    for filter in filters {
        let db = stage.read();
        db.spent();
        assert_eq!(list(&db, filter).unwrap().len(), 5, "{filter:?}");
        let spent = db.spent();
        assert_eq!(spent.scanned, 0, "{filter:?}");
        steps.push(spent.steps);
    }
    steps
}

#[test]
fn ten_thousand_checkpoints_are_listed_like_a_hundred() {
    use engine::id::{ActorId, WorktreeId};
    let limit = 5;
    let (worktree, session) = (Some(WorktreeId(1)), Some(ActorId(1)));
    let filters = [
        CheckpointFilter {
            worktree,
            session,
            steps: false,
            limit,
            ..ALL
        },
        CheckpointFilter {
            worktree,
            session,
            limit,
            ..ALL
        },
        CheckpointFilter {
            worktree,
            steps: false,
            limit,
            ..ALL
        },
        CheckpointFilter {
            worktree,
            limit,
            ..ALL
        },
        CheckpointFilter {
            actor: session,
            limit,
            ..ALL
        },
        CheckpointFilter {
            worktree,
            kind: Some(CheckpointKind::Turn),
            limit,
            ..ALL
        },
    ];
    let (few, many) = (steps_of(&filters, 100), steps_of(&filters, 10_000));
    for ((few, many), filter) in few.iter().zip(&many).zip(&filters) {
        assert!(many <= &(few * 2), "{few} steps became {many}: {filter:?}");
    }
}
