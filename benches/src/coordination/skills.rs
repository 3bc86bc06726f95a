//! Which of many skills fit a long prompt, beside starting a process that does nothing.

use super::judge;
use crate::arguments::Effort;
use crate::processor_time::used;
use crate::product::Product;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stopwatch;
use crate::target;
use anyhow::ensure;
use daemon::skill::{Library, Shelves};
use engine::policy::skills::{MOST_SKILLS, score};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

const EMPTY: &str = "empty process";
const SCORE: &str = "scoring";
const LOOK: &str = "whether a skill changed";
/// Characters of the prompt.
const LENGTH: usize = 20_000;
const PROMPT: &str = "Please look at the retry code of the client and tell me why requests that fail in a layer below are \
    counted twice, then write a test for it and move the counting into the service where typed errors are made. ";

#[derive(Clone, Copy)]
enum Run {
    Empty,
    Score,
    Look,
}

/// Every round a process is started, the prompt is scored, and the skills are looked at for changes.
pub fn run(product: &Product, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    for number in 0..MOST_SKILLS {
        write(&folder.path().join(".claude/skills"), number)?;
    }
    let shelves = Shelves::new(Some(folder.path()), None, None, &[], None);
    let (library, map) = (Library::default(), BTreeMap::new());
    let catalogue = library.catalogue(&shelves, &map);
    let prompt: String = PROMPT.chars().cycle().take(LENGTH).collect();
    ensure!(
        catalogue.skills().len() == MOST_SKILLS && !score(&prompt, &catalogue).is_empty(),
        "the skills of the bench are no skills"
    );
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    let mut order = [Run::Empty, Run::Score, Run::Look];
    for _ in 0..effort.rounds {
        shuffle.order(&mut order);
        for run in order {
            let (name, took) = match run {
                Run::Empty => (EMPTY, stopwatch::run(&mut Command::new(&product.floor), b"")?),
                Run::Score => (SCORE, used(|| black_box(score(black_box(&prompt), &catalogue))).0),
                Run::Look => (LOOK, used(|| black_box(library.catalogue(&shelves, &map))).0),
            };
            series.add(name, took);
        }
    }
    let heading = format!("{MOST_SKILLS} skills, a prompt of {LENGTH} characters, microseconds");
    series.show(report, &heading, |_| series.median(EMPTY))?;
    judge(report, target::SKILLS, series.ratio(SCORE, EMPTY), None);
    Ok(())
}

/// A skill as people write them: some of its words are in the prompt.
fn write(skills: &Path, number: usize) -> anyhow::Result<()> {
    let subjects = [
        "service", "layer", "test", "client", "schema", "deploy", "review", "parser",
    ];
    let subject = subjects.get(number % subjects.len()).copied().unwrap_or_default();
    let folder = skills.join(format!("{subject}-{number}"));
    fs_err::create_dir_all(&folder)?;
    let shared = if number.is_multiple_of(50) {
        ", typed errors"
    } else {
        ""
    };
    let text = format!(
        "---\nname: {subject}-{number}\ndescription: How area{number} of the project makes its {subject}, with examples of \
         kind{} and what to do when requests fail\nkeywords: topic{number}, {subject} number{number}{shared}\n---\n",
        number % 60
    );
    fs_err::write(folder.join("SKILL.md"), text)?;
    Ok(())
}
