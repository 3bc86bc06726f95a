//! Reading and judging beside everything the daemon does for the same event.

use super::desk::Desk;
use super::judge;
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::stopwatch;
use crate::target;
use anyhow::{Context, bail};
use daemon::client;
use daemon::frame::reply::ReplyFrame;
use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

const DAEMON: &str = "daemon, one event";
const GUARD: &str = "read and judge";

/// Every round the daemon answers an event, and the guard alone judges typical commands.
pub fn run(
    desk: &Desk,
    toprope: &Path,
    path: &OsStr,
    effort: &Effort,
    report: &mut Report,
) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    let mut hook = stage.command(toprope, &["hook", "claude-code"]);
    stopwatch::run(&mut hook, &stage.payloads().before(0))?;
    stage.wait_for_daemon(Duration::from_secs(5))?;
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    for call in 1..=u64::from(effort.rounds) {
        let mut order = [true, false];
        shuffle.order(&mut order);
        for is_daemon in order {
            if is_daemon {
                series.add(
                    DAEMON,
                    ask(&stage, call, "before", &stage.payloads().before(call))?,
                );
                ask(&stage, call, "after", &stage.payloads().after(call))?;
            } else {
                series.add(GUARD, desk.typical());
            }
        }
    }
    series.show(report, "judging a typical command, microseconds", |_| {
        series.median(DAEMON)
    })?;
    judge(report, target::JUDGING, series.ratio(GUARD, DAEMON));
    Ok(())
}

fn ask(stage: &Stage, call: u64, moment: &str, body: &[u8]) -> anyhow::Result<Duration> {
    let header = stage.header(format!("guard-{call}-{moment}"));
    let began = Instant::now();
    let connection = client::connect(stage.home()).context("the daemon is gone")?;
    let answer = client::ask(connection, &header, body)?;
    let took = began.elapsed();
    match answer {
        ReplyFrame::Done(printed) if printed.exit == 0 => Ok(took),
        ReplyFrame::Done(_) | ReplyFrame::Wait { .. } | ReplyFrame::Busy => {
            bail!("the daemon answered {answer:?}")
        }
    }
}
