//! The client's settings files: which of them have us called, and whether they still do after a call. As long as nothing
//! changed, a look costs one `stat` for each.

use super::text;
use crate::config::FileStamp;
use engine::policy::guard::entries;
use engine::policy::guard::facts::{GuardFacts, PathFact, SettingsFileFact};
use engine::policy::guard::has_lost_us;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// More settings files than anybody has; beyond it, all are read again.
const MOST: usize = 512;
/// The names of settings files in a folder of the client's.
const NAMES: [&str; 2] = ["settings.json", "settings.local.json"];

/// What was seen of settings files, as long as they are the same.
#[derive(Debug, Default)]
pub struct ClientFiles {
    known: Mutex<HashMap<PathBuf, (FileStamp, SettingsFileFact)>>,
    /// The files of a session when they last had us called as they should.
    fine: Mutex<HashMap<Vec<PathBuf>, Fine>>,
}

#[derive(Debug)]
struct Fine {
    stamps: Vec<FileStamp>,
    files: Vec<SettingsFileFact>,
}

/// The settings files in these folders, and others that are named.
pub fn files(folders: &[String], others: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = others;
    for folder in folders {
        for name in NAMES {
            let file = Path::new(folder).join(name);
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

impl ClientFiles {
    /// Before a call: each file as it is, and whether it has us called.
    pub fn before(&self, files: &[PathBuf], folders: &[String]) -> Vec<SettingsFileFact> {
        let stamps: Vec<FileStamp> = files.iter().map(|file| FileStamp::of(file)).collect();
        let seen: Vec<SettingsFileFact> = stamps.iter().map(|stamp| self.look(stamp)).collect();
        let mut fine = self.fine.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = fine.get(files).is_some_and(|fine| fine.stamps == stamps);
        // What is no longer fine stays as it was, to be told after this call.
        if !is_same && seen.iter().any(|file| file.hooked) && !has_lost_us(&facts(files, folders)) {
            if fine.len() >= MOST {
                fine.clear();
            }
            let entry = Fine {
                stamps,
                files: seen.clone(),
            };
            fine.insert(files.to_vec(), entry);
        }
        seen
    }

    /// After a call: what is needed to say what is wrong, if they had us called as they should before and do not now.
    pub fn after(&self, files: &[PathBuf], folders: &[String]) -> Option<GuardFacts> {
        let stamps: Vec<FileStamp> = files.iter().map(|file| FileStamp::of(file)).collect();
        let mut fine = self.fine.lock().unwrap_or_else(PoisonError::into_inner);
        let known = fine.get(files)?;
        if known.stamps == stamps {
            return None;
        }
        let mut now = facts(files, folders);
        if !has_lost_us(&now) {
            let files_now = stamps.iter().map(|stamp| self.look(stamp)).collect();
            let entry = Fine {
                stamps,
                files: files_now,
            };
            fine.insert(files.to_vec(), entry);
            return None;
        }
        now.own.settings = fine.remove(files)?.files;
        Some(now)
    }

    fn look(&self, stamp: &FileStamp) -> SettingsFileFact {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, file)) = known.get(&stamp.path)
            && then == stamp
        {
            return file.clone();
        }
        if known.len() >= MOST {
            known.clear();
        }
        let path = stamp.path.to_string_lossy().into_owned();
        let real = git::target::real(&stamp.path).to_string_lossy().into_owned();
        let text = text::read(&stamp.path, text::LONGEST_SETTINGS);
        let file = SettingsFileFact {
            hooked: text.is_some_and(|text| entries::are_in(&text)),
            real: if real == path { String::new() } else { real },
            path,
        };
        known.insert(stamp.path.clone(), (stamp.clone(), file.clone()));
        file
    }
}

/// The texts of settings files, and the folders they are in.
fn facts(files: &[PathBuf], folders: &[String]) -> GuardFacts {
    let mut facts = GuardFacts::default();
    facts.own.agent_settings = folders.to_vec();
    for file in files {
        let text = text::read(file, text::LONGEST_SETTINGS);
        facts.texts.insert(file.to_string_lossy().into_owned(), text);
    }
    facts
}

/// A file with another name for a settings file leads there, as a link does.
pub fn lead(path: &str, fact: &mut PathFact, settings: &[SettingsFileFact]) {
    let Ok(found) = fs_err::metadata(path) else { return };
    if !found.is_file() || found.nlink() < 2 {
        return;
    }
    let is_same = |file: &&SettingsFileFact| {
        file.path != path
            && fs_err::metadata(&file.path)
                .is_ok_and(|other| (other.dev(), other.ino()) == (found.dev(), found.ino()))
    };
    if let Some(file) = settings.iter().find(is_same) {
        fact.real.clone_from(&file.path);
    }
}
