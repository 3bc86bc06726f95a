//! The commit that a file comes from, where git put it there and no agent wrote it.

use ::daemon::environment::Environment;
use engine::text::one_line;
use git::run::{Git, Limits};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// A commit that changed one file is found in its branch's history; a longer one is not waited for.
const TIME: Duration = Duration::from_secs(3);

/// Which commit brought what is at a path now; nothing where it differs from what is committed, or where the newest kept
/// version is the same, and so says who wrote it.
pub fn brought(environment: &Environment, root: &Path, path: &Path, newest: Option<&str>) -> Option<String> {
    let environment = git::run::Environment {
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
    let id = ask(&["rev-parse", "--verify", "--quiet"], committed)?;
    if newest == Some(id.trim_end()) {
        return None;
    }
    let differs = ["--literal-pathspecs", "diff", "--name-only", "HEAD", "--"];
    if !ask(&differs, path.into())?.is_empty() {
        return None;
    }
    let last = ["--literal-pathspecs", "log", "-1", "--format=%h %s", "HEAD", "--"];
    let told = ask(&last, path.into())?;
    let (short, subject) = told.trim_end().split_once(' ')?;
    Some(format!(
        "by git, with commit {short} \"{}\"",
        one_line(subject, 72)
    ))
}
