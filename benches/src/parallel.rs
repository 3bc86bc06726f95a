//! Many hooks at a time, as many agents make them: how long each takes, and whether every event arrives.

use crate::arguments::Effort;
use crate::product::Product;
use crate::report::Report;
use crate::stage::Stage;
use crate::stopwatch;
use crate::target::{self, Judgement};
use crate::timing::{Timings, milliseconds};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many agents act at a time.
const CLIENTS: &[usize] = &[1, 8, 32, 128];
/// The number of agents that the target names.
const JUDGED: usize = 8;

/// Runs the same number of events with each number of clients.
pub fn run(
    product: &Product,
    path: &std::ffi::OsStr,
    effort: &Effort,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut lost = 0;
    for &clients in CLIENTS {
        let stage = Stage::new(path)?;
        let floor = crowd(&stage, clients, effort.calls, &product.floor, &[])?;
        let before = stage.recorded()?;
        let hook = crowd(
            &stage,
            clients,
            effort.calls,
            &product.toprope,
            &["hook", "claude-code"],
        )?;
        let missing = (2 * effort.calls).abs_diff(stage.recorded()? - before);
        lost += missing;
        rows.push(floor.row("empty process", clients, "-".to_owned()));
        rows.push(hook.row("hook warm", clients, missing.to_string()));
        if clients == JUDGED {
            let p99 = hook.took.percentile(99).as_secs_f64() * 1000.0;
            report.judge(Judgement::new(target::EIGHT_CLIENTS, p99));
        }
    }
    let heading = format!(
        "parallel clients, {} events each time, milliseconds",
        2 * effort.calls
    );
    report.table(
        &heading,
        &["", "clients", "p50", "p95", "p99", "per second", "lost"],
        &rows,
    )?;
    report.judge(Judgement::new(
        target::LOST,
        f64::from(u32::try_from(lost).unwrap_or(u32::MAX)),
    ));
    Ok(())
}

/// What came of a crowd.
struct Crowd {
    took: Timings,
    whole: Duration,
}

impl Crowd {
    fn row(&self, name: &str, clients: usize, lost: String) -> Vec<String> {
        let [p50, p95, p99] = [50, 95, 99].map(|percent| milliseconds(self.took.percentile(percent)));
        let rate = rate(self.took.count(), self.whole);
        vec![
            name.to_owned(),
            clients.to_string(),
            p50,
            p95,
            p99,
            format!("{rate:.0}"),
            lost,
        ]
    }
}

/// Events per second.
pub fn rate(events: usize, whole: Duration) -> f64 {
    f64::from(u32::try_from(events).unwrap_or(u32::MAX)) / whole.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// So many clients share the calls; each runs one process after the other, two per call.
fn crowd(
    stage: &Stage,
    clients: usize,
    calls: u64,
    program: &Path,
    arguments: &[&str],
) -> anyhow::Result<Crowd> {
    let next = AtomicU64::new(0);
    let client = || -> anyhow::Result<Timings> {
        let mut took = Timings::default();
        loop {
            let call = next.fetch_add(1, Ordering::Relaxed);
            if call >= calls {
                return Ok(took);
            }
            for payload in [stage.payloads().before(call), stage.payloads().after(call)] {
                took.add(stopwatch::run(&mut stage.command(program, arguments), &payload)?);
            }
        }
    };
    let began = Instant::now();
    let series: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let whole = began.elapsed();
    let mut took = Timings::default();
    for one in series {
        took.append(one.map_err(|_| anyhow::anyhow!("a client stumbled"))??);
    }
    Ok(Crowd { took, whole })
}
