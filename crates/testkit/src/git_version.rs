//! What the git of this machine can do. A test that needs more says so and is skipped.

use crate::skip;
use crate::world::path;
use std::process::{Command, Stdio};

/// Whether git can keep refs in tables; if not, that is noted as skipped.
///
/// # Panics
/// If git cannot be run at all.
pub fn has_refs_in_tables() -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = git(&["init", "-q", "--bare", "--ref-format=reftable"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .status()
        .expect("git runs");
    if !made.success() {
        let version = git(&["version"]).output().expect("git runs").stdout;
        let version = String::from_utf8_lossy(&version);
        skip(
            "refs-in-tables",
            &format!("this is {}; 2.45 and later have them", version.trim_end()),
        );
    }
    made.success()
}

fn git(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", path()).args(arguments);
    command
}
