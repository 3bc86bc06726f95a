//! Whether events wait for the log to be pruned: the same load with a log that may grow and with one that has to shrink.

use crate::arguments::Effort;
use crate::load;
use crate::product::Product;
use crate::report::Report;
use crate::stage::Stage;
use crate::target::{self, Judgement};
use crate::timing::{Timings, milliseconds, ratio};
use anyhow::ensure;
use std::ffi::OsStr;
use std::path::PathBuf;
use store::prune;

/// Agents that fill the log.
const AGENTS: u64 = 16;
/// Calls, of two events each, that fill it.
const FILL: u64 = 12_000;
/// Pieces of the load, between which the write-ahead log is looked at.
const PIECES: u64 = 20;
/// The smallest size a log can be given, in mebibytes.
const SMALLEST: u64 = 16;

/// Fills a log, then measures the same load while it may stay and while it must go.
pub fn run(product: &Product, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    stage.settle("[log]\nmax_mib = 1048576\n")?;
    load::start(&stage, product)?;
    load::storm(&stage, 1, AGENTS, FILL / AGENTS)?;
    let store = stage.store()?;
    ensure!(
        prune::is_too_big(&store.read(), SMALLEST)?,
        "there is nothing to prune: the log is too small"
    );
    let (calm, _) = measured(&stage, 100, effort.socket_calls)?;
    stage.settle(&format!("[log]\nmax_mib = {SMALLEST}\n"))?;
    let (pruned, longest) = measured(&stage, 200, effort.socket_calls)?;
    let is_done = !prune::is_too_big(&store.read(), SMALLEST)?;
    let row = |what: &str, took: &Timings| {
        let parts = [50, 99, 100].map(|percent| milliseconds(took.percentile(percent)));
        [vec![what.to_owned()], parts.to_vec()].concat()
    };
    let rows = [
        row("the log may grow", &calm),
        row(
            if is_done {
                "the log was pruned"
            } else {
                "the log is pruned"
            },
            &pruned,
        ),
    ];
    report.table(
        "daemon while its log is pruned, 1 client, milliseconds",
        &["", "p50", "p99", "longest"],
        &rows,
    )?;
    let slower = ratio(pruned.percentile(99), calm.percentile(99));
    report.judge(Judgement::new(target::PRUNING, slower));
    report.judge(Judgement::new(
        target::PRUNING_LONGEST,
        pruned.percentile(100).as_secs_f64() * 1000.0,
    ));
    report.judge(Judgement::new(target::PRUNING_LOG, longest));
    Ok(())
}

/// The load of one client in pieces, and the longest write-ahead log that was met, in megabytes.
fn measured(stage: &Stage, first: u64, calls: u64) -> anyhow::Result<(Timings, f64)> {
    let mut log = stage.home().database().into_os_string();
    log.push("-wal");
    let log = PathBuf::from(log);
    let (mut took, mut longest) = (Timings::default(), 0.0_f64);
    for piece in 0..PIECES {
        took.append(load::storm(stage, first + piece, 1, calls / PIECES)?.into_timings());
        let bytes = fs_err::metadata(&log).map_or(0, |found| found.len());
        longest = longest.max(f64::from(u32::try_from(bytes / 1000)?) / 1000.0);
    }
    Ok((took, longest))
}
