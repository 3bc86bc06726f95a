//! What is asked of the world: nothing where a command has no target, and never `git status` before a reply.

use super::desk::{Desk, TYPICAL};
use super::{judge, number};
use crate::payload::{CALL, recorded};
use crate::report::Report;
use crate::stage::{SESSION, Stage};
use crate::stopwatch;
use crate::target;
use anyhow::{Context, ensure};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Commands that the repository, a branch or a path decides about.
const ASKING: [&str; 8] = [
    "git reset --hard",
    "git clean -fd",
    "git checkout .",
    "git push --force origin feature",
    "git commit -m done",
    "git branch -D old",
    "git worktree remove ../other",
    "rm -rf src",
];
/// Checkpoints look at the worktree with `git status` after replies; here only the guard is of interest.
const SETTINGS: &str = "[checkpoints]\nenabled = false\n";

/// Counts questions, and the programs a daemon starts to answer them.
pub fn run(desk: &Desk, toprope: &Path, path: &OsStr, report: &mut Report) -> anyhow::Result<()> {
    let asked: usize = TYPICAL.iter().map(|text| desk.judge(text).asked.len()).sum();
    let folder = tempfile::Builder::new().prefix("toprope-bench-").tempdir()?;
    let log = folder.path().join("git.log");
    let stage = Stage::new(&with_witness(folder.path(), &log, path)?)?;
    stage.settle(SETTINGS)?;
    for (number, command) in ASKING.iter().enumerate() {
        let mut event = recorded("PreToolUse", Some("Bash"), stage.project(), SESSION)?;
        if let Some(place) = event.pointer_mut("/tool_input/command") {
            *place = Value::from(*command);
        }
        let event = event.to_string().replace(CALL, &format!("toolu_{number:012}"));
        let mut hook = stage.command(toprope, &["hook", "claude-code"]);
        stopwatch::run(&mut hook, event.as_bytes())?;
    }
    ensure!(
        stage.recorded()? == u64::try_from(ASKING.len())?,
        "not every command was judged"
    );
    let said = fs_err::read_to_string(&log).unwrap_or_default();
    let looks = said
        .lines()
        .filter(|line| line.split(' ').any(|word| word == "status"))
        .count();
    let rows = [
        vec!["asked by commands without a target".to_owned(), asked.to_string()],
        vec![
            "git processes for commands that ask".to_owned(),
            said.lines().count().to_string(),
        ],
        vec!["`git status` among them".to_owned(), looks.to_string()],
    ];
    report.table("questions", &["", "count"], &rows)?;
    judge(report, target::QUESTIONS, Some(number(asked)));
    judge(report, target::LOOKS, Some(number(looks)));
    Ok(())
}

/// A search path on which git writes down how it is called.
fn with_witness(folder: &Path, log: &Path, path: &OsStr) -> anyhow::Result<OsString> {
    let git: PathBuf = std::env::split_paths(path)
        .map(|folder| folder.join("git"))
        .find(|file| file.is_file())
        .context("git is not installed")?;
    let witness = folder.join("git");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nexec '{}' \"$@\"\n",
        log.display(),
        git.display()
    );
    fs_err::write(&witness, script)?;
    fs_err::set_permissions(&witness, std::fs::Permissions::from_mode(0o755))?;
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(path));
    Ok(std::env::join_paths(folders)?)
}
