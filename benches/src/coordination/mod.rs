//! What we claim about agents that work side by side: what a lease costs however many there are, and what is told, found and
//! logged beside it.

mod actors;
mod agent;
mod crowd;
mod hook;
mod kept;
mod leases;
mod log;
mod script;
mod seen;
mod skills;
mod structure;

use crate::arguments::Effort;
use crate::peer::Peers;
use crate::product::Product;
use crate::report::Report;
use crate::target::{Judgement, Target};

/// Only what this part is about: checkpoints read the same files for reasons of their own.
const SETTINGS: &str = "[checkpoints]\nenabled = false\n";

/// Runs every part that is asked for.
pub fn run(product: &Product, peers: &Peers, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let (toprope, path) = (product.toprope.as_path(), peers.path.as_os_str());
    if effort.includes("leases") {
        leases::run(toprope, path, effort, report)?;
    }
    if effort.includes("seen") {
        seen::run(toprope, path, effort, report)?;
    }
    if effort.includes("actors") {
        actors::run(toprope, path, effort, report)?;
    }
    if effort.includes("script") {
        script::run(product, peers, effort, report)?;
    }
    if effort.includes("hook") {
        hook::run(toprope, path, effort, report)?;
    }
    if effort.includes("structure") {
        structure::run(toprope, path, effort, report)?;
    }
    if effort.includes("skills") {
        skills::run(product, effort, report)?;
    }
    if effort.includes("log") {
        log::run(effort, report)?;
        kept::run(toprope, path, effort, report)?;
    }
    Ok(())
}

fn judge(report: &mut Report, target: Target, measured: Option<f64>, reason: Option<String>) {
    if let Some(measured) = measured {
        report.judge(Judgement::new(target, measured).informative(reason));
    }
}

/// A count as a measurement.
fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
