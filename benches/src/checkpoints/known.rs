//! Checkpoints of files that calls named: how their cost grows, and what git's own commands take for the same tree.

use super::Plan;
use super::desk::Desk;
use super::rival::{Rival, Way};
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use anyhow::ensure;

/// How many files are changed at once.
const CHANGED: [u32; 3] = [1, 10, 70];

/// Our own checkpoints alone, over all sizes: what grows with the repository, and what with the files that changed.
pub fn growth(plan: &Plan, desks: &mut [Desk], report: &mut Report) -> anyhow::Result<()> {
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..plan.rounds(5) {
        let mut order: Vec<&mut Desk> = desks.iter_mut().collect();
        shuffle.order(&mut order);
        for desk in order {
            let mut counts = CHANGED;
            shuffle.order(&mut counts);
            for count in counts {
                let paths = desk.repository.spread(count);
                desk.edit(&paths)?;
                let (took, _) = desk.cut(&paths)?;
                series.add(&ours(desk.repository.files, count), took);
            }
        }
    }
    let smallest = plan.smallest();
    series.show(
        report,
        "checkpoint of known files, milliseconds; ratio to 1 file",
        |name| {
            let files = name.split(' ').nth(1)?.parse().ok()?;
            series.median(&ours(files, 1))
        },
    )?;
    let (small, large) = (ours(smallest, 1), ours(plan.largest(), 1));
    plan.judge(report, target::KNOWN_BY_SIZE, series.ratio(&large, &small));
    let worst = plan
        .sizes
        .iter()
        .filter_map(|files| series.ratio(&ours(*files, 70), &ours(*files, 1)))
        .fold(0.0, f64::max);
    plan.judge(report, target::KNOWN_BY_CHANGES, Some(worst));
    Ok(())
}

/// Beside git's own ways, each round with the same files, and every tree the same.
pub fn against_git(plan: &Plan, desks: &mut [Desk], report: &mut Report) -> anyhow::Result<()> {
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    let mut rivals = Vec::new();
    for desk in desks.iter_mut() {
        let ways = Way::ALL
            .map(Rival::new)
            .into_iter()
            .collect::<anyhow::Result<Vec<_>>>()?;
        rivals.push((desk, ways));
    }
    for _ in 0..plan.rounds(20) {
        for (desk, ways) in &mut rivals {
            for count in CHANGED {
                round(desk, ways, count, &mut series, &mut shuffle)?;
            }
        }
    }
    series.show(
        report,
        "the same tree by git's own commands, milliseconds; ratio to a checkpoint",
        |name| {
            let (files, count) = of_name(name)?;
            series.median(&name_of("checkpoint", files, count))
        },
    )?;
    let times =
        |way: Way, files: u32| series.ratio(&name_of(way.name(), files, 1), &name_of("checkpoint", files, 1));
    plan.judge_at(report, target::KNOWN_PATHS_10K, 10_000, |files| {
        times(Way::KnownPaths, files)
    });
    plan.judge_at(report, target::KNOWN_PATHS_100K, 100_000, |files| {
        times(Way::KnownPaths, files)
    });
    plan.judge_at(report, target::ADD_ALL_100K, 100_000, |files| {
        times(Way::AddAll, files)
    });
    Ok(())
}

/// Everybody takes the same state, in a new order.
fn round(
    desk: &mut Desk,
    ways: &[Rival],
    count: u32,
    series: &mut Series,
    shuffle: &mut Shuffle,
) -> anyhow::Result<()> {
    let files = desk.repository.files;
    let paths = desk.repository.spread(count);
    desk.restore()?;
    desk.edit(&paths)?;
    let mut order: Vec<Option<&Rival>> = std::iter::once(None).chain(ways.iter().map(Some)).collect();
    shuffle.order(&mut order);
    let mut trees = Vec::new();
    for contender in order {
        let (name, (took, tree)) = if let Some(rival) = contender {
            (rival.way.name(), rival.take(&desk.repository, &paths)?)
        } else {
            let (took, made) = desk.cut(&paths)?;
            ("checkpoint", (took, made.files_tree))
        };
        series.add(&name_of(name, files, count), took);
        trees.push((name, tree));
    }
    let (_, first) = trees.first().cloned().unwrap_or_default();
    ensure!(
        trees.iter().all(|(_, tree)| *tree == first),
        "trees differ: {trees:?}"
    );
    Ok(())
}

fn ours(files: u32, count: u32) -> String {
    format!("of {files} files, {count} changed")
}

fn name_of(way: &str, files: u32, count: u32) -> String {
    format!("of {files} files, {count} changed: {way}")
}

/// The numbers in a name.
fn of_name(name: &str) -> Option<(u32, u32)> {
    let mut words = name.split(' ');
    let files = words.nth(1)?.parse().ok()?;
    Some((files, words.nth(1)?.parse().ok()?))
}
