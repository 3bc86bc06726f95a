//! Removes what Toprope stored: only files it made itself, whatever folder it was told to use.

use super::everywhere::Everywhere;
use crate::command::daemon::{status, stop_and_wait};
use crate::command::init::context::Site;
use crate::command::init::counted;
use crate::command::init::entries::entries_of;
use crate::command::init::output::AlignedLines;
use crate::failure::{Failure, FailureKind};
use crate::install::settings_file::SettingsFile;
use ::daemon::config::user_file;
use ::daemon::home::Home;
use engine::text::path_word;
use serde_json::Value;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Stops the daemon and removes the state.
pub fn purge(site: &Site<'_>, block: &mut AlignedLines) -> Result<(), Failure> {
    refuse_if_still_needed(&site.home)?;
    if let Some(status) = status(&site.home) {
        stop_and_wait(&site.home, &status)?;
        block.say("daemon", format!("stopped (pid {})", status.pid));
    }
    // While it is known where they are; what is left of them is named, and all else goes.
    let everywhere = Everywhere::look(site)?;
    let left = everywhere.remove(site, block).err();
    for path in site.home.belongings() {
        remove(&path)?;
    }
    remove_settings(site, block)?;
    let became = match fs_err::remove_dir(site.home.folder()) {
        Ok(()) => "removed",
        Err(error) if error.kind() == io::ErrorKind::NotFound => "no such folder",
        Err(_) => "emptied; it stays, because it holds files that are not ours",
    };
    block.say_of("store", site.shown(site.home.folder()), became);
    left.map_or(Ok(()), Err)
}

/// All that would go, as part of a sentence.
pub fn all(site: &Site<'_>) -> Result<String, Failure> {
    let mut parts = vec![format!(
        "everything that was recorded, in {}",
        site.shown(site.home.folder())
    )];
    let (some, missing) = Everywhere::look(site)?.count();
    if some > 0 {
        let more = match missing {
            0 => String::new(),
            1 => " (1 more is not where it was)".to_owned(),
            more => format!(" ({more} more are not where they were)"),
        };
        parts.push(format!("the checkpoints of {}{more}", counted(some, "project")));
    }
    if let Some(file) = settings(site) {
        parts.push(format!("your settings in {}", site.shown(&file)));
    }
    let last = parts.pop().unwrap_or_default();
    Ok(match parts.as_slice() {
        [] => last,
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// Our own settings of the person's, not those of their projects.
fn settings(site: &Site<'_>) -> Option<PathBuf> {
    user_file(site.environment()).filter(|file| file.symlink_metadata().is_ok())
}

fn remove_settings(site: &Site<'_>, block: &mut AlignedLines) -> Result<(), Failure> {
    let Some(file) = settings(site) else {
        return Ok(());
    };
    remove(&file)?;
    if let Some(folder) = file.parent() {
        // It stays where something else is in it.
        let _ = fs_err::remove_dir(folder);
    }
    block.say_of("settings", site.shown(&file), "removed");
    Ok(())
}

/// The originals of files that still run our hook must not go.
fn refuse_if_still_needed(home: &Home) -> Result<(), Failure> {
    let needed = needed(home);
    let Some(first) = needed.first() else {
        return Ok(());
    };
    let sentence = match needed.len() {
        1 => "1 settings file of another project still has our entries; its original is kept here, so the record stays".to_owned(),
        more => format!(
            "{more} settings files of other projects still have our entries; their originals are kept here, so the record stays"
        ),
    };
    let project = first.ancestors().nth(2).unwrap_or(first);
    let hint = format!(
        "cd {} && toprope uninstall",
        path_word(project.as_os_str().as_bytes())
    );
    Err(Failure::saying(FailureKind::NotObtained, sentence).hint(hint))
}

/// Settings files with a kept original that still hold entries of ours.
fn needed(home: &Home) -> Vec<PathBuf> {
    let Ok(folders) = fs_err::read_dir(home.backups()) else {
        return Vec::new();
    };
    let file = |record: PathBuf| -> Option<PathBuf> {
        let record: Value = serde_json::from_slice(&fs_err::read(record).ok()?).ok()?;
        let file = PathBuf::from(record.get("path")?.as_str()?);
        let entries = entries_of(&SettingsFile::new(file.clone())).ok()?;
        (!entries.events.is_empty()).then_some(file)
    };
    folders
        .flatten()
        .filter_map(|folder| file(folder.path().join("record.json")))
        .collect()
}

fn remove(path: &Path) -> Result<(), Failure> {
    let removed = match fs_err::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs_err::remove_dir_all(path),
        Ok(_) => fs_err::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}
