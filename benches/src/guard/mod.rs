//! What we claim about the guard: what reading and judging a command costs, and that no text makes it cost more than a
//! bounded multiple of that.

mod against_daemon;
mod data;
mod desk;
mod growth;
mod hook;
mod hostile;
mod loading;
mod questions;
mod rules;
mod sizes;

use crate::arguments::Effort;
use crate::report::Report;
use crate::target::{Judgement, Target};
use desk::Desk;
use std::ffi::OsStr;
use std::path::Path;

/// Runs every part that is asked for.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let desk = Desk::new();
    if effort.includes("daemon") {
        against_daemon::run(&desk, toprope, path, effort, report)?;
    }
    if effort.includes("hook") {
        hook::run(toprope, path, effort, report)?;
    }
    if effort.includes("sizes") {
        sizes::run(effort, report)?;
    }
    if effort.includes("rules") {
        rules::run(effort, report)?;
    }
    if effort.includes("growth") {
        growth::run(&desk, effort, report)?;
    }
    if effort.includes("data") {
        data::run(&desk, effort, report)?;
    }
    if effort.includes("hostile") {
        hostile::run(&desk, effort, report)?;
    }
    if effort.includes("questions") {
        questions::run(&desk, toprope, path, report)?;
    }
    if effort.includes("loading") {
        loading::run(report)?;
    }
    Ok(())
}

fn judge(report: &mut Report, target: Target, measured: Option<f64>) {
    if let Some(measured) = measured {
        report.judge(Judgement::new(target, measured));
    }
}

/// A count as a measurement.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
