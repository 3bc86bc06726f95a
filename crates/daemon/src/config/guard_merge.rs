//! Puts the guard's open tables of the layers on top of each other. A project's files may add and raise, not lower.

use super::guard_tables::{GuardTables, NamedValue};
use super::layer::{SettingOrigin, SettingsLayer};
use super::merge::{FileLayer, Merge};
use super::problem::{FilePosition, SettingsProblem, shown};
use engine::policy::guard::entry::ListedRule;
use engine::policy::guard::layer::tightened;
use engine::policy::guard::{RuleSet, pack};
use engine::settings::{GuardSettings, RuleFile, RuleLayer, RuleSetting, Settings, WrapperSetting, nearest};
use engine::text::one_line;
use engine::text::path_word;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// Problems told of rules; what is beyond is a number.
const MOST_PROBLEMS: usize = 20;
/// Characters of a foreign name shown in a message.
const LONGEST_SHOWN: usize = 80;

/// The tables so far.
#[derive(Debug, Default)]
pub(super) struct GuardLayers {
    rules: BTreeMap<String, (RuleSetting, SettingOrigin)>,
    wrappers: BTreeMap<String, (WrapperSetting, SettingOrigin)>,
    shell_tools: BTreeMap<String, (String, SettingOrigin)>,
    files: Vec<RuleFile>,
}

impl GuardLayers {
    /// Puts them into the settings.
    pub(super) fn fill(&self, guard: &mut GuardSettings) {
        guard.rules = values(&self.rules);
        guard.wrappers = values(&self.wrappers);
        guard.shell_tools = values(&self.shell_tools);
        guard.layers.clone_from(&self.files);
    }

    /// Each of them as people see it.
    pub(super) fn shown(&self) -> Vec<(String, Value, SettingOrigin)> {
        let rules = self.rules.iter().map(|(id, (setting, origin))| {
            let value = json!(setting);
            (format!("guard.rules.{id:?}"), value, origin.clone())
        });
        let wrappers = self.wrappers.iter().map(|(name, (wrapper, origin))| {
            let value = json!(wrapper);
            (format!("guard.wrappers.{name:?}"), value, origin.clone())
        });
        let tools = self.shell_tools.iter().map(|(name, (key, origin))| {
            let value = json!(key);
            (format!("guard.shell_tools.{name:?}"), value, origin.clone())
        });
        rules.chain(wrappers).chain(tools).collect()
    }

    pub(super) fn add_file(&mut self, layer: RuleLayer, file: String, text: &str) {
        let text = text.into();
        self.files.push(RuleFile { layer, file, text });
    }
}

fn values<T: Clone>(from: &BTreeMap<String, (T, SettingOrigin)>) -> BTreeMap<String, T> {
    from.iter()
        .map(|(name, (value, _))| (name.clone(), value.clone()))
        .collect()
}

