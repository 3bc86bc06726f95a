//! What the client tells of a command that ended.

use super::files::{Files, files};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is told of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// All files that changed.
    Listed,
    /// Nothing.
    Silent,
    /// Nothing, because it failed.
    Failing,
    /// Nothing, because it goes on.
    Background,
    /// It only reads, and what the person saved meanwhile is listed.
    Reading,
}

fn silent() -> Value {
    json!({ "stdout": "", "stderr": "", "interrupted": false })
}

pub(super) fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

/// What the client says of a command that ended, and by which event.
pub(super) fn answer(root: &Path, call: &mut Value, how: How, before: &Files) -> &'static str {
    match how {
        How::Failing => {
            set(call, "error", json!("exit 1"));
            return "PostToolUseFailure";
        }
        How::Silent => set(call, "tool_response", silent()),
        How::Background => {
            let told = json!({ "stdout": "", "backgroundTaskId": "b1" });
            set(call, "tool_response", told);
        }
        // The difference of two snapshots, whoever made it; modes are not compared.
        How::Listed | How::Reading => {
            let after = files(root);
            let names = before.keys().chain(after.keys()).collect::<BTreeSet<_>>();
            let bytes = |files: &Files, name: &PathBuf| files.get(name).map(|(_, bytes)| bytes.clone());
            let changed = names
                .into_iter()
                .filter(|name| bytes(before, name) != bytes(&after, name))
                .map(|name| root.join(name));
            let list = json!({ "files": [], "moreFiles": 0, "changedFiles": changed.collect::<Vec<_>>() });
            let mut told = silent();
            set(&mut told, "bashEditDiff", list);
            set(call, "tool_response", told);
        }
    }
    "PostToolUse"
}
