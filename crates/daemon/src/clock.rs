//! The one place that reads the clock.

use engine::time::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Now, by the system's clock.
pub fn now() -> Timestamp {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the clock"
    )]
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
