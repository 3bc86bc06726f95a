//! `toprope checkpoint diff`: what differs between a checkpoint and another one, or the worktree as it is now.

use super::place::{Here, uncut};
use super::{address, path_argument, quoted};
use crate::failure::Failure;
use crate::show;
use crate::terminal::Terminal;
use ::daemon::checkpoint::comparison::{Comparison, Difference};
use ::daemon::environment::Environment;
use changed::Changed;
use clap::Args;
use engine::text::one_line;
use git::object::Mode;
use git::path::RepoPath;
use git::shadow::Shadow;
use report::Report;
use sink::Sink;
use std::ffi::OsString;
use std::process::ExitCode;
use store::table::checkpoints::Checkpoint;

mod changed;
mod content;
mod report;
mod sink;
mod stat;
mod unified;

/// Compare a checkpoint with the working tree, or with another checkpoint
///
/// Prints what leads from the first to the second as a unified diff that `git apply` takes. Through a pager on a terminal:
/// `PAGER`, else `less`.
#[derive(Args)]
pub struct Diff {
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

impl Diff {
    /// Shows it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = Here::open(environment)?;
        let session = self.session.as_deref();
        let from = address::find(&here, environment, &self.at, session)?.checkpoint;
        let to = match &self.to {
            Some(to) => Some(address::find(&here, environment, to, session)?.checkpoint),
            None => None,
        };
        let only = self.only(&here)?;
        let shadow = here.shadow()?;
        let comparison = compare(&here, &shadow, &from, to.as_ref())?;
        let comparison = narrowed(comparison, &only);
        if self.json {
            show::json(&Report::of(&shadow, &from, to.as_ref(), &comparison)?)?;
        } else {
            self.print(&shadow, &comparison, environment)?;
        }
        for (path, why) in &comparison.uncompared {
            let path = quoted::path(path.as_bytes());
            show::talk(&format!("not compared: {path} ({})", one_line(why, 120)));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The paths that are asked for; none for all.
    fn only(&self, here: &Here) -> Result<Vec<RepoPath>, Failure> {
        let mut only = Vec::new();
        for path in &self.path {
            match path_argument::within(here, path)? {
                Some(path) => only.push(path),
                None => return Ok(Vec::new()),
            }
        }
        Ok(only)
    }

    fn print(
        &self,
        shadow: &Shadow,
        comparison: &Comparison,
        environment: &Environment,
    ) -> Result<(), Failure> {
        let terminal = Terminal::of_stdout(environment);
        let mut sink = Sink::open(environment, terminal);
        if self.name_only {
            for difference in &comparison.differences {
                let path = quoted::path(difference.path.as_bytes());
                if !sink.write(format!("{path}\n").as_bytes()) {
                    break;
                }
            }
            return Ok(());
        }
        if self.stat {
            let mut changed = Vec::new();
            for difference in &comparison.differences {
                changed.push(Changed::of(shadow, difference)?.summary());
            }
            sink.write(stat::text(&changed, terminal).as_bytes());
            return Ok(());
        }
        // One file at a time: together they may be larger than the memory.
        for difference in comparison.differences.iter().flat_map(one_type_each) {
            let changed = Changed::of(shadow, &difference)?;
            if !sink.write(&unified::patch(&changed, terminal)) {
                break;
            }
        }
        Ok(())
    }
}

fn compare(
    here: &Here,
    shadow: &Shadow,
    from: &Checkpoint,
    to: Option<&Checkpoint>,
) -> Result<Comparison, Failure> {
    match to {
        Some(to) => here.cutter().compare_two(shadow, from, to).map_err(uncut),
        None => here.cutter().compare_with_now(shadow, from).map_err(uncut),
    }
}

/// A file that became a link is one that went and one that came, as git has it.
fn one_type_each(difference: &Difference) -> Vec<Difference> {
    let class = |mode: Mode| match mode {
        Mode::File | Mode::Exec => Mode::File,
        Mode::Link | Mode::Commit => mode,
    };
    match (difference.before, difference.after) {
        (Some(before), Some(after)) if class(before.mode) != class(after.mode) => vec![
            Difference {
                after: None,
                ..difference.clone()
            },
            Difference {
                before: None,
                ..difference.clone()
            },
        ],
        _ => vec![difference.clone()],
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
