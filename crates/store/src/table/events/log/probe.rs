//! One place of an index, whose rows come in the order of their numbers; and the values a statement is given.

use super::time::Bounds;
use crate::StoreError;
use crate::db::Params;
use rusqlite::ToSql;
use rusqlite::types::Value;

/// See the module.
#[derive(Debug)]
pub struct QueryProbe {
    number: &'static str,
    from: &'static str,
    place: String,
}

impl QueryProbe {
    /// Where every event is.
    pub fn everything() -> Self {
        Self::of_events("TRUE".to_owned())
    }

    /// The events for which this holds.
    pub fn of_events(place: String) -> Self {
        Self {
            number: "events.seq",
            from: "events",
            place,
        }
    }

    /// The events with a verdict for which this holds.
    pub fn of_verdicts(place: String) -> Self {
        Self {
            number: "verdicts.event",
            from: "verdicts CROSS JOIN events ON events.seq = verdicts.event",
            place,
        }
    }

    /// The numbers of its rows that meet everything else.
    pub fn select(&self, bounds: &Bounds, asked: &[String]) -> String {
        let numbers = bounds
            .numbers
            .iter()
            .map(|bound| format!("{} {bound}", self.number));
        let conditions: Vec<String> = std::iter::once(self.place.clone())
            .chain(numbers)
            .chain(bounds.moments.iter().chain(asked).cloned())
            .collect();
        format!(
            "SELECT {} AS seq FROM {} WHERE {}",
            self.number,
            self.from,
            conditions.join(" AND ")
        )
    }
}

/// The values of a statement's `?n` parameters. Each has to be used.
#[derive(Debug, Default)]
pub struct Values {
    all: Vec<Value>,
}

impl Values {
    /// Adds one and says how the statement names it.
    pub fn add(&mut self, value: impl Into<Value>) -> String {
        self.all.push(value.into());
        format!("?{}", self.all.len())
    }

    /// Adds a list, as one JSON array.
    pub fn list(&mut self, list: &[impl serde::Serialize]) -> Result<String, StoreError> {
        let json = serde_json::to_string(list)
            .map_err(|error| StoreError::Bug(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))?;
        Ok(self.add(json))
    }

    /// Runs something with them as parameters.
    pub fn with<T>(&self, run: impl FnOnce(Params<'_>) -> T) -> T {
        let names: Vec<String> = (1..=self.all.len()).map(|n| format!("?{n}")).collect();
        let params: Vec<(&str, &dyn ToSql)> = names
            .iter()
            .zip(&self.all)
            .map(|(name, value)| -> (&str, &dyn ToSql) { (name, value) })
            .collect();
        run(&params)
    }
}
