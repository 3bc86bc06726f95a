//! How much of a file its reader is shown.

use serde::{Deserialize, Serialize};

/// How much of a file its reader is shown, as far as the call says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadExtent {
    /// All of it.
    Whole,
    /// These lines, counted from one, the last one included.
    Lines {
        /// The first line.
        first: u64,
        /// The last line.
        last: u64,
    },
    /// So many lines at its end.
    LastLines(u64),
    /// Some of it, and nobody can say how much.
    Part,
}

impl ReadExtent {
    /// Whether a file of so many lines is shown as a whole.
    pub fn covers(self, lines: u64) -> bool {
        match self {
            Self::Whole => true,
            Self::Lines { first, last } => first <= 1 && lines <= last,
            Self::LastLines(count) => lines <= count,
            Self::Part => false,
        }
    }

    /// What is left of it behind a program that passes on only so much.
    #[must_use]
    pub fn through(self, passed: Self) -> Self {
        match (self, passed) {
            (Self::Whole, extent) | (extent, Self::Whole) => extent,
            // A range of a range: what remains of the file depends on its length.
            (Self::Lines { .. } | Self::LastLines(_) | Self::Part, _) => Self::Part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_shows_all_of_a_file_that_fits_into_it() {
        let range = |first, last| ReadExtent::Lines { first, last };
        assert!(range(1, 10).covers(10));
        assert!(range(0, 10).covers(10));
        assert!(!range(1, 10).covers(11));
        assert!(!range(2, u64::MAX).covers(2));
        assert!(ReadExtent::LastLines(3).covers(3) && !ReadExtent::LastLines(3).covers(4));
        assert!(ReadExtent::Whole.covers(u64::MAX) && !ReadExtent::Part.covers(0));
    }

    #[test]
    fn what_passes_two_programs_is_no_more_than_each_of_them_shows() {
        let head = ReadExtent::Lines { first: 1, last: 5 };
        assert_eq!(ReadExtent::Whole.through(head), head);
        assert_eq!(head.through(ReadExtent::Whole), head);
        assert_eq!(head.through(ReadExtent::LastLines(2)), ReadExtent::Part);
        assert_eq!(ReadExtent::Part.through(ReadExtent::Whole), ReadExtent::Part);
    }
}
