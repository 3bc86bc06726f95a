//! What a call writes, as its input says: the files it names for certain, or the whole tree.

use super::target::{How, Means, Wanted};
use crate::settings::LeaseSettings;
use crate::tool::{Action, ToolCall};
use std::path::{Component, Path, PathBuf};

/// What a call writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct WantedOfCall {
    /// The files it certainly writes, each once.
    pub files: Vec<Wanted>,
    /// The command that changes the whole worktree around the event's folder, as messages show it.
    pub bulk: Option<String>,
}

impl WantedOfCall {
    /// Whether it writes nothing that could be named.
    pub fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.bulk.is_none()
    }
}

/// What the call writes. Relative paths count from `cwd`; without one they are unknown.
pub fn wanted(call: &ToolCall, cwd: Option<&Path>, _settings: &LeaseSettings) -> WantedOfCall {
    let (path, how) = match call.action() {
        Action::WriteFile { path } => (path, How::Overwrite),
        Action::EditFile { path } => (path, How::Change),
        Action::RunCommand { .. }
        | Action::ReadFile { .. }
        | Action::SpawnAgent { .. }
        | Action::Other
        | Action::Unknown => return WantedOfCall::default(),
    };
    let files = absolute(path, cwd).map(|path| Wanted {
        path,
        how,
        means: Means::Tool,
    });
    WantedOfCall {
        files: files.into_iter().collect(),
        bulk: None,
    }
}

/// The path from the root, `.` and `..` resolved by their letters.
pub fn absolute(path: &Path, cwd: Option<&Path>) -> Option<PathBuf> {
    if path.as_os_str().is_empty() {
        return None;
    }
    let whole = match cwd {
        Some(cwd) => cwd.join(path),
        None => path.to_owned(),
    };
    whole.is_absolute().then(|| {
        let mut plain = PathBuf::new();
        for component in whole.components() {
            match component {
                Component::ParentDir => {
                    plain.pop();
                }
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) | Component::Normal(_) => plain.push(component),
            }
        }
        plain
    })
}
