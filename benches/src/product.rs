//! What is measured: the binary as it is packaged, and the empty process built the same way.

use anyhow::{Context, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The programs under measurement.
pub struct Product {
    /// The one binary.
    pub toprope: PathBuf,
    /// The empty process.
    pub floor: PathBuf,
}

impl Product {
    /// This binary and an empty process, which is built on its own so that no feature of one reaches the other.
    pub fn of(toprope: PathBuf, empty: Option<&Path>) -> anyhow::Result<Self> {
        let floor = match empty {
            Some(path) => fs_err::canonicalize(path)?,
            None => build("bench", "floor")?,
        };
        Ok(Self { toprope, floor })
    }
}

/// Builds the one binary, or takes one that is there.
pub fn toprope(given: Option<&Path>) -> anyhow::Result<PathBuf> {
    match given {
        Some(path) => Ok(fs_err::canonicalize(path)?),
        None => build("toprope", "toprope"),
    }
}

/// The folder of the workspace.
pub fn workspace() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

fn build(package: &str, binary: &str) -> anyhow::Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--profile",
            "dist",
            "--quiet",
            "--message-format=json-render-diagnostics",
        ])
        .args(["--package", package, "--bin", binary])
        .current_dir(workspace())
        .stderr(Stdio::inherit())
        .output()
        .context("could not run cargo")?;
    if !output.status.success() {
        bail!("`{binary}` does not build");
    }
    executable(&output.stdout, binary).with_context(|| format!("cargo named no executable for `{binary}`"))
}

/// The executable cargo reports for a binary.
fn executable(messages: &[u8], binary: &str) -> Option<PathBuf> {
    let lines = messages
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    lines
        .filter(|message| message.pointer("/target/name").and_then(Value::as_str) == Some(binary))
        .filter_map(|message| {
            message
                .get("executable")
                .and_then(Value::as_str)
                .map(PathBuf::from)
        })
        .next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_the_one_of_the_named_binary() {
        let messages = br#"{"reason":"compiler-artifact","target":{"name":"store"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"floor"},"executable":"/t/dist/floor"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable(messages, "floor"),
            Some(PathBuf::from("/t/dist/floor"))
        );
        assert_eq!(executable(messages, "toprope"), None);
    }
}
