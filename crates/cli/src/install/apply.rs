//! Carries out an installation: keeps the original, then replaces the settings file whole.

use super::Probe;
use super::backup::{Backups, Record};
use super::error::InstallError;
use super::plan::{GitView, Options, Plan, plan};
use super::settings_file::SettingsFile;
use super::target::{Scope, Target};
use std::path::PathBuf;

#[cfg(test)]
mod tests;

/// What an installation did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The file's real place.
    pub file: PathBuf,
    /// What changed in it.
    pub plan: Plan,
    /// What the person should know.
    pub notes: Vec<Note>,
}

/// Something the person should know about an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note {
    /// The file is one person's, but git would offer it for a commit.
    NotIgnored,
    /// The file switches off every hook of every layer.
    HooksDisabled,
}

/// Says what an installation would do, refusals included, and writes nothing.
pub fn preview(target: &Target, options: &Options) -> Result<Installed, InstallError> {
    let file = target.resolve()?;
    let before = file.read()?;
    let plan = planned(&file, before.as_deref(), options)?;
    file.check_writable()?;
    Ok(Installed::of(target, &file, plan, options.git))
}

/// Registers the hook in a settings file.
pub fn install(
    target: &Target,
    options: &Options,
    backups: &Backups,
    probe: Probe<'_>,
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

fn planned(file: &SettingsFile, before: Option<&[u8]>, options: &Options) -> Result<Plan, InstallError> {
    let refused = |source| InstallError::Content {
        path: file.path().to_owned(),
        source,
    };
    plan(before, options).map_err(refused)
}

fn write(
    file: &SettingsFile,
    before: Option<&[u8]>,
    plan: &Plan,
    backups: &Backups,
    probe: Probe<'_>,
) -> Result<(), InstallError> {
    let missing = file.missing_folders();
    let known = backups.load(file.path())?;
    let record = Record::next(known, before, plan, missing.len());
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
    fn of(target: &Target, file: &SettingsFile, plan: Plan, git: GitView) -> Self {
        let mut notes = Vec::new();
        if target.scope == Scope::Local && git == GitView::Sees {
            notes.push(Note::NotIgnored);
        }
        if plan.hooks_are_disabled {
            notes.push(Note::HooksDisabled);
        }
        Self {
            file: file.path().to_owned(),
            plan,
            notes,
        }
    }
}
