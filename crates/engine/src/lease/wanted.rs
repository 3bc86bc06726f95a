//! What a call writes, as its input says: the files it names for certain, or the whole tree.

mod command;
mod globbing;
mod sweep;
mod tool;

pub use command::ReadingContext;
pub use globbing::WantedPattern;
pub use sweep::ReachedPatterns;

use super::scope::BulkScope;
use super::target::{FileChangeKind, Means, WantedFile};
use crate::settings::LeaseSettings;
use crate::tool::{Action, ToolCall};
use shell::Committing;
use std::path::{Component, Path, PathBuf};

/// Most files of one call; a command that names more is judged by what it did.
const MOST_FILES: usize = 256;

/// What a call writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct WantedOfCall {
    /// The files it certainly writes, each once, sorted.
    pub files: Vec<WantedFile>,
    /// Patterns of the shell: it writes every file that is there and fits.
    pub patterns: Vec<WantedPattern>,
    /// The command that changes a whole worktree or parts of it, as messages show it.
    pub bulk: Option<String>,
    /// The parts that it changes; empty if it is all of the worktree.
    pub bulk_scopes: Vec<BulkScope>,
    /// The folder that command runs in, absolute; `None` if it is not known.
    pub bulk_at: Option<PathBuf>,
    /// It commits, and takes along what changed in a worktree.
    pub commit: Option<Box<Committing>>,
}

impl WantedOfCall {
    /// Whether it writes nothing that could be named.
    pub fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.patterns.is_empty() && self.bulk.is_none() && self.commit.is_none()
    }

    /// Whether it names a file for certain: itself, by its folder, or by a pattern.
    pub fn names(&self, path: &Path) -> bool {
        let is_named = |file: &WantedFile| {
            let into = file.into.as_ref().map(|name| file.path.join(name));
            file.path == path || into.as_deref() == Some(path)
        };
        let inside = path.to_str().map(|path| path.trim_start_matches('/'));
        let reached = || inside.is_some_and(|inside| self.reached(Path::new("/")).how(inside).is_some());
        self.files.iter().any(is_named) || reached()
    }

    /// Notes a file, once, with the most that happens to it.
    fn add(&mut self, file: WantedFile) {
        let is_full = self.files.len() >= MOST_FILES;
        let same = |known: &&mut WantedFile| known.path == file.path && known.into == file.into;
        match self.files.iter_mut().find(same) {
            Some(known) => {
                known.how = worse(known.how, file.how);
                known.below |= file.below;
                known.background |= file.background;
            }
            None if is_full => {}
            None => self.files.push(file),
        }
    }
}

/// What the call writes. Relative paths count from `cwd`; without one they are unknown.
pub fn wanted(
    call: &ToolCall,
    cwd: Option<&Path>,
    settings: &LeaseSettings,
    reading: &ReadingContext<'_>,
) -> WantedOfCall {
    let mut found = WantedOfCall::default();
    let mut file = |path: &Path, how: FileChangeKind| {
        if let Some(path) = absolute(path, cwd) {
            found.add(WantedFile::file(path, how, Means::Tool));
        }
    };
    match call.action() {
        _ if let Some(named) = tool::declared(call, settings) => {
            for (path, how) in named {
                file(&path, how);
            }
        }
        Action::WriteFile { path } => file(path, FileChangeKind::Overwrite),
        Action::EditFile { path } => file(path, FileChangeKind::Change),
        Action::RunCommand { command, background } => {
            let mut found = reading.wanted((call, command), cwd, settings);
            for file in &mut found.files {
                file.background |= *background;
            }
            // A server's tool may name files beside its command.
            for (path, how) in tool::by_name(call) {
                if let Some(path) = absolute(&path, cwd) {
                    found.add(WantedFile::file(path, how, Means::Tool));
                }
            }
            return found;
        }
        Action::Unknown => {
            for (path, how) in tool::by_name(call) {
                file(&path, how);
            }
        }
        Action::ReadFile { .. } | Action::SpawnAgent { .. } | Action::Other => {}
    }
    found.files.sort_by(|one, two| one.path.cmp(&two.path));
    found
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

/// Replacing a whole file counts for more than losing it, and that for more than changing it.
fn worse(one: FileChangeKind, two: FileChangeKind) -> FileChangeKind {
    match (one, two) {
        (FileChangeKind::Overwrite, _) | (_, FileChangeKind::Overwrite) => FileChangeKind::Overwrite,
        (FileChangeKind::Remove, _) | (_, FileChangeKind::Remove) => FileChangeKind::Remove,
        (FileChangeKind::Change, FileChangeKind::Change) => FileChangeKind::Change,
    }
}

#[cfg(test)]
mod tests;
