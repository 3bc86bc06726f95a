//! Moments and durations as people read them, and as programs do.

use engine::time::{self, Timestamp};
use jiff::tz::TimeZone;

/// The clock on the wall: `14:05:09`.
pub fn clock(at: Timestamp, zone: &TimeZone) -> String {
    moment(at).to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()
}

/// Day and clock: `2026-11-15 14:05:09`.
pub fn day_and_clock(at: Timestamp, zone: &TimeZone) -> String {
    moment(at)
        .to_zoned(zone.clone())
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// As programs read it: RFC 3339 in UTC, with milliseconds.
pub fn rfc3339(at: Timestamp) -> String {
    format!("{:.3}", moment(at))
}

/// How long ago something was: `12 s ago`.
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    format!("{} ago", time::short(now.since(at)))
}

/// How long something took: `8 ms`, `4.2 s`, `3 min`.
pub fn took(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => time::short(milliseconds),
    }
}

/// What no calendar holds is shown as the nearest moment one does.
fn moment(at: Timestamp) -> jiff::Timestamp {
    let last = if at.0 < 0 {
        jiff::Timestamp::MIN
    } else {
        jiff::Timestamp::MAX
    };
    jiff::Timestamp::from_millisecond(at.0).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_in_the_persons_zone_and_in_utc_to_programs() {
        let at = Timestamp(1_794_751_509_007);
        let zone = TimeZone::fixed(jiff::tz::offset(-3));
        assert_eq!(clock(at, &zone), "11:05:09");
        assert_eq!(day_and_clock(at, &zone), "2026-11-15 11:05:09");
        assert_eq!(rfc3339(at), "2026-11-15T14:05:09.007Z");
    }

    #[test]
    fn durations_are_as_exact_as_anyone_cares_for() {
        let shown: Vec<String> = [0, 8, 999, 1_000, 4_250, 59_999, 60_000, 7_200_000]
            .map(took)
            .into();
        assert_eq!(
            shown,
            [
                "0 ms", "8 ms", "999 ms", "1.0 s", "4.2 s", "59.9 s", "1 min", "2 h"
            ]
        );
    }

    #[test]
    fn moments_beyond_all_calendars_are_still_shown() {
        assert_eq!(rfc3339(Timestamp(i64::MAX)), "9999-12-30T22:00:00.999Z");
        assert_eq!(ago(Timestamp(i64::MAX), Timestamp(0)), "0 s ago");
    }
}
