//! What a run prints: plain lines, aligned tables, and the verdicts at the end.

use crate::target::{Judgement, Standing};
use std::io::Write;
use std::process::ExitCode;

/// The report so far. Lines and tables appear at once, judgements at the end.
#[derive(Default)]
pub struct Report {
    judgements: Vec<Judgement>,
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// One line.
    #[expect(
        clippy::unused_self,
        reason = "whoever prints holds the report, so that nothing is printed past it"
    )]
    pub fn line(&mut self, text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        out.flush()?;
        Ok(())
    }

    /// A heading, a row of column names, and the rows.
    pub fn table(&mut self, heading: &str, columns: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
        self.line(&format!("\n{heading}"))?;
        for line in aligned(columns, rows) {
            self.line(&line)?;
        }
        Ok(())
    }

    /// Keeps a judgement for the end.
    pub fn judge(&mut self, judgement: Judgement) {
        self.judgements.push(judgement);
    }

    /// Prints the judgements; fails if one of them did.
    pub fn conclude(mut self) -> anyhow::Result<ExitCode> {
        let judgements = std::mem::take(&mut self.judgements);
        let rows: Vec<_> = judgements.iter().map(Judgement::row).collect();
        self.table("targets", &["", "what", "measured", "target", ""], &rows)?;
        let missed = judgements
            .iter()
            .any(|judgement| judgement.standing() == Standing::Fail);
        Ok(if missed {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        })
    }
}

/// Lines whose columns of numbers stand flush right, the others flush left.
fn aligned(columns: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let head: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let is_numeric = |column| {
        cells(column).all(|cell| cell == "-" || cell.starts_with(|first: char| first.is_ascii_digit()))
    };
    let width = |column| {
        cells(column)
            .chain(head.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let line = |row: &Vec<String>| {
        let placed = row.iter().enumerate().map(|(column, cell)| {
            let width = width(column);
            if is_numeric(column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        format!("  {}", placed.collect::<Vec<_>>().join("  "))
            .trim_end()
            .to_owned()
    };
    std::iter::once(&head).chain(rows).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_numbers_right() {
        let rows = [
            vec!["floor".to_owned(), "0.5".to_owned()],
            vec!["hook warm".to_owned(), "10.25".to_owned()],
        ];
        assert_eq!(
            aligned(&["", "p50"], &rows),
            ["               p50", "  floor        0.5", "  hook warm  10.25"]
        );
    }
}
