//! Which files a shell command changed, as the client reports it with the command's answer (`bashEditDiff`).

use super::payload::{self, field};
use engine::event::ChangedFiles;
use engine::tool::{Action, ToolCall};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::path::PathBuf;

/// Most files taken from one answer; a command that changes more is looked after by a scan.
const MOST_PATHS: usize = 10_000;

/// The changed files, where the answer to a shell command names any.
pub(super) fn files(call: &ToolCall, response: &Value) -> Option<ChangedFiles> {
    let Action::RunCommand { background, .. } = call.action() else {
        return None;
    };
    let response = response.as_object()?;
    let report = field(response, "bash_edit_diff")?.as_object()?;
    let mut list = PathSet::default();
    list.add_all(report, "changed_files", Value::as_str);
    list.add_all(report, "files", |file| {
        field(file.as_object()?, "file_path")?.as_str()
    });
    let left_out = field(report, "more_files").is_some_and(|count| count.as_u64() != Some(0));
    // Something could not be read, the client did not compare at all, or calls of two agents overlapped and each report
    // has the other's files too: whatever it says beside the lists is a reason not to believe that they are all.
    let is_unsure = report.iter().any(|(word, value)| {
        let is_list = [
            "files",
            "changedFiles",
            "changed_files",
            "moreFiles",
            "more_files",
        ]
        .contains(&word.as_str());
        !is_list && *value != Value::Bool(false)
    });
    Some(ChangedFiles {
        complete: list.complete && !is_unsure && !left_out && !background && !goes_on(response),
        paths: list.paths,
    })
}

/// Whether the command outlived its answer or was cut short: it may write what the report cannot know.
fn goes_on(response: &Map<String, Value>) -> bool {
    field(response, "interrupted").is_some_and(|value| *value != Value::Bool(false))
        || field(response, "background_task_id").is_some()
}

/// The id of a command that goes on in the background, which its answer names.
pub(super) fn background_task(response: &Value) -> Option<String> {
    let response = response.as_object()?;
    // A monitor's answer calls it otherwise.
    let id = field(response, "background_task_id").or_else(|| field(response, "task_id"))?;
    payload::id(id.as_str()?.to_owned())
}

/// Paths as they are found, each once.
struct PathSet {
    paths: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    complete: bool,
}

impl Default for PathSet {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            seen: HashSet::new(),
            complete: true,
        }
    }
}

impl PathSet {
    /// Takes the paths of one list of the report; what is no path makes the list incomplete.
    fn add_all(&mut self, report: &Map<String, Value>, name: &str, path: fn(&Value) -> Option<&str>) {
        let Some(entries) = field(report, name) else {
            return;
        };
        let Some(entries) = entries.as_array() else {
            self.complete = false;
            return;
        };
        for entry in entries {
            match path(entry).filter(|path| !path.is_empty()) {
                Some(path) => self.add(PathBuf::from(path)),
                None => self.complete = false,
            }
        }
    }

    fn add(&mut self, path: PathBuf) {
        if self.seen.contains(&path) {
            return;
        }
        if self.paths.len() >= MOST_PATHS {
            self.complete = false;
            return;
        }
        self.seen.insert(path.clone());
        self.paths.push(path);
    }
}

#[cfg(test)]
mod tests;
