//! What came of judging one command: every finding, and the one ruling over all of them.

use super::cover::LossCover;
use super::facts::WorldQuestion;
use super::keep_list::Keep;
use super::matching::Certainty;
use super::path::absolute;
use super::ruleset::RuleSet;
use super::verdict::{HarmClass, Ruling};
use super::zone::Zone;
use crate::effect::Struck;
use shell::Coverage;

/// Characters of a target that tell two denials apart.
const LONGEST_AIM: usize = 400;

/// What came of judging a command.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent results of one judgement"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The command as it was given.
    pub command: String,
    /// What is done now.
    pub ruling: Ruling,
    /// What it would be without strikes: `guard check` shows this.
    pub standing: Ruling,
    /// The class of the harshest finding.
    pub class: Option<HarmClass>,
    /// How much of the text is understood.
    pub coverage: Coverage,
    /// Everything found, the harshest first.
    pub findings: Vec<Finding>,
    /// The safer text.
    pub rewritten: Option<String>,
    /// How it came about.
    pub rewrites: Vec<Rewritten>,
    /// What was shown, to be remembered.
    pub warned: Vec<Struck>,
    /// The same was held before, and the model has not read it yet.
    pub unheard: bool,
    /// What was shown and heard before: a checkpoint comes first, then it runs.
    pub passed: Vec<Struck>,
    /// It passes only if that checkpoint holds all that would be lost.
    pub must_keep: bool,
    /// What that checkpoint must hold beside the tree.
    pub keep: Keep,
    /// Rules whose advice is given with this.
    pub advised: Vec<String>,
    /// A person's approval overruled everything.
    pub approval: Option<String>,
    /// A request is parked for a person.
    pub parks: bool,
    /// Its id.
    pub request: Option<String>,
    /// Which attempt at the same effect this is.
    pub attempt: u32,
    /// Rules that were left out, where that was not said yet.
    pub left_out: Option<String>,
    /// Whether a person watches.
    pub attended: bool,
    /// What would have to be known for a better answer.
    pub asked: Vec<WorldQuestion>,
    /// The hash of the rules in force; empty where nothing is told, since making it costs more than judging.
    pub rules_hash: String,
    /// What is said.
    pub message: String,
}

/// One rule that has something to say about one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: String,
    /// What kind of harm it is about.
    pub class: HarmClass,
    /// What it says here.
    pub ruling: Ruling,
    /// How certain it is.
    pub sure: Certainty,
    /// What is missing for certainty.
    pub missing: Option<&'static str>,
    /// Which command of the text.
    pub index: Option<usize>,
    /// The part of the text it is about.
    pub segment: String,
    /// What the command was unwrapped from.
    pub through: Vec<String>,
    /// The worst zone of its targets.
    pub zone: Option<Zone>,
    /// Its targets.
    pub targets: Vec<String>,
    /// The same as they resolve: what a strike is spent by.
    pub aims: Vec<String>,
    /// Whether a checkpoint brings it back.
    pub cover: LossCover,
    /// What it would do.
    pub what: String,
    /// Why that is stopped.
    pub why: String,
    /// What to do instead.
    pub instead: String,
    /// The whole corrected command, where a rewrite was not possible.
    pub corrected: Option<String>,
    /// It would have stopped the command, but its mode only lets it speak.
    pub softened: bool,
    /// What must be kept before it may run.
    pub keep: Keep,
}

impl Finding {
    /// What it is about, the same for every spelling: its first target, or `*` where the rule knows none. Never empty.
    pub fn aim(&self) -> String {
        match self.targets.first() {
            Some(target) if !target.is_empty() => {
                let plain = absolute(target, None).unwrap_or_else(|| target.clone());
                plain.chars().take(LONGEST_AIM).collect()
            }
            Some(_) | None => "*".to_owned(),
        }
    }

    /// Whether it is about Toprope itself: no person is asked to lift that.
    pub fn is_own(&self) -> bool {
        self.rule.starts_with("self.")
    }
}

/// One step of a rewrite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The rule.
    pub rule: String,
    /// Why.
    pub why: String,
    /// What was found in the text it changed.
    pub finding: Finding,
}

impl Judged {
    /// Notes which rules it rests on, if there is something to tell.
    pub(super) fn note_rules(&mut self, rules: &RuleSet) {
        if self.ruling != Ruling::Silent || !self.findings.is_empty() || self.approval.is_some() {
            rules.hash().clone_into(&mut self.rules_hash);
        }
    }

    /// The findings that made the ruling.
    fn deciding(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.ruling == self.ruling)
    }

    /// The findings that are told: the gravest of each command, and nothing twice.
    pub fn told(&self) -> Vec<&Finding> {
        let mut told: Vec<&Finding> = Vec::new();
        for finding in self.deciding() {
            let is_same = |other: &&Finding| {
                let is_command = finding.index.is_some() && other.index == finding.index;
                is_command || (&other.rule, &other.segment) == (&finding.rule, &finding.segment)
            };
            if !told.iter().any(is_same) {
                told.push(finding);
            }
        }
        told
    }

    /// Whether it is about Toprope itself: no person is asked to lift that.
    pub fn is_own(&self) -> bool {
        self.deciding().any(Finding::is_own)
    }

    /// The rules behind the ruling.
    pub fn rules(&self) -> Vec<&str> {
        let mut rules: Vec<&str> = Vec::new();
        for finding in self.deciding() {
            if !rules.contains(&finding.rule.as_str()) {
                rules.push(&finding.rule);
            }
        }
        if self.ruling == Ruling::Rewrite {
            rules.extend(self.rewrites.iter().map(|rewrite| rewrite.rule.as_str()));
        }
        rules
    }
}
