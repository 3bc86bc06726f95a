//! `toprope rewind --into`: a checkpoint in a folder of its own. The worktree is not touched.

use crate::command::checkpoint::place::{CheckpointPlace, unreadable};
use crate::failure::{Failure, FailureKind};
use crate::show;
use git::extract::{ExtractError, extract};
use git::object::Id;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use store::table::checkpoints::Checkpoint;

use super::flow::files;
use super::page::shown;
use ::daemon::checkpoint::path_text::PathText;

/// The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
struct RewindIntoReport {
    target: String,
    into: PathText,
    files: usize,
    left: Vec<PathText>,
}

/// Writes a checkpoint into a new or empty folder.
pub fn write(
    here: &CheckpointPlace,
    checkpoint: &Checkpoint,
    folder: &Path,
    json: bool,
) -> Result<ExitCode, Failure> {
    use std::os::unix::ffi::OsStrExt;
    let shadow = here.shadow()?;
    let commit: Id = checkpoint.commit.parse()?;
    let tree = shadow.tree_of(commit).map_err(unreadable)?;
    let layout = shadow.read_layout(tree).map_err(unreadable)?;
    let written = extract(&shadow, &layout, &here.folder.join(folder)).map_err(|error| match error {
        ExtractError::NotEmpty(_) => {
            Failure::new(FailureKind::NotObtained, error).hint("name a folder that does not exist yet")
        }
        ExtractError::Shadow(error) => unreadable(error),
        ExtractError::Write { .. } | ExtractError::Folder { .. } => Failure::new(FailureKind::Failed, error),
    })?;
    if json {
        show::json(&RewindIntoReport {
            target: checkpoint.id.to_string(),
            into: PathText::of(folder.as_os_str().as_bytes()),
            files: written.written,
            left: written.left_out.iter().map(PathText::from).collect(),
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    for path in &written.left_out {
        show::talk(&format!(
            "left out: {} (a submodule or a nested repository)",
            shown(path)
        ));
    }
    show::line(&format!(
        "Wrote {} of {} to {}. The worktree is as it was.",
        files(written.written),
        checkpoint.id,
        folder.display()
    ));
    Ok(ExitCode::SUCCESS)
}
