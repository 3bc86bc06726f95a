//! Numbers of tokens, kept apart by kind.

use crate::db::Fields;
use std::ops::AddAssign;

/// How many tokens were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Read by the model and not from a cache.
    pub input: u64,
    /// Written to the five-minute cache.
    pub cache_write_5m: u64,
    /// Written to the one-hour cache.
    pub cache_write_1h: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written by the model, its thinking included.
    pub output: u64,
    /// The part of the output that was thinking.
    pub thinking: u64,
}

impl Tokens {
    pub(super) fn take(row: &mut Fields<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            input: row.count()?,
            cache_write_5m: row.count()?,
            cache_write_1h: row.count()?,
            cache_read: row.count()?,
            output: row.count()?,
            thinking: row.count()?,
        })
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        for (own, others) in [
            (&mut self.input, other.input),
            (&mut self.cache_write_5m, other.cache_write_5m),
            (&mut self.cache_write_1h, other.cache_write_1h),
            (&mut self.cache_read, other.cache_read),
            (&mut self.output, other.output),
            (&mut self.thinking, other.thinking),
        ] {
            *own = own.saturating_add(others);
        }
    }
}
