//! The person's own rule files: `guard/*.toml` beside their `config.toml`.

use super::merge::Merge;
use super::problem::{SettingsProblem, shown};
use super::source::{FileStamp, bytes};
use engine::settings::RuleLayer;
use std::path::{Path, PathBuf};

/// Files of rules that are read.
const MOST_FILES: usize = 64;

impl Merge<'_> {
    /// Adds the rule files beside the user's settings, by name. A file that came or went shows in the folder's stamp.
    pub(super) fn add_rule_files(&mut self, user: &Path, stamps: &mut Vec<FileStamp>) {
        let Some(folder) = user.parent().map(|folder| folder.join("guard")) else {
            return;
        };
        stamps.push(FileStamp::of(&folder));
        let files = rule_files(&folder);
        if files.len() > MOST_FILES {
            let message = format!("holds more than {MOST_FILES} files of rules; the others do not count");
            self.problems.push(SettingsProblem::with_file(&folder, message));
        }
        for path in files.into_iter().take(MOST_FILES) {
            stamps.push(FileStamp::of(&path));
            let text = match bytes(&path) {
                Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| {
                    SettingsProblem::with_file(&path, "is not UTF-8 text, so its rules do not count")
                }),
                Ok(None) => continue,
                Err(problem) => Err(problem),
            };
            match text {
                Ok(text) => self.guard.add_file(RuleLayer::User, shown(&path), &text),
                Err(problem) => self.problems.push(problem),
            }
        }
    }
}

/// The files of rules in a folder, by name.
fn rule_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    files
}
