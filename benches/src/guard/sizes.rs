//! Commands from a line to all a command may be, under few and under many rules: the middle, the slow end, and the worst.

use super::desk::Desk;
use super::judge;
use super::rules::{settings_with, text};
use crate::arguments::Effort;
use crate::report::Report;
use crate::shuffle::Shuffle;
use crate::target;
use crate::timing::{Timings, microseconds};
use anyhow::ensure;
use engine::policy::guard::RuleSet;
use std::sync::Arc;
use std::time::Duration;

/// How many rules there are, about.
const RULES: [usize; 2] = [500, 5_000];
/// How long commands are, about.
const LENGTHS: [usize; 4] = [70, 700, 7_000, 64_000];
/// What they are made of, in turn.
const PIECES: [&str; 4] = [
    "cargo test -p client --test retries",
    "rg -n 'retry' src | head -20",
    "git log --oneline -5",
    "cp target/report.json out/",
];

/// Judges commands of every length under both sets of rules in turn.
pub fn run(effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let built_in = Desk::new().rules.rules().len();
    let mut runs = Vec::new();
    for count in RULES {
        let rules = RuleSet::load(&settings_with(&text(count.saturating_sub(built_in), "apply")));
        ensure!(
            rules.problems().is_empty(),
            "a rule of the bench is wrong: {:?}",
            rules.problems()
        );
        let desk = Arc::new(Desk::with(Arc::new(rules)));
        for length in LENGTHS {
            runs.push((Arc::clone(&desk), length, Timings::default()));
        }
    }
    let mut shuffle = Shuffle::new();
    for _ in 0..effort.rounds {
        shuffle.order(&mut runs);
        for (desk, length, timings) in &mut runs {
            timings.add(desk.time(&command(*length)));
        }
    }
    runs.sort_by_key(|(desk, length, _)| (desk.rules.rules().len(), *length));
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|(desk, length, took)| {
            vec![
                format!("{} rules, {length} bytes", desk.rules.rules().len()),
                microseconds(took.median()),
                microseconds(took.percentile(99)),
                microseconds(took.percentile(100)),
            ]
        })
        .collect();
    report.table(
        "judging by length and rules, microseconds",
        &["", "p50", "p99", "worst"],
        &rows,
    )?;
    let worst = runs.iter().map(|(_, _, took)| took.percentile(99)).max();
    judge(report, target::LONGEST, worst.map(in_milliseconds));
    Ok(())
}

fn command(length: usize) -> String {
    let mut command = String::new();
    for piece in PIECES.iter().cycle() {
        if !command.is_empty() && command.len() + piece.len() > length {
            break;
        }
        if !command.is_empty() {
            command.push_str(" && ");
        }
        command.push_str(piece);
    }
    command
}

fn in_milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1_000.0
}
