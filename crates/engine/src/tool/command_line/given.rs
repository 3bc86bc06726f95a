//! What a command line is given beside its words: variables, and what it reads.

use super::{OPTIONS, field};
use crate::text::word;
use crate::tool::ToolInput;
use serde_json::Value;

/// Keys of variables.
const VARIABLES: [&str; 6] = [
    "env",
    "environment",
    "envs",
    "envvars",
    "environmentvariables",
    "variables",
];

/// Keys of what a program reads.
const INPUTS: [&str; 3] = ["stdin", "input", "standardinput"];

/// The lines that set an object's variables.
pub(super) fn exports(input: &ToolInput) -> Vec<String> {
    let options = OPTIONS
        .into_iter()
        .filter_map(|key| field(input, key)?.as_object());
    let objects = std::iter::once(input).chain(options);
    let values = objects.flat_map(|object| VARIABLES.into_iter().filter_map(|key| field(object, key)));
    values.flat_map(pairs).collect()
}

fn pairs(value: &Value) -> Vec<String> {
    let export = |name: &str, value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let is_plain = !name.is_empty() && name.chars().all(is_name);
        is_plain.then(|| format!("export {name}={}", word(text)))
    };
    match value {
        Value::Object(members) => members
            .iter()
            .filter_map(|(name, value)| export(name, value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::String(text) => {
                    let (name, value) = text.split_once('=')?;
                    export(name, &Value::from(value))
                }
                Value::Object(pair) => {
                    let name = ["name", "key"]
                        .into_iter()
                        .find_map(|key| field(pair, key)?.as_str());
                    export(name?, field(pair, "value")?)
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// What an object's program reads, as it stands behind the program.
pub(super) fn read(input: &ToolInput) -> Option<String> {
    let mut texts = INPUTS.into_iter().filter_map(|key| field(input, key)?.as_str());
    texts.next().map(|text| format!(" <<< {}", word(text)))
}
