//! A project folder with settings, and the promises that hold from `init` to `uninstall`.

mod corpus;
mod interruption;
mod property;
mod round_trip;

use super::apply::{Installed, install};
use super::backup::Backups;
use super::claude_code::{BrokenHook, HookProgram};
use super::error::InstallError;
use super::plan::{GitView, InstallOptions};
use super::remove::{RemoveOutcome, Uninstalled, uninstall};
use super::target::SettingsTarget;
use std::path::{Path, PathBuf};

/// What a run does with the steps it reaches, if nothing is tried on it.
pub fn unwatched(_step: &str) {}

/// The usual registration, with the program at a place of its own.
pub fn options() -> InstallOptions {
    at("/opt/bin/toprope")
}

/// The usual registration with the program elsewhere.
pub fn at(program: &str) -> InstallOptions {
    InstallOptions {
        program: HookProgram::at(Path::new(program), Path::new("/state")).unwrap(),
        broken: BrokenHook::GoesOn,
        git: GitView::PassesOver,
    }
}

/// A project, a client's folder and a state folder that nobody else uses.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("project")).unwrap();
        Self { folder }
    }

    /// A project whose local settings hold these bytes.
    pub fn with(bytes: &[u8]) -> Self {
        let place = Self::new();
        fs_err::create_dir(place.project().join(".claude")).unwrap();
        fs_err::write(place.settings(), bytes).unwrap();
        place
    }

    pub fn path(&self) -> PathBuf {
        fs_err::canonicalize(self.folder.path()).unwrap()
    }

    pub fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    pub fn settings(&self) -> PathBuf {
        self.project().join(".claude/settings.local.json")
    }

    pub fn backups(&self) -> Backups {
        Backups::in_state(&self.path().join("state"))
    }

    pub fn target(&self) -> SettingsTarget {
        SettingsTarget::local(&self.project())
    }

    pub fn init(&self, options: &InstallOptions) -> Result<Installed, InstallError> {
        install(&self.target(), options, &self.backups(), &unwatched)
    }

    pub fn remove(&self) -> Uninstalled {
        uninstall(&[self.target()], &self.backups(), &unwatched)
    }

    /// Takes the hook out of the local settings and says what was done.
    pub fn outcome(&self) -> RemoveOutcome {
        self.remove().visits.pop().unwrap().outcome.unwrap()
    }

    /// The local settings now.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        fs_err::read(self.settings()).ok()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.bytes().unwrap()).unwrap()
    }

    /// Every file and folder below the project, by name.
    pub fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.project()];
        while let Some(folder) = folders.pop() {
            for entry in fs_err::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(path.strip_prefix(self.project()).unwrap().display().to_string());
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}
