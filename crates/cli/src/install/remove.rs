//! Carries out a removal: the original comes back if only we changed the file, else exactly our entries go.

use super::InstallProbe;
use super::backup::{BackupRecord, Backups};
use super::error::InstallError;
use super::handler::{Handler, handlers};
use super::json::{JsonDocument, JsonError};
use super::plan::is_blank;
use super::settings_file::SettingsFile;
use super::strip::strip;
use super::target::{InstallScope, SettingsTarget};
use std::path::PathBuf;

#[cfg(test)]
mod tests;

/// What a removal did.
#[derive(Debug)]
pub struct Uninstalled {
    /// One for each settings file, in the order asked for.
    pub visits: Vec<Visit>,
    /// Folders we had made, which were empty and are gone.
    pub folders: Vec<PathBuf>,
}

/// What became of one settings file.
#[derive(Debug)]
pub struct Visit {
    /// Whom the file is for.
    pub scope: InstallScope,
    /// The file.
    pub file: PathBuf,
    /// What was done, or why nothing was.
    pub outcome: Result<RemoveOutcome, InstallError>,
}

/// What was done to a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoveOutcome {
    /// There is no such file.
    Absent,
    /// It holds no entry of ours.
    NothingOfOurs,
    /// It is byte for byte what it was before us.
    Restored,
    /// It did not exist before us and is gone.
    Deleted,
    /// Our entries are gone; what else changed since stays.
    EntriesRemoved {
        /// The events that had entries of ours.
        events: Vec<String>,
    },
}

/// Takes the hook out of every settings file; one that is refused does not keep the others.
pub fn uninstall(targets: &[SettingsTarget], backups: &Backups, probe: InstallProbe<'_>) -> Uninstalled {
    let mut made = Vec::new();
    let visit = |target: &SettingsTarget| Visit {
        scope: target.scope,
        file: target.file.clone(),
        outcome: remove(target, backups, probe, &mut made),
    };
    let visits = targets.iter().map(visit).collect();
    // Only now: two scopes share a folder, and the one that made it may not be the last to leave.
    let folders = made
        .into_iter()
        .filter(|folder| fs_err::remove_dir(folder).is_ok())
        .collect();
    Uninstalled { visits, folders }
}

fn remove(
    target: &SettingsTarget,
    backups: &Backups,
    probe: InstallProbe<'_>,
    made: &mut Vec<PathBuf>,
) -> Result<RemoveOutcome, InstallError> {
    let file = target.resolve()?;
    let now = file.read()?;
    probe("read");
    let record = backups.load(file.path())?;
    let outcome = match now {
        Some(now) => carry_out(&file, &now, Removal::of(&file, &now, record.as_ref())?, probe)?,
        None => RemoveOutcome::Absent,
    };
    if let Some(record) = record {
        made.extend(file.made_folders(record.made_folders));
        backups.forget(file.path())?;
    }
    probe("forgotten");
    Ok(outcome)
}

/// What a file becomes: `after`, or nothing at all.
struct Removal {
    outcome: RemoveOutcome,
    after: Option<Vec<u8>>,
}

impl Removal {
    fn of(file: &SettingsFile, now: &[u8], record: Option<&BackupRecord>) -> Result<Self, InstallError> {
        if let Some(record) = record.filter(|record| record.is_ours_alone(now)) {
            return Ok(Self::back_to(record.original.clone()));
        }
        let refused = |source| InstallError::Content {
            path: file.path().to_owned(),
            source,
        };
        if str::from_utf8(now).is_ok_and(is_blank) {
            return Ok(Self {
                outcome: RemoveOutcome::NothingOfOurs,
                after: Some(now.to_vec()),
            });
        }
        Self::cut(now, record).map_err(refused)
    }

    fn back_to(original: Option<Vec<u8>>) -> Self {
        let outcome = if original.is_some() {
            RemoveOutcome::Restored
        } else {
            RemoveOutcome::Deleted
        };
        Self {
            outcome,
            after: original,
        }
    }

    /// Takes exactly our entries out of a file that others changed too.
    fn cut(now: &[u8], record: Option<&BackupRecord>) -> Result<Self, JsonError> {
        let now = JsonDocument::from_bytes(now)?;
        let before = record.map(OriginalSettings::of);
        let stripped = match &before {
            Some(OriginalSettings::Settings(original)) => strip(&now, Some(original))?,
            Some(OriginalSettings::Nothing | OriginalSettings::Unusable) | None => strip(&now, None)?,
        };
        if stripped.events.is_empty() {
            let after = Some(now.text().as_bytes().to_vec());
            return Ok(Self {
                outcome: RemoveOutcome::NothingOfOurs,
                after,
            });
        }
        let is_empty = stripped.document.root().members().is_empty();
        if let (true, Some(OriginalSettings::Nothing), Some(record)) = (is_empty, before, record) {
            return Ok(Self::back_to(record.original.clone()));
        }
        Ok(Self {
            outcome: RemoveOutcome::EntriesRemoved {
                events: stripped.events,
            },
            after: Some(stripped.document.text().as_bytes().to_vec()),
        })
    }
}

/// What the kept original says about containers that are empty without us.
enum OriginalSettings {
    /// There was no file, or a blank one: every container is ours.
    Nothing,
    /// Containers in here were there before us.
    Settings(JsonDocument),
    /// It already had entries of ours, so it says nothing.
    Unusable,
}

impl OriginalSettings {
    fn of(record: &BackupRecord) -> Self {
        let original = record.original.as_deref().unwrap_or_default();
        if str::from_utf8(original).is_ok_and(is_blank) {
            return Self::Nothing;
        }
        let Ok(document) = JsonDocument::from_bytes(original) else {
            return Self::Unusable;
        };
        let is_free = handlers(&document).is_ok_and(|found| !found.iter().any(Handler::is_ours));
        if is_free {
            Self::Settings(document)
        } else {
            Self::Unusable
        }
    }
}

fn carry_out(
    file: &SettingsFile,
    now: &[u8],
    removal: Removal,
    probe: InstallProbe<'_>,
) -> Result<RemoveOutcome, InstallError> {
    if removal.after.as_deref() == Some(now) {
        return Ok(removal.outcome);
    }
    file.check_writable()?;
    match removal.after {
        Some(after) => file.replace(Some(now), &after, probe)?,
        None => file.delete(now, probe)?,
    }
    Ok(removal.outcome)
}
