//! Which settings file an installation is for, and where it really is.

use super::error::InstallError;
use super::settings_file::SettingsFile;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Whom an installation is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// This person, in every project.
    User,
    /// Everybody who works in this repository: the file is committed.
    Project,
    /// This person in this repository.
    Local,
}

impl InstallScope {
    /// The scope to use when nobody chose one: the client reads a repository's settings from the worktree it runs
    /// in, so with linked worktrees only the person's own settings are read everywhere.
    pub fn usual(has_linked_worktrees: bool) -> Self {
        if has_linked_worktrees {
            Self::User
        } else {
            Self::Local
        }
    }

    /// The word for it in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

/// One settings file, and the folder it may not lead out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsTarget {
    /// Whom it is for.
    pub scope: InstallScope,
    /// The file as the client names it.
    pub file: PathBuf,
    boundary: PathBuf,
}

impl SettingsTarget {
    /// The settings the client reads for a project; `project` is the folder that holds `.claude`.
    pub fn project(project: &Path) -> Self {
        Self::within(InstallScope::Project, project, ".claude/settings.json")
    }

    /// The person's own settings for a project.
    pub fn local(project: &Path) -> Self {
        Self::within(InstallScope::Local, project, ".claude/settings.local.json")
    }

    /// The person's settings; `config` is the client's folder, usually `~/.claude`.
    pub fn user(config: &Path) -> Self {
        Self::within(InstallScope::User, config, "settings.json")
    }

    fn within(scope: InstallScope, boundary: &Path, file: &str) -> Self {
        Self {
            scope,
            file: boundary.join(file),
            boundary: boundary.to_owned(),
        }
    }

    /// Follows links to the real file, which must be a file inside the boundary or not exist yet.
    pub fn resolve(&self) -> Result<SettingsFile, InstallError> {
        let boundary = real_path(&self.boundary)?;
        let target = real_path(&self.file)?;
        if !target.starts_with(&boundary) {
            return Err(InstallError::OutsideLink {
                path: self.file.clone(),
                target,
                boundary,
            });
        }
        match fs_err::symlink_metadata(&target) {
            Ok(found) if !found.is_file() => Err(InstallError::NotAFile { path: target }),
            Ok(_) => Ok(SettingsFile::new(target)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SettingsFile::new(target)),
            Err(error) => Err(InstallError::io("look at the settings file")(error)),
        }
    }
}

/// The path without links; what does not exist yet stays as it is named.
fn real_path(path: &Path) -> Result<PathBuf, InstallError> {
    match fs_err::symlink_metadata(path) {
        Ok(_) => fs_err::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => InstallError::DanglingLink {
                path: path.to_owned(),
            },
            _ => InstallError::io("follow the path of the settings file")(error),
        }),
        Err(error) => match (error.kind(), path.parent(), path.file_name()) {
            (io::ErrorKind::NotFound, Some(parent), Some(name)) => Ok(real_path(parent)?.join(name)),
            (io::ErrorKind::NotADirectory, Some(parent), Some(_)) => Err(InstallError::NotAFolder {
                path: parent.to_owned(),
            }),
            _ => Err(InstallError::io("follow the path of the settings file")(error)),
        },
    }
}
