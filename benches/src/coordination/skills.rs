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
use daemon::skill::{Library, SkillDirs};
use engine::policy::skills::{Catalogue, MOST_SHOWN, MOST_SKILLS, Suggestion, fitting};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

const EMPTY: &str = "empty process";
const SCORE: &str = "scoring";
const VARIED: &str = "scoring, most words unknown";
const ACCENTED: &str = "scoring, accents";
const LOOK: &str = "whether a skill changed";
/// Characters of the prompt.
const LENGTH: usize = 20_000;
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const PROMPT: &str = "Please look at the retry code of the client and tell me why requests that fail in a layer below are \
    counted twice, then write a test for it and move the counting into the service where typed errors are made. ";

#[derive(Clone, Copy)]
enum Run<'p> {
    Empty,
    Score(&'static str, &'p str),
    Look,
}

/// Every round a process is started, the prompt is scored, and the skills are looked at for changes.
pub fn run(product: &Product, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    for number in 0..MOST_SKILLS {
        write(&folder.path().join(".claude/skills"), number)?;
    }
    let dirs = SkillDirs::new(Some(folder.path()), None, None, &[], None);
    let (library, map) = (Library::default(), BTreeMap::new());
    let catalogue = library.catalogue(&dirs, &map);
    let prompt: String = PROMPT.chars().cycle().take(LENGTH).collect();
    let varied = varied();
    let accented = varied.replace("e ", "é ");
    ensure!(
        catalogue.skills().len() == MOST_SKILLS && !best(&prompt, &catalogue).is_empty(),
        "the skills of the bench are no skills"
    );
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    let mut order = [
        Run::Empty,
        Run::Score(SCORE, &prompt),
        Run::Score(VARIED, &varied),
        Run::Score(ACCENTED, &accented),
        Run::Look,
    ];
    for _ in 0..effort.rounds {
        shuffle.order(&mut order);
        for run in order {
            let (name, took) = match run {
                Run::Empty => (EMPTY, stopwatch::run(&mut Command::new(&product.floor), b"")?),
                Run::Score(name, prompt) => (name, used(|| black_box(best(black_box(prompt), &catalogue))).0),
                Run::Look => (LOOK, used(|| black_box(library.catalogue(&dirs, &map))).0),
            };
            series.add(name, took);
        }
    }
    let heading = format!("{MOST_SKILLS} skills, a prompt of {LENGTH} characters, microseconds");
    series.show(report, &heading, |_| series.median(EMPTY))?;
    let slowest = [SCORE, VARIED]
        .iter()
        .filter_map(|name| series.ratio(name, EMPTY));
    judge(report, target::SKILLS, slowest.reduce(f64::max), None);
    Ok(())
}

/// What a prompt is met with.
fn best(prompt: &str, catalogue: &Catalogue) -> Vec<Suggestion> {
    fitting(prompt, catalogue).into_iter().take(MOST_SHOWN).collect()
}

/// Words of the prompt between words that nobody has ever seen, in no order.
fn varied() -> String {
    let known: Vec<&str> = PROMPT.split_whitespace().collect();
    let mut seed = 1_u64;
    let mut below = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or_default() % most.max(1)
    };
    let mut text = String::new();
    while text.len() < LENGTH {
        if below(2) == 0 {
            text.push_str(known.get(below(known.len())).copied().unwrap_or_default());
        } else {
            text.extend((0..2 + below(8)).filter_map(|_| LETTERS.chars().nth(below(LETTERS.len()))));
        }
        text.push(' ');
    }
    text.truncate(LENGTH);
    text
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
