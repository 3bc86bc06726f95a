//! The rules in force: every layer, the person's settings over them, found by program instead of one by one.

use super::aside::Aside;
use super::command_view::CommandView;
use super::entry::{FoundBy, ListedRule};
use super::layer::LayerRules;
use super::loading::{RuleFault, RuleProblem, RuleSource};
use super::pack;
use super::rule::Rule;
use super::verdict::Ruling;
use crate::hex::hex;
use crate::settings::{GuardSettings, Mode, Profile, RuleLayer, Settings};
use foldhash::fast::RandomState;
use sha2::{Digest, Sha256};
use shell::Word;
use shell::sieve::holds_trigger;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Rule sets that are remembered; a daemon serves a few projects at a time.
const MOST_KNOWN: usize = 16;

/// A rule with what the layers made of it.
#[derive(Debug, Clone)]
pub struct Active {
    /// The rule.
    pub rule: Arc<ListedRule>,
    /// Where it comes from.
    pub origin: RuleSource,
    /// How far it goes.
    pub mode: Mode,
    /// What it says.
    pub verdict: Ruling,
}

/// The rules in force for one project.
#[derive(Debug)]
pub struct RuleSet {
    rules: Vec<Active>,
    problems: Vec<RuleProblem>,
    settings: Settings,
    /// Made for the first command: most processes that judge by themselves judge one call, and many a call is no command.
    index: OnceLock<RuleIndex>,
    /// Made for the first command whose program is not known.
    by_sub: OnceLock<Places>,
    /// Made for the first verdict that has something to say.
    hash: OnceLock<String>,
    aside: Aside,
}

/// Where rules are found, as places among all of them.
#[derive(Debug, Default)]
struct RuleIndex {
    by_program: Places,
    always: Vec<usize>,
}

/// Places of rules by a name; every process that decides by itself makes one, so it has to be cheap.
type Places = HashMap<Cow<'static, str>, Vec<usize>, RandomState>;

impl RuleSet {
    /// The built-in rules under these settings.
    pub fn built_in(settings: &Settings) -> Self {
        Self::new(settings, &[])
    }

    /// The rules these settings put in force, every layer of them. The last few are remembered: reading a layer and running
    /// its examples is done once per change, not per event.
    pub fn of(settings: &Settings) -> Arc<Self> {
        static KNOWN: Mutex<Vec<Arc<RuleSet>>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(set) = known.iter().find(|set| is_same(&set.settings, settings)) {
            return Arc::clone(set);
        }
        let set = Arc::new(Self::load(settings));
        if known.len() >= MOST_KNOWN {
            known.remove(0);
        }
        known.push(Arc::clone(&set));
        set
    }

    /// The same, read anew.
    pub fn load(settings: &Settings) -> Self {
        let layers: Vec<LayerRules> = settings
            .guard
            .layers
            .iter()
            .map(|file| {
                let origin = match file.layer {
                    RuleLayer::User => RuleSource::User,
                    RuleLayer::Project => RuleSource::Project,
                    RuleLayer::Effort => RuleSource::Effort,
                };
                LayerRules::read(origin, &file.file, &file.text)
            })
            .collect();
        Self::new(settings, &layers)
    }

    /// The built-in rules and those of other layers under these settings. Rules whose examples do not hold were left out
    /// when their layer was loaded.
    pub fn new(settings: &Settings, layers: &[LayerRules]) -> Self {
        let listed = |origin, rule: Arc<ListedRule>| (!rule.is_fixed(), origin, rule);
        let mut all: Vec<(bool, RuleSource, Arc<ListedRule>)> = pack::entries()
            .iter()
            .map(|rule| listed(RuleSource::BuiltIn, Arc::clone(rule)))
            .collect();
        let mut problems = Vec::new();
        let mut layers: Vec<&LayerRules> = layers.iter().collect();
        layers.sort_by_key(|layer| layer.origin);
        for layer in layers {
            problems.extend(layer.problems.iter().cloned());
            for rule in &layer.rules {
                if all.iter().any(|(_, _, other)| other.id == rule.id) {
                    problems.push(RuleProblem {
                        file: layer.file.clone(),
                        line: 1,
                        rule: Some(rule.id.clone()),
                        what: RuleFault::Duplicate,
                    });
                } else {
                    all.push(listed(layer.origin, Arc::new(ListedRule::of(rule))));
                }
            }
        }
        // Which file came first must not matter.
        all.sort_by(|(is_free, _, one), (other_is, _, two)| (is_free, &one.id).cmp(&(other_is, &two.id)));
        let rules: Vec<Active> = all
            .into_iter()
            .filter_map(|(_, origin, rule)| active(origin, rule, settings))
            .collect();
        Self {
            rules,
            problems,
            settings: settings.clone(),
            index: OnceLock::new(),
            by_sub: OnceLock::new(),
            hash: OnceLock::new(),
            aside: Aside::default(),
        }
    }

