//! The whole hook before a write, with leases and stale writes watched and with both off.

use super::agent::{Agent, Calls};
use super::crowd::ensure_leased;
use super::{SETTINGS, judge};
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::stopwatch;
use crate::target;
use anyhow::ensure;
use std::ffi::OsStr;
use std::path::Path;

const ON: &str = "leases on";
const OFF: &str = "leases off";
const SWITCHED_OFF: &str = "[lease]\nmode = \"off\"\n[stale_write]\nmode = \"off\"\nchanges = \"off\"\n";

/// Every round both are run: the event before an edit is timed, the one after it is not.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let mut stages = Vec::new();
    for (name, more) in [(ON, ""), (OFF, SWITCHED_OFF)] {
        let stage = Stage::new(path)?;
        stage.settle(&format!("{SETTINGS}{more}"))?;
        fs_err::write(stage.project().join("parser.rs"), "one\n")?;
        stages.push((name, stage));
    }
    let mut agents: Vec<(&str, &Stage, Agent<'_>, Calls)> = Vec::new();
    for (name, stage) in &stages {
        let agent = Agent::new(stage, 1);
        agent.is_asked(toprope)?;
        let calls = agent.calls("Edit", &stage.project().join("parser.rs"))?;
        agents.push((name, stage, agent, calls));
    }
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..effort.rounds {
        shuffle.order(&mut agents);
        for (name, stage, agent, calls) in &mut agents {
            let hook = || stage.command(toprope, &["hook", "claude-code"]);
            series.add(name, stopwatch::run(&mut hook(), &agent.before(calls))?);
            stopwatch::run(&mut hook(), &agent.after(calls))?;
        }
    }
    for (name, stage) in &stages {
        ensure!(
            ensure_leased(stage).is_ok() == (*name == ON),
            "leases are not as they were switched"
        );
    }
    series.show(
        report,
        "whole process before a write, checkpoints off, milliseconds",
        |_| series.median(OFF),
    )?;
    judge(report, target::LEASED, series.ratio(ON, OFF), None);
    Ok(())
}
