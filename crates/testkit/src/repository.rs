//! This repository as its files: for tests of the house itself.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
///
/// # Panics
/// If this crate does not lie two folders below it.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(2)
        .expect("testkit lies two folders down")
        .to_owned()
}

/// What git keeps or would keep, relative to the root.
///
/// # Panics
/// If git fails.
pub fn files() -> Vec<PathBuf> {
    let listed = Command::new("git")
        .args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "--deduplicate",
        ])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    String::from_utf8(listed.stdout)
        .expect("our own paths are text")
        .split_terminator('\0')
        .map(PathBuf::from)
        .filter(|path| root().join(path).is_file())
        .collect()
}

/// Every Rust file with its text.
///
/// # Panics
/// If one of them is no text.
pub fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    files().into_iter().filter(is_rust).map(|path| {
        let text = fs_err::read_to_string(root().join(&path)).expect("Rust files are text");
        (path, text)
    })
}
