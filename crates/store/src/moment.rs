//! When something happens: by the clock on the wall, and by the one that only ever runs forward.
//!
//! Durations are told by the boot clock wherever both ends lie in one boot, so that a clock that was set neither ends
//! anything early nor keeps it for ever.

use engine::time::Timestamp;

/// The clock that starts with the machine and goes on while it sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boot {
    /// Which start of the machine; equal numbers are the same one.
    pub id: i64,
    /// Milliseconds since then.
    pub ms: i64,
}

/// A moment by both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// By the clock on the wall.
    pub at: Timestamp,
    /// By the boot clock, where it could be read.
    pub boot: Option<Boot>,
}

impl Moment {
    /// Milliseconds from `earlier` to this moment; zero where a clock says that it is later.
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.after(earlier)).unwrap_or(0)
    }

    /// Milliseconds from this moment until `later`; zero if that has passed.
    pub fn until(self, later: Self) -> u64 {
        later.since(self)
    }

    /// This moment and so many milliseconds, by both clocks.
    #[must_use]
    pub fn plus(self, milliseconds: u64) -> Self {
        let more = i64::try_from(milliseconds).unwrap_or(i64::MAX);
        Self {
            at: Timestamp(self.at.0.saturating_add(more)),
            boot: self.boot.map(|boot| Boot {
                ms: boot.ms.saturating_add(more),
                ..boot
            }),
        }
    }

    fn after(self, earlier: Self) -> i64 {
        match (self.boot, earlier.boot) {
            (Some(now), Some(then)) if now.id == then.id => now.ms.saturating_sub(then.ms),
            _ => self.at.0.saturating_sub(earlier.at.0),
        }
    }

    pub(crate) fn boot_id(self) -> Option<i64> {
        self.boot.map(|boot| boot.id)
    }

    pub(crate) fn boot_ms(self) -> Option<i64> {
        self.boot.map(|boot| boot.ms)
    }

    pub(crate) fn from_columns(at: i64, id: Option<i64>, ms: Option<i64>) -> Self {
        Self {
            at: Timestamp(at),
            boot: id.zip(ms).map(|(id, ms)| Boot { id, ms }),
        }
    }
}

impl From<Timestamp> for Moment {
    /// A moment of which only the wall's clock is known.
    fn from(at: Timestamp) -> Self {
        Self { at, boot: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(at: i64, id: i64, ms: i64) -> Moment {
        Moment::from_columns(at, Some(id), Some(ms))
    }

    #[test]
    fn within_one_boot_a_clock_that_was_set_changes_no_duration() {
        let (then, hour) = (moment(10_000_000, 7, 500), 3_600_000);
        assert_eq!(moment(10_000_000 + hour, 7, 1500).since(then), 1000);
        assert_eq!(moment(10_000_000 - hour, 7, 1500).since(then), 1000);
        assert_eq!(then.until(then.plus(30)), 30);
        assert_eq!(moment(10_000_000 + hour, 7, 400).since(then), 0);
    }

    #[test]
    fn across_boots_the_wall_tells_and_never_backwards() {
        let then = moment(1000, 7, 900_000);
        assert_eq!(moment(5000, 8, 10).since(then), 4000);
        assert_eq!(Moment::from(Timestamp(5000)).since(then), 4000);
        assert_eq!(moment(500, 8, 10).since(then), 0);
    }
}
