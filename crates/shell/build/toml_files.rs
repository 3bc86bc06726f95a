//! What the build scripts of `shell` and `engine` share: the folders cargo names, and the TOML files in one.

use std::error::Error;
use std::path::{Path, PathBuf};

/// The folder that a variable of cargo names.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo names its folders in the environment"
)]
pub fn folder(variable: &str) -> Result<PathBuf, Box<dyn Error>> {
    Ok(PathBuf::from(std::env::var(variable)?))
}

/// The TOML files of a folder, by name.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            println!("cargo::rerun-if-changed={}", path.display());
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
