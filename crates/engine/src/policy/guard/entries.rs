//! Our entries in an agent's settings file: whether they are there, and whether a change leaves them as they are.

use super::command_view::CommandView;
use super::path::name;
use super::steering;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use shell::decode;
use shell::{RedirectOp, Stdin, Word};

/// Whether a settings file calls us. One that is no JSON counts by its words.
pub fn are_in(text: &str) -> bool {
    match serde_json::from_str(text) {
        Ok(settings) => !ours(&settings).is_empty(),
        Err(_) => text.contains("toprope"),
    }
}

/// Whether our entries stand there after a change byte for byte as they did before, whatever the order of their keys, and
/// nothing switches hooks off. An entry that was added counts as a change: of two equal ones the client takes the later.
pub fn are_kept(before: &str, after: &str) -> bool {
    // What cannot be read here may still be read by the client, or be the end of all that is in the file.
    if is_odd(after) && !is_odd(before) {
        return false;
    }
    let (before, after) = (parsed(before), parsed(after));
    let (old, new) = (ours(&before), ours(&after));
    let is_same = old.len() == new.len() && old.iter().all(|entry| new.contains(entry));
    is_same && (!may_switch_off(&after) || may_switch_off(&before))
}

/// Whether a text that is joined with another may switch hooks off, or changes entries of ours. That it has none of them
/// says nothing: the other has them.
pub fn are_harmed(before: &str, after: &str) -> bool {
    let (before, after) = (parsed(before), parsed(after));
    let (old, new) = (ours(&before), ours(&after));
    let is_other =
        !new.is_empty() && (old.len() != new.len() || new.iter().any(|entry| !old.contains(entry)));
    is_other || may_switch_off(&after) && !may_switch_off(&before)
}

/// Whether a text is no plain JSON: a mark in front of it, comments, or something else altogether.
fn is_odd(text: &str) -> bool {
    !text.trim().is_empty() && serde_json::from_str::<IgnoredAny>(text).is_err()
}

/// Whether a file may switch hooks off, by a value that the client takes for a yes, or in an administrator's file.
fn may_switch_off(settings: &Value) -> bool {
    let is_set = |key: &str| {
        let value = settings.get(key);
        value.is_some_and(|value| !matches!(value, Value::Bool(false) | Value::Null))
    };
    is_set("disableAllHooks") || is_set("allowManagedHooksOnly")
}

/// Whether hooks of every file are switched off by this one.
pub fn switches_off(settings: &Value) -> bool {
    settings.get("disableAllHooks") == Some(&Value::Bool(true))
}

/// A settings file as the client reads it: what is no JSON holds nothing.
pub fn parsed(text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).unwrap_or_default()
}

/// The variables under `env` that steer us: the client hands them to every hook.
pub fn variables(settings: &Value) -> Vec<(&str, &Value)> {
    set_under_env(settings)
        .filter(|(name, _)| steering::steers(name))
        .collect()
}

/// The variables under `env` that have programs load what they name, or send the client and its shells elsewhere.
pub fn loading(settings: &Value) -> Vec<(&str, &Value)> {
    set_under_env(settings)
        .filter(|(name, value)| steering::loads(name, value.as_str()))
        .collect()
}

fn set_under_env(settings: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let variables = settings.get("env").and_then(Value::as_object);
    let variables = variables.into_iter().flatten();
    variables.map(|(name, value)| (name.as_str(), value))
}

/// Whether a change puts a variable under `env` that steers us or what calls us, or gives it another value.
pub fn sets_variables(before: &str, after: &str) -> bool {
    let (before, after) = (parsed(before), parsed(after));
    let known = variables(&before);
    let loaded = loading(&before);
    variables(&after).iter().any(|variable| !known.contains(variable))
        || loading(&after).iter().any(|variable| !loaded.contains(variable))
}

/// One of our handlers, where it stands and what is said of when it runs.
#[derive(Debug, PartialEq)]
pub struct InstalledHandler<'a> {
    /// The keys above it, without places in lists.
    pub place: Vec<&'a str>,
    /// Its group's other members: the matcher.
    pub group: Vec<(&'a str, &'a Value)>,
    /// The handler.
    pub handler: &'a Map<String, Value>,
}

