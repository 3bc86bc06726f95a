//! How long something holds, as a person writes it: `90s`, `15m`, `2h`.

/// The longest.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;
const ACCEPTED: &str = "accepted: a time such as 90s, 15m or 2h, at most 24h";

/// Milliseconds of a time.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || ACCEPTED.to_owned();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let each: u64 = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        _ => return Err(wrong()),
    };
    let count: u64 = text
        .strip_suffix(unit)
        .and_then(|count| count.parse().ok())
        .ok_or_else(wrong)?;
    let all = count
        .checked_mul(each)
        .filter(|all| (1..=LONGEST_MS).contains(all));
    all.ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_the_longest_and_nothing_is_too_short() {
        assert_eq!(parse("15m"), Ok(900_000));
        assert_eq!(parse("24h"), Ok(86_400_000));
        for wrong in ["25h", "0s", "", "15", "m", "-1m", "1d", "99999999999999999h"] {
            assert_eq!(parse(wrong), Err(ACCEPTED.to_owned()), "{wrong}");
        }
    }
}
