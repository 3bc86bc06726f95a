//! The log: the events a person asked for, by any mix of filters.
//!
//! The newest lines are found in the order of one filter's index; the others are asked of each row on the way. A filter
//! alone therefore looks at no row that it does not let through, however many there are.

mod part;
mod path;
mod probe;
mod time;

pub use path::PathFilter;

use super::{EventRow, read, rows};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::{EventSeq, ProjectId};
use engine::time::Timestamp;
use engine::verdict::VerdictKind;
use part::FilterPart;
use probe::{QueryProbe, Values};

/// Which events to show. Every list is "any of these", an empty one "all"; the fields together are "all of these".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogFilter {
    /// Of this project; `None` for all projects.
    pub project: Option<ProjectId>,
    /// Of these tools; `Task` and `Agent` are one.
    pub tools: Vec<String>,
    /// Of these actors: a label, or the beginning of an agent's or session's id.
    pub agents: Vec<String>,
    /// Of these client sessions: the beginning of an id.
    pub sessions: Vec<String>,
    /// With these names.
    pub events: Vec<String>,
    /// With a verdict of these kinds; silent is: no policy said anything.
    pub verdicts: Vec<VerdictKind>,
    /// With a verdict of these policies; together with kinds, one verdict has to be both.
    pub policies: Vec<String>,
    /// About these paths.
    pub paths: Vec<PathFilter>,
    /// Not earlier.
    pub since: Option<Timestamp>,
    /// Not later.
    pub until: Option<Timestamp>,
    /// Later than this one, oldest first: what `--follow` asks for.
    pub after_seq: Option<EventSeq>,
    /// At most so many: the newest, or after `after_seq` the oldest.
    pub limit: u64,
}

/// The events a filter lets through, newest last.
pub fn list(db: &Db, filter: &LogFilter) -> Result<Vec<EventRow>, StoreError> {
    let mut parts = part::all(db, filter)?;
    if parts.iter().any(FilterPart::is_nothing) {
        return Ok(Vec::new());
    }
    let mut values = Values::default();
    let bounds = time::bounds(db, filter, &mut values)?;
    // What comes after a line is little, and found by its number.
    let lead = match filter.after_seq {
        None => parts.iter().position(FilterPart::leads),
        Some(_) => None,
    };
    let probes = match lead {
        Some(at) => parts.remove(at).probes(&mut values),
        None => vec![QueryProbe::everything()],
    };
    let asked = parts.iter().map(|part| part.condition(&mut values));
    let asked: Vec<String> = asked.collect::<Result<_, _>>()?;
    let selects: Vec<String> = probes.iter().map(|probe| probe.select(&bounds, &asked)).collect();
    let order = if filter.after_seq.is_some() { "ASC" } else { "DESC" };
    let limit = values.add(column_of(filter.limit));
    let sql = format!(
        "WITH found AS MATERIALIZED ({} ORDER BY seq {order} LIMIT {limit})
         {} WHERE events.seq IN (SELECT seq FROM found) ORDER BY events.seq",
        selects.join(" UNION "),
        rows!(),
    );
    values.with(|params| db.all(&sql, params, read))
}

#[cfg(test)]
mod tests;
