//! Case files of `guard test`: commands, what is expected of them, and the facts they are judged with.

use super::facts::GateFacts;
use super::judged::Judged;
use super::rule::one_or_many;
use super::ruleset::RuleSet;
use super::synthetic::Synthetic;
use super::verdict::Ruling;
use crate::settings::{Mode, Profile, Settings};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A file of cases.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The cases, in order.
    #[serde(default)]
    pub case: Vec<Case>,
}

/// One case: a command, or several that are judged alike.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows, for people.
    #[serde(default)]
    pub name: String,
    /// The command.
    #[serde(default, deserialize_with = "one_or_many", alias = "commands")]
    pub command: Vec<String>,
    /// What is expected.
    pub expect: Ruling,
    /// The rule that must be among those behind it.
    pub rule: Option<String>,
    /// The text that must run instead.
    pub rewritten: Option<String>,
    /// Whether a person watches.
    pub attended: Option<bool>,
    /// The profile.
    pub profile: Option<Profile>,
    /// `guard.mode`
    pub mode: Option<Mode>,
    /// The branch.
    pub branch: Option<String>,
    /// The folder.
    pub cwd: Option<String>,
    /// Files git knows.
    pub tracked: Option<Vec<String>>,
    /// Files git ignores.
    pub ignored: Option<Vec<String>>,
    /// Files the session made.
    #[serde(default)]
    pub created: Vec<String>,
    /// Other files that are there.
    pub exists: Option<Vec<String>>,
    /// Links.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
    /// Scripts the session wrote.
    #[serde(default)]
    pub scripts: BTreeMap<String, String>,
    /// Aliases of git.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// Commands that were held before, and whose warning was heard.
    #[serde(default)]
    pub heard: Vec<String>,
    /// Commands that were held before, and whose warning was not heard yet.
    #[serde(default)]
    pub warned: Vec<String>,
    /// Rules whose advice was given.
    #[serde(default)]
    pub advised: Vec<String>,
    /// Another agent works in the worktree.
    #[serde(default)]
    pub shared: bool,
    /// How many files have uncommitted changes, and how many git does not know.
    pub counts: Option<(u64, u64)>,
    /// What is under way in git.
    pub operation: Option<String>,
    /// Staged paths.
    pub staged: Option<Vec<String>>,
    /// Changed tracked paths.
    pub changed: Option<Vec<String>>,
    /// The last test run failed.
    #[serde(default)]
    pub tests_red: bool,
    /// Plan files.
    #[serde(default)]
    pub plan_files: Vec<String>,
    /// The client's scratch folder.
    pub client_scratch: Option<String>,
}

/// A case that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCase {
    /// The command.
    pub command: String,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub got: String,
}

impl CaseFile {
    /// Reads a file; the error names the place.
    pub fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// Every case that does not hold, each in the settings it names, with rules from `rules_for`.
    pub fn failures(&self, rules_for: &dyn Fn(&Settings) -> RuleSet) -> Vec<FailedCase> {
        let mut sets: Vec<(Settings, RuleSet)> = Vec::new();
        let mut failures = Vec::new();
        for case in &self.case {
            let settings = case.settings();
            if !sets.iter().any(|(known, _)| *known == settings) {
                let rules = rules_for(&settings);
                sets.push((settings.clone(), rules));
            }
            let Some((_, rules)) = sets.iter().find(|(known, _)| *known == settings) else {
                continue;
            };
            failures.extend(case.failures(rules));
        }
        failures
    }

    /// How many commands it holds.
    pub fn commands(&self) -> usize {
        self.case.iter().map(|case| case.command.len()).sum()
    }
}

impl Case {
    /// The settings it is judged under.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::of(self.profile.unwrap_or(Profile::Standard));
        if let Some(mode) = self.mode {
            settings.guard.mode = mode;
        }
        settings
    }

    /// The world it is judged in.
    pub fn world(&self) -> Synthetic {
        let usual = Synthetic::default();
        Synthetic {
            cwd: self.cwd.clone().unwrap_or(usual.cwd),
            branch: self.branch.clone().unwrap_or(usual.branch),
            attended: self.attended.unwrap_or(true),
            tracked: self.tracked.clone().unwrap_or(usual.tracked),
            ignored: self.ignored.clone().unwrap_or(usual.ignored),
            created: self.created.clone(),
            exists: self.exists.clone().unwrap_or(usual.exists),
            links: self.links.clone(),
            scripts: self.scripts.clone(),
            aliases: self.aliases.clone(),
            heard: self.heard.clone(),
            warned: self.warned.clone(),
            advised: self.advised.clone(),
            shared: self.shared,
            counts: self.counts,
            operation: self.operation.clone(),
            staged: self.staged.clone(),
            changed: self.changed.clone(),
            gates: GateFacts {
                tests_red: self.tests_red,
                plan_files: self.plan_files.clone(),
                ..GateFacts::default()
            },
            client_scratch: self.client_scratch.clone(),
            ..Synthetic::default()
        }
    }

    fn failures(&self, rules: &RuleSet) -> Vec<FailedCase> {
        let world = self.world();
        self.command
            .iter()
            .filter_map(|command| {
                let judged = world.judge(command, rules);
                (!self.holds(&judged)).then(|| FailedCase {
                    command: command.clone(),
                    expected: self.expected(),
                    got: got(&judged),
                })
            })
            .collect()
    }

    fn holds(&self, judged: &Judged) -> bool {
        judged.ruling == self.expect
            && self
                .rule
                .as_deref()
                .is_none_or(|rule| judged.rules().contains(&rule))
            && self
                .rewritten
                .as_deref()
                .is_none_or(|text| judged.rewritten.as_deref() == Some(text))
    }

    fn expected(&self) -> String {
        let rule = self
            .rule
            .as_ref()
            .map_or(String::new(), |rule| format!(" {rule}"));
        let text = self
            .rewritten
            .as_ref()
            .map_or(String::new(), |text| format!(" `{text}`"));
        format!("{}{rule}{text}", self.expect.word())
    }
}

fn got(judged: &Judged) -> String {
    let text = judged
        .rewritten
        .as_ref()
        .map_or(String::new(), |text| format!(" `{text}`"));
    let rules = judged.rules().join(" ");
    format!("{} {rules}{text}", judged.ruling.word())
        .trim_end()
        .to_owned()
}
