//! Finds programs: our own, by the name that outlives an upgrade, and others on PATH.

use crate::install::claude_code::PROGRAM;
use crate::install::error::InstallError;
use ::daemon::environment::Environment;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// This program, as settings should name it: by its place on PATH where that leads here, else by its own path.
///
/// Package managers keep each version in a folder of its own and a link to the newest on PATH; the link stays.
pub fn own(environment: &Environment) -> Result<PathBuf, InstallError> {
    let own = std::env::current_exe().map_err(InstallError::io("find this program"))?;
    let on_path = find(PROGRAM, environment).filter(|found| is_same(found, &own));
    Ok(on_path.unwrap_or(own))
}

/// The program of this name in the absolute entries of PATH: a relative one would name a file of the project.
pub fn find(name: &str, environment: &Environment) -> Option<PathBuf> {
    let path = environment.value("PATH")?;
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

/// Whether a file can be started.
pub fn is_executable(file: &Path) -> bool {
    fs_err::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Whether two paths lead to one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (fs_err::canonicalize(one), fs_err::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), _) => false,
    }
}
