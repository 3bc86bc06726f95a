//! Many agents that write at the same time, each in a file of its own, beside one in one file.

use super::agent::{Agent, Calls};
use super::crowd::ensure_leased;
use super::{SETTINGS, judge, number};
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::target;
use std::ffi::OsStr;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

const MANY: u32 = 32;
/// Calls of one round, shared by those who act.
const CALLS: u32 = 320;

/// In each round one agent makes all calls, then all agents share as many. What counts is how long all of them took, by the
/// number of events: with more agents than processors each of them waits for its turn.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::new(path)?;
    stage.settle(SETTINGS)?;
    let mut agents = Vec::new();
    for number in 0..MANY {
        let agent = Agent::new(&stage, u64::from(number));
        agent.is_asked(toprope)?;
        let file = stage.project().join(format!("file{number}.rs"));
        fs_err::write(&file, "one\n")?;
        let calls = agent.calls("Edit", &file)?;
        agents.push((agent, calls));
    }
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    let mut denied = 0;
    let mut crowds = [1, MANY];
    for _ in 0..(effort.rounds / 30).max(3) {
        shuffle.order(&mut crowds);
        for count in crowds {
            let acting = usize::try_from(count)?;
            let (took, denials) = act(agents.get_mut(..acting).unwrap_or_default(), CALLS / count)?;
            series.add(&name_of(count), took);
            denied += denials;
        }
    }
    ensure_leased(&stage)?;
    series.show(
        report,
        "daemon, writing at the same time, microseconds per event",
        |_| series.median(&name_of(1)),
    )?;
    judge(
        report,
        target::MANY_ACTORS,
        series.ratio(&name_of(MANY), &name_of(1)),
        None,
    );
    judge(report, target::NEEDLESS_DENIALS, Some(number(denied)), None);
    Ok(())
}

/// All of them make so many calls each: the time by the events, and how many were denied.
fn act(agents: &mut [(Agent<'_>, Calls)], calls: u32) -> anyhow::Result<(Duration, usize)> {
    let events = 2 * calls * u32::try_from(agents.len())?;
    let began = Instant::now();
    let denials: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = agents
            .iter_mut()
            .map(|(agent, about)| {
                scope.spawn(move || -> anyhow::Result<usize> {
                    let mut denied = 0;
                    for _ in 0..calls {
                        denied += usize::from(agent.writes(about)?);
                    }
                    Ok(denied)
                })
            })
            .collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let took = began.elapsed() / events.max(1);
    let mut denied = 0;
    for one in denials {
        denied += one.map_err(|_| anyhow::anyhow!("an agent stumbled"))??;
    }
    Ok((took, denied))
}

fn name_of(count: u32) -> String {
    format!("{count} at a time")
}