impl<'a> InstalledHandler<'a> {
    /// The event it is for.
    pub fn event(&self) -> Option<&'a str> {
        self.place.get(1).copied()
    }

    /// Which of the event's calls it is run for; nothing: for all.
    pub fn matcher(&self) -> Option<&'a str> {
        let matcher = self.group.iter().find(|(key, _)| *key == "matcher");
        matcher.and_then(|(_, value)| value.as_str())
    }
}

/// Our handlers in a settings file.
pub fn ours(settings: &Value) -> Vec<InstalledHandler<'_>> {
    let mut found = Vec::new();
    collect(settings, &mut Vec::new(), &[], &mut found);
    found
}

fn collect<'a>(
    value: &'a Value,
    place: &mut Vec<&'a str>,
    group: &[(&'a str, &'a Value)],
    found: &mut Vec<InstalledHandler<'a>>,
) {
    match value {
        Value::Object(handler) if is_ours(handler) => found.push(InstalledHandler {
            place: place.clone(),
            group: group.to_vec(),
            handler,
        }),
        Value::Object(members) => {
            let others = members
                .iter()
                .filter(|(key, _)| !place.is_empty() && *key != "hooks");
            let others: Vec<_> = others.map(|(key, value)| (key.as_str(), value)).collect();
            for (key, value) in members {
                place.push(key);
                collect(value, place, if key == "hooks" { &others } else { &[] }, found);
                place.pop();
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, place, group, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a handler runs our hook.
fn is_ours(handler: &Map<String, Value>) -> bool {
    let text = |key: &str| handler.get(key).and_then(Value::as_str).unwrap_or_default();
    let first = handler
        .get("args")
        .and_then(|args| args.get(0))
        .and_then(Value::as_str);
    let command = text("command");
    let program = command.split_whitespace().next().unwrap_or_default();
    let names_us = name(program.trim_matches(['"', '\''])) == "toprope"
        || name(command.trim_matches(['"', '\''])) == "toprope";
    names_us && (command.contains(" hook ") || first == Some("hook"))
}

/// What a command makes of the text of a file it writes, where that can be told.
pub fn after(seen: &CommandView<'_>, before: &str) -> Option<String> {
    if seen.is(&["sed", "gsed"]) && seen.has(&["-i", "--in-place"]) {
        return substituted(seen, before);
    }
    let input = match &seen.command.stdin {
        Stdin::Heredoc { text } => text.as_deref(),
        Stdin::HereString(word) => word.literal(),
        Stdin::Nothing | Stdin::Pipe(_) | Stdin::File(_) | Stdin::Substitution(_) => None,
    };
    if seen.is(&["tee"]) {
        return (!seen.has(&["-a", "--append"]))
            .then(|| input.map(str::to_owned))
            .flatten();
    }
    let mut writing = seen.command.redirects.iter().filter(|redirect| redirect.writes());
    let only = writing.next().filter(|_| writing.next().is_none())?;
    let printed = decode::output(&seen.command.argv, input.map(str::as_bytes))?;
    let printed = String::from_utf8(printed).ok()?;
    match only.op {
        RedirectOp::Append | RedirectOp::AppendAll => Some(format!("{before}{printed}")),
        _ => Some(printed),
    }
}

/// `sed -i 's/old/new/'` with nothing in it that a pattern would read otherwise.
fn substituted(seen: &CommandView<'_>, before: &str) -> Option<String> {
    let script = seen
        .value(&["-e", "--expression"])
        .or_else(|| seen.operands().first().map(|operand| operand.word))
        .and_then(Word::literal)?;
    let mut letters = script.strip_prefix('s')?.chars();
    let mark = letters.next()?;
    let mut parts = letters.as_str().split(mark);
    let (old, new, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let is_plain = |text: &str| !text.contains(['\\', '.', '*', '[', ']', '^', '$', '+', '?', '(', '{', '|']);
    let is_simple = is_plain(old) && !new.contains(['\\', '&']) && !old.is_empty() && parts.next().is_none();
    let times = match flags {
        "" => 1,
        "g" => usize::MAX,
        _ => return None,
    };
    let line = |line: &str| line.replacen(old, new, times);
    is_simple.then(|| before.split_inclusive('\n').map(line).collect())
}
