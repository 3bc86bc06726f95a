//! Shows events in the form a person asked for.

use super::line::{self, Line};
use super::names::Names;
use super::record::{Record, payload};
use super::table::Table;
use super::veil::Veil;
use crate::failure::Failure;
use crate::show;
use engine::id::EventSeq;
use engine::text::lines;
use std::collections::BTreeSet;
use store::table::events::EventRow;
use store::{Db, StoreError};

/// What one line of output stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
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
pub struct Page {
    form: Form,
    table: Table,
    names: Names,
}

impl Page {
    /// An empty page.
    pub fn new(form: Form, table: Table) -> Self {
        Self {
            form,
            table,
            names: Names::new(match form {
                Form::Events { raw: true } | Form::Json { raw: true } => Veil::Lifted,
                Form::Calls | Form::Events { raw: false } | Form::Json { raw: false } => Veil::Drawn,
            }),
        }
    }

    /// Whether a line can stand for more than one event.
    pub fn joins(&self) -> bool {
        self.form == Form::Calls
    }

    /// The lines of these events' calls, but for those that were told before.
    pub fn joined(
        &mut self,
        db: &Db,
        rows: &[EventRow],
        told: &mut BTreeSet<EventSeq>,
    ) -> Result<Vec<Line>, StoreError> {
        line::joined(db, &mut self.names, rows, told)
    }

    /// Shows lines.
    pub fn show(&mut self, lines: &[Line]) {
        for line in self.lines(lines) {
            show::line(&line);
        }
    }

    /// Lines as they would be shown.
    pub fn lines(&mut self, lines: &[Line]) -> Vec<String> {
        self.table.widen(lines);
        lines.iter().map(|line| self.table.line(line)).collect()
    }

    /// Shows events one by one, as they came.
    pub fn show_events(&mut self, db: &Db, rows: &[EventRow]) -> Result<(), Failure> {
        match self.form {
            Form::Json { .. } => {
                for row in rows {
                    show::json(&Record::of(db, &mut self.names, row)?)?;
                }
            }
            Form::Calls | Form::Events { .. } => {
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

    fn show_payload(&self, db: &Db, line: &Line) -> Result<(), StoreError> {
        if self.form == (Form::Events { raw: true }) {
            let text = payload(db, line.first)?
                .unwrap_or_else(|| "(dropped: older than the log keeps payloads)".to_owned());
            show::line(&lines(text.trim_end()));
        }
        Ok(())
    }
}
