//! A look at the whole worktree, beside `git status` in the same one.

use super::Plan;
use super::desk::Desk;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use daemon::clock;
use git::capture::{Exclude, Rules};
use git::path::RepoPath;
use git::scan::{Ground, scan};
use git::snapshot::{Snapshot, SnapshotSources};
use std::time::{Duration, Instant};

/// Files that changed since the look before.
const CHANGED: u32 = 10;
const LOOK: Duration = Duration::from_mins(1);
const LARGEST: u64 = 50 * 1024 * 1024;

/// Every round both look at the same worktree, with files nobody has looked at yet.
pub fn run(plan: &Plan, desks: &mut [Desk], report: &mut Report) -> anyhow::Result<()> {
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for desk in desks.iter_mut() {
        desk.restore()?;
    }
    for _ in 0..plan.rounds(15) {
        for desk in desks.iter_mut() {
            let files = desk.repository.files;
            desk.edit(&desk.repository.spread(CHANGED))?;
            let mut order = [true, false];
            shuffle.order(&mut order);
            for is_ours in order {
                if is_ours {
                    series.add(&name_of(files, "look"), look(desk)?);
                } else {
                    let began = Instant::now();
                    desk.repository.git(&["status", "--porcelain", "-z"])?;
                    series.add(&name_of(files, "git status"), began.elapsed());
                }
            }
        }
    }
    let heading =
        format!("a look at the worktree, {CHANGED} files changed, milliseconds; ratio to git status");
    series.show(report, &heading, |name| {
        let files = name.split(' ').nth(1)?.parse().ok()?;
        series.median(&name_of(files, "git status"))
    })?;
    let worst = plan
        .sizes
        .iter()
        .filter_map(|files| series.ratio(&name_of(*files, "look"), &name_of(*files, "git status")))
        .fold(0.0, f64::max);
    plan.judge(report, target::SCAN, Some(worst));
    Ok(())
}

/// What a cut does when it looks: git says what differs, and what differs is read and kept.
pub fn look(desk: &Desk) -> anyhow::Result<Duration> {
    let site = &desk.site;
    let shadow = site.make_shadow()?;
    let rules = Rules {
        max_file: LARGEST,
        max_total: LARGEST,
        exclude: Exclude::default(),
    };
    let tip = shadow.tip(&site.line)?;
    let files = match tip {
        Some(commit) => Some(shadow.read_layout(shadow.tree_of(commit)?)?.files),
        None => None,
    };
    let previous = |path: &RepoPath| files.and_then(|tree| shadow.entry(tree, path).ok().flatten());
    let began = Instant::now();
    let now_ms = clock::now().0;
    let found = scan(&site.worktree, &site.git(), Ground::Repository, LOOK)?;
    let sources = SnapshotSources {
        shadow: &shadow,
        worktree: &site.worktree,
        settings: &*site.settings()?,
        rules: &rules,
        scan: &found,
        previous: &previous,
        now_ms,
    };
    Snapshot::take(&sources, &mut site.stats())?;
    Ok(began.elapsed())
}

fn name_of(files: u32, way: &str) -> String {
    format!("of {files} files: {way}")
}
