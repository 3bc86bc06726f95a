//! The worst a text can do: everything the fuzzers keep, and every shape that was made to be slow.

use super::desk::{Desk, TYPICAL};
use super::judge;
use crate::arguments::Effort;
use crate::product::workspace;
use crate::report::Report;
use crate::series::Series;
use crate::target;
use anyhow::Context;
use serde::Deserialize;
use std::time::Duration;

const TYPICAL_COMMAND: &str = "typical command";
/// The length hostile shapes are repeated to.
const LENGTHS: [usize; 3] = [4_000, 40_000, 400_000];
/// How many of the slowest are shown.
const SHOWN: usize = 12;

/// Shapes that were made to be slow: a front, a piece that is repeated, and a back. `{n}` is the number of the piece.
#[derive(Deserialize)]
struct Shapes {
    shape: Vec<Shape>,
}

#[derive(Deserialize)]
struct Shape {
    name: String,
    #[serde(default)]
    front: String,
    piece: String,
    #[serde(default)]
    back: String,
}

/// Judges every input, and names the slowest.
pub fn run(desk: &Desk, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let inputs = inputs()?;
    let mut series = Series::in_microseconds();
    for _ in 0..effort.rounds {
        series.add(TYPICAL_COMMAND, desk.typical());
    }
    let typical = series.median(TYPICAL_COMMAND).context("nothing was measured")?;
    let mut slowest: Vec<(Duration, &str)> = inputs
        .iter()
        .map(|(name, text)| (desk.time(text), name.as_str()))
        .collect();
    slowest.sort_unstable();
    slowest.reverse();
    slowest.truncate(SHOWN);
    // What was slow once may have been the machine.
    for _ in 0..7 {
        for (_, name) in &slowest {
            let text = inputs
                .iter()
                .find(|(other, _)| other == name)
                .map(|(_, text)| text);
            series.add(name, desk.time(text.context("an input has a text")?));
        }
    }
    let heading = format!(
        "the slowest of {} hostile texts beside the mean of {} typical ones, microseconds",
        inputs.len(),
        TYPICAL.len()
    );
    series.show(report, &heading, |_| Some(typical))?;
    let worst = slowest
        .iter()
        .filter_map(|(_, name)| series.ratio(name, TYPICAL_COMMAND));
    judge(report, target::HOSTILE, worst.reduce(f64::max));
    Ok(())
}

/// Every input with its name.
fn inputs() -> anyhow::Result<Vec<(String, String)>> {
    let mut inputs = Vec::new();
    for entry in fs_err::read_dir(workspace().join("fuzz/corpus/shell"))? {
        let entry = entry?;
        let text = String::from_utf8_lossy(&fs_err::read(entry.path())?).into_owned();
        inputs.push((entry.file_name().to_string_lossy().into_owned(), text));
    }
    let shapes: Shapes = toml::from_str(&fs_err::read_to_string(
        workspace().join("fuzz/shapes/shell.toml"),
    )?)?;
    for shape in &shapes.shape {
        for length in LENGTHS {
            inputs.push((format!("{}, {length} bytes", shape.name), shape.text(length)));
        }
    }
    inputs.sort();
    Ok(inputs)
}

impl Shape {
    fn text(&self, length: usize) -> String {
        let mut text = self.front.clone();
        let mut number = 0;
        while text.len() + self.back.len() < length {
            text.push_str(&self.piece.replace("{n}", &number.to_string()));
            number += 1;
        }
        text.push_str(&self.back);
        text
    }
}
