//! Looks at the files a call shows to its reader, and says of which it shows the whole.

use super::content::lines;
use super::locating::locate;
use super::looking::{Looker, MEBIBYTE, PATIENCE};
use crate::pipeline::PipelineContext;
use engine::lease::{FileChangeKind, FileTarget, LeaseAnswers, Means, WantedFile};
use shell::extent::ReadExtent;
use shell::{Shown, ShownFile, name_fits};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The client keeps the rest of what a command prints from the agent.
const MOST_PRINTED: u64 = 30_000;
/// Files that one pattern stands for; of more, nothing is known.
const MOST_FITTING: usize = 64;
/// Names in folders that are looked at for one pattern.
const MOST_NAMES: usize = 4_000;

impl PipelineContext {
    /// The files a call reads: what its reader is about to see.
    pub(in crate::pipeline) fn look_at_read(
        &self,
        shown: &[Shown],
        means: Means,
        looker: Looker<'_>,
        answers: &mut LeaseAnswers,
    ) {
        let until = Instant::now() + PATIENCE;
        let mut left = match means {
            Means::Tool => MEBIBYTE,
            Means::Shell => MOST_PRINTED,
        };
        for shown in shown {
            for path in paths(&shown.file) {
                let Some(located) = locate(&path, looker.place, self) else {
                    continue;
                };
                let real = located.real.clone();
                let file = WantedFile::file(path, FileChangeKind::Change, Means::Tool);
                let target = self.target(located, &file, looker, until);
                let is_whole = is_whole(&real, &target, shown.extent, means, &mut left);
                let found = if is_whole {
                    &mut answers.read
                } else {
                    &mut answers.glimpsed
                };
                found.push(target);
            }
        }
    }
}

/// Whether all of a file is shown. Only what is shown by lines has to be counted.
fn is_whole(path: &Path, target: &FileTarget, extent: ReadExtent, means: Means, left: &mut u64) -> bool {
    let size = target.stamp.map_or(0, |stamp| stamp.size);
    match (extent, means) {
        (ReadExtent::Part, _) => false,
        // The tool says itself where it stops.
        (ReadExtent::Whole, Means::Tool) => true,
        (ReadExtent::Whole | ReadExtent::Lines { .. } | ReadExtent::LastLines(_), _) => {
            let Some(rest) = left.checked_sub(size) else {
                return false;
            };
            *left = rest;
            extent == ReadExtent::Whole || lines(path, size).is_some_and(|lines| extent.covers(lines))
        }
    }
}

fn paths(file: &ShownFile) -> Vec<PathBuf> {
    match file {
        ShownFile::Path(path) => vec![path.clone()],
        ShownFile::Pattern { folder, pattern } => fitting(folder, pattern).unwrap_or_default(),
    }
}

/// What is there and fits a pattern of the shell; `None` if that is too much to look at.
fn fitting(folder: &Path, pattern: &str) -> Option<Vec<PathBuf>> {
    let mut found = vec![folder.to_owned()];
    let mut left = MOST_NAMES;
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for folder in &found {
            if part.contains(['*', '?', '[']) {
                next.extend(names(folder, part, &mut left)?);
            } else {
                let path = folder.join(part.replace('\\', ""));
                next.extend(path.symlink_metadata().is_ok().then_some(path));
            }
        }
        if next.len() > MOST_FITTING {
            return None;
        }
        found = next;
    }
    Some(found)
}

fn names(folder: &Path, pattern: &str, left: &mut usize) -> Option<Vec<PathBuf>> {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return Some(Vec::new());
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        *left = left.checked_sub(1)?;
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name_fits(pattern, name)) {
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_what_the_shell_would_take() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "a.txt", "b.txt", ".c.txt", "d.rs", "x/e.txt", "y/e.txt", "y/f.txt",
        ] {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs_err::write(path, "").expect("a file");
        }
        let of = |pattern: &str| -> Vec<String> {
            let found = fitting(folder.path(), pattern).expect("few files");
            let name = |path: &PathBuf| path.strip_prefix(folder.path()).ok()?.to_str().map(str::to_owned);
            found.iter().filter_map(name).collect()
        };
        assert_eq!(of("*.txt"), ["a.txt", "b.txt"]);
        assert_eq!(of(".*.txt"), [".c.txt"]);
        assert_eq!(of("*/e.txt"), ["x/e.txt", "y/e.txt"]);
        assert_eq!(of("./y/[ef].tx?"), ["y/e.txt", "y/f.txt"]);
        assert_eq!(of("none*"), [""; 0]);
    }
}
