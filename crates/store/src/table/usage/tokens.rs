//! Numbers of tokens, as they stand in a row.

use crate::db::RowFields;
use engine::usage::Tokens;

/// The six counts that come next.
pub(super) fn take(row: &mut RowFields<'_>) -> rusqlite::Result<Tokens> {
    Ok(Tokens {
        input: row.count()?,
        cache_write_5m: row.count()?,
        cache_write_1h: row.count()?,
        cache_read: row.count()?,
        output: row.count()?,
        thinking: row.count()?,
    })
}
