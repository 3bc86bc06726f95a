//! Other tools than the shell: Toprope's own files, secrets, and rules a person wrote about tools.

use super::aim;
use super::client::{Reached, Relation, Target, is_hooked, reached};
use super::conditions::hold_of_actor;
use super::cover::Cover;
use super::edited::edited;
use super::entries;
use super::facts::GuardFacts;
use super::glob::{Reach, fits};
use super::judge::{blank, left_out};
use super::judged::{Finding, Judged};
use super::keeping::Keep;
use super::matching::Sure;
use super::message;
use super::path::{absolute, below};
use super::ranking::conclude;
use super::rule::{Rule, ToolPattern};
use super::ruleset::{Active, RuleSet};
use super::secret::{self, Secret};
use super::verdict::Ruling;
use super::world::World;
use super::zone::{Zone, of_path};
use crate::settings::Mode;
use crate::tool::ToolInput;
use serde_json::Value;

/// What a tool does with the files it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    /// It shows them.
    Reads,
    /// It changes them.
    Writes,
    /// Nobody can tell.
    Unknown,
}

/// A call of another tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolUse<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Everything it was given.
    pub input: &'a ToolInput,
}

/// Input keys that name files.
const PATH_KEYS: [&str; 14] = [
    "file_path",
    "path",
    "notebook_path",
    "filepath",
    "filename",
    "file",
    "paths",
    "files",
    "source",
    "destination",
    "old_path",
    "new_path",
    "target_file",
    "uri",
];

/// Judges a call of another tool.
pub fn judge_tool(call: ToolUse<'_>, rules: &RuleSet, facts: &GuardFacts) -> Judged {
    let world = World::of_tool(facts, rules.guard());
    let mut judged = blank(call.tool, facts);
    let touch = touch(call.tool);
    for path in paths(call) {
        judged
            .findings
            .extend(one_path(call, &path, touch, rules, &world));
    }
    for active in rules.tool_rules() {
        let Some(pattern) = &active.rule.tool else {
            continue;
        };
        if matches(pattern, call, &world) && hold_of_actor(&active.rule.when, facts) {
            let path = paths(call).into_iter().next();
            judged.findings.push(found(active, call, path, None, facts));
        }
    }
    if let Some(approval) = facts.approval.as_ref().filter(|_| !judged.findings.is_empty()) {
        judged.approval = Some(approval.clone());
        judged.findings.clear();
        judged.note_rules(rules);
        return judged;
    }
    conclude(&mut judged, facts);
    judged.left_out = left_out(&judged, rules, facts);
    judged.asked = world.open();
    judged.message = message::of(&judged);
    judged.note_rules(rules);
    judged
}

/// What the tool does with files, by its name.
fn touch(tool: &str) -> Touch {
    let lower = tool.rsplit("__").next().unwrap_or(tool).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    match tool {
        "Read" | "Grep" | "Glob" | "NotebookRead" | "LS" => Touch::Reads,
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => Touch::Writes,
        _ if has(&[
            "write", "edit", "create", "delete", "remove", "move", "rename", "update", "append", "put",
            "save",
        ]) =>
        {
            Touch::Writes
        }
        _ if has(&[
            "read", "get", "view", "cat", "open", "search", "list", "show", "fetch",
        ]) =>
        {
            Touch::Reads
        }
        _ => Touch::Unknown,
    }
}

/// Every path the call names.
fn paths(call: ToolUse<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for key in PATH_KEYS {
        match call.input.get(key) {
            Some(Value::String(path)) => found.push(path.clone()),
            Some(Value::Array(items)) => {
                found.extend(items.iter().take(64).filter_map(Value::as_str).map(str::to_owned));
            }
            Some(_) | None => {}
        }
    }
    for path in &mut found {
        if let Some(rest) = path.strip_prefix("file://") {
            *path = rest.to_owned();
        }
    }
    found
}

fn one_path(
    call: ToolUse<'_>,
    path: &str,
    touch: Touch,
    rules: &RuleSet,
    world: &World<'_>,
) -> Option<Finding> {
    let facts = world.facts;
    let cwd = facts.cwd.as_deref();
    let written = match (path.strip_prefix("~/"), facts.home.as_deref()) {
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        (Some(_) | None, _) => path.to_owned(),
    };
    let place = absolute(&written, cwd)?;
    let tell = |id: &str, ruling: Option<Ruling>| {
        let active = rules.rule(id)?;
        Some(found(active, call, Some(path.to_owned()), ruling, facts))
    };
    if touch != Touch::Reads {
        if of_path(&place, cwd, world).zone == Zone::Own {
            return tell("self.files", None);
        }
        for file in reached(&Target::Path(place.clone()), true, world) {
            match settings_change(call, &file, touch, world) {
                Change::Fine => {}
                Change::Entries => return tell("self.settings", None),
                Change::Variables => return tell("self.variables", None),
            }
        }
        if touch == Touch::Writes {
            return None;
        }
    }
    if !shows(call) {
        return None;
    }
    match secret::at(&place, cwd, world)? {
        Secret::EnvFile => tell("secrets.env-file", None),
        Secret::KeyFile => tell("secrets.file", None),
        Secret::Credentials => tell("secrets.file", Some(Ruling::Deny)),
    }
}

