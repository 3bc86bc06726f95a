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

/// A duration as people read it: `12 s`, `3 min`, `2 h`, `4 d`.
pub fn short(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short_and_never_negative() {
        let shown: Vec<String> = [0, 59_999, 60_000, 3_600_000, 172_800_000].map(short).into();
        assert_eq!(shown, ["0 s", "59 s", "1 min", "1 h", "2 d"]);
        assert_eq!(Timestamp(5).since(Timestamp(9)), 0);
    }
}
