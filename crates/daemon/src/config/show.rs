//! What `config show` and `config check` print.

use super::layer::Origin;
use super::{Loaded, Problem};
use engine::settings::{KEYS, Key};
use engine::text::one_line;
use serde_json::{Map, Value, json};

/// The settings in force as lines of TOML; with `origin`, each followed by where it came from.
pub fn show_text(loaded: &Loaded, origin: bool) -> String {
    let line = |key: &Key| {
        let value = key.value(&loaded.settings).to_string();
        format!("{} = {}", key.name, one_line(&value, usize::MAX - 8))
    };
    let lines: Vec<String> = KEYS.iter().map(line).collect();
    let width = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or_default();
    let origin = |key: &Key| loaded.origins.get(key.name).filter(|_| origin);
    KEYS.iter()
        .zip(lines)
        .map(|(key, line)| match origin(key) {
            Some(origin) => format!("{line:width$}  # {origin}\n"),
            None => format!("{line}\n"),
        })
        .collect()
}

/// The same as one JSON object: `settings` by dotted key, `origins` if asked, and `problems`.
pub fn show_json(loaded: &Loaded, origin: bool) -> String {
    let mut shown = Map::new();
    let settings = by_key(|key| json!(key.value(&loaded.settings)));
    shown.insert("settings".to_owned(), settings);
    if origin {
        let origins = by_key(|key| loaded.origins.get(key.name).map_or(Value::Null, origin_json));
        shown.insert("origins".to_owned(), origins);
    }
    let problems: Vec<Value> = loaded.problems.iter().map(problem_json).collect();
    shown.insert("problems".to_owned(), problems.into());
    format!("{:#}\n", Value::Object(shown))
}

/// The problems as warnings, for stderr or `config check`; empty if there are none.
pub fn show_problems(loaded: &Loaded) -> String {
    let told: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    told.iter()
        .flat_map(|problem| ["warning: ", problem, "\n"])
        .collect()
}

fn by_key(value: impl Fn(&Key) -> Value) -> Value {
    KEYS.iter()
        .map(|key| (key.name.to_owned(), value(key)))
        .collect::<Map<String, Value>>()
        .into()
}

fn origin_json(origin: &Origin) -> Value {
    let layer = origin.layer().word();
    match origin {
        Origin::BuiltIn { profile } => json!({ "layer": layer, "profile": profile.word() }),
        Origin::File {
            path, line, column, ..
        } => json!({ "layer": layer, "file": path.to_string_lossy(), "line": line, "column": column }),
        Origin::Environment { variable } => json!({ "layer": layer, "variable": variable }),
    }
}

fn problem_json(problem: &Problem) -> Value {
    json!({
        "file": problem.file.as_ref().map(|path| path.to_string_lossy()),
        "line": problem.line,
        "column": problem.column,
        "key": problem.key,
        "message": problem.message,
        "hint": problem.hint,
    })
}

#[cfg(test)]
mod tests;
