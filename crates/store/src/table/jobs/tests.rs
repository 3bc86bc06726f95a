//! A job waits once, runs once, and outlives whoever died over it.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;

/// Queues a job of the worktree at a folder; true if it is a new one.
fn add_worktree_job(stage: &mut Stage, root: &str, key: &str, detail: &str, not_before: Option<i64>) -> bool {
    let sent = stage.starts(&main_of("7c1e").in_worktree(root), StartSource::Startup);
    let job = NewJob {
        kind: JobKind::CaptureStructure,
        key: key.to_owned(),
    };
    let new = WorktreeJob {
        job: &job,
        worktree: sent.worktree,
        event: sent.seq,
        project: Some(sent.project),
        session: Some(sent.session),
        detail: Some(detail),
        not_before: not_before.map(Timestamp),
    };
    let at = stage.now();
    stage.write(|db| add_for(db, &new, at)) == Added::New
}

fn take_worktree_job(stage: &mut Stage, root: &str, now: i64) -> Option<String> {
    let worktree = stage.worktree(root);
    let due = stage.write(|db| due_for(db, worktree, Timestamp(now)));
    let job = due.into_iter().next()?;
    assert!(stage.write(|db| take_one(db, job.id, "w", Timestamp(now))));
    assert_eq!(job.worktree, Some(worktree));
    Some(format!(
        "{} {} {}",
        job.id,
        job.key,
        job.detail.unwrap_or_default()
    ))
}

fn add(stage: &mut Stage, kind: JobKind, key: &str) -> bool {
    let sent = stage.starts(&main_of("7c1e"), StartSource::Startup);
    let job = NewJob {
        kind,
        key: key.to_owned(),
    };
    let at = stage.now();
    stage.write(|db| add_job(db, &job, &sent, at))
}

fn add_job(db: &Db, job: &NewJob, sent: &crate::stage::Sent, at: Timestamp) -> Result<bool, StoreError> {
    super::add(db, job, sent.seq, Some(sent.project), Some(sent.session), at)
}

fn take(stage: &mut Stage, owner: &str) -> Option<String> {
    let now = stage.now();
    let job = stage.write(|db| super::take(db, owner, now))?;
    Some(format!(
        "{} {} {} attempt {}",
        job.id,
        job.kind.as_str(),
        job.key,
        job.attempt
    ))
}

#[test]
fn the_same_job_waits_once_and_the_oldest_goes_first() {
    let mut stage = Stage::new();
    assert!(add(&mut stage, JobKind::CaptureStructure, "1"));
    assert!(!add(&mut stage, JobKind::CaptureStructure, "1"));
    assert!(add(&mut stage, JobKind::PruneLog, ""));
    assert_eq!(waiting(&stage.read()).unwrap(), 2);
    assert_eq!(take(&mut stage, "a").unwrap(), "1 capture-structure 1 attempt 1");
    assert_eq!(
        (
            waiting(&stage.read()).unwrap(),
            at_hand(&stage.read(), stage.now()).unwrap()
        ),
        (1, 2),
        "one is being done"
    );
    assert_eq!(take(&mut stage, "b").unwrap(), "2 prune-log  attempt 1");
    assert_eq!(take(&mut stage, "a"), None);
    assert!(
        add(&mut stage, JobKind::CaptureStructure, "1"),
        "one runs, a new one may wait"
    );
}

#[test]
fn the_end_of_a_conversation_that_is_put_off_is_at_nobodys_hand() {
    let mut stage = Stage::new();
    assert!(add(&mut stage, JobKind::ReadTranscript, "1"));
    let now = stage.now();
    assert_eq!(at_hand(&stage.read(), now).unwrap(), 1);
    let later = Timestamp(now.0 + 500);
    let job = stage.write(|db| super::take(db, "a", now)).unwrap();
    stage.write(|db| put_off(db, job.id, later, "{}", now));
    assert_eq!(at_hand(&stage.read(), now).unwrap(), 0);
    assert_eq!(at_hand(&stage.read(), later).unwrap(), 1, "it is due");
}

