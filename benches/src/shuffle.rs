//! An order that is new every round and the same every run.

/// A small generator of orders (xorshift); repeatable, so that two runs differ by the machine alone.
pub struct Shuffle(u64);

impl Shuffle {
    /// Starts over.
    pub fn new() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }

    /// Puts the items into the next order.
    pub fn order<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The remainder is below a bound that is itself a usize.
        usize::try_from(self.0 % u64::try_from(bound).unwrap_or(u64::MAX)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_runs_once_per_round_in_changing_places() {
        let mut shuffle = Shuffle::new();
        let mut firsts = Vec::new();
        for _ in 0..50 {
            let mut order = [0, 1, 2, 3, 4];
            shuffle.order(&mut order);
            firsts.push(order[0]);
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2, 3, 4]);
        }
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts, [0, 1, 2, 3, 4]);
    }
}
