//! Durations of one contender, and what they amount to.

use std::time::Duration;

/// What a contender took, run by run.
#[derive(Debug, Default, Clone)]
pub struct Timings {
    runs: Vec<Duration>,
}

impl Timings {
    /// Remembers one run.
    pub fn add(&mut self, took: Duration) {
        self.runs.push(took);
    }

    /// Remembers the runs of another series.
    pub fn append(&mut self, mut other: Self) {
        self.runs.append(&mut other.runs);
    }

    /// The runs so far.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The middle run.
    pub fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// The run that so many percent do not exceed (nearest rank).
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.runs.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100);
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }
}

/// How many times longer the first took.
pub fn ratio(this: Duration, that: Duration) -> f64 {
    this.as_secs_f64() / that.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// A duration in milliseconds, as tables show it.
pub fn milliseconds(took: Duration) -> String {
    format!("{:.3}", took.as_secs_f64() * 1000.0)
}

/// A duration in microseconds, as tables show it.
pub fn microseconds(took: Duration) -> String {
    format!("{:.1}", took.as_secs_f64() * 1_000_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(milliseconds: impl IntoIterator<Item = u64>) -> Timings {
        Timings {
            runs: milliseconds.into_iter().map(Duration::from_millis).collect(),
        }
    }

    #[test]
    fn percentiles_are_runs_that_happened() {
        let timings = of((1..=200).rev());
        assert_eq!(timings.median(), Duration::from_millis(100));
        assert_eq!(timings.percentile(95), Duration::from_millis(190));
        assert_eq!(timings.percentile(99), Duration::from_millis(198));
        assert_eq!(of([7]).percentile(99), Duration::from_millis(7));
        assert_eq!(of([]).median(), Duration::ZERO);
    }
}
