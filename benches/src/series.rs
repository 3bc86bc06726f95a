//! Timings by name, and the table they make.

use crate::report::Report;
use crate::timing::{Timings, microseconds, milliseconds, ratio};
use std::collections::BTreeMap;
use std::time::Duration;

/// What each contender of a part took, in the order they first ran or were named.
pub struct Series {
    names: Vec<String>,
    timings: BTreeMap<String, Timings>,
    shown: fn(Duration) -> String,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            timings: BTreeMap::new(),
            shown: milliseconds,
        }
    }
}

impl Series {
    /// One whose table has microseconds.
    pub fn in_microseconds() -> Self {
        Self {
            shown: microseconds,
            ..Self::default()
        }
    }

    /// Remembers one run.
    pub fn add(&mut self, name: &str, took: Duration) {
        if !self.timings.contains_key(name) {
            self.names.push(name.to_owned());
        }
        self.timings.entry(name.to_owned()).or_default().add(took);
    }

    /// The middle run of a contender.
    pub fn median(&self, name: &str) -> Option<Duration> {
        self.timings.get(name).map(Timings::median)
    }

    /// How many times longer the first took, by their medians.
    pub fn ratio(&self, this: &str, that: &str) -> Option<f64> {
        Some(ratio(self.median(this)?, self.median(that)?))
    }

    /// Prints the table, with every median by what `base` says it is compared with.
    pub fn show(
        &self,
        report: &mut Report,
        heading: &str,
        base: impl Fn(&str) -> Option<Duration>,
    ) -> anyhow::Result<()> {
        let mut names = self.names.clone();
        names.sort_by_key(|name| rank(name));
        let rows: Vec<Vec<String>> = names
            .iter()
            .filter_map(|name| {
                let took = self.timings.get(name)?;
                let by = base(name).map(|base| ratio(took.median(), base));
                Some(vec![
                    name.clone(),
                    (self.shown)(took.median()),
                    (self.shown)(took.percentile(95)),
                    by.map_or("-".to_owned(), |by| format!("{by:.2}")),
                    took.count().to_string(),
                ])
            })
            .collect();
        report.table(heading, &["", "p50", "p95", "ratio", "runs"], &rows)
    }
}

/// Names sort by the numbers in them, so that 1,000 files come before 100,000.
fn rank(name: &str) -> Vec<(u64, String)> {
    name.split(' ')
        .map(|word| match word.parse() {
            Ok(number) => (number, String::new()),
            Err(_) => (0, word.to_owned()),
        })
        .collect()
}