    /// One rule alone, in force whatever the settings say of it: its examples are run with it.
    pub fn only(settings: &Settings, origin: RuleSource, rule: &Arc<Rule>) -> Self {
        let rules = vec![Active {
            rule: Arc::new(ListedRule::of(rule)),
            origin,
            mode: Mode::Enforce,
            verdict: rule.verdict,
        }];
        Self {
            rules,
            problems: Vec::new(),
            settings: settings.clone(),
            index: OnceLock::new(),
            by_sub: OnceLock::new(),
            hash: OnceLock::from(String::new()),
            aside: Aside::default(),
        }
    }

    fn index(&self) -> &RuleIndex {
        self.index.get_or_init(|| RuleIndex::of(&self.rules))
    }

    fn by_sub(&self, sub: &str) -> impl Iterator<Item = &usize> {
        let known = self.by_sub.get_or_init(|| {
            placed(&self.rules, |found_by| match found_by {
                FoundBy::Programs { subs, .. } => subs,
                FoundBy::Tool | FoundBy::Command => &[],
            })
        });
        known.get(sub).into_iter().flatten()
    }

    /// The rules that can concern a command, in a fixed order.
    pub fn candidates(&self, seen: &CommandView<'_>) -> Vec<&Active> {
        let index = self.index();
        let mut found: Vec<usize> = index.always.clone();
        if let Some(program) = seen.program {
            found.extend(index.by_program.get(program).into_iter().flatten());
        } else {
            match seen.command.argv.first() {
                Some(Word::OneOf(names)) => {
                    for name in names {
                        let base = name.rsplit('/').next().unwrap_or(name);
                        found.extend(index.by_program.get(base).into_iter().flatten());
                    }
                }
                Some(Word::Unknown { .. }) => {
                    let words = seen.command.argv.iter().skip(1).filter_map(Word::literal);
                    for word in words.take(8) {
                        found.extend(self.by_sub(word));
                    }
                    found.extend(index.by_program.get("rm").into_iter().flatten());
                }
                Some(Word::Literal(_) | Word::Glob { .. }) | None => {}
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|at| self.rules.get(at)).collect()
    }

    /// The rules about other tools.
    pub fn tool_rules(&self) -> impl Iterator<Item = &Active> {
        self.rules
            .iter()
            .filter(|active| active.rule.found_by == FoundBy::Tool)
    }

    /// A rule by its id.
    pub fn rule(&self, id: &str) -> Option<&Active> {
        self.rules.iter().find(|active| active.rule.id == id)
    }

    /// Every rule in force, in the order they are matched.
    pub fn rules(&self) -> &[Active] {
        &self.rules
    }

    /// What was left out, and why.
    pub fn problems(&self) -> &[RuleProblem] {
        &self.problems
    }

    /// `[guard]`
    pub fn guard(&self) -> &GuardSettings {
        &self.settings.guard
    }

    /// The profile in force.
    pub fn profile(&self) -> Profile {
        self.settings.profile
    }

    /// Whether nobody but a person moves the branch.
    pub fn protects(&self, branch: &str) -> bool {
        self.settings.protects(branch)
    }

    /// The hash of the rules in force.
    pub fn hash(&self) -> &str {
        self.hash.get_or_init(|| hash(&self.rules, &self.settings))
    }

    /// What was judged by them and waits for its decision.
    pub(super) fn aside(&self) -> &Aside {
        &self.aside
    }

    /// Whether a text holds a word that a rule, a shell, a decoder or an interpreter is called by.
    pub fn is_triggered_by(&self, text: &str) -> bool {
        let index = self.index();
        let programs = index.by_program.keys().map(Cow::as_ref);
        let always = (!index.always.is_empty())
            .then_some(HARMING)
            .into_iter()
            .flatten();
        holds_trigger(text, programs.chain(always))
    }
}

impl RuleIndex {
    fn of(rules: &[Active]) -> Self {
        let is_always = |active: &Active| active.rule.found_by == FoundBy::Command;
        let always = rules.iter().enumerate().filter(|(_, active)| is_always(active));
        Self {
            always: always.map(|(at, _)| at).collect(),
            by_program: placed(rules, |found_by| match found_by {
                FoundBy::Programs { programs, .. } => programs,
                FoundBy::Tool | FoundBy::Command => &[],
            }),
        }
    }
}

/// Where the rules are that go by these names.
fn placed(rules: &[Active], names: impl Fn(&FoundBy) -> &[Cow<'static, str>]) -> Places {
    let mut places = Places::with_capacity_and_hasher(rules.len() * 2, RandomState::default());
    for (at, active) in rules.iter().enumerate() {
        for name in names(&active.rule.found_by) {
            let list = places.entry(name.clone()).or_default();
            if list.last() != Some(&at) {
                list.push(at);
            }
        }
    }
    places
}

/// Programs and files that rules without a program of their own are about.
const HARMING: [&str; 47] = [
    "rm",
    "grm",
    "unlink",
    "srm",
    "rimraf",
    "rmdir",
    "shred",
    "truncate",
    "dd",
    "find",
    "mv",
    "gmv",
    "cp",
    "gcp",
    "install",
    "ln",
    "rsync",
    "tee",
    "sponge",
    "chmod",
    "chown",
    "chgrp",
    "chattr",
    "setfacl",
    "sed",
    "gsed",
    "curl",
    "wget",
    "mkfs",
    "wipefs",
    "fdisk",
    "parted",
    "toprope",
    "claude",
    "kill",
    "pkill",
    "tmux",
    "screen",
    "scp",
    "nc",
    "ncat",
    "socat",
    ".env",
    ".ssh",
    ".git",
    ".aws",
    "credentials",
];

/// Whether two settings put the same rules in force.
fn is_same(one: &Settings, two: &Settings) -> bool {
    one.profile == two.profile && one.guard == two.guard && one.protected_branches == two.protected_branches
}

/// What the settings make of a rule; `None`: it is off.
fn active(origin: RuleSource, rule: Arc<ListedRule>, settings: &Settings) -> Option<Active> {
    let guard = &settings.guard;
    let own = guard.rules.get(&rule.id);
    if rule.is_fixed() && origin == RuleSource::BuiltIn {
        return Some(Active {
            mode: Mode::Enforce,
            verdict: rule.verdict,
            rule,
            origin,
        });
    }
    let wanted = own.and_then(|own| own.mode);
    let is_on = !rule.strict
        || settings.profile == Profile::Strict
        || wanted.is_some_and(|mode| mode != Mode::Off)
        || (rule.id == "core.filesystem.tmp-write" && !guard.scratch_dir.is_empty());
    let mode = wanted
        .unwrap_or_else(|| guard.packs.of(rule.pack()))
        .min(guard.mode);
    let verdict = own
        .and_then(|own| own.verdict.as_deref())
        .and_then(Ruling::named)
        .unwrap_or(rule.verdict);
    (is_on && mode != Mode::Off).then_some(Active {
        rule,
        origin,
        mode,
        verdict,
    })
}

fn hash(rules: &[Active], settings: &Settings) -> String {
    let mut hasher = Sha256::new();
    hasher.update(pack::digest());
    for active in rules {
        let rule = &active.rule;
        let origin = active.origin.word();
        hasher.update(format!(
            "{}\t{origin}\t{:?}\t{:?}\n",
            rule.id, active.mode, active.verdict
        ));
        // The digest covers the text of built-in rules.
        if active.origin != RuleSource::BuiltIn {
            hasher.update(format!("{:?}\n", rule.rule()));
        }
    }
    let guard = serde_json::to_vec(&settings.guard).unwrap_or_default();
    hasher.update(guard);
    hasher.update(settings.protected_branches.join("\n"));
    hex(&hasher.finalize())
}
