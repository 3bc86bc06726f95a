//! Time as data: milliseconds since the epoch, handed in by whoever owns a clock.

use serde::{Deserialize, Serialize};

/// A moment, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds from `earlier` to this moment; zero if the clock was turned back.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

/// A duration as people read it, to the nearest unit: `12 s`, `3 min`, `2 h`, `4 d`.
pub fn short(milliseconds: u64) -> String {
    let seconds = nearest(milliseconds, 1000);
    let (minutes, hours) = (nearest(seconds, 60), nearest(seconds, 3600));
    if seconds < 60 {
        format!("{seconds} s")
    } else if minutes < 60 {
        format!("{minutes} min")
    } else if hours < 48 {
        format!("{hours} h")
    } else {
        format!("{} d", nearest(seconds, 86_400))
    }
}

/// How many whole units come closest.
fn nearest(amount: u64, unit: u64) -> u64 {
    amount.saturating_add(unit / 2) / unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short_and_never_negative() {
        let shown: Vec<String> = [0, 59_000, 60_000, 3_600_000, 172_800_000].map(short).into();
        assert_eq!(shown, ["0 s", "59 s", "1 min", "1 h", "2 d"]);
        assert_eq!(Timestamp(5).since(Timestamp(9)), 0);
    }

    #[test]
    fn what_was_just_begun_is_shown_whole() {
        let shown: Vec<String> = [
            9_990,
            59_900,
            119_900,
            3_599_900,
            7_199_000,
            172_799_000,
            u64::MAX,
        ]
        .map(short)
        .into();
        assert_eq!(
            shown,
            ["10 s", "1 min", "2 min", "1 h", "2 h", "2 d", "213503982335 d"]
        );
    }
}
