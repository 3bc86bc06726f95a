//! A heredoc that is data, beside looking at each of its bytes once.

use super::desk::Desk;
use super::judge;
use crate::arguments::Effort;
use crate::processor_time;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use anyhow::ensure;
use engine::policy::guard::Ruling;
use std::hint::black_box;
use std::time::Duration;

const SCAN: &str = "memory scan";
const HEREDOC: &str = "read and judge";

/// Judges a command that writes almost a megabyte, and looks through the same bytes.
pub fn run(desk: &Desk, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let line = "a line of data that mentions rm -rf / and $(reboot) and 'quotes'\n";
    let body = line.repeat((1_048_576 - 64) / line.len());
    let text = format!("cat > notes.txt <<'END'\n{body}END\n");
    ensure!(
        desk.judge(&text).ruling == Ruling::Silent,
        "data was taken for commands"
    );
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    for _ in 0..(effort.rounds / 3).max(5) {
        let mut order = [true, false];
        shuffle.order(&mut order);
        for is_scan in order {
            if is_scan {
                series.add(SCAN, scan(body.as_bytes()));
            } else {
                series.add(HEREDOC, desk.time(&text));
            }
        }
    }
    series.show(report, "a heredoc of one megabyte, microseconds", |_| {
        series.median(SCAN)
    })?;
    judge(report, target::DATA, series.ratio(HEREDOC, SCAN));
    Ok(())
}

/// Looks at every byte: counts the lines.
fn scan(bytes: &[u8]) -> Duration {
    let began = processor_time::own();
    let mut lines = 0_u64;
    for byte in black_box(bytes) {
        if *byte == b'\n' {
            lines += 1;
        }
    }
    black_box(lines);
    processor_time::since(began)
}