/// A search that lists names shows no values.
fn shows(call: ToolUse<'_>) -> bool {
    match call.tool {
        "Glob" | "LS" => false,
        "Grep" => call.input.get("output_mode").and_then(Value::as_str) == Some("content"),
        _ => true,
    }
}

/// What a call makes of an agent's settings file.
enum Change {
    /// Nothing that concerns us.
    Fine,
    /// Our entries change, or hooks are switched off.
    Entries,
    /// Variables that steer us are set.
    Variables,
}

fn settings_change(call: ToolUse<'_>, file: &Reached, touch: Touch, world: &World<'_>) -> Change {
    if file.relation == Relation::Above {
        // A folder is not written, but it may go.
        let goes = takes_away(call.tool) && is_hooked(&file.path, world);
        return if goes { Change::Entries } else { Change::Fine };
    }
    let Some(before) = world.text(&file.path) else {
        return Change::Entries;
    };
    let before = before.unwrap_or_default();
    match edited(call.input, before) {
        Some(after) if !entries::are_kept(before, &after) => Change::Entries,
        Some(after) if entries::sets_variables(before, &after) => Change::Variables,
        // It changes the file, and nobody can tell how.
        None if touch == Touch::Writes || before.contains("toprope") => Change::Entries,
        Some(_) | None => Change::Fine,
    }
}

/// Whether a tool takes what it names from where it is, by its name.
fn takes_away(tool: &str) -> bool {
    let lower = tool.rsplit("__").next().unwrap_or(tool).to_lowercase();
    let words = ["delete", "remove", "move", "rename", "rmdir", "unlink"];
    words.iter().any(|word| lower.contains(word))
}

/// Whether a call fits what a rule says about tools.
fn matches(pattern: &ToolPattern, call: ToolUse<'_>, world: &World<'_>) -> bool {
    if !pattern.tool.iter().any(|name| fits(name, call.tool, Reach::Text)) {
        return false;
    }
    let cwd = world.facts.cwd.as_deref();
    let root = world
        .repository(cwd)
        .map(|repository| repository.root.as_str())
        .or(cwd);
    let fits_path = |path: &String| {
        let place = absolute(path, cwd);
        let inside = place
            .as_deref()
            .zip(root)
            .and_then(|(place, root)| below(place, root));
        pattern.path.iter().any(|wanted| {
            [inside, place.as_deref(), Some(path.as_str())]
                .into_iter()
                .flatten()
                .any(|path| fits(wanted, path, Reach::Name))
        })
    };
    if !pattern.path.is_empty() && !paths(call).iter().any(fits_path) {
        return false;
    }
    pattern
        .input
        .iter()
        .all(|(key, wanted)| match call.input.get(key) {
            Some(Value::String(text)) => fits(wanted, text, Reach::Text),
            Some(other) => fits(wanted, &other.to_string(), Reach::Text),
            None => false,
        })
}

fn found(
    active: &Active,
    call: ToolUse<'_>,
    path: Option<String>,
    ruling: Option<Ruling>,
    facts: &GuardFacts,
) -> Finding {
    let rule = &active.rule;
    let mut ruling = match ruling {
        Some(ruling) if active.verdict == rule.verdict => ruling,
        Some(_) | None => active.verdict,
    };
    // Another tool's call is not rewritten.
    if ruling == Ruling::Rewrite {
        ruling = Ruling::Deny;
    }
    let softened = active.mode == Mode::Advise && ruling > Ruling::Advise;
    if softened {
        ruling = Ruling::Advise;
    }
    Finding {
        rule: rule.id.clone(),
        class: rule.class,
        ruling: ruling.for_attendance(facts.attended),
        sure: Sure::Yes,
        missing: None,
        index: None,
        segment: match &path {
            Some(path) => format!("{} {path}", call.tool),
            None => call.tool.to_owned(),
        },
        through: Vec::new(),
        zone: None,
        aims: vec![aim::of_text(
            &format!("{} {}", call.tool, path.as_deref().unwrap_or_default()),
            facts.cwd.as_deref(),
        )],
        cover: Cover::Untold,
        targets: path.into_iter().collect(),
        what: rule.what.clone(),
        why: rule.why.clone(),
        instead: rule.instead.clone(),
        corrected: None,
        softened,
        keep: Keep::default(),
    }
}

/// Whether an example of a rule about tools fits it: `Write infra/main.tf`, `mcp__db__delete_row`.
pub(super) fn example(rule: &Rule, example: &str) -> bool {
    let (tool, path) = example.split_once(' ').unwrap_or((example, ""));
    let mut input = ToolInput::new();
    match path.split_once('=') {
        Some((key, value)) => {
            input.insert(key.to_owned(), Value::String(value.to_owned()));
        }
        None if !path.is_empty() => {
            input.insert("file_path".to_owned(), Value::String(path.to_owned()));
        }
        None => {}
    }
    let settings = crate::settings::GuardSettings::of(crate::settings::Profile::Standard);
    let facts = super::synthetic::Synthetic::default().facts();
    let world = World::new(&facts, &settings);
    let call = ToolUse { tool, input: &input };
    rule.tool
        .as_ref()
        .is_some_and(|pattern| matches(pattern, call, &world))
}
