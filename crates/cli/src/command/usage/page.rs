//! The sums as a person reads them: names on the left, numbers below each other.

use super::group::Groups;
use super::session::{SessionUsageReport, TurnUsageReport, UsageReport};
use crate::terminal::{Terminal, cut, padded, width};
use engine::text::one_line;
use engine::usage::Tokens;

const HEADS: [&str; 5] = ["INPUT", "CACHE WRITE", "CACHE READ", "OUTPUT", "THINKING"];
/// Columns between two cells.
const GAP: usize = 2;
/// Columns a name keeps, however narrow the terminal is.
const LEAST_NAME: usize = 20;
/// Characters of a session's id that are shown.
const SHORT_ID: usize = 8;

/// Sessions with their turns and subagents.
pub fn sessions(report: &UsageReport, terminal: Terminal) -> String {
    let mut lines = Vec::new();
    for session in &report.sessions {
        lines.push((name(session), session.total));
        for turn in &session.turns {
            lines.push((format!("  {}", about(turn)), turn.total));
            for agent in &turn.subagents {
                lines.push((format!("    {}", one_line(&agent.label, 40)), agent.total));
            }
        }
    }
    if report.sessions.len() > 1 {
        lines.push(("total".to_owned(), report.total));
    }
    let mut text = table(&lines, terminal);
    let mut turns = report.sessions.iter().flat_map(|session| &session.turns);
    if turns.any(is_marked) {
        text.push_str("+ not all of this turn is written down yet: its sum may still grow\n");
    }
    text
}

/// One line per sum.
pub fn groups(groups: &Groups, terminal: Terminal) -> String {
    let name = |name: &Option<String>| {
        name.as_deref()
            .map_or("unknown".to_owned(), |name| one_line(name, 200))
    };
    let mut lines: Vec<(String, Tokens)> = groups
        .rows
        .iter()
        .map(|row| (name(&row.name), row.total))
        .collect();
    if lines.len() > 1 {
        lines.push(("total".to_owned(), groups.total));
    }
    table(&lines, terminal)
}

fn name(session: &SessionUsageReport) -> String {
    let id = one_line(&session.id, SHORT_ID).replace('…', "");
    format!("{} {id}", one_line(&session.agent, 20))
}

/// A turn whose last lines are not there yet is marked: its sum may still grow.
fn about(turn: &TurnUsageReport) -> String {
    let Some(number) = turn.number else {
        return "no turn".to_owned();
    };
    let mark = if is_marked(turn) { "+" } else { "" };
    let prompt = turn.prompt.as_deref().unwrap_or_default();
    let prompt = prompt.lines().map(str::trim).find(|line| !line.is_empty());
    format!("t{number}{mark} {}", one_line(prompt.unwrap_or_default(), 60))
        .trim_end()
        .to_owned()
}

fn is_marked(turn: &TurnUsageReport) -> bool {
    turn.number.is_some() && !turn.complete
}

fn table(lines: &[(String, Tokens)], terminal: Terminal) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let rows: Vec<(&str, [String; 5])> = lines
        .iter()
        .map(|(name, tokens)| (name.as_str(), cells(tokens)))
        .collect();
    let mut widths = HEADS.map(width);
    for (_, cells) in &rows {
        for (widest, cell) in widths.iter_mut().zip(cells) {
            *widest = (*widest).max(width(cell));
        }
    }
    let numbers: usize = widths.iter().map(|width| width + GAP).sum();
    let widest = rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let names = widest.min(terminal.width.saturating_sub(numbers).max(LEAST_NAME));
    let mut text = line("", &HEADS.map(str::to_owned), &widths, names);
    for (name, cells) in &rows {
        text.push_str(&line(name, cells, &widths, names));
    }
    text
}

fn line(name: &str, cells: &[String; 5], widths: &[usize; 5], names: usize) -> String {
    let mut line = padded(&cut(name, names), names);
    for (cell, width) in cells.iter().zip(widths) {
        line.extend([" ".repeat(GAP), format!("{cell:>width$}")]);
    }
    line.push('\n');
    line
}

fn cells(tokens: &Tokens) -> [String; 5] {
    [
        tokens.input,
        tokens.cache_write(),
        tokens.cache_read,
        tokens.output,
        tokens.thinking,
    ]
    .map(grouped)
}

/// A number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown: Vec<String> = [0, 999, 1_000, 155_000, 1_234_567, u64::MAX].map(grouped).into();
        assert_eq!(
            shown,
            [
                "0",
                "999",
                "1,000",
                "155,000",
                "1,234,567",
                "18,446,744,073,709,551,615"
            ]
        );
    }

    #[test]
    fn a_long_name_is_cut_before_the_numbers_are() {
        let terminal = Terminal {
            width: 40,
            colour: false,
            interactive: false,
        };
        let tokens = Tokens {
            input: 1_234_567,
            ..Tokens::default()
        };
        let text = table(
            &[("a name that is much longer than that".to_owned(), tokens)],
            terminal,
        );
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            rows,
            ["a name that is much…  1,234,567            0           0       0         0"]
        );
    }
}
