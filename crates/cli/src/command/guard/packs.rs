//! `toprope guard packs`: the rules in force and where they come from, and whether a file of rules is well.

use super::terms::rule_file;
use crate::command::config;
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use engine::policy::guard::RuleSet;
use engine::policy::guard::layer::LayerRules;
use engine::policy::guard::loading::{RuleProblem, RuleSource};
use engine::policy::guard::message;
use engine::policy::guard::pack;
use engine::policy::guard::ruleset::Active;
use engine::settings::Mode;
use engine::text::one_line;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show the packs of rules, or the rules of one
///
/// Each rule with its mode, its verdict, where it comes from, and how many examples prove it. `--verify` reads a file of
/// rules and runs its examples; it exits with 1 if a rule would be left out.
#[derive(Args)]
pub struct PacksArgs {
    /// The pack whose rules to show
    #[arg(value_name = "NAME", conflicts_with = "verify")]
    name: Option<String>,
    /// Check a file of rules
    #[arg(long, value_name = "FILE")]
    verify: Option<PathBuf>,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

impl PacksArgs {
    /// Shows them.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if let Some(file) = &self.verify {
            return verify(file);
        }
        let loaded = config::load(environment, &config::places(environment));
        let rules = RuleSet::of(&loaded.settings);
        match &self.name {
            Some(name) => self.rules_of(name, &rules)?,
            None => self.all(&rules)?,
        }
        tell(rules.problems());
        Ok(ExitCode::SUCCESS)
    }

    fn all(&self, rules: &RuleSet) -> Result<(), Failure> {
        let mut packs: BTreeMap<&str, Vec<&Active>> = BTreeMap::new();
        for (name, _) in pack::FILES {
            packs.entry(name).or_default();
        }
        for active in rules.rules() {
            packs.entry(active.rule.pack()).or_default().push(active);
        }
        for (name, active) in packs {
            let mode = match name {
                "self" => Mode::Enforce,
                _ => rules.guard().packs.of(name).min(rules.guard().mode),
            };
            let examples: usize = active.iter().map(|active| examples(active)).sum();
            let origins: Vec<&str> = origins(&active);
            if self.json {
                show::json(&serde_json::json!({
                    "pack": name, "rules": active.len(), "mode": mode.word(), "examples": examples, "origin": origins,
                }))?;
                continue;
            }
            show::line(
                format!(
                    "{name:<16}  {:<8}  {:<8}  {examples:>4} examples  {}",
                    message::count(u64::try_from(active.len()).unwrap_or(u64::MAX), "rule", "rules"),
                    mode.word(),
                    origins.join(", ")
                )
                .trim_end(),
            );
        }
        Ok(())
    }

    fn rules_of(&self, name: &str, rules: &RuleSet) -> Result<(), Failure> {
        let of_pack: Vec<&Active> = rules
            .rules()
            .iter()
            .filter(|active| active.rule.pack() == name)
            .collect();
        if of_pack.is_empty() && !pack::FILES.iter().any(|(known, _)| *known == name) {
            return Err(Failure::saying(
                FailureKind::NoMatch,
                format!("there is no pack \"{}\"", one_line(name, 60)),
            )
            .hint("toprope guard packs"));
        }
        let widest = of_pack
            .iter()
            .map(|active| active.rule.id.len())
            .max()
            .unwrap_or(0);
        for active in of_pack {
            let rule = &active.rule;
            if self.json {
                show::json(&serde_json::json!({
                    "rule": rule.id, "class": rule.class.word(), "verdict": active.verdict.word(),
                    "mode": active.mode.word(), "origin": active.origin.word(), "examples": examples(active),
                    "what": rule.what, "why": rule.why, "instead": rule.instead,
                }))?;
                continue;
            }
            show::line(&format!(
                "{:<widest$}  {:<10}  {:<8}  {:<8}  {:>2} examples  {}",
                rule.id,
                active.verdict.word(),
                active.mode.word(),
                active.origin.word(),
                examples(active),
                one_line(&rule.what, 100)
            ));
        }
        Ok(())
    }
}

fn examples(active: &Active) -> usize {
    active.rule.hits.len() + active.rule.misses.len()
}

fn origins<'a>(active: &[&'a Active]) -> Vec<&'a str> {
    let mut origins: Vec<&str> = active.iter().map(|active| active.origin.word()).collect();
    origins.sort_unstable();
    origins.dedup();
    origins
}

/// Says which rules were left out.
pub fn tell(problems: &[RuleProblem]) {
    for problem in problems {
        show::talk(&one_line(&problem.to_string(), usize::MAX));
    }
}

fn verify(file: &PathBuf) -> Result<ExitCode, Failure> {
    let (name, text) = rule_file(file)?;
    let layer = LayerRules::read(RuleSource::User, &name, &text);
    let twice = RuleSet::new(
        &engine::settings::Settings::default(),
        std::slice::from_ref(&layer),
    );
    let sound = twice
        .rules()
        .iter()
        .filter(|active| active.origin == RuleSource::User);
    let sound: Vec<&Active> = sound.collect();
    tell(twice.problems());
    let examples: usize = sound.iter().map(|active| examples(active)).sum();
    show::line(&format!(
        "{} of {} rules are well, {examples} examples hold",
        sound.len(),
        sound.len() + twice.problems().len()
    ));
    Ok(if twice.problems().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
