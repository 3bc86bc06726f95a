//! A change of the client's settings that ends our hooks: not while an agent works, and never without a word.

use super::facts::{Asked, GuardFacts};
use super::message;
use super::path::{absolute, name};
use crate::effect::{Audience, Effect, JobKind, NewJob, Owed};
use crate::facts::Facts;
use crate::settings::Profile;
use crate::verdict::{Judgement, Verdict};
use serde_json::Value;
use std::path::Path;

/// The files the client reads its hooks from, below its settings folder or a project's.
const FILES: [&str; 2] = ["settings.json", "settings.local.json"];

/// Whether a change of this file can end our hooks.
pub fn concerns(path: Option<&Path>) -> bool {
    path.and_then(Path::to_str)
        .is_some_and(|path| FILES.contains(&name(path)))
}

/// The texts that tell whether our hooks are still called: every file the client takes them from.
pub fn questions(path: Option<&Path>, facts: &GuardFacts) -> Vec<Asked> {
    files(path, facts)
        .into_iter()
        .map(|path| Asked::Text { path })
        .filter(|asked| !facts.answers(asked))
        .collect()
}

/// Judges the change.
pub fn judge(path: Option<&Path>, facts: &Facts) -> Judgement {
    let known = facts.answers.guard.as_deref();
    let ended = known.is_some_and(|known| ends_ours(path, known));
    if !ended {
        return Judgement::silent();
    }
    let file = path.map(|path| path.to_string_lossy()).unwrap_or_default();
    let blocks = facts.agent_is_busy;
    let repair = if !blocks {
        message::Unhooked::LetGo
    } else if facts.settings.profile == Profile::Strict {
        message::Unhooked::PutBack
    } else {
        message::Unhooked::Kept
    };
    let mut always = vec![Effect::Owe(Owed {
        audience: Audience::Person,
        kind: "guard".to_owned(),
        key: "hooks-gone".to_owned(),
        text: message::unhooked(&file, repair),
    })];
    // The client only postpones the change: what it reads next must call us again.
    if repair == message::Unhooked::PutBack {
        always.push(Effect::Job(NewJob {
            kind: JobKind::PutHooksBack,
            key: file.clone().into_owned(),
        }));
    }
    Judgement {
        verdict: if blocks {
            Verdict::Deny(message::unhooking(&file))
        } else {
            Verdict::Silent
        },
        always,
        granted: Vec::new(),
    }
}

/// Whether no file has us asked before calls any more, or hooks are switched off. What was not answered is taken as it was.
///
/// Of a file that is gone or no JSON, the client takes it that it holds no hooks.
fn ends_ours(path: Option<&Path>, facts: &GuardFacts) -> bool {
    let files = files(path, facts);
    if files.is_empty() || !files.iter().all(|file| facts.texts.contains_key(file)) {
        return false;
    }
    let settings: Vec<Value> = files
        .iter()
        .filter_map(|file| facts.texts.get(file)?.as_deref())
        .filter_map(|text| serde_json::from_str(text).ok())
        .collect();
    let is_off = |settings: &Value| settings.get("disableAllHooks") == Some(&Value::Bool(true));
    settings.iter().any(is_off) || !settings.iter().any(asks_us)
}

/// Whether a handler in these settings is our hook.
pub(super) fn calls_us(settings: &Value) -> bool {
    match settings {
        Value::Object(entries) => {
            let text = |key: &str| entries.get(key).and_then(Value::as_str).unwrap_or_default();
            let first = entries
                .get("args")
                .and_then(|args| args.get(0))
                .and_then(Value::as_str);
            let command = text("command");
            let program = command.split_whitespace().next().unwrap_or_default();
            let is_ours = name(program.trim_matches(['"', '\''])) == "toprope"
                || name(command.trim_matches(['"', '\''])) == "toprope";
            let is_hook = command.contains(" hook ") || first == Some("hook");
            (is_ours && is_hook) || entries.values().any(calls_us)
        }
        Value::Array(items) => items.iter().any(calls_us),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether our hook is asked before calls: without that nothing is stopped.
fn asks_us(settings: &Value) -> bool {
    let before = settings.get("hooks").and_then(|hooks| hooks.get("PreToolUse"));
    before.is_some_and(calls_us)
}

/// The changed file first, then the others.
fn files(path: Option<&Path>, facts: &GuardFacts) -> Vec<String> {
    let Some(changed) = path.and_then(Path::to_str).and_then(|path| absolute(path, None)) else {
        return Vec::new();
    };
    let folders = facts.own.agent_settings.iter();
    let others = folders.flat_map(|folder| FILES.map(|file| format!("{folder}/{file}")));
    let mut files = vec![changed];
    for file in others {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

#[cfg(test)]
mod tests;
