//! When an actor was denied a file: every time counts, within little room however often it tries.

use std::fmt::Write;

/// Denials closer together than this are one entry.
const TOGETHER_MS: i64 = 1_000;
/// So many entries are kept: more than a minute, however they fall.
const KEPT: usize = 64;

/// Denials that came close together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Denials {
    /// When the first of them was; by the boot clock where it is known.
    pub at: i64,
    /// How many they were.
    pub times: u32,
}

impl Denials {
    /// As the store has them: `<when>`, or `<when>*<times>` for more than one.
    pub(super) fn parse(text: &str) -> Vec<Self> {
        text.split(' ').filter_map(Self::one).collect()
    }

    fn one(text: &str) -> Option<Self> {
        let (at, times) = text.split_once('*').unwrap_or((text, "1"));
        Some(Self {
            at: at.parse().ok()?,
            times: times.parse().ok()?,
        })
    }

    /// The same with one more.
    pub(super) fn with_one_more(text: &str, at: i64) -> String {
        let mut all = Self::parse(text);
        match all.last_mut() {
            Some(last) if (0..TOGETHER_MS).contains(&at.saturating_sub(last.at)) => {
                last.times = last.times.saturating_add(1);
            }
            _ => all.push(Self { at, times: 1 }),
        }
        let first = all.len().saturating_sub(KEPT);
        all.get(first..)
            .unwrap_or_default()
            .iter()
            .fold(String::new(), |mut text, denials| {
                let space = if text.is_empty() { "" } else { " " };
                // Writing to a string cannot fail.
                let _ = write!(text, "{space}{}", denials.at);
                if denials.times > 1 {
                    let _ = write!(text, "*{}", denials.times);
                }
                text
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(times: impl IntoIterator<Item = i64>) -> String {
        times
            .into_iter()
            .fold(String::new(), |text, at| Denials::with_one_more(&text, at))
    }

    #[test]
    fn denials_that_come_together_are_counted_together() {
        assert_eq!(after([5, 7, 900, 1_005, 60_000]), "5*3 1005 60000");
        assert_eq!(
            Denials::parse("5*3 1005 60000")
                .iter()
                .map(|one| one.times)
                .sum::<u32>(),
            5
        );
    }

    #[test]
    fn what_an_older_version_wrote_is_read_and_what_nobody_wrote_is_passed_over() {
        assert_eq!(Denials::parse("1 2").len(), 2);
        assert_eq!(Denials::parse(" x 3*y *4 5* 6"), [Denials { at: 6, times: 1 }]);
    }

    #[test]
    fn however_often_it_tries_little_is_kept_and_a_minute_is_whole() {
        let minute = after((0..60_000).step_by(10));
        let counted: u32 = Denials::parse(&minute).iter().map(|one| one.times).sum();
        assert_eq!(counted, 6_000);
        let hour = after((0..3_600_000).step_by(500));
        assert_eq!(Denials::parse(&hour).len(), KEPT);
        assert!(hour.len() < 1_024);
    }

    #[test]
    fn a_clock_that_went_back_begins_anew() {
        assert_eq!(after([9_000, 8_500]), "9000 8500");
    }
}
