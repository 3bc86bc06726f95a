//! `checkpoint list` where there are many checkpoints: it shows fifty, and should cost fifty.

use super::desk::session_row;
use super::record;
use super::{Plan, judge};
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use daemon::clock;
use engine::id::WorktreeId;
use std::path::Path;
use std::time::{Duration, Instant};
use store::table::checkpoints::{self, CheckpointFilter, CheckpointKind};
use store::table::projects::{self, ProjectKind, ProjectPlace};
use store::table::worktrees;
use store::{Store, StoreError};

const COUNTS: [u32; 2] = [100, 10_000];
/// What the command shows unless told otherwise.
const SHOWN: u64 = 50;
const DATABASE_WAIT: Duration = Duration::from_secs(10);
/// Checkpoints each session of the store has.
const OF_A_SESSION: u32 = 50;

/// Lists the newest checkpoints of a worktree, out of few and out of many.
pub fn run(plan: &Plan, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    let mut stores = Vec::new();
    for count in COUNTS {
        stores.push((count, filled(&folder.path().join(format!("{count}.db")), count)?));
    }
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..plan.rounds(1) {
        shuffle.order(&mut stores);
        for (count, (store, worktree)) in &stores {
            let filter = CheckpointFilter {
                worktree: Some(*worktree),
                session: None,
                actor: None,
                turn: None,
                kind: None,
                path: None,
                steps: false,
                limit: SHOWN,
            };
            let began = Instant::now();
            let shown = checkpoints::list(&store.read(), &filter)?.len();
            series.add(&name_of(*count), began.elapsed());
            anyhow::ensure!(u64::try_from(shown)? == SHOWN, "{shown} checkpoints were listed");
        }
    }
    let [few, many] = COUNTS.map(name_of);
    series.show(report, "listing 50 checkpoints, milliseconds", |_| {
        series.median(&few)
    })?;
    judge(report, target::LIST, series.ratio(&many, &few), None);
    Ok(())
}

/// A store with so many checkpoints, half of them steps.
fn filled(path: &Path, count: u32) -> anyhow::Result<(Store, WorktreeId)> {
    let mut store = Store::open(path, DATABASE_WAIT)?;
    let worktree = store.begin()?.only(|db| {
        let place = ProjectPlace {
            key: "/project/.git".into(),
            root: "/project".into(),
            kind: ProjectKind::Git,
        };
        let project = projects::ensure(db, &place, clock::now())?;
        let worktree = worktrees::ensure(db, project, Path::new("/project"), clock::now())?;
        for number in 0..count {
            let session = session_row(db, &format!("s{}", number / OF_A_SESSION), project, worktree)?;
            let kind = if number % 2 == 0 {
                CheckpointKind::Step
            } else {
                CheckpointKind::Turn
            };
            let new = record::checkpoint(number, worktree, session, kind);
            let file = record::file(format!("src/file{}.rs", number % 300), "1", "2", session);
            checkpoints::insert(db, &new, &[file])?;
        }
        Ok::<_, StoreError>(worktree)
    })?;
    Ok((store, worktree))
}

fn name_of(count: u32) -> String {
    format!("of {count} checkpoints")
}
