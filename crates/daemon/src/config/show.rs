//! What `config show` and `config check` print.

use super::layer::SettingOrigin;
use super::{LoadedSettings, SettingsProblem};
use engine::settings::{KEYS, SettingKey};
use engine::text::one_line;
use serde_json::{Map, Value, json};

/// Lines up to this many characters have their origins below each other.
const WIDEST: usize = 80;

/// The settings in force as lines of TOML; with `origin`, each followed by where it came from.
pub fn show_text(loaded: &LoadedSettings, origin: bool) -> String {
    let line = |key: &SettingKey| {
        let value = key.value(&loaded.settings).to_string();
        format!("{} = {}", key.name, one_line(&value, usize::MAX - 8))
    };
    let mut lines: Vec<(String, Option<&SettingOrigin>)> = KEYS
        .iter()
        .map(|key| (line(key), loaded.origins.get(key.name)))
        .collect();
    lines.extend(loaded.open.iter().map(|(name, value, origin)| {
        let line = format!("{name} = {}", inline(value));
        (one_line(&line, usize::MAX - 8), Some(origin))
    }));
    // One long list does not push the origins of all others off the screen.
    let width = lines
        .iter()
        .map(|(line, _)| line.chars().count())
        .filter(|width| *width <= WIDEST)
        .max()
        .unwrap_or_default();
    lines
        .into_iter()
        .map(|(line, from)| match from.filter(|_| origin) {
            Some(origin) => format!("{line:width$}  # {origin}\n"),
            None => format!("{line}\n"),
        })
        .collect()
}

/// The same as one JSON object: `settings` by dotted key, `origins` if asked, and `problems`.
pub fn show_json(loaded: &LoadedSettings, origin: bool) -> String {
    let mut shown = Map::new();
    let mut settings = by_key(|key| json!(key.value(&loaded.settings)));
    for (name, value, _) in &loaded.open {
        insert(&mut settings, name, value.clone());
    }
    shown.insert("settings".to_owned(), settings);
    if origin {
        let mut origins = by_key(|key| loaded.origins.get(key.name).map_or(Value::Null, origin_json));
        for (name, _, origin) in &loaded.open {
            insert(&mut origins, name, origin_json(origin));
        }
        shown.insert("origins".to_owned(), origins);
    }
    let problems: Vec<Value> = loaded.problems.iter().map(problem_json).collect();
    shown.insert("problems".to_owned(), problems.into());
    format!("{:#}\n", Value::Object(shown))
}

/// The problems as warnings, for stderr or `config check`; empty if there are none.
pub fn show_problems(loaded: &LoadedSettings) -> String {
    let told: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    told.iter()
        .flat_map(|problem| ["warning: ", problem, "\n"])
        .collect()
}

fn by_key(value: impl Fn(&SettingKey) -> Value) -> Value {
    KEYS.iter()
        .map(|key| (key.name.to_owned(), value(key)))
        .collect::<Map<String, Value>>()
        .into()
}

fn insert(into: &mut Value, name: &str, value: Value) {
    if let Value::Object(into) = into {
        into.insert(name.to_owned(), value);
    }
}

/// A value of an open table as TOML writes it in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

fn origin_json(origin: &SettingOrigin) -> Value {
    let layer = origin.layer().word();
    match origin {
        SettingOrigin::BuiltIn { profile } => json!({ "layer": layer, "profile": profile.word() }),
        SettingOrigin::File {
            path, line, column, ..
        } => json!({ "layer": layer, "file": path.to_string_lossy(), "line": line, "column": column }),
    }
}

fn problem_json(problem: &SettingsProblem) -> Value {
    json!({
        "file": problem.file.to_string_lossy(),
        "line": problem.line,
        "column": problem.column,
        "key": problem.key,
        "message": problem.message,
        "hint": problem.hint,
    })
}

#[cfg(test)]
mod tests;
