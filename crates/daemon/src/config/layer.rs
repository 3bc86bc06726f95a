//! Where a value came from.

use super::problem::shown;
use engine::settings::Profile;
use std::fmt;
use std::path::PathBuf;

/// The layers, the lowest first: a later one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingsLayer {
    /// The profile's own value.
    BuiltIn,
    /// The user's settings, for all projects.
    User,
    /// The user's settings, in the table for this project.
    UserProject,
    /// `toprope.toml`.
    Project,
    /// `toprope.local.toml`.
    Local,
}

impl SettingsLayer {
    /// Its name in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::User => "user",
            Self::UserProject => "user-project",
            Self::Project => "project",
            Self::Local => "local",
        }
    }

    /// Whether it is a file of the project, that whoever wrote the project may have written.
    pub(super) fn is_the_projects(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }

    /// Whether it speaks for one project only.
    pub(super) fn is_for_one_project(self) -> bool {
        matches!(self, Self::UserProject | Self::Project | Self::Local)
    }
}

/// Where the value in force came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The value of the profile in force.
    BuiltIn {
        /// That profile.
        profile: Profile,
    },
    /// A file.
    File {
        /// Its layer.
        layer: SettingsLayer,
        /// Its path.
        path: PathBuf,
        /// The line of the key, from 1.
        line: u32,
        /// The column of the key, from 1.
        column: u32,
    },
}

impl SettingOrigin {
    /// The layer.
    pub fn layer(&self) -> SettingsLayer {
        match self {
            Self::BuiltIn { .. } => SettingsLayer::BuiltIn,
            Self::File { layer, .. } => *layer,
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layer = self.layer().word();
        match self {
            Self::BuiltIn { profile } => write!(f, "{layer} ({})", profile.word()),
            Self::File { path, line, .. } => write!(f, "{layer} {}:{line}", shown(path)),
        }
    }
}
