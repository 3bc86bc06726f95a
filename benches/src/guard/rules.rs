//! Ten times as many rules: they are found by program, so most of them are never looked at.

use super::desk::Desk;
use super::judge;
use crate::arguments::Effort;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::target;
use anyhow::ensure;
use engine::policy::guard::RuleSet;
use engine::settings::{RuleFile, RuleLayer, Settings};
use std::fmt::Write;
use std::sync::Arc;

/// Judges typical commands with the built-in rules, and with ten times as many.
pub fn run(effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let few = Desk::new();
    let count = few.rules.rules().len();
    let settings = settings_with(&text(9 * count, "apply"));
    let rules = RuleSet::load(&settings);
    ensure!(
        rules.problems().is_empty(),
        "a rule of the bench is wrong: {:?}",
        rules.problems()
    );
    let many = Desk::with(Arc::new(rules));
    let names = [&few, &many].map(|desk| format!("{} rules", desk.rules.rules().len()));
    let mut series = Series::in_microseconds();
    let mut shuffle = Shuffle::new();
    let mut desks = [(&few, &names[0]), (&many, &names[1])];
    for _ in 0..effort.rounds {
        shuffle.order(&mut desks);
        for (desk, name) in desks {
            series.add(name, desk.typical());
        }
    }
    let [few, many] = &names;
    series.show(report, "judging a typical command, microseconds", |_| {
        series.median(few)
    })?;
    judge(report, target::RULES, series.ratio(many, few));
    Ok(())
}

/// Settings with a file of the person's rules.
pub fn settings_with(text: &str) -> Settings {
    let mut settings = Settings::default();
    settings.guard.layers.push(RuleFile {
        layer: RuleLayer::User,
        file: "guard/bench.toml".to_owned(),
        text: text.into(),
    });
    settings
}

/// So many rules, each about a program of its own.
pub fn text(count: usize, sub: &str) -> String {
    let mut text = String::new();
    for number in 0..count {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "[[rule]]\nid = \"bench.rule-{number}\"\nclass = \"irreversible\"\nverdict = \"ask\"\n\
             program = [\"tool{number}\"]\nsub = [\"{sub}\"]\nwhat = \"applies it\"\nwhy = \"It stays.\"\n\
             hits = [\"tool{number} {sub} x\"]\nmisses = [\"tool{number} plan\"]"
        );
    }
    text
}
