//! A write decision where others hold little, hold much, and have reserved much.

use super::agent::Agent;
use super::crowd::{Crowd, ensure_leased};
use super::{SETTINGS, judge};
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::target;
use std::ffi::OsStr;
use std::path::Path;

const FEW: &str = "10 leases";
const MANY: &str = "10000 leases of 200 actors";
const RESERVED: &str = "10 leases, 200 reservations";

const ELSEWHERE: &str = "10 leases, 200 reservations elsewhere";

const CROWDS: [(&str, Crowd); 4] = [
    (FEW, crowd(10, 10, 0, false)),
    (MANY, crowd(200, 10_000, 0, false)),
    (RESERVED, crowd(10, 10, 200, false)),
    (ELSEWHERE, crowd(10, 10, 200, true)),
];

const fn crowd(actors: u64, leases: u64, reservations: u64, elsewhere: bool) -> Crowd {
    Crowd {
        actors,
        leases,
        reservations,
        elsewhere,
    }
}

/// Every round an agent asks for a free file in each of the crowds, and gives it back.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let mut stages = Vec::new();
    for (name, crowd) in CROWDS {
        let stage = Stage::new(path)?;
        stage.settle(SETTINGS)?;
        stages.push((name, stage, crowd));
    }
    let mut agents = Vec::new();
    for (name, stage, crowd) in &stages {
        let mut agent = Agent::new(stage, 0xa9e27);
        agent.is_asked(toprope)?;
        let calls = agent.calls("Edit", &stage.project().join("src/parser.rs"))?;
        agent.tries(&calls)?;
        ensure_leased(stage)?;
        crowd.joins(stage)?;
        agent.tries(&calls)?;
        agents.push((*name, agent, calls));
    }
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    for _ in 0..effort.rounds {
        shuffle.order(&mut agents);
        for (name, agent, calls) in &mut agents {
            series.add(name, agent.tries(calls)?);
        }
    }
    series.show(
        report,
        "daemon, one write decision, beside others' leases, microseconds",
        |_| series.median(FEW),
    )?;
    judge(report, target::MANY_LEASES, series.ratio(MANY, FEW), None);
    judge(report, target::RESERVATIONS, series.ratio(RESERVED, FEW), None);
    judge(
        report,
        target::RESERVED_ELSEWHERE,
        series.ratio(ELSEWHERE, FEW),
        None,
    );
    Ok(())
}
