//! The commit that a file comes from, or went with, where git did that and no agent.

use ::daemon::environment::Environment;
use engine::text::one_line;
use git::run::{Git, Limits};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use store::table::checkpoint_files::{CheckpointFileChange, FileRow};

/// A commit that changed one file is found in its branch's history; a longer one is not waited for.
const TIME: Duration = Duration::from_secs(3);

/// What git did to a path last.
pub struct LastCommit {
    /// Whether that was to take it away.
    pub is_deletion: bool,
    /// With which commit.
    pub told: String,
}

/// Which commit brought what is at a path now, or took it away; nothing where the worktree differs from what is committed,
/// or where the newest change that was kept is the same, and so says whose doing it was.
pub fn last(
    environment: &Environment,
    root: &Path,
    path: &Path,
    newest: Option<&FileRow>,
) -> Option<LastCommit> {
    let environment = git::run::GitEnvironment {
        path: environment.value("PATH").cloned().unwrap_or_default(),
        home: environment.value("HOME").cloned(),
    };
    let git = Git::new(root, &environment);
    let ask = |words: &[&str], path: OsString| {
        let words = words.iter().map(OsString::from).chain([path]);
        let told = git.run(&words.collect::<Vec<_>>(), Limits::within(TIME)).ok()?;
        String::from_utf8(told).ok()
    };
    let mut committed = OsString::from("HEAD:");
    committed.push(path);
    let committed = ask(&["rev-parse", "--verify", "--quiet"], committed);
    let is_known = match (&committed, newest) {
        (Some(id), Some(row)) => {
            let kept = row.file.after.as_ref();
            kept.is_some_and(|kept| kept.id == id.trim_end())
        }
        (None, Some(row)) => row.file.change == CheckpointFileChange::Deleted,
        (_, None) => false,
    };
    if is_known {
        return None;
    }
    let differs = ["--literal-pathspecs", "diff", "--name-only", "HEAD", "--"];
    let differs = match &committed {
        Some(_) => !ask(&differs, path.into())?.is_empty(),
        None => fs_err::symlink_metadata(root.join(path)).is_ok(),
    };
    if differs {
        return None;
    }
    let last = ["--literal-pathspecs", "log", "-1", "--format=%h %s", "HEAD", "--"];
    let told = ask(&last, path.into())?;
    let (short, subject) = told.trim_end().split_once(' ')?;
    Some(LastCommit {
        is_deletion: committed.is_none(),
        told: format!("by git, with commit {short} \"{}\"", one_line(subject, 72)),
    })
}
