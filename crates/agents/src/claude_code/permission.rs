//! Where the client keeps permission rules, and how they are written: `Bash`, `Bash(git push:*)`, `Bash(rm *)`.

use crate::permission::{
    Folders, PermissionRule, PermissionRules, RuleTarget, SettingsSources, Speech, one_blank,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// More rules are not read: whoever has so many is warned by none of them.
const MOST: usize = 4096;
/// A longer rule is none a person wrote.
const LONGEST: usize = 4096;

/// The settings of the machine's administrator.
fn managed() -> &'static Path {
    Path::new(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else {
        "/etc/claude-code"
    })
}

/// Every settings file the client reads: the administrator's, the person's, the project's, the person's own for the
/// project, which newer versions keep in the main worktree.
pub(super) fn sources(folders: &Folders<'_>) -> SettingsSources {
    let mut files = vec![managed().join("managed-settings.json")];
    files.extend(folders.config.map(|config| config.join("settings.json")));
    let mut projects: Vec<&Path> = Vec::new();
    let named = [folders.project, folders.worktree, folders.main_worktree];
    for project in named.into_iter().flatten() {
        if !projects.contains(&project) {
            projects.push(project);
        }
    }
    for project in projects {
        let folder = project.join(".claude");
        if folders.config != Some(folder.as_path()) {
            files.push(folder.join("settings.json"));
        }
        files.push(folder.join("settings.local.json"));
    }
    SettingsSources {
        files,
        folders: vec![managed().join("managed-settings.d")],
    }
}

/// The rules of one settings file. What is not JSON has none: the client does not read it either.
pub(super) fn rules(settings: &[u8]) -> PermissionRules {
    let settings: Value = serde_json::from_slice(settings).unwrap_or_default();
    let permissions = settings.get("permissions");
    let of = |key: &str, speech: Speech| {
        let listed = permissions
            .and_then(|permissions| permissions.get(key))
            .and_then(Value::as_array);
        listed
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter_map(move |text| rule(speech, text))
            .take(MOST)
    };
    PermissionRules::of(of("deny", Speech::Deny).chain(of("ask", Speech::Ask)).collect())
}

fn rule(speech: Speech, text: &str) -> Option<PermissionRule> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.len() > LONGEST {
        return None;
    }
    let (tool, about) = match trimmed.split_once('(') {
        None => (trimmed, RuleTarget::Every),
        Some((tool, rest)) => (tool, about(rest.strip_suffix(')').unwrap_or(rest))),
    };
    Some(PermissionRule::new(speech, trimmed, tool.trim(), about))
}

fn about(written: &str) -> RuleTarget {
    let written = one_blank(written.trim());
    let written = written.as_str();
    if written.is_empty() || written == "*" {
        return RuleTarget::Every;
    }
    if let Some(words) = written.strip_suffix(":*").filter(|words| !words.contains('*')) {
        return RuleTarget::Words(plain(words));
    }
    // A last `*` behind a blank is about the words alone, too.
    if let Some(words) = written.strip_suffix(" *").filter(|words| !words.contains('*')) {
        return RuleTarget::Words(plain(words));
    }
    RuleTarget::Pieces(pieces(
        written
            .strip_suffix(":*")
            .map_or(written.to_owned(), |open| format!("{open}*"))
            .as_str(),
    ))
}

/// What is between the stars. A backslash makes the next letter plain.
fn pieces(written: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut letters = written.chars();
    while let Some(letter) = letters.next() {
        let next = match letter {
            '*' => {
                pieces.push(String::new());
                continue;
            }
            '\\' => letters.next().unwrap_or('\\'),
            plain => plain,
        };
        if let Some(piece) = pieces.last_mut() {
            piece.push(next);
        }
    }
    pieces
}

fn plain(words: &str) -> String {
    pieces(words).concat()
}

/// The folder of the person's settings.
pub(super) fn config_folder(home: Option<&Path>, said: Option<&Path>) -> Option<PathBuf> {
    said.map(Path::to_path_buf)
        .or_else(|| home.map(|home| home.join(".claude")))
}

#[cfg(test)]
mod tests;
