//! A rewind, beside a look at the worktree and writing the same files plainly.

use super::desk::Desk;
use super::{Plan, scanning};
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use crate::timing::ratio;
use anyhow::ensure;
use daemon::checkpoint::rewind::{Conflicts, RewindOwner, RewindTo, Rewinder, Wish};
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};
use store::table::checkpoints::Checkpoint;

/// How many files are put back.
const CHANGED: [u32; 3] = [1, 10, 70];
const REWIND: &str = "rewind";
const LOOK: &str = "look";
const PLAIN: &str = "written plainly";
const SYNCED: &str = "written and synced";

/// Every round an agent changes files and they are put back, as the command does it: shown, kept, put back, recorded.
pub fn run(plan: &Plan, desks: &mut [Desk], report: &mut Report) -> anyhow::Result<()> {
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..plan.rounds(20) {
        for desk in desks.iter_mut() {
            let mut counts = CHANGED;
            shuffle.order(&mut counts);
            for count in counts {
                round(desk, count, &mut shuffle, &mut series)?;
            }
        }
    }
    let heading = "putting files back, milliseconds; ratio to a look and three times writing them plainly";
    let bound = |name: &str| {
        let (whose, what) = name.split_once(": ")?;
        let look = series.median(&format!("{whose}: {LOOK}"))?;
        let written = series.median(&format!("{whose}: {PLAIN}"))?;
        (what == REWIND).then_some(look + 3 * written)
    };
    series.show(report, heading, bound)?;
    let worst = plan
        .sizes
        .iter()
        .flat_map(|files| CHANGED.map(|count| name_of(REWIND, *files, count)))
        .filter_map(|name| Some(ratio(series.median(&name)?, bound(&name)?)))
        .fold(0.0, f64::max);
    plan.judge(report, target::REWIND, Some(worst));
    Ok(())
}

fn round(desk: &mut Desk, count: u32, shuffle: &mut Shuffle, series: &mut Series) -> anyhow::Result<()> {
    desk.restore()?;
    let files = desk.repository.files;
    let paths = desk.repository.spread(count);
    desk.edit(&paths)?;
    let (_, target) = desk.cut(&paths)?;
    desk.edit(&paths)?;
    desk.cut(&paths)?;
    let mut order = [LOOK, PLAIN, SYNCED];
    shuffle.order(&mut order);
    for what in order {
        let took = match what {
            LOOK => scanning::look(desk)?,
            _ => write(desk, &paths, what == SYNCED)?,
        };
        series.add(&name_of(what, files, count), took);
    }
    series.add(
        &name_of(REWIND, files, count),
        rewind(desk, &target, paths.len())?,
    );
    Ok(())
}

/// Puts the session's changes since a checkpoint back.
fn rewind(desk: &Desk, to: &Checkpoint, files: usize) -> anyhow::Result<Duration> {
    let wish = Wish {
        aim: RewindTo::Back {
            to: Box::new(to.clone()),
            name: to.id.to_string(),
            whose: RewindOwner::Session(desk.session),
        },
        only: Vec::new(),
        conflicts: Conflicts::Refuse,
    };
    let began = Instant::now();
    let rewinder = Rewinder::new(desk.cutter());
    let _alone = rewinder.lock()?;
    let proposal = rewinder.propose(&wish)?;
    let done = rewinder.carry_out(&wish, &proposal)?;
    let took = began.elapsed();
    ensure!(
        done.files == files,
        "{} of {files} files were put back",
        done.files
    );
    Ok(took)
}

/// Writes what the files hold already: nothing but their time stamps changes.
fn write(desk: &Desk, paths: &[String], is_synced: bool) -> anyhow::Result<Duration> {
    let mut contents = Vec::new();
    for path in paths {
        let path = desk.repository.root.join(path);
        contents.push((fs_err::read(&path)?, path));
    }
    let began = Instant::now();
    for (content, path) in &contents {
        let mut file = File::create(path)?;
        file.write_all(content)?;
        if is_synced {
            file.sync_all()?;
        }
    }
    Ok(began.elapsed())
}

fn name_of(what: &str, files: u32, count: u32) -> String {
    format!("of {files} files, {count} changed: {what}")
}
