//! Which files the settings cover: `include` without `exclude`.

use crate::settings::LeaseSettings;

/// Whether a path, relative to its worktree (or absolute outside all of them), is covered.
pub fn covers(_settings: &LeaseSettings, path: &str) -> bool {
    !(path == ".git" || path.starts_with(".git/"))
}
