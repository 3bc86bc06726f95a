//! The interleaved run: every contender once per round, in a new order each round.

use crate::arguments::Effort;
use crate::contender::{Contender, Form, Way};
use crate::peer::{self, Peers};
use crate::product::Product;
use crate::report::Report;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::target::{self, Judgement, Target};
use crate::timing::{Timings, milliseconds, ratio};
use std::collections::BTreeMap;
use std::time::Duration;

const FLOOR: &str = "empty process";
const WARM: &str = "hook warm";
const WARM_READ: &str = "hook warm, reading";
const WARM_SHELL: &str = "hook warm (sh -c)";
const FALLBACK: &str = "hook fallback";
const DISABLED: &str = "hook disabled";

/// Ours and what they are measured by; the peers come after them.
const OURS: &[(&str, Way, Form)] = &[
    (FLOOR, Way::Floor, Form::Exec),
    (DISABLED, Way::Disabled, Form::Exec),
    (WARM_READ, Way::WarmRead, Form::Exec),
    (WARM, Way::Warm, Form::Exec),
    (FALLBACK, Way::Fallback, Form::Exec),
    ("hook cold", Way::Cold, Form::Exec),
    ("empty process (sh -c)", Way::Floor, Form::Shell),
    (WARM_SHELL, Way::Warm, Form::Shell),
];

/// The targets that are ratios of two medians: the first contender's by the second's.
const RATIOS: &[(Target, &str, &str)] = &[
    (target::WARM_READ, WARM_READ, FLOOR),
    (target::WARM, WARM, FLOOR),
    (target::DISABLED, DISABLED, FLOOR),
    (target::FALLBACK, FALLBACK, WARM),
    (target::BASH_JQ, peer::BASH_JQ_6, WARM_SHELL),
    (target::PYTHON_SQLITE, peer::PYTHON_SQLITE, WARM_SHELL),
    (target::NODE, peer::NODE, WARM_SHELL),
];

/// Runs all rounds, prints the table, judges the ratios.
pub fn run(product: &Product, peers: &Peers, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let mut contenders = contenders(product, peers, effort)?;
    let mut timings: BTreeMap<&str, Timings> = BTreeMap::new();
    let mut shuffle = Shuffle::new();
    for _ in 0..effort.rounds {
        let mut order: Vec<_> = contenders.iter_mut().collect();
        shuffle.order(&mut order);
        for (name, contender) in order {
            timings.entry(name).or_default().add(contender.run()?);
        }
    }
    let names: Vec<&str> = contenders.iter().map(|(name, _)| *name).collect();
    show(&names, &timings, effort, report)?;
    for (_, contender) in &contenders {
        if let Some(remark) = contender.verify()? {
            report.line(&format!("  note: {remark}"))?;
        }
    }
    judge(&timings, peers, report);
    Ok(())
}

fn contenders<'a>(
    product: &'a Product,
    peers: &Peers,
    effort: &Effort,
) -> anyhow::Result<Vec<(&'static str, Contender<'a>)>> {
    let ours = OURS.iter().cloned();
    let theirs = peers
        .present
        .iter()
        .map(|peer| (peer.name, Way::Peer(peer.command.clone()), Form::Shell));
    ours.chain(theirs)
        .filter(|(name, _, _)| effort.includes(name))
        .map(|(name, way, form)| {
            Ok((
                name,
                Contender::new(product, way, form, Stage::new(&peers.path)?)?,
            ))
        })
        .collect()
}

fn show(
    names: &[&str],
    timings: &BTreeMap<&str, Timings>,
    effort: &Effort,
    report: &mut Report,
) -> anyhow::Result<()> {
    let median = |name: &str| timings.get(name).map(Timings::median);
    let by = |this: Duration, that: &str| {
        median(that).map_or("-".to_owned(), |that| format!("{:.2}", ratio(this, that)))
    };
    let rows: Vec<Vec<String>> = names
        .iter()
        .filter_map(|name| {
            let took = timings.get(name)?;
            let percentiles = [50, 95, 99].map(|percent| milliseconds(took.percentile(percent)));
            let ratios = [by(took.median(), FLOOR), by(took.median(), WARM_SHELL)];
            Some(
                std::iter::once((*name).to_owned())
                    .chain(percentiles)
                    .chain(ratios)
                    .collect(),
            )
        })
        .collect();
    let heading = format!(
        "whole process, {} interleaved rounds, milliseconds",
        effort.rounds
    );
    report.table(
        &heading,
        &["", "p50", "p95", "p99", "/ empty", "/ hook (sh -c)"],
        &rows,
    )
}

fn judge(timings: &BTreeMap<&str, Timings>, peers: &Peers, report: &mut Report) {
    for (target, this, that) in RATIOS {
        if let (Some(this_took), Some(that_took)) = (timings.get(this), timings.get(that)) {
            let reason = if *this == peer::BASH_JQ_6 {
                peers.jq_too_old()
            } else {
                None
            };
            let measured = ratio(this_took.median(), that_took.median());
            report.judge(Judgement::new(*target, measured).informative(reason));
        }
    }
}
