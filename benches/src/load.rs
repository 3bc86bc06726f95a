//! The daemon alone: frames over its socket, without a process in between.

use crate::arguments::Effort;
use crate::parallel::rate;
use crate::payload::Payloads;
use crate::processor_time;
use crate::product::Product;
use crate::report::Report;
use crate::stage::Stage;
use crate::stopwatch;
use crate::target::{self, Judgement};
use crate::timing::{Timings, milliseconds};
use anyhow::{Context, bail};
use daemon::client;
use daemon::frame::reply::ReplyFrame;
use std::ffi::OsStr;
use std::thread;
use std::time::{Duration, Instant};

/// Under which load throughput is judged.
const MANY: u64 = 32;

/// One client for latency, many for throughput.
pub fn run(product: &Product, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    start(&stage, product)?;
    let mut rows = Vec::new();
    let mut lost = 0;
    // Everything is measured once unjudged: pages are read, statements prepared, the log has its size.
    storm(&stage, 0, 1, 100)?;
    for (first, clients) in [(1, 1), (2, MANY)] {
        let before = stage.recorded()?;
        let storm = storm(&stage, first, clients, effort.socket_calls / clients.min(4))?;
        // Who was told that it is busy may have been recorded or not: its hook goes on by itself.
        let answered = u64::try_from(storm.took.count())? - storm.busy;
        let missing = answered.saturating_sub(stage.recorded()? - before);
        lost += missing;
        rows.push(storm.row(clients, missing));
        report.judge(if clients == MANY {
            Judgement::new(target::THROUGHPUT, rate(storm.took.count(), storm.whole))
        } else {
            Judgement::new(target::DECISION, storm.took.median().as_secs_f64() * 1000.0)
        });
    }
    let columns = [
        "clients",
        "events",
        "p50",
        "p95",
        "p99",
        "per second",
        "daemon cpu",
        "busy",
        "lost",
    ];
    report.table(
        "daemon, connect to answer, one committed transaction, milliseconds",
        &columns,
        &rows,
    )?;
    report.judge(Judgement::new(
        target::LOST_BY_SOCKET,
        f64::from(u32::try_from(lost).unwrap_or(u32::MAX)),
    ));
    Ok(())
}

/// Starts a stage's daemon through its first hook.
pub fn start(stage: &Stage, product: &Product) -> anyhow::Result<()> {
    let mut hook = stage.command(&product.toprope, &["hook", "claude-code"]);
    stopwatch::run(&mut hook, &stage.payloads().before(0))?;
    stage.wait_for_daemon(Duration::from_secs(5))?;
    Ok(())
}

/// What came of many socket clients at a time.
pub struct Storm {
    took: Timings,
    whole: Duration,
    /// The daemon's processor time.
    used: Option<Duration>,
    busy: u64,
}

impl Storm {
    /// How long each event took.
    pub fn into_timings(self) -> Timings {
        self.took
    }

    fn row(&self, clients: u64, lost: u64) -> Vec<String> {
        let [p50, p95, p99] = [50, 95, 99].map(|percent| milliseconds(self.took.percentile(percent)));
        let rate = rate(self.took.count(), self.whole);
        let events = u32::try_from(self.took.count()).unwrap_or(u32::MAX);
        let used = self
            .used
            .map_or("-".to_owned(), |used| milliseconds(used / events.max(1)));
        let (events, rate) = (events.to_string(), format!("{rate:.0}"));
        let busy = self.busy.to_string();
        vec![
            clients.to_string(),
            events,
            p50,
            p95,
            p99,
            rate,
            used,
            busy,
            lost.to_string(),
        ]
    }
}

/// So many clients, each an agent with a session of its own, make so many calls of two events each.
pub fn storm(stage: &Stage, first: u64, clients: u64, calls: u64) -> anyhow::Result<Storm> {
    let agents: Vec<(u64, Payloads)> = (first..first + clients)
        .map(|agent| Ok((agent, stage.payloads_of(agent)?)))
        .collect::<anyhow::Result<_>>()?;
    let daemon = stage.status().context("the daemon is gone")?.pid;
    let used_before = processor_time::of(daemon);
    let began = Instant::now();
    let series: Vec<_> = thread::scope(|scope| {
        let run = |(agent, payloads)| scope.spawn(move || agent_acts(stage, agent, payloads, calls));
        let running: Vec<_> = agents
            .iter()
            .map(|(agent, payloads)| run((*agent, payloads)))
            .collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let whole = began.elapsed();
    let used = processor_time::of(daemon)
        .zip(used_before)
        .map(|(after, before)| after.saturating_sub(before));
    let mut storm = Storm {
        took: Timings::default(),
        whole,
        used,
        busy: 0,
    };
    for one in series {
        let (took, busy) = one.map_err(|_| anyhow::anyhow!("a client stumbled"))??;
        storm.took.append(took);
        storm.busy += busy;
    }
    Ok(storm)
}

fn agent_acts(stage: &Stage, agent: u64, payloads: &Payloads, calls: u64) -> anyhow::Result<(Timings, u64)> {
    let mut header = stage.header(String::new());
    let (mut took, mut busy) = (Timings::default(), 0);
    for call in 0..calls {
        for (moment, body) in [("before", payloads.before(call)), ("after", payloads.after(call))] {
            header.delivery = format!("{agent}-{call}-{moment}");
            let began = Instant::now();
            let connection = client::connect(stage.home()).context("the daemon is gone")?;
            let answer = client::ask(connection, &header, &body)?;
            took.add(began.elapsed());
            match answer {
                ReplyFrame::Done(printed) if printed.exit == 0 => {}
                ReplyFrame::Busy => busy += 1,
                ReplyFrame::Done(_) | ReplyFrame::Wait { .. } => bail!("the daemon answered {answer:?}"),
            }
        }
    }
    Ok((took, busy))
}
