//! Lines in columns, as wide as what they hold and no wider than the terminal.

use super::line::{LogLine, Tone};
use crate::moment;
use crate::terminal::{Terminal, cut, padded, width};
use jiff::tz::TimeZone;

const GAP: usize = 2;
const CLOCK: usize = 8;
/// Names longer than this, or than a quarter of the line, are cut, so that there is room for what they did.
const LONGEST_NAME: usize = 28;
/// A target gets at least this much, whatever else there is.
const LEAST_TARGET: usize = 12;

/// The columns of a log, which only ever grow.
#[derive(Debug)]
pub struct TextTable {
    terminal: Terminal,
    zone: TimeZone,
    with_id: bool,
    with_project: bool,
    widest: Widest,
}

/// The widest text of each column so far.
#[derive(Debug, Clone, Copy, Default)]
struct Widest {
    id: usize,
    project: usize,
    who: usize,
    what: usize,
    target: usize,
    outcome: usize,
    duration: usize,
    reason: usize,
}

impl TextTable {
    /// An empty table.
    pub fn new(terminal: Terminal, with_id: bool, with_project: bool) -> Self {
        Self {
            terminal,
            zone: TimeZone::system(),
            with_id,
            with_project,
            widest: Widest::default(),
        }
    }

    /// A table that has some room in every column, for lines nobody has seen yet.
    #[must_use]
    pub fn roomy(mut self) -> Self {
        self.widest = Widest {
            id: 4,
            project: 8,
            who: 12,
            what: 16,
            target: 24,
            outcome: 4,
            duration: 6,
            reason: 0,
        };
        self
    }

    /// Makes the columns wide enough for these lines.
    pub fn widen(&mut self, lines: &[LogLine]) {
        let longest = LONGEST_NAME.min(self.terminal.width / 4);
        let widest = &mut self.widest;
        for line in lines {
            widest.id = widest.id.max(line.first.to_string().len());
            widest.project = widest.project.max(width(&line.project)).min(longest);
            widest.who = widest.who.max(width(&line.who)).min(longest);
            widest.what = widest.what.max(width(&line.what)).min(longest);
            widest.outcome = widest.outcome.max(width(&line.outcome)).min(longest);
            widest.duration = widest.duration.max(width(&line.duration));
            widest.reason = widest.reason.max(width(&line.reason));
            // Where nothing follows, a target may run on to the end of the line.
            if !is_short(line) {
                widest.target = widest.target.max(width(&line.target));
            }
        }
    }

    /// One line, cut to the terminal.
    pub fn line(&self, line: &LogLine) -> String {
        let plain = self.cells(line, &cut(&line.outcome, self.widest.outcome));
        if width(&plain) > self.terminal.width {
            return cut(&plain, self.terminal.width);
        }
        let outcome = self.painted(&cut(&line.outcome, self.widest.outcome), line.tone);
        self.cells(line, &outcome)
    }

    fn cells(&self, line: &LogLine, outcome: &str) -> String {
        let widest = &self.widest;
        let mut cells = vec![moment::clock(line.at, &self.zone)];
        if self.with_id {
            cells.insert(0, format!("{:>1$}", line.first.0, widest.id));
        }
        if self.with_project {
            cells.push(cell(&line.project, widest.project));
        }
        cells.push(cell(&line.who, widest.who));
        cells.push(cell(&line.what, widest.what));
        let rest = self.terminal.width.saturating_sub(self.lead());
        if is_short(line) {
            cells.push(cut(&line.target, rest));
        } else {
            let target = self.target(rest);
            let room = widest.outcome.saturating_sub(width(&line.outcome));
            cells.push(cell(&line.target, target));
            cells.push(format!("{outcome}{}", " ".repeat(room)));
            cells.push(format!("{:>1$}", line.duration, widest.duration));
            cells.push(cut(&line.reason, rest.saturating_sub(target + self.tail())));
        }
        cells.join("  ").trim_end().to_owned()
    }

    /// Columns before the target.
    fn lead(&self) -> usize {
        let id = if self.with_id { self.widest.id + GAP } else { 0 };
        let project = if self.with_project {
            self.widest.project + GAP
        } else {
            0
        };
        id + CLOCK + GAP + project + self.widest.who + GAP + self.widest.what + GAP
    }

    /// Columns between the target and the reason.
    fn tail(&self) -> usize {
        GAP + self.widest.outcome + GAP + self.widest.duration + GAP
    }

    /// Columns of a target, with some left for reasons if there are any.
    fn target(&self, rest: usize) -> usize {
        let rest = rest.saturating_sub(self.tail());
        let reason = self.widest.reason.min(rest / 2);
        self.widest
            .target
            .min(rest.saturating_sub(reason).max(LEAST_TARGET))
    }

    fn painted(&self, text: &str, tone: Tone) -> String {
        match tone {
            Tone::Deny if self.terminal.colour => format!("\u{1b}[31m{text}\u{1b}[0m"),
            Tone::Ask if self.terminal.colour => format!("\u{1b}[33m{text}\u{1b}[0m"),
            Tone::Plain | Tone::Ask | Tone::Deny => text.to_owned(),
        }
    }
}

fn is_short(line: &LogLine) -> bool {
    line.outcome.is_empty() && line.duration.is_empty() && line.reason.is_empty()
}

fn cell(text: &str, columns: usize) -> String {
    padded(&cut(text, columns), columns)
}

#[cfg(test)]
mod tests;
