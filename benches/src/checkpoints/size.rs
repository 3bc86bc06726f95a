//! What the shadow keeps: the same edits in a small and a large repository, and turns that change nothing.

use super::desk::Desk;
use super::repository::Repository;
use super::{Plan, judge};
use crate::report::Report;
use crate::target;
use anyhow::ensure;
use daemon::checkpoint::cutter::Cut;
use daemon::checkpoint::order::ScanOrder;
use daemon::clock;
use git::shadow::tidy::{Meanwhile, PackedSize, Tidying};
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};
use store::table::checkpoints::CheckpointKind;

/// Checkpoints of one file each.
const EDITS: u32 = 100;
/// Files they are spread over.
const FILES: u32 = 20;
/// Turns that change nothing.
const IDLE_TURNS: u32 = 200;
const PACKING: Duration = Duration::from_mins(1);
const LATER: Duration = Duration::from_hours(1);

/// Works in the smallest and in the largest repository, tidies up, and weighs what is left.
pub fn run(plan: &Plan, path: &OsStr, report: &mut Report) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut weights = Vec::new();
    let mut added = 0;
    for files in [plan.smallest(), plan.largest()] {
        let repository = Repository::of(&plan.cache, files)?;
        let mut desk = Desk::new(repository, path)?;
        for edit in 0..EDITS {
            let paths = [desk.repository.path(edit % FILES)];
            desk.edit(&paths)?;
            desk.cut(&paths)?;
        }
        let (loose, objects) = weight(&desk.shadow_folder().join("objects"))?;
        tidy(&desk)?;
        let (packed, _) = weight(&desk.shadow_folder().join("objects"))?;
        weights.push(packed);
        rows.push(vec![
            format!("of {files} files, {EDITS} checkpoints"),
            objects.to_string(),
            kilobytes(loose),
            kilobytes(packed),
        ]);
        if files == plan.smallest() {
            added = idle_turns(&mut desk)?;
        }
    }
    report.table(
        "what the shadow keeps, kilobytes",
        &["", "objects", "before", "after tidying"],
        &rows,
    )?;
    if let [small, large, ..] = weights.as_slice() {
        plan.judge(
            report,
            target::SHADOW_BY_SIZE,
            Some(f64::from(*large) / f64::from(*small)),
        );
    }
    judge(report, target::IDLE_TURNS, Some(f64::from(added)), None);
    Ok(())
}

/// Ends turns in which nothing changed. Returns what the shadow grew by.
fn idle_turns(desk: &mut Desk) -> anyhow::Result<u32> {
    desk.restore()?;
    desk.order(CheckpointKind::Outside, ScanOrder::Always)?;
    let (before, _) = weight(&desk.shadow_folder())?;
    for _ in 0..IDLE_TURNS {
        let (_, cut) = desk.order(CheckpointKind::Turn, ScanOrder::Always)?;
        ensure!(
            matches!(cut, Cut::Nothing(_)),
            "a turn without changes left a checkpoint"
        );
    }
    let (after, _) = weight(&desk.shadow_folder())?;
    Ok(after.saturating_sub(before))
}

/// Packs all that is needed, and removes the rest, as if an hour had passed.
fn tidy(desk: &Desk) -> anyhow::Result<()> {
    let shadow = desk.site.make_shadow()?;
    let now = Duration::from_millis(u64::try_from(clock::now().0)?);
    let tidying = Tidying {
        obsolete: &[],
        needed: &[],
        older_than: UNIX_EPOCH + now + LATER,
        extent: PackedSize::All,
        time: PACKING,
        meanwhile: Meanwhile::Leave,
    };
    let tidied = shadow.tidy(desk.site.environment(), &tidying)?;
    ensure!(tidied.is_some(), "somebody else tidies the shadow of the bench");
    Ok(())
}

/// The bytes of all files below a folder, and how many they are.
fn weight(folder: &Path) -> anyhow::Result<(u32, u32)> {
    let (mut bytes, mut count) = (0, 0);
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let (more_bytes, more) = if entry.file_type()?.is_dir() {
            weight(&entry.path())?
        } else {
            (u32::try_from(entry.metadata()?.len())?, 1)
        };
        bytes += more_bytes;
        count += more;
    }
    Ok((bytes, count))
}

fn kilobytes(bytes: u32) -> String {
    format!("{:.1}", f64::from(bytes) / 1000.0)
}
