//! A moment as a person names it: `10m`, `2h`, `today`, a day, or an exact time.

use engine::time::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// What `--since` and `--until` accept.
const ACCEPTED: &str =
    "accepted: how long ago (30s, 10m, 2h, 3d, 1w), `today`, a day (2026-11-15), or RFC 3339";

/// See the module. Which moment it is depends on when it is asked, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogMoment {
    /// So many milliseconds before now.
    Ago(i64),
    /// The last midnight.
    Today,
    /// On the wall clock of whoever asks.
    Local(DateTime),
    /// Exactly then.
    At(Timestamp),
}

impl LogMoment {
    /// Reads what a person wrote.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "today" {
            return Ok(Self::Today);
        }
        if let Some(ago) = ago(text) {
            return Ok(Self::Ago(ago));
        }
        if let Ok(exact) = text.parse::<jiff::Timestamp>() {
            return Ok(Self::At(Timestamp(exact.as_millisecond())));
        }
        text.parse().map(Self::Local).map_err(|_| ACCEPTED.to_owned())
    }

    /// The moment it is, asked now and in this zone.
    pub fn moment(self, now: Timestamp, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Ago(milliseconds) => Timestamp(now.0.saturating_sub(milliseconds)),
            Self::At(at) => at,
            Self::Local(local) => on_the_clock(local, zone).unwrap_or(now),
            Self::Today => midnight(now, zone).unwrap_or(now),
        }
    }
}

fn ago(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let count: u32 = text.strip_suffix(unit)?.parse().ok()?;
    i64::from(count).checked_mul(seconds)?.checked_mul(1_000)
}

fn midnight(now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let now = jiff::Timestamp::from_millisecond(now.0)
        .ok()?
        .to_zoned(zone.clone());
    Some(Timestamp(now.start_of_day().ok()?.timestamp().as_millisecond()))
}

fn on_the_clock(local: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    Some(Timestamp(
        local.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15 14:05:09 UTC.
    const NOW: Timestamp = Timestamp(1_794_751_509_000);

    fn moment(text: &str) -> i64 {
        LogMoment::parse(text)
            .unwrap()
            .moment(NOW, &TimeZone::fixed(jiff::tz::offset(2)))
            .0
    }

    #[test]
    fn a_moment_can_be_named_by_its_distance() {
        assert_eq!(moment("30s"), NOW.0 - 30_000);
        assert_eq!(moment("10m"), NOW.0 - 600_000);
        assert_eq!(moment("2h"), NOW.0 - 7_200_000);
        assert_eq!(moment("1w"), NOW.0 - 604_800_000);
    }

    #[test]
    fn days_and_clocks_are_those_of_the_person() {
        let midnight = 1_794_693_600_000;
        assert_eq!(moment("today"), midnight);
        assert_eq!(moment("2026-11-15"), midnight);
        assert_eq!(moment("2026-11-15T16:05:09"), NOW.0);
    }

    #[test]
    fn an_exact_time_is_the_same_everywhere() {
        assert_eq!(moment("2026-11-15T14:05:09Z"), NOW.0);
        assert_eq!(moment("2026-11-15T15:05:09.250+01:00"), NOW.0 + 250);
    }

    #[test]
    fn anything_else_is_refused_with_what_is_accepted() {
        for wrong in [
            "",
            "m",
            "-5m",
            "5y",
            "é",
            "yesterday-ish",
            "99999999999d",
            "2026-13-40",
        ] {
            assert_eq!(LogMoment::parse(wrong), Err(ACCEPTED.to_owned()), "{wrong}");
        }
    }
}
