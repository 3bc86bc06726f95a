//! Sets of letters a path may have, as ranges in order that do not touch.

/// Every letter of a path: no NUL, and what is a character at all.
const ALL: [(u32, u32); 2] = [(1, 0xd7ff), (0xe000, 0x0010_ffff)];
const SLASH: u32 = 0x2f;

/// A set of letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Letters {
    ranges: Vec<(u32, u32)>,
}

impl Letters {
    /// This letter alone.
    pub(super) fn one(letter: char) -> Self {
        let code = u32::from(letter);
        Self {
            ranges: vec![(code, code)],
        }
    }

    /// Every letter, the slash included.
    pub(super) fn any() -> Self {
        Self { ranges: ALL.into() }
    }

    /// Every letter of a name.
    pub(super) fn of_name() -> Self {
        Self::any().without(&[(SLASH, SLASH)])
    }

    /// The letters of a name that are, or are not, in these ranges.
    pub(super) fn class(ranges: &[(char, char)], negated: bool) -> Self {
        let mut ranges: Vec<(u32, u32)> = ranges
            .iter()
            .map(|(first, last)| (u32::from(*first), u32::from(*last)))
            .collect();
        ranges.sort_unstable();
        let others = Self::of_name().without(&ranges);
        if negated {
            return others;
        }
        Self::of_name().without(&others.ranges)
    }

    /// Whether the letter is one of them.
    pub(super) fn has(&self, letter: char) -> bool {
        let code = u32::from(letter);
        self.ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&code))
    }

    /// Those that are in both.
    pub(super) fn shared(&self, other: &Self) -> Self {
        let (mut one, mut two) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        let mut ranges = Vec::new();
        while let (Some((a, b)), Some((c, d))) = (one.peek(), two.peek()) {
            let (first, last) = (*a.max(c), *b.min(d));
            if first <= last {
                ranges.push((first, last));
            }
            if b <= d {
                one.next();
            } else {
                two.next();
            }
        }
        Self { ranges }
    }

    /// Whether there is one beside the slash and the dot.
    pub(super) fn has_ordinary(&self) -> bool {
        let special = [(u32::from('.'), u32::from('.')), (SLASH, SLASH)];
        !self.clone().without(&special).ranges.is_empty()
    }

    /// Those outside of sorted ranges.
    fn without(self, sorted: &[(u32, u32)]) -> Self {
        let mut ranges = Vec::new();
        for (first, last) in self.ranges {
            let mut from = first;
            for (out_first, out_last) in sorted {
                if *out_last < from || *out_first > last {
                    continue;
                }
                if *out_first > from {
                    ranges.push((from, out_first - 1));
                }
                from = out_last + 1;
            }
            if from <= last {
                ranges.push((from, last));
            }
        }
        Self { ranges }
    }
}