#[test]
fn a_job_that_is_over_never_comes_back() {
    let mut stage = Stage::new();
    add(&mut stage, JobKind::PruneLog, "a");
    add(&mut stage, JobKind::PruneLog, "b");
    take(&mut stage, "x");
    take(&mut stage, "x");
    stage.write(|db| done(db, JobId(1), Timestamp(5)));
    stage.write(|db| failed(db, JobId(2), "no git", Timestamp(5)));
    assert_eq!(
        stage.write(|db| requeue_abandoned(db, &|_| false, Timestamp(6))),
        0
    );
    assert_eq!(
        stage.rows("SELECT state, error FROM jobs ORDER BY id"),
        ["done -", "failed no git"]
    );
}

#[test]
fn a_job_whose_owner_died_is_done_by_another_until_it_has_killed_too_many() {
    let mut stage = Stage::new();
    add(&mut stage, JobKind::PruneLog, "");
    for attempt in 1..=3 {
        assert_eq!(
            take(&mut stage, "dead").unwrap(),
            format!("1 prune-log  attempt {attempt}")
        );
        assert_eq!(
            stage.write(|db| requeue_abandoned(db, &|_| true, Timestamp(6))),
            0
        );
        let expected = usize::from(attempt < 3);
        assert_eq!(
            stage.write(|db| requeue_abandoned(db, &|owner| owner != "dead", Timestamp(6))),
            expected
        );
    }
    assert_eq!(stage.rows("SELECT state FROM jobs"), ["lost"]);
}

#[test]
fn an_abandoned_job_that_waits_anew_is_not_doubled() {
    let mut stage = Stage::new();
    add(&mut stage, JobKind::PruneLog, "");
    take(&mut stage, "dead");
    add(&mut stage, JobKind::PruneLog, "");
    assert_eq!(
        stage.write(|db| requeue_abandoned(db, &|_| false, Timestamp(6))),
        0
    );
    assert_eq!(
        stage.rows("SELECT state FROM jobs ORDER BY id"),
        ["lost", "queued"]
    );
}

#[test]
fn a_job_only_a_newer_version_knows_is_left_for_it() {
    let mut stage = Stage::new();
    add(&mut stage, JobKind::PruneLog, "");
    stage.write(|db| db.execute("UPDATE jobs SET kind = 'sing'", &[]));
    assert_eq!(take(&mut stage, "a"), None);
    assert_eq!(waiting(&stage.read()).unwrap(), 1);
}

#[test]
fn jobs_of_a_worktree_are_left_to_its_own_worker() {
    let mut stage = Stage::new();
    assert!(add_worktree_job(&mut stage, "/one", "cut", "1", None));
    assert!(
        add_worktree_job(&mut stage, "/two", "cut", "2", None),
        "the same key elsewhere"
    );
    add(&mut stage, JobKind::PruneLog, "");
    assert_eq!(take(&mut stage, "a").unwrap(), "3 prune-log  attempt 1");
    assert_eq!(take(&mut stage, "a"), None);
    assert_eq!(take_worktree_job(&mut stage, "/two", 9).unwrap(), "2 cut 2");
    assert_eq!(take_worktree_job(&mut stage, "/two", 9), None);
    let waiting = worktrees_with_jobs(&stage.read()).unwrap();
    let worktree = stage.worktree("/one");
    let not_before = None;
    assert_eq!(waiting, [QueuedWorktree { worktree, not_before }]);
}

