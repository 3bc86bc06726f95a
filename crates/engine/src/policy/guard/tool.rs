//! Other tools than the shell: Toprope's own files, secrets, and rules a person wrote about tools.

mod settings;

use self::settings::{Meant, SettingsChange, change, meant, written_out};
use super::aim;
use super::client::{Target, reached};
use super::conditions::hold_of_actor;
use super::cover::LossCover;
use super::facts::GuardFacts;
use super::glob::{StarReach, fits};
use super::judge::{blank, left_out};
use super::judged::{Finding, Judged};
use super::keep_list::Keep;
use super::matching::Certainty;
use super::message;
use super::path::{absolute, below};
use super::ranking::conclude;
use super::rule::{Rule, ToolPattern};
use super::ruleset::{Active, RuleSet};
use super::secret::{self, Secret};
use super::verdict::Ruling;
use super::world::GuardWorld;
use super::zone::{Zone, of_path};
use crate::settings::Mode;
use crate::tool::ToolInput;
use crate::tool::folded::unfolded;
use crate::tool::named::{NamedPath, is_on_server, named};
use crate::tool::touch::ToolAccess;
use serde_json::Value;

/// A call of another tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolUse<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Everything it was given.
    pub input: &'a ToolInput,
    /// The client is known to write nothing by it.
    pub writes_nothing: bool,
}

/// Judges a call of another tool.
pub fn judge_tool(call: ToolUse<'_>, rules: &RuleSet, facts: &GuardFacts) -> Judged {
    let world = GuardWorld::of_tool(facts, rules.guard());
    let mut judged = blank(call.tool, facts);
    let unfolded = unfolded(call.input);
    let meant = meant(call, unfolded.as_ref().unwrap_or(call.input));
    for one in &meant {
        judged.findings.extend(one_path(call, one, &meant, rules, &world));
    }
    if let Some(file) = written_out(call, &world)
        && let Some(active) = rules.rule("self.settings")
    {
        judged.findings.push(found(active, call, Some(file), None, facts));
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

/// Every path the call names by a key that is known to hold one.
fn paths(call: ToolUse<'_>) -> Vec<String> {
    let known = named(call.input).into_iter().filter(NamedPath::is_known);
    known.map(|named| named.path).collect()
}

fn one_path(
    call: ToolUse<'_>,
    meant: &Meant<'_>,
    all: &[Meant<'_>],
    rules: &RuleSet,
    world: &GuardWorld<'_>,
) -> Option<Finding> {
    let (path, touch) = (meant.path.as_str(), meant.touch);
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
    // Under a key that nobody knows it may be no path at all, and beside a repository's name none of here: a person decides.
    let unless_known = (!meant.is_known || is_on_server(call.input)).then_some(Ruling::Ask);
    if touch != ToolAccess::Reads {
        if of_path(&place, cwd, world).zone == Zone::Own {
            return tell("self.files", unless_known);
        }
        for file in reached(&Target::Path(place.clone()), true, world) {
            match change(call, (meant, meant.is_one_of_several(all)), &file, world) {
                SettingsChange::Fine => {}
                SettingsChange::Entries => return tell("self.settings", unless_known),
                SettingsChange::Maybe => return tell("self.settings", Some(Ruling::Ask)),
                SettingsChange::Variables => return tell("self.variables", None),
            }
        }
        if touch == ToolAccess::Writes {
            return None;
        }
    }
    if !shows(call) || !meant.is_known {
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

/// Whether a call fits what a rule says about tools.
fn matches(pattern: &ToolPattern, call: ToolUse<'_>, world: &GuardWorld<'_>) -> bool {
    if !pattern
        .tool
        .iter()
        .any(|name| fits(name, call.tool, StarReach::Text))
    {
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
                .any(|path| fits(wanted, path, StarReach::Name))
        })
    };
    if !pattern.path.is_empty() && !paths(call).iter().any(fits_path) {
        return false;
    }
    pattern
        .input
        .iter()
        .all(|(key, wanted)| match call.input.get(key) {
            Some(Value::String(text)) => fits(wanted, text, StarReach::Text),
            Some(other) => fits(wanted, &other.to_string(), StarReach::Text),
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
        sure: Certainty::Yes,
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
        cover: LossCover::Untold,
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
    let world = GuardWorld::new(&facts, &settings);
    let call = ToolUse {
        tool,
        input: &input,
        writes_nothing: false,
    };
    rule.tool
        .as_ref()
        .is_some_and(|pattern| matches(pattern, call, &world))
}
