//! What the daemon keeps in memory when nothing happens.

use crate::arguments::Effort;
use crate::load;
use crate::product::Product;
use crate::report::Report;
use crate::stage::Stage;
use crate::target::{self, Judgement};
use anyhow::Context;
use std::ffi::OsStr;
use std::time::Duration;

/// Agents that act before the daemon is idle again.
const AGENTS: u64 = 16;

/// Looks at a fresh daemon, and at one that has worked.
pub fn run(product: &Product, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    load::start(&stage, product)?;
    let fresh = resident(&stage)?;
    load::storm(&stage, 1, AGENTS, effort.socket_calls / AGENTS)?;
    let worked = resident(&stage)?;
    let events = 2 * AGENTS * (effort.socket_calls / AGENTS);
    let rows = [
        vec!["after its first event".to_owned(), format!("{fresh:.1}")],
        vec![
            format!("after {events} events of {AGENTS} agents"),
            format!("{worked:.1}"),
        ],
    ];
    report.table("daemon idle, resident megabytes", &["", "MB"], &rows)?;
    report.judge(Judgement::new(target::RESIDENT, worked));
    Ok(())
}

/// Megabytes.
fn resident(stage: &Stage) -> anyhow::Result<f64> {
    let status = stage.wait_for_daemon(Duration::from_secs(5))?;
    let kib = status
        .resident_kib
        .context("this system does not tell what a process keeps in memory")?;
    Ok(f64::from(u32::try_from(kib)?) * 1024.0 / 1e6)
}