impl Merge<'_> {
    /// Adds a file's tables on top, and the rules it holds.
    pub(super) fn add_guard(&mut self, file: &FileLayer, tables: &GuardTables, rules: Option<&str>) {
        for rule in &tables.rules {
            self.add_rule_setting(file, rule);
        }
        for wrapper in &tables.wrappers {
            if self.may_wrap(file, wrapper) {
                let value = (wrapper.value.clone(), origin(file, wrapper.spot));
                self.guard.wrappers.insert(wrapper.name.clone(), value);
            }
        }
        for tool in &tables.shell_tools {
            if self.may_name_tool(file, tool) {
                let value = (tool.value.clone(), origin(file, tool.spot));
                self.guard.shell_tools.insert(tool.name.clone(), value);
            }
        }
        if let Some(text) = rules {
            let layer = if file.layer.is_the_projects() {
                RuleLayer::Project
            } else {
                RuleLayer::User
            };
            let mut name = shown(file.path);
            if file.layer == SettingsLayer::UserProject {
                name.push_str(" (this project)");
            }
            self.guard.add_file(layer, name, text);
        }
    }

    fn add_rule_setting(&mut self, file: &FileLayer, rule: &NamedValue<RuleSetting>) {
        let below = self.guard.rules.get(&rule.name);
        let below = below.map(|(setting, _)| setting.clone()).unwrap_or_default();
        let over = |wanted: &RuleSetting| RuleSetting {
            mode: wanted.mode.or(below.mode),
            verdict: wanted.verdict.clone().or_else(|| below.verdict.clone()),
        };
        let mut setting = over(&rule.value);
        if file.layer.is_the_projects() {
            let stands = self.in_force(&rule.name, &below);
            let most = tightened(&stands, &rule.value);
            let permitted = RuleSetting {
                mode: most.mode.filter(|mode| rule.value.mode == Some(*mode)),
                verdict: most
                    .verdict
                    .filter(|word| rule.value.verdict.as_ref() == Some(word)),
            };
            if permitted != rule.value && !self.trusts(file) {
                let name = format!("guard.rules.{:?}", one_line(&rule.name, LONGEST_SHOWN));
                self.problems.push(loosening(file, rule.spot, &name));
                setting = over(&permitted);
            }
        }
        if setting != below {
            let value = (setting, origin(file, rule.spot));
            self.guard.rules.insert(rule.name.clone(), value);
        }
    }

    /// What a rule does without the new setting: its own verdict and its pack's mode, where no setting says otherwise.
    fn in_force(&self, id: &str, below: &RuleSetting) -> RuleSetting {
        let rule = built_in(id);
        let verdict = rule.map(|rule| rule.verdict.word().to_owned());
        let pack = id.rsplit_once('.').map_or(id, |(pack, _)| pack);
        let mode = self.settings().guard.packs.of(pack);
        RuleSetting {
            mode: below.mode.or(Some(mode)),
            verdict: below.verdict.clone().or(verdict),
        }
    }

    /// A program some rule knows, made transparent by a project, would hide what it does itself.
    fn may_wrap(&mut self, file: &FileLayer, wrapper: &NamedValue<WrapperSetting>) -> bool {
        if !file.layer.is_the_projects() {
            return true;
        }
        let name = wrapper.name.as_str();
        let stands = self.guard.wrappers.get(name).map(|(wrapper, _)| wrapper);
        let is_same = stands == Some(&wrapper.value);
        let is_new = stands.is_none()
            && shell::grammar::program(name).is_none()
            && !RuleSet::of(&Settings::default()).is_triggered_by(name);
        if is_same || is_new || self.trusts(file) {
            return !is_same;
        }
        let name = format!("guard.wrappers.{:?}", one_line(name, LONGEST_SHOWN));
        self.problems.push(loosening(file, wrapper.spot, &name));
        false
    }

    /// What is judged as a command is not judged as a file tool, so which tools run commands is the person's to say.
    fn may_name_tool(&mut self, file: &FileLayer, tool: &NamedValue<String>) -> bool {
        if !file.layer.is_the_projects() {
            return true;
        }
        let is_same = self
            .guard
            .shell_tools
            .get(&tool.name)
            .is_some_and(|(key, _)| *key == tool.value);
        if is_same || self.trusts(file) {
            return !is_same;
        }
        let name = format!("guard.shell_tools.{:?}", one_line(&tool.name, LONGEST_SHOWN));
        self.problems.push(loosening(file, tool.spot, &name));
        false
    }

    /// Tells which rules were left out, and which settings name none.
    pub(super) fn check_rules(&mut self, settings: &Settings) {
        let mut told: Vec<SettingsProblem> = Vec::new();
        for (id, (_, origin)) in &self.guard.rules {
            let found = built_in(id);
            let is_own = settings
                .guard
                .layers
                .iter()
                .any(|file| file.text.contains(id.as_str()));
            let message = match found {
                Some(rule) if rule.is_fixed() => "always holds: no setting changes it",
                None if !is_own => "names no rule",
                Some(_) | None => continue,
            };
            let name = format!("guard.rules.{:?}", one_line(id, LONGEST_SHOWN));
            let ids = pack::entries().iter().map(|rule| rule.id.as_str());
            let hint = found
                .is_none()
                .then(|| nearest(id, ids).map(|near| format!("did you mean `{near}`?")))
                .flatten();
            if let SettingOrigin::File {
                path, line, column, ..
            } = origin
            {
                let spot = FilePosition {
                    line: *line,
                    column: *column,
                };
                let problem = SettingsProblem::with_file(path, format!("`{name}` {message}"));
                told.push(problem.at(spot).about(&name).hinting(hint));
            }
        }
        if !settings.guard.layers.is_empty() {
            told.extend(RuleSet::of(settings).problems().iter().map(left_out));
        }
        let more = told.len().saturating_sub(MOST_PROBLEMS);
        told.truncate(MOST_PROBLEMS);
        if let (1.., Some(last)) = (more, told.last()) {
            let file = last.file.clone();
            let message = format!("{more} more problems like these with rules");
            told.push(SettingsProblem::with_file(&file, message));
        }
        self.problems.extend(told);
    }
}

fn built_in(id: &str) -> Option<&'static Arc<ListedRule>> {
    pack::entries().iter().find(|rule| rule.id == id)
}

fn origin(file: &FileLayer, spot: FilePosition) -> SettingOrigin {
    SettingOrigin::File {
        layer: file.layer,
        path: file.path.to_owned(),
        line: spot.line,
        column: spot.column,
    }
}

/// A rule that was left out, as a problem of its file.
fn left_out(problem: &engine::policy::guard::loading::RuleProblem) -> SettingsProblem {
    let place = format!("{}:{}: ", problem.file, problem.line);
    let text = problem.to_string();
    let text = text.strip_prefix(&place).unwrap_or(&text);
    let line = u32::try_from(problem.line).unwrap_or(u32::MAX);
    let told = SettingsProblem::with_file(problem.file.as_ref(), one_line(text, 4 * LONGEST_SHOWN));
    let told = told.at(FilePosition { line, column: 1 });
    match &problem.rule {
        Some(rule) => told.about(&format!("guard.rule {rule}")),
        None => told.about("guard.rule"),
    }
}

fn loosening(file: &FileLayer, spot: FilePosition, name: &str) -> SettingsProblem {
    let message =
        format!("`{name}` would protect you less, so it does not count: a project's file may only tighten");
    let trust = format!("toprope trust {}", path_word(file.path.as_os_str().as_bytes()));
    SettingsProblem::with_file(file.path, message)
        .at(spot)
        .about(name)
        .hinting(Some(format!("if you want what this file says: `{trust}`")))
}

#[cfg(test)]
mod tests;
