//! Shows events in the form a person asked for.

use super::line::{self, LogLine};
use super::names::PlaceNames;
use super::record::{LogRecord, payload};
use super::redact::Veil;
use super::table::TextTable;
use crate::failure::Failure;
use crate::show;
use engine::id::EventSeq;
use engine::text::lines;
use std::collections::BTreeSet;
use store::table::events::EventRow;
use store::{Db, StoreError};

/// What one line of output stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFormat {
    /// A call, or an event that is none.
    Calls,
    /// An event; with its payload below it, if `raw`.
    Events {
        /// With payloads.
        raw: bool,
    },
    /// An event in JSON; with its payload in it, if `raw`.
    Json {
        /// With payloads.
        raw: bool,
    },
}

/// Where events are shown.
#[derive(Debug)]
pub struct LogPage {
    form: LineFormat,
    table: TextTable,
    names: PlaceNames,
}

impl LogPage {
    /// An empty page.
    pub fn new(form: LineFormat, table: TextTable) -> Self {
        Self {
            form,
            table,
            names: PlaceNames::new(match form {
                LineFormat::Events { raw: true } | LineFormat::Json { raw: true } => Veil::Lifted,
                LineFormat::Calls | LineFormat::Events { raw: false } | LineFormat::Json { raw: false } => {
                    Veil::Drawn
                }
            }),
        }
    }

    /// Whether a line can stand for more than one event.
    pub fn joins(&self) -> bool {
        self.form == LineFormat::Calls
    }

    /// The lines of these events' calls, but for those that were told before.
    pub fn joined(
        &mut self,
        db: &Db,
        rows: &[EventRow],
        told: &mut BTreeSet<EventSeq>,
    ) -> Result<Vec<LogLine>, StoreError> {
        line::joined(db, &mut self.names, rows, told)
    }

    /// Shows lines.
    pub fn show(&mut self, lines: &[LogLine]) {
        for line in self.lines(lines) {
            show::line(&line);
        }
    }

    /// Lines as they would be shown.
    pub fn lines(&mut self, lines: &[LogLine]) -> Vec<String> {
        self.table.widen(lines);
        lines.iter().map(|line| self.table.line(line)).collect()
    }

    /// Shows events one by one, as they came.
    pub fn show_events(&mut self, db: &Db, rows: &[EventRow]) -> Result<(), Failure> {
        match self.form {
            LineFormat::Json { .. } => {
                for row in rows {
                    show::json(&LogRecord::of(db, &mut self.names, row)?)?;
                }
            }
            LineFormat::Calls | LineFormat::Events { .. } => {
                let mut shown = Vec::new();
                for row in rows {
                    shown.push(line::of_event(db, &mut self.names, row)?);
                }
                self.table.widen(&shown);
                for line in &shown {
                    show::line(&self.table.line(line));
                    self.show_payload(db, line)?;
                }
            }
        }
        Ok(())
    }

    fn show_payload(&self, db: &Db, line: &LogLine) -> Result<(), StoreError> {
        if self.form == (LineFormat::Events { raw: true }) {
            let text = payload(db, line.first)?
                .unwrap_or_else(|| "(dropped: older than the log keeps payloads)".to_owned());
            show::line(&lines(text.trim_end()));
        }
        Ok(())
    }
}
