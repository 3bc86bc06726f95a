//! `toprope checkpoint diff`: what differs between a checkpoint and another one, or the worktree as it is now. Git shows it.

use super::place::{CheckpointPlace, uncut, unreadable};
use super::{address, path_argument, quoted};
use crate::failure::{Failure, FailureKind};
use crate::show;
use crate::terminal::Terminal;
use ::daemon::checkpoint::comparison::{Comparison, PathDifference};
use ::daemon::environment::Environment;
use clap::Args;
use engine::text::one_line;
use git::object::{EntryMode, Id, TreeLeaf};
use git::path::RepoPath;
use git::run::{Git, Limits};
use git::shadow::Shadow;
use report::{DiffReport, LineCounts};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;
use store::table::checkpoints::Checkpoint;

mod report;

/// What git shows a comparison with, whatever the person's settings say: a patch that `git apply` takes.
const SWITCHES: [&str; 12] = [
    "--git-dir=.",
    "-c",
    "diff.noprefix=false",
    "-c",
    "diff.mnemonicPrefix=false",
    "diff",
    "-O/dev/null",
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];
/// What a pager needs to know of the person's environment.
const FOR_THE_PAGER: [&str; 9] = [
    "GIT_PAGER",
    "PAGER",
    "LESS",
    "LESSCHARSET",
    "LV",
    "TERM",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
];
/// How long git may count lines.
const COUNTING: Duration = Duration::from_mins(1);

/// Compare a checkpoint with the working tree, or with another checkpoint
///
/// Git shows what leads from the first to the second: in your colours, through your pager, as a patch that `git apply` takes.
#[derive(Args)]
pub struct DiffArgs {
    /// From: an id, `@`, `start`, `t3`, `t3.2`, `agent:a3f2`, `commit:<rev>`
    #[arg(value_name = "AT")]
    at: String,
    /// To; without it, the working tree as it is now
    #[arg(value_name = "AT")]
    to: Option<String>,
    /// In this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only this file, or what is below this folder; may be given more than once
    #[arg(long, value_name = "PATH")]
    path: Vec<OsString>,
    /// How many lines changed in each file
    #[arg(long, conflicts_with_all = ["name_only", "json"])]
    stat: bool,
    /// Only the names of the files
    #[arg(long, conflicts_with = "json")]
    name_only: bool,
    /// One JSON object: the files, and how many lines changed in each
    #[arg(long)]
    json: bool,
}

impl DiffArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = CheckpointPlace::open(environment)?;
        let session = self.session.as_deref();
        let from = address::find(&here, environment, &self.at, session)?.checkpoint;
        let to = match &self.to {
            Some(to) => Some(address::find(&here, environment, to, session)?.checkpoint),
            None => None,
        };
        let only = self.only(&here)?;
        let shadow = here.shadow()?;
        let comparison = compare(&here, &shadow, &from, to.as_ref())?;
        let comparison = without_lost(narrowed(comparison, &only), &shadow);
        let git = Git::new(shadow.folder(), here.site.environment());
        let trees = trees(&shadow, &comparison)?;
        if self.json {
            let counts = LineCounts::of(&git, &trees)?;
            show::json(&DiffReport::of(&from, to.as_ref(), &comparison, &counts))?;
        } else {
            self.show(&git, &trees, environment)?;
        }
        for (path, why) in &comparison.uncompared {
            let path = quoted::path(path.as_bytes());
            show::talk(&format!("not compared: {path} ({})", one_line(why, 120)));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The paths that are asked for; none for all.
    fn only(&self, here: &CheckpointPlace) -> Result<Vec<RepoPath>, Failure> {
        let mut only = Vec::new();
        for path in &self.path {
            match path_argument::within(here, path)? {
                Some(path) => only.push(path),
                None => return Ok(Vec::new()),
            }
        }
        Ok(only)
    }

    fn show(&self, git: &Git, trees: &[String; 2], environment: &Environment) -> Result<(), Failure> {
        let form = match (self.stat, self.name_only) {
            (true, _) => ["--stat", "--find-renames"],
            (_, true) => ["--name-only", "--no-renames"],
            _ => ["--binary", "--find-renames"],
        };
        let colour = if Terminal::of_stdout(environment).colour {
            "--color=always"
        } else {
            "--color=never"
        };
        let mut arguments: Vec<&str> = [&SWITCHES[..], &form, &[colour]].concat();
        arguments.extend(trees.iter().map(String::as_str));
        let variables = FOR_THE_PAGER
            .iter()
            .filter_map(|name| Some((*name, environment.value(name)?)));
        git.show(&arguments, variables).map_err(unshown)
    }
}

/// The two states as trees of their own, of the files that differ alone.
fn trees(shadow: &Shadow, comparison: &Comparison) -> Result<[String; 2], Failure> {
    let tree = |state: fn(&PathDifference) -> Option<TreeLeaf>| -> Result<String, Failure> {
        let leaves: BTreeMap<RepoPath, Option<TreeLeaf>> = comparison
            .differences
            .iter()
            .filter_map(|one| Some((one.path.clone(), Some(state(one)?))))
            .collect();
        let id: Id = shadow.edit(None, None, &leaves).map_err(unreadable)?;
        Ok(id.to_string())
    };
    Ok([tree(|one| one.before)?, tree(|one| one.after)?])
}

/// What a checkpoint names and no repository has any more is not compared.
fn without_lost(mut comparison: Comparison, shadow: &Shadow) -> Comparison {
    let is_lost = |entry: Option<TreeLeaf>| {
        entry.is_some_and(|entry| entry.mode != EntryMode::Commit && !shadow.has_blob(entry.id))
    };
    let (lost, kept) = std::mem::take(&mut comparison.differences)
        .into_iter()
        .partition(|one| is_lost(one.before) || is_lost(one.after));
    comparison.differences = kept;
    let lost: Vec<PathDifference> = lost;
    let why = "its content is in no repository any more".to_owned();
    comparison
        .uncompared
        .extend(lost.into_iter().map(|one| (one.path, why.clone())));
    comparison
}

fn unshown(error: git::run::GitError) -> Failure {
    Failure::new(FailureKind::Failed, error)
}

fn compare(
    here: &CheckpointPlace,
    shadow: &Shadow,
    from: &Checkpoint,
    to: Option<&Checkpoint>,
) -> Result<Comparison, Failure> {
    match to {
        Some(to) => here.cutter().compare_two(shadow, from, to).map_err(uncut),
        None => here.cutter().compare_with_now(shadow, from).map_err(uncut),
    }
}

fn narrowed(mut comparison: Comparison, only: &[RepoPath]) -> Comparison {
    let is_meant =
        |path: &RepoPath| only.is_empty() || only.iter().any(|one| path == one || path.is_below(one));
    comparison
        .differences
        .retain(|difference| is_meant(&difference.path));
    comparison.uncompared.retain(|(path, _)| is_meant(path));
    comparison
}
