//! How many lines changed in each file, with a bar.

use super::changed::Summary;
use crate::command::checkpoint::quoted;
use crate::terminal::{Terminal, cut, padded, width};
use std::fmt::Write as _;

/// Columns of the longest bar.
const LONGEST_BAR: usize = 40;
/// Columns a path keeps, however narrow the terminal is.
const LEAST_PATH: usize = 20;

/// One line per file, and one about all of them.
pub fn text(changed: &[Summary], terminal: Terminal) -> String {
    let most = changed.iter().map(total).max().unwrap_or(0);
    let digits = most.to_string().len().max(3);
    let bar = usize::try_from(most).unwrap_or(LONGEST_BAR).min(LONGEST_BAR);
    let room = terminal.width.saturating_sub(digits + bar + 6).max(LEAST_PATH);
    let paths: Vec<String> = changed
        .iter()
        .map(|one| cut(&quoted::path(one.path.as_bytes()), room))
        .collect();
    let widest = paths.iter().map(|path| width(path)).max().unwrap_or(0);
    let mut text = String::new();
    let mut sums = (0_u64, 0_u64);
    for (one, path) in changed.iter().zip(&paths) {
        let said = match one.lines {
            None if one.is_binary => "Bin".to_owned(),
            None => "differs".to_owned(),
            Some((added, removed)) => {
                sums = (sums.0 + added, sums.1 + removed);
                format!("{:>digits$} {}", added + removed, drawn((added, removed), most))
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, " {} | {}", padded(path, widest), said.trim_end());
    }
    let files = changed.len();
    let _ = writeln!(
        text,
        " {files} {} changed, {} added, {} removed",
        if files == 1 { "file" } else { "files" },
        counted(sums.0),
        counted(sums.1)
    );
    text
}

fn total(one: &Summary) -> u64 {
    one.lines
        .map_or(0, |(added, removed)| added.saturating_add(removed))
}

fn counted(lines: u64) -> String {
    match lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

/// A bar as long as its part of the longest; what changed at all has at least one mark.
fn drawn(lines: (u64, u64), most: u64) -> String {
    let longest = u64::try_from(LONGEST_BAR).unwrap_or(u64::MAX);
    let marks = |count: u64| {
        let scaled = if most <= longest {
            count
        } else {
            count.saturating_mul(longest).div_ceil(most)
        };
        usize::try_from(scaled).unwrap_or(LONGEST_BAR)
    };
    format!("{}{}", "+".repeat(marks(lines.0)), "-".repeat(marks(lines.1)))
}
