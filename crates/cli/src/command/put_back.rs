//! Puts our entries back into settings that lost them. The daemon starts it; no person does.

use super::init::context::{Site, refused};
use crate::failure::Failure;
use crate::install::apply;
use crate::install::backup::Backups;
use crate::install::error::InstallError;
use crate::install::target::SettingsTarget;
use ::daemon::environment::Environment;
use engine::settings::GuardSettings;

/// Repairs every settings file of the current folder that we once wrote to; one that cannot be does not keep the others.
pub fn put_back(environment: &Environment) -> Result<(), Failure> {
    let site = Site::here(environment)?;
    let guard = site.settings().settings.guard;
    let backups = Backups::in_state(site.home.folder());
    let restored = site
        .targets()
        .into_iter()
        .map(|target| restore(&site, &target, &guard, &backups));
    let failed = restored.filter_map(Result::err).collect::<Vec<_>>();
    failed.first().map_or(Ok(()), |error| Err(refused(error)))
}

/// Only a file with a kept original had entries of ours.
fn restore(
    site: &Site<'_>,
    target: &SettingsTarget,
    guard: &GuardSettings,
    backups: &Backups,
) -> Result<(), InstallError> {
    if backups.load(target.resolve()?.path())?.is_none() {
        return Ok(());
    }
    apply::install(target, &site.options(target, guard)?, backups, &|_| {}).map(drop)
}
