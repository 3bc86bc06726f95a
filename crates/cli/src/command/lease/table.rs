//! Rows in columns, with room for a note behind each.

use crate::terminal::{padded, width};

/// One line of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaseRow {
    /// What stands in the columns.
    pub cells: Vec<String>,
    /// What stands behind them.
    pub note: Option<String>,
}

/// The rows below their heads.
pub fn text(heads: &[&str], rows: &[LeaseRow]) -> String {
    let heads = LeaseRow {
        cells: heads.iter().map(|head| (*head).to_owned()).collect(),
        note: None,
    };
    let all: Vec<LeaseRow> = std::iter::once(heads).chain(rows.iter().cloned()).collect();
    lines(&all)
}

fn lines(all: &[LeaseRow]) -> String {
    let columns = all.iter().map(|row| row.cells.len()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = all.iter().filter_map(|row| row.cells.get(column));
            cells.map(|cell| width(cell)).max().unwrap_or_default()
        })
        .collect();
    let lines = all.iter().map(|row| {
        let cells = row.cells.iter().zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, width)| padded(cell, *width)).collect();
        let note = row.note.as_ref().map(|note| format!("   ({note})"));
        let line = [cells.join("  "), note.unwrap_or_default()].concat();
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let row = |cells: [&str; 2], note: Option<&str>| LeaseRow {
            cells: cells.map(str::to_owned).into(),
            note: note.map(str::to_owned),
        };
        let rows = [
            row(["src/日.rs", "-"], None),
            row(["a", "main@7c1e"], Some("ends in 3 s")),
        ];
        insta::assert_snapshot!(text(&["PATH", "HOLDER"], &rows), @"
        PATH       HOLDER
        src/日.rs  -
        a          main@7c1e   (ends in 3 s)
        ");
    }
}
