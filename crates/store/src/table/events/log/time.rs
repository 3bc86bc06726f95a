//! Moments as numbers of events: rows are found by number, and numbers grow with time.

use super::LogFilter;
use super::probe::Values;
use crate::StoreError;
use crate::db::Db;
use engine::id::EventSeq;
use engine::time::Timestamp;
use rusqlite::named_params;

/// The clock may have been turned back, or forward, by so much between two events.
const CLOCK_SLACK_MS: i64 = 2 * 60 * 60 * 1000;

/// What a filter says of numbers and moments.
#[derive(Debug, Default)]
pub struct Bounds {
    /// Comparisons that the number has to meet, to stand behind its column.
    pub numbers: Vec<String>,
    /// Conditions on the moment itself.
    pub moments: Vec<String>,
}

/// The numbers between which a filter's events lie, and what their moments have to meet.
pub fn bounds(db: &Db, filter: &LogFilter, values: &mut Values) -> Result<Bounds, StoreError> {
    let mut bounds = Bounds::default();
    let mut number = |comparison: &str, seq: EventSeq, values: &mut Values| {
        let value = values.add(seq.0);
        bounds.numbers.push(format!("{comparison} {value}"));
    };
    if let Some(after) = filter.after_seq {
        number(">", after, values);
    }
    if let Some(since) = filter.since {
        let first = first_after(db, Timestamp(since.0.saturating_sub(CLOCK_SLACK_MS)))?;
        number(">=", first, values);
    }
    if let Some(until) = filter.until {
        let last = first_after(db, Timestamp(until.0.saturating_add(CLOCK_SLACK_MS)))?;
        number("<=", last, values);
    }
    for (comparison, moment) in [(">=", filter.since), ("<=", filter.until)] {
        if let Some(moment) = moment {
            let value = values.add(moment.0);
            bounds.moments.push(format!("events.at {comparison} {value}"));
        }
    }
    Ok(bounds)
}

/// The first event not before a moment, or the last of all, found in a few steps because numbers grow with time.
fn first_after(db: &Db, moment: Timestamp) -> Result<EventSeq, StoreError> {
    let low: Option<i64> = db.value("SELECT seq FROM events ORDER BY seq LIMIT 1", &[])?;
    let high: Option<i64> = db.value("SELECT seq FROM events ORDER BY seq DESC LIMIT 1", &[])?;
    let (Some(mut low), Some(mut high)) = (low, high) else {
        return Ok(EventSeq(0));
    };
    while low < high {
        let middle = low + (high - low) / 2;
        let at: Option<i64> = db.value(
            "SELECT at FROM events WHERE seq <= :seq ORDER BY seq DESC LIMIT 1",
            named_params! { ":seq": middle },
        )?;
        if at.is_some_and(|at| at >= moment.0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(EventSeq(low))
}
