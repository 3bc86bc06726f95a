//! Carries out an installation: keeps the original, then replaces the settings file whole.

use super::InstallProbe;
use super::backup::{BackupRecord, Backups};
use super::error::InstallError;
use super::plan::{GitView, InstallOptions, InstallPlan, plan};
use super::settings_file::SettingsFile;
use super::target::{InstallScope, SettingsTarget};
use std::path::PathBuf;

#[cfg(test)]
mod tests;

/// What an installation did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The file's real place.
    pub file: PathBuf,
    /// What changed in it.
    pub plan: InstallPlan,
    /// What the person should know.
    pub notes: Vec<InstallNote>,
}

/// Something the person should know about an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallNote {
    /// The file is one person's, but git would offer it for a commit.
    NotIgnored,
    /// The file switches off every hook of every layer.
    HooksDisabled,
}

/// Says what an installation would do, refusals included, and writes nothing.
pub fn preview(target: &SettingsTarget, options: &InstallOptions) -> Result<Installed, InstallError> {
    let file = target.resolve()?;
    let before = file.read()?;
    let plan = planned(&file, before.as_deref(), options)?;
    file.check_writable()?;
    Ok(Installed::of(target, &file, plan, options.git))
}

/// Registers the hook in a settings file.
pub fn install(
    target: &SettingsTarget,
    options: &InstallOptions,
    backups: &Backups,
    probe: InstallProbe<'_>,
) -> Result<Installed, InstallError> {
    let file = target.resolve()?;
    let before = file.read()?;
    probe("read");
    let plan = planned(&file, before.as_deref(), options)?;
    if !plan.is_already_installed() {
        file.check_writable()?;
        write(&file, before.as_deref(), &plan, backups, probe)?;
    }
    Ok(Installed::of(target, &file, plan, options.git))
}

fn planned(
    file: &SettingsFile,
    before: Option<&[u8]>,
    options: &InstallOptions,
) -> Result<InstallPlan, InstallError> {
    let refused = |source| InstallError::Content {
        path: file.path().to_owned(),
        source,
    };
    plan(before, options).map_err(refused)
}

fn write(
    file: &SettingsFile,
    before: Option<&[u8]>,
    plan: &InstallPlan,
    backups: &Backups,
    probe: InstallProbe<'_>,
) -> Result<(), InstallError> {
    let missing = file.missing_folders();
    let known = backups.load(file.path())?;
    let record = BackupRecord::next(known, before, plan, missing.len());
    backups.keep(file.path(), &record, probe)?;
    probe("kept");
    file.make_folders()?;
    probe("folder");
    let replaced = file.replace(before, &plan.bytes, probe);
    if replaced.is_err() {
        for folder in missing {
            // Whatever somebody else put there meanwhile keeps its folder.
            fs_err::remove_dir(folder).ok();
        }
    }
    replaced
}

impl Installed {
    fn of(target: &SettingsTarget, file: &SettingsFile, plan: InstallPlan, git: GitView) -> Self {
        let mut notes = Vec::new();
        if target.scope == InstallScope::Local && git == GitView::Sees {
            notes.push(InstallNote::NotIgnored);
        }
        if plan.hooks_are_disabled {
            notes.push(InstallNote::HooksDisabled);
        }
        Self {
            file: file.path().to_owned(),
            plan,
            notes,
        }
    }
}
