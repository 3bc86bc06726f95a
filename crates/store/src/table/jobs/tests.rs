//! A job waits once, runs once, and outlives whoever died over it.

use super::*;
use crate::stage::{Stage, main_of};
use engine::event::StartSource;

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
    assert_eq!(take(&mut stage, "b").unwrap(), "2 prune-log  attempt 1");
    assert_eq!(take(&mut stage, "a"), None);
    assert!(
        add(&mut stage, JobKind::CaptureStructure, "1"),
        "one runs, a new one may wait"
    );
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
