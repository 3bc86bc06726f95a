//! The log: the events a person asked for, by any mix of filters.

use super::{EventRow, read, rows};
use crate::StoreError;
use crate::db::{Db, column_of};
use engine::id::{EventSeq, ProjectId};
use engine::time::Timestamp;
use engine::verdict::VerdictKind;
use rusqlite::types::Value;
use rusqlite::{ToSql, named_params};

/// Rows are found by number, and the clock may have been turned back by so much between two of them.
const CLOCK_SLACK_MS: i64 = 2 * 60 * 60 * 1000;

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
    /// With a verdict of these policies.
    pub policies: Vec<String>,
    /// About these paths: whole, a path's end, or a glob.
    pub paths: Vec<String>,
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
    let mut query = Query::default();
    query.of_place(db, filter)?;
    query.of_actor(filter)?;
    query.of_kind(filter)?;
    query.of_verdict(filter)?;
    let order = if filter.after_seq.is_some() { "ASC" } else { "DESC" };
    query.values.push(Value::Integer(column_of(filter.limit)));
    let conditions = match query.conditions.join(" AND ") {
        none if none.is_empty() => none,
        some => format!(" WHERE {some}"),
    };
    let sql = format!(
        "{}{conditions} ORDER BY seq {order} LIMIT ?{}",
        rows!(),
        query.values.len()
    );
    let names: Vec<String> = (1..=query.values.len()).map(|n| format!("?{n}")).collect();
    let params: Vec<(&str, &dyn ToSql)> = names
        .iter()
        .zip(&query.values)
        .map(|(name, value)| -> (&str, &dyn ToSql) { (name, value) })
        .collect();
    let mut found = db.all(&sql, &params, read)?;
    if filter.after_seq.is_none() {
        found.reverse();
    }
    Ok(found)
}

/// Conditions and the values of their `?n` parameters.
#[derive(Default)]
struct Query {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Query {
    fn of_place(&mut self, db: &Db, filter: &LogFilter) -> Result<(), StoreError> {
        if let Some(project) = filter.project {
            self.when("events.project_id = ?", Value::Integer(project.0));
        }
        if let Some(after) = filter.after_seq {
            self.when("seq > ?", Value::Integer(after.0));
        }
        if let Some(since) = filter.since {
            self.when("at >= ?", Value::Integer(since.0));
            let first = first_after(db, Timestamp(since.0.saturating_sub(CLOCK_SLACK_MS)))?;
            self.when("seq >= ?", Value::Integer(first.0));
        }
        if let Some(until) = filter.until {
            self.when("at <= ?", Value::Integer(until.0));
        }
        Ok(())
    }

    fn of_actor(&mut self, filter: &LogFilter) -> Result<(), StoreError> {
        self.among(
            "events.actor_id IN (SELECT actors.id FROM actors JOIN json_each(?) AS wanted
                 ON label = wanted.value OR (wanted.value <> '' AND (
                     substr(agent_id, 1, length(wanted.value)) = wanted.value
                     OR (agent_id = '' AND substr(client_session_id, 1, length(wanted.value)) = wanted.value))))",
            &filter.agents,
        )?;
        self.among(
            "events.actor_id IN (SELECT actors.id FROM actors JOIN json_each(?) AS wanted
                 ON substr(client_session_id, 1, length(wanted.value)) = wanted.value)",
            &filter.sessions,
        )
    }

    fn of_kind(&mut self, filter: &LogFilter) -> Result<(), StoreError> {
        let mut tools = filter.tools.clone();
        for (one, other) in [("Task", "Agent"), ("Agent", "Task")] {
            if filter.tools.iter().any(|tool| tool == one) {
                tools.push(other.to_owned());
            }
        }
        self.among("tool IN (SELECT value FROM json_each(?))", &tools)?;
        self.among("event IN (SELECT value FROM json_each(?))", &filter.events)?;
        self.among(
            "EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE target = wanted.value
                 OR target GLOB wanted.value OR target GLOB '*/' || wanted.value)",
            &filter.paths,
        )
    }

    fn of_verdict(&mut self, filter: &LogFilter) -> Result<(), StoreError> {
        let wanted: Vec<&str> = filter.verdicts.iter().map(|kind| kind.as_str()).collect();
        self.among(
            "EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE
                 EXISTS (SELECT 1 FROM verdicts WHERE verdicts.event = seq AND verdict = wanted.value)
                 OR (wanted.value = 'silent' AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdicts.event = seq)))",
            &wanted,
        )?;
        self.among(
            "EXISTS (SELECT 1 FROM verdicts JOIN json_each(?) AS wanted ON policy = wanted.value
                 WHERE verdicts.event = seq)",
            &filter.policies,
        )
    }

    /// A condition on a list, which travels as one JSON array; an empty list asks nothing.
    fn among(&mut self, condition: &str, list: &[impl serde::Serialize]) -> Result<(), StoreError> {
        if list.is_empty() {
            return Ok(());
        }
        let json = serde_json::to_string(list)
            .map_err(|error| StoreError::Bug(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))?;
        self.when(condition, Value::Text(json));
        Ok(())
    }

    fn when(&mut self, condition: &str, value: Value) {
        self.values.push(value);
        let numbered = condition.replacen('?', &format!("?{}", self.values.len()), 1);
        self.conditions.push(numbered);
    }
}

/// The first event not before a moment, found in a few steps because numbers grow with time.
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
