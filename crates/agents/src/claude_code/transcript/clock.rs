//! Reads the client's time stamps: `2026-11-15T13:20:42.667Z`, always in UTC.

use engine::time::Timestamp;

/// The moment a stamp names; `None` if it is not of that form.
pub(super) fn moment(stamp: &str) -> Option<Timestamp> {
    let (day, clock) = stamp.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(day, '-')?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let [hour, minute, second] = numbers(clock, ':')?;
    let is_sound = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_sound {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(Timestamp(seconds * 1_000 + milliseconds(fraction)?))
}

fn numbers(text: &str, between: char) -> Option<[i64; 3]> {
    let mut parts = text.split(between).map(number);
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

fn number(digits: &str) -> Option<i64> {
    let is_short = (1..=4).contains(&digits.len());
    (is_short && digits.bytes().all(|digit| digit.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}

/// The first three digits after the point.
fn milliseconds(fraction: &str) -> Option<i64> {
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    number(&format!("{:0<3}", fraction.get(..fraction.len().min(3))?))
}

/// Days since 1970-01-01 in the Gregorian calendar, with years that begin in March so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_of_the_client_is_read_to_the_millisecond() {
        assert_eq!(
            moment("2026-11-15T13:20:42.667Z"),
            Some(Timestamp(1_794_748_842_667))
        );
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(Timestamp(0)));
        assert_eq!(
            moment("2024-02-29T23:59:59.9Z"),
            Some(Timestamp(1_709_251_199_900))
        );
        assert_eq!(
            moment("2000-03-01T00:00:00.1234567Z"),
            Some(Timestamp(951_868_800_123))
        );
    }

    #[test]
    fn anything_else_is_no_moment() {
        let wrong = [
            "",
            "Z",
            "2026-11-15",
            "2026-11-15T13:20:42",
            "2026-13-15T13:20:42Z",
            "2026-11-15T24:00:00Z",
            "2026-11-15T1:2:3:4Z",
            "-026-11-15T13:20:42Z",
            "99999-11-15T13:20:42Z",
            "2026-11-15T13:20:42.x7Z",
            "2026-11-15T13:20:42.é7Z",
        ];
        for stamp in wrong {
            assert_eq!(moment(stamp), None, "{stamp}");
        }
    }
}
