//! The client's settings against us: a change that ends our hooks, weakens them or steers them by variables is not taken
//! while an agent works, and is never without a word; the same is told when a session starts.

use super::entries::{self, InstalledHandler};
use super::facts::{GuardFacts, WorldQuestion};
use super::message::{self, HookFault};
use super::path::{absolute, name, parent};
use crate::effect::{Audience, Effect, JobKind, NewJob, Owed};
use crate::facts::Facts;
use crate::settings::Profile;
use crate::verdict::{Advice, Judgement, Verdict};
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
pub fn questions(path: Option<&Path>, facts: &GuardFacts) -> Vec<WorldQuestion> {
    files(path, facts)
        .into_iter()
        .map(|path| WorldQuestion::Text { path })
        .filter(|asked| !facts.answers(asked))
        .collect()
}

/// Judges the change.
pub fn judge(path: Option<&Path>, facts: &Facts) -> Judgement {
    let known = facts.answers.guard.as_deref();
    let Some(wrong) = known.and_then(|known| wrong(path, known)) else {
        return Judgement::silent();
    };
    let file = path.map(|path| path.to_string_lossy()).unwrap_or_default();
    let blocks = facts.agent_is_busy;
    let repair = if !blocks {
        message::Unhooked::LetGo
    } else if facts.settings.profile == Profile::Strict && !matches!(wrong, HookFault::Variables { .. }) {
        message::Unhooked::PutBack
    } else {
        message::Unhooked::Kept
    };
    let mut always = vec![Effect::Owe(Owed {
        audience: Audience::Person,
        kind: "guard".to_owned(),
        key: "hooks-gone".to_owned(),
        text: message::unhooked(&file, &wrong, repair),
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
            Verdict::Deny(message::unhooking(&file, &wrong))
        } else {
            Verdict::Silent
        },
        always,
        granted: Vec::new(),
    }
}

/// What the person is told when a session starts: of settings that came with the repository, or were changed since.
pub fn told_at_start(facts: &Facts) -> Option<Advice> {
    let known = facts.answers.guard.as_deref()?;
    // A session in which no file calls us is none of ours: somebody else had us called.
    let text = message::wrong_at_start(&wrong(None, known)?)?;
    Some(Advice::to_person(format!("toprope: {text}"), Vec::new()))
}

/// Whether something is wrong with how the client calls us, by all files as they now stand.
pub fn has_lost_us(facts: &GuardFacts) -> bool {
    wrong(None, facts).is_some()
}

/// What the person is told after a call with which our entries went, whoever took them.
pub fn told_after(facts: &Facts) -> Option<Advice> {
    let known = facts.answers.guard.as_deref()?;
    let wrong = wrong(None, known)?;
    let lost = known.own.settings.iter().filter(|file| file.hooked).find(|file| {
        let text = known.texts.get(&file.path).and_then(Option::as_deref);
        !text.is_some_and(entries::are_in)
    });
    let lost = lost.map(|file| (file.path.as_str(), scope(&file.path, known)));
    let text = message::missed(&wrong, lost);
    Some(Advice::to_person(format!("toprope: {text}"), Vec::new()))
}

/// The scope of `toprope init` that a settings file belongs to.
fn scope(file: &str, facts: &GuardFacts) -> &'static str {
    let persons = facts.own.agent_settings.first().map(String::as_str);
    if Some(parent(file)) == persons {
        "user"
    } else if name(file) == "settings.local.json" {
        "local"
    } else {
        "project"
    }
}

/// What is wrong with how the client calls us, by all files as they now stand. What was not answered is taken as it was.
///
/// Of a file that is gone or no JSON, the client takes it that it holds no hooks.
fn wrong(path: Option<&Path>, facts: &GuardFacts) -> Option<HookFault> {
    let files = files(path, facts);
    if files.is_empty() || !files.iter().all(|file| facts.texts.contains_key(file)) {
        return None;
    }
    let settings: Vec<Value> = files
        .iter()
        .map(|file| {
            facts
                .texts
                .get(file)
                .and_then(Option::as_deref)
                .unwrap_or_default()
        })
        .map(entries::parsed)
        .collect();
    let ours: Vec<InstalledHandler<'_>> = settings.iter().flat_map(entries::ours).collect();
    let is_asked = ours.iter().any(|entry| entry.event() == Some("PreToolUse"));
    if settings.iter().any(entries::switches_off) || !is_asked {
        return Some(HookFault::Gone);
    }
    if is_weakened(&ours) {
        return Some(HookFault::Weakened);
    }
    let named = files.iter().zip(&settings).find_map(|(file, settings)| {
        let names: Vec<String> = entries::variables(settings)
            .into_iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        (!names.is_empty()).then(|| (file.clone(), names))
    });
    named.map(|(file, names)| HookFault::Variables { file, names })
}

/// Seconds below which a machine under load could not answer; `init` writes no less.
const SHORTEST: f64 = 10.0;

/// What makes a handler run sometimes, later, or otherwise.
const CONDITIONS: [&str; 5] = ["if", "async", "asyncRewake", "once", "shell"];

/// Whether an entry of ours does less than the one `init` writes. Of two equal entries the client takes the later one, so
/// each of them counts.
fn is_weakened(ours: &[InstalledHandler<'_>]) -> bool {
    let limps = |entry: &InstalledHandler<'_>| {
        let timeout = entry.handler.get("timeout");
        timeout.is_some_and(|timeout| timeout.as_f64().is_none_or(|seconds| seconds < SHORTEST))
            || CONDITIONS.iter().any(|key| entry.handler.contains_key(*key))
    };
    let fits_all = |entry: &InstalledHandler<'_>| matches!(entry.matcher(), None | Some("" | "*"));
    let before: Vec<&InstalledHandler<'_>> = ours
        .iter()
        .filter(|entry| entry.event() == Some("PreToolUse"))
        .collect();
    // In `strict` one entry is for shells, and another one for the rest.
    let is_rest = |entry: &&InstalledHandler<'_>| {
        let rest = entry
            .matcher()
            .and_then(|matcher| matcher.strip_prefix("^(?!(?:"));
        let rest = rest.and_then(|rest| rest.strip_suffix(")$)"));
        rest.is_some_and(|rest| before.iter().any(|other| other.matcher() == Some(rest)))
    };
    let is_covered = before.iter().any(|entry| fits_all(entry)) || before.iter().any(is_rest);
    ours.iter().any(limps) || !is_covered
}

/// The changed file first, then the others.
fn files(path: Option<&Path>, facts: &GuardFacts) -> Vec<String> {
    let changed = path.and_then(Path::to_str).and_then(|path| absolute(path, None));
    if path.is_some() && changed.is_none() {
        return Vec::new();
    }
    let folders = facts.own.agent_settings.iter();
    let others = folders.flat_map(|folder| FILES.map(|file| format!("{folder}/{file}")));
    let mut files: Vec<String> = changed.into_iter().collect();
    for file in others {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

#[cfg(test)]
mod tests;
