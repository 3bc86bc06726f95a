//! Ten times the text: ten times the work, whatever it is made of.

use super::desk::Desk;
use super::judge;
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use anyhow::ensure;
use shell::Coverage;

/// How often the piece stands in the shorter text; ten times that is within the budget.
const SHAPES: [(&str, &str, usize); 6] = [
    ("plain words", "word ", 300),
    ("commands", "ls -la src; ", 50),
    ("pipes", "cat a | sort; ", 30),
    ("quotes", "'a b' \"c $d\" ", 150),
    ("substitutions", "$(cat a) ", 50),
    ("heredocs", "cat <<E\nsome $text\nE\n", 50),
];

/// Judges texts of both lengths in turn.
pub fn run(desk: &Desk, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let name = |shape: &str, is_long: bool| format!("{shape}, {}", if is_long { "10x" } else { "1x" });
    let mut runs = Vec::new();
    for (shape, piece, times) in SHAPES {
        for is_long in [false, true] {
            let text = format!("echo {}", piece.repeat(if is_long { 10 * times } else { times }));
            let judged = desk.judge(&text);
            ensure!(
                judged.coverage != Coverage::Opaque,
                "{shape}: the text of the bench is over the budget"
            );
            runs.push((name(shape, is_long), text));
        }
    }
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    for _ in 0..(effort.rounds / 5).max(5) {
        shuffle.order(&mut runs);
        for (name, text) in &runs {
            series.add(name, desk.time(text));
        }
    }
    series.show(report, "ten times the text, microseconds", |run| {
        let shape = run.split(',').next()?;
        series.median(&name(shape, false))
    })?;
    let ratios = SHAPES
        .iter()
        .filter_map(|(shape, _, _)| series.ratio(&name(shape, true), &name(shape, false)));
    judge(report, target::GROWTH, ratios.reduce(f64::max));
    Ok(())
}
