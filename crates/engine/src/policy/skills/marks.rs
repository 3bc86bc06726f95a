//! Tells in a moment that a word is none of many. Small enough to stay close to the processor.

/// Bits of a mark.
const BITS: u32 = 15;
const WORDS: usize = 1 << (BITS - 6);

/// The marks of some words, one bit each; words may share theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marks(Vec<u64>);

impl Default for Marks {
    fn default() -> Self {
        Self(vec![0; WORDS])
    }
}

impl Marks {
    pub(super) fn add(&mut self, word: &str) {
        let (at, bit) = mark(word);
        if let Some(bits) = self.0.get_mut(at) {
            *bits |= bit;
        }
    }

    /// Whether a word has the mark of one that was added.
    pub(super) fn have(&self, word: &str) -> bool {
        let (at, bit) = mark(word);
        self.0.get(at).is_some_and(|bits| bits & bit != 0)
    }
}

/// Where the bit of a word is: its length, its beginning and its end decide.
fn mark(word: &str) -> (usize, u64) {
    let bytes = word.as_bytes();
    let byte = |at: usize| bytes.get(at).map_or(0, |byte| u64::from(*byte));
    let length = bytes.len();
    let parts = byte(0) | byte(1) << 8 | byte(length / 2) << 16 | byte(length.saturating_sub(1)) << 24;
    let length = u64::try_from(length).unwrap_or_default();
    let mixed = (parts | length << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS);
    (usize::try_from(mixed >> 6).unwrap_or_default(), 1 << (mixed & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn most_words_have_no_mark_of_a_few() {
        let mut marks = Marks::default();
        for number in 0..1_000 {
            marks.add(&format!("word{number}"));
        }
        let others = (0..1_000)
            .filter(|number| marks.have(&format!("other{number}s")))
            .count();
        assert!(others < 200, "{others}");
    }

    proptest! {
        #[test]
        fn a_word_has_its_mark(word in "(?s).{0,20}") {
            let mut marks = Marks::default();
            prop_assert!(!marks.have(&word));
            marks.add(&word);
            prop_assert!(marks.have(&word));
        }
    }
}
