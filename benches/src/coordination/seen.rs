//! Before an edit, and before another read, of a file that has not changed since it was read: its stamp says so, whatever its
//! length.

use super::agent::Agent;
use super::crowd::ensure_leased;
use super::{SETTINGS, judge};
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::target;
use daemon::clock;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const LENGTHS: [(&str, usize); 2] = [("1 kB", 1_000), ("1 MB", 1_000_000)];
/// How long ago the files changed: what changed a moment ago proves nothing by its stamp.
const AGE: Duration = Duration::from_hours(1);

/// Reads both files once, and then asks to edit and to read them again and again.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    stage.settle(SETTINGS)?;
    let mut agent = Agent::new(&stage, 1);
    agent.is_asked(toprope)?;
    let mut runs = Vec::new();
    for (length, bytes) in LENGTHS {
        let file = file(&stage, length, bytes)?;
        agent.writes(&agent.calls("Read", &file)?)?;
        for tool in ["Edit", "Read"] {
            runs.push((name_of(tool, length), agent.calls(tool, &file)?));
        }
    }
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    for _ in 0..effort.rounds {
        shuffle.order(&mut runs);
        for (name, calls) in &runs {
            series.add(name, agent.tries(calls)?);
        }
    }
    ensure_leased(&stage)?;
    let [(small, _), (large, _)] = LENGTHS;
    series.show(
        report,
        "daemon, before a call on a seen file, microseconds; ratio to the small one",
        |name| {
            let tool = name.split(',').next()?;
            series.median(&name_of(tool, small))
        },
    )?;
    let measured = series.ratio(&name_of("Edit", large), &name_of("Edit", small));
    judge(report, target::UNCHANGED, measured, None);
    Ok(())
}

fn file(stage: &Stage, name: &str, bytes: usize) -> anyhow::Result<PathBuf> {
    let path = stage.project().join(format!("{}.txt", name.replace(' ', "-")));
    fs_err::write(&path, "a line of text\n".repeat(bytes / 15))?;
    let file = fs_err::OpenOptions::new().write(true).open(&path)?;
    let now = Duration::from_millis(u64::try_from(clock::now().0)?);
    file.file()
        .set_modified(SystemTime::UNIX_EPOCH + now.saturating_sub(AGE))?;
    Ok(path)
}

fn name_of(tool: &str, length: &str) -> String {
    format!("{tool}, {length}")
}