#[test]
fn a_worktree_job_that_still_waits_becomes_one_with_the_next() {
    let mut stage = Stage::new();
    assert!(add_worktree_job(&mut stage, "/one", "step", "old", Some(500)));
    assert!(add_worktree_job(&mut stage, "/one", "turn", "", None));
    assert!(!add_worktree_job(&mut stage, "/one", "step", "new", Some(900)));
    let job = NewJob {
        kind: JobKind::CaptureStructure,
        key: "step".to_owned(),
    };
    let worktree = stage.worktree("/one");
    let queued = queued_for(&stage.read(), worktree, &job).unwrap().unwrap();
    assert_eq!(
        (queued.key.as_str(), queued.detail.as_deref()),
        ("step", Some("new"))
    );
    assert_eq!(queued.event, EventSeq(3));
    assert_eq!(
        take_worktree_job(&mut stage, "/one", 499).unwrap(),
        "2 turn ",
        "the other is not due"
    );
    assert_eq!(take_worktree_job(&mut stage, "/one", 500).unwrap(), "1 step new");
}

#[test]
fn a_job_can_be_put_back_for_later() {
    let mut stage = Stage::new();
    add_worktree_job(&mut stage, "/one", "seal", "", None);
    assert!(take_worktree_job(&mut stage, "/one", 10).is_some());
    stage.write(|db| postpone(db, JobId(1), Timestamp(2000), Timestamp(10)));
    assert_eq!(take_worktree_job(&mut stage, "/one", 1999), None);
    let waiting = worktrees_with_jobs(&stage.read()).unwrap();
    assert_eq!(waiting[0].not_before, Some(Timestamp(2000)));
    assert!(take_worktree_job(&mut stage, "/one", 2000).is_some());

    add_worktree_job(&mut stage, "/one", "seal", "again", None);
    stage.write(|db| postpone(db, JobId(1), Timestamp(9000), Timestamp(2000)));
    assert_eq!(
        stage.rows("SELECT state FROM jobs ORDER BY id"),
        ["done", "queued"]
    );
}

#[test]
fn a_worktree_job_whose_owner_died_waits_again() {
    let mut stage = Stage::new();
    add_worktree_job(&mut stage, "/one", "cut", "x", None);
    assert!(take_worktree_job(&mut stage, "/one", 10).is_some());
    assert_eq!(
        stage.write(|db| requeue_abandoned(db, &|_| false, Timestamp(11))),
        1
    );
    assert_eq!(take_worktree_job(&mut stage, "/one", 12).unwrap(), "1 cut x");
}

#[test]
fn who_looks_for_jobs_sees_none_that_belong_to_a_worktree_or_are_not_due() {
    let mut stage = Stage::new();
    add_worktree_job(&mut stage, "/one", "cut", "1", None);
    assert!(!has_any(&stage.read(), Timestamp(9)).unwrap());
    add(&mut stage, JobKind::PruneLog, "");
    assert!(has_any(&stage.read(), Timestamp(9)).unwrap());
    take(&mut stage, "a");
    assert!(!has_any(&stage.read(), Timestamp(9)).unwrap());
}

#[test]
fn a_job_that_joins_another_says_when_both_may_be_done() {
    let mut stage = Stage::new();
    let sent = stage.starts(&main_of("7c1e"), StartSource::Startup);
    let job = NewJob {
        kind: JobKind::Checkpoint,
        key: "step".to_owned(),
    };
    let mut queue = |not_before: Option<i64>| {
        let new = WorktreeJob {
            job: &job,
            worktree: sent.worktree,
            event: sent.seq,
            project: None,
            session: None,
            detail: None,
            not_before: not_before.map(Timestamp),
        };
        stage.write(|db| add_for(db, &new, Timestamp(1)))
    };
    let joined = |not_before: Option<i64>| Added::Joined {
        not_before: not_before.map(Timestamp),
    };
    assert_eq!(queue(Some(500)), Added::New);
    assert_eq!(queue(Some(900)), joined(Some(500)));
    assert_eq!(queue(Some(300)), joined(Some(300)));
    assert_eq!(queue(None), joined(None));
    assert_eq!(queue(Some(900)), joined(None));
}
