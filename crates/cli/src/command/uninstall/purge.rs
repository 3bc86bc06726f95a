//! Removes what Toprope recorded: only files it made itself, whatever folder it was told to use.

use crate::command::daemon::{status, stop_and_wait};
use crate::command::init::block::Block;
use crate::command::init::entries::entries_of;
use crate::command::init::site::Site;
use crate::failure::{Failure, Kind};
use crate::install::settings_file::SettingsFile;
use ::daemon::home::Home;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// Stops the daemon and removes the state.
pub fn purge(site: &Site<'_>, block: &mut Block) -> Result<(), Failure> {
    refuse_if_still_needed(&site.home)?;
    if let Some(status) = status(&site.home) {
        stop_and_wait(&site.home, &status)?;
        block.say("daemon", format!("stopped (pid {})", status.pid));
    }
    for path in site.home.belongings() {
        remove(&path)?;
    }
    let became = match fs_err::remove_dir(site.home.folder()) {
        Ok(()) => "removed",
        Err(error) if error.kind() == io::ErrorKind::NotFound => "no such folder",
        Err(_) => "emptied; it stays, because it holds files that are not ours",
    };
    block.say_of("store", site.shown(site.home.folder()), became);
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
    let project = first.ancestors().nth(2).unwrap_or(first).display().to_string();
    let hint = format!("cd '{}' && toprope uninstall", project.replace('\'', r"'\''"));
    Err(Failure::saying(Kind::NotObtained, sentence).hint(hint))
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
