//! On which terms leases are held: how long, and how long a free file waits for the next in line.

use engine::settings::{LeaseSettings, Until};

/// After so long nobody waits for a file any more.
pub(crate) const LONGEST_WAIT_MS: u64 = 30 * 60 * 1000;

/// So long an agent that its client no longer lists must be silent before it is over.
pub(crate) const SILENCE_MS: u64 = 10_000;

/// At most so many tickets, and so many reservations, of one actor.
pub const MOST_PER_ACTOR: u64 = 200;

/// How long leases last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerms {
    /// Without an event of the holder and without an open call.
    pub idle_ms: u64,
    /// With an open call.
    pub most_ms: u64,
    /// How long a free file is kept for the next in line.
    pub offer_ms: u64,
    /// A main thread keeps its files past the end of its turn.
    pub past_turn: bool,
}

impl LeaseTerms {
    /// What the settings say.
    pub fn of(settings: &LeaseSettings) -> Self {
        Self {
            idle_ms: u64::from(settings.idle_minutes) * 60_000,
            most_ms: u64::from(settings.max_hours) * 3_600_000,
            offer_ms: u64::from(settings.offer_seconds) * 1000,
            past_turn: settings.until == Until::Session,
        }
    }
}

impl Default for LeaseTerms {
    /// The built-in ones, for where no project's settings are known.
    fn default() -> Self {
        Self {
            idle_ms: 600_000,
            most_ms: 14_400_000,
            offer_ms: 120_000,
            past_turn: false,
        }
    }
}
