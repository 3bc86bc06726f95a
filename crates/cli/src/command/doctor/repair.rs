//! Repairs what can be repaired without a decision of the person: entries that are there but wrong, the daemon, markers.

use super::entries::planned;
use crate::command::daemon::{start_and_wait, status, stop_and_wait};
use crate::command::init::context::Site;
use crate::command::init::counted;
use crate::install::apply;
use crate::install::backup::Backups;
use crate::install::error::InstallError;
use crate::install::target::SettingsTarget;
use ::daemon::environment::{self, Environment};
use ::daemon::marker;
use std::path::Path;
use std::time::Duration;
use store::{Store, StoreError};

/// How long another process may hold the database.
const WAIT: Duration = Duration::from_secs(10);

/// Repairs, and says what it did. What could not be repaired is found again by the examination.
pub fn repair(site: &Site<'_>) -> Vec<String> {
    let mut fixed = Vec::new();
    for (target, entries) in site.installed() {
        if !entries.events.is_empty()
            && let Ok(Some(done)) = reinstall(site, &target)
        {
            fixed.push(done);
        }
    }
    fixed.extend(migrate(site));
    fixed.extend(serve(site));
    fixed.extend(sweep(site));
    fixed
}

/// Writes the entries of a file anew, in the scope where they were.
fn reinstall(site: &Site<'_>, target: &SettingsTarget) -> Result<Option<String>, InstallError> {
    let options = site.options(target, &site.settings().settings.guard)?;
    let plan = planned(target, &options)?;
    if plan.is_already_installed() {
        return Ok(None);
    }
    apply::install(target, &options, &Backups::in_state(site.home.folder()), &|_| {})?;
    let changed = plan.added.len() + plan.repaired.len();
    Ok(Some(format!(
        "{}: wrote the entries of {}",
        site.shown(&target.file),
        counted(changed, "event")
    )))
}

/// An older database is brought to this binary's schema by opening it.
fn migrate(site: &Site<'_>) -> Option<String> {
    let Err(StoreError::TooOld { found, known }) = Store::open_existing(&site.home.database(), WAIT) else {
        return None;
    };
    Store::open(&site.home.database(), WAIT).ok()?;
    Some(format!("database: migrated from schema {found} to {known}"))
}

/// Starts the daemon where there is none, and replaces one of another version.
fn serve(site: &Site<'_>) -> Option<String> {
    let (home, environment) = (&site.home, site.environment());
    if environment.text(environment::DAEMON) == Some("never") || !home.database().exists() {
        return None;
    }
    if let Some(status) = status(home) {
        if status.version == env!("CARGO_PKG_VERSION") {
            return None;
        }
        stop_and_wait(home, &status).ok()?;
    }
    let status = start_and_wait(home, environment)?;
    Some(format!("daemon: started (pid {})", status.pid))
}

/// Removes markers of switched-off projects that no longer hold.
fn sweep(site: &Site<'_>) -> Option<String> {
    let mut swept = 0;
    for marker in fs_err::read_dir(site.home.disabled()).ok()?.flatten() {
        let text = fs_err::read_to_string(marker.path()).unwrap_or_default();
        let mut lines = text.lines();
        let project = Environment::of(&[("CLAUDE_PROJECT_DIR", lines.next().unwrap_or_default())]);
        let root = lines.next().map(Path::new);
        if !marker::is_disabled(&site.home, &project, root) && fs_err::remove_file(marker.path()).is_ok() {
            swept += 1;
        }
    }
    (swept > 0).then(|| format!("markers: removed {swept} that no longer held"))
}
