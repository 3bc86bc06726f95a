//! A file of many rules: read and tried once per change, not per event.

use super::rules::{settings_with, text};
use super::{judge, number};
use crate::report::Report;
use crate::target;
use crate::timing::milliseconds;
use anyhow::ensure;
use engine::policy::guard::RuleSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

const RULES: usize = 500;
const EVENTS: usize = 1_000;

/// Asks for the rules in force at every event, and changes the file in the middle.
pub fn run(report: &mut Report) -> anyhow::Result<()> {
    let versions = ["apply", "push"].map(|sub| settings_with(&text(RULES, sub)));
    let mut loads = 0;
    let mut last: Option<Arc<RuleSet>> = None;
    let (mut first, mut later) = (Duration::ZERO, Duration::ZERO);
    for settings in &versions {
        for event in 0..EVENTS {
            let began = Instant::now();
            let rules = RuleSet::of(settings);
            let took = began.elapsed();
            if last.as_ref().is_none_or(|last| !Arc::ptr_eq(last, &rules)) {
                loads += 1;
            }
            if event == 0 {
                first = first.max(took);
            } else {
                later += took;
            }
            last = Some(rules);
        }
    }
    ensure!(
        last.is_some_and(|rules| rules.problems().is_empty()),
        "a rule of the bench is wrong"
    );
    let events = u32::try_from(versions.len() * (EVENTS - 1))?;
    let rows = [
        vec!["after a change".to_owned(), milliseconds(first)],
        vec!["at any other event".to_owned(), milliseconds(later / events)],
    ];
    report.table(
        &format!("a file of {RULES} rules, milliseconds"),
        &["", "took"],
        &rows,
    )?;
    judge(
        report,
        target::LOADS,
        Some(number(loads) / number(versions.len())),
    );
    Ok(())
}
