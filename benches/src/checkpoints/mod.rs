//! What we claim about checkpoints: beside git's own commands, and in a repository a hundred times as large.

mod desk;
mod known;
mod linking;
mod listing;
mod record;
mod replies;
pub mod repository;
mod rewinding;
mod rival;
mod scanning;
mod size;
mod transcripts;

use crate::arguments::Effort;
use crate::report::Report;
use crate::target::{Judgement, Target};
use anyhow::Context;
use desk::Desk;
use repository::Repository;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How many files the repositories have.
pub const SIZES: [u32; 3] = [1_000, 10_000, 100_000];

/// What is run, and on what.
struct Plan {
    cache: PathBuf,
    sizes: Vec<u32>,
    rounds: u32,
    is_quick: bool,
}

/// Runs every part that is asked for.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let plan = Plan {
        cache: cache()?,
        sizes: SIZES
            .into_iter()
            .filter(|files| *files <= effort.largest)
            .collect(),
        rounds: effort.rounds,
        is_quick: effort.is_quick,
    };
    let wants = |parts: &[&str]| parts.iter().any(|part| effort.includes(part));
    if wants(&["known", "git", "scan", "rewind"]) {
        let mut desks = Vec::new();
        for files in &plan.sizes {
            desks.push(Desk::new(Repository::of(&plan.cache, *files)?, path)?);
        }
        if wants(&["known"]) {
            known::growth(&plan, &mut desks, report)?;
        }
        if wants(&["git"]) {
            known::against_git(&plan, &mut desks, report)?;
        }
        if wants(&["scan"]) {
            scanning::run(&plan, &mut desks, report)?;
        }
        if wants(&["rewind"]) {
            rewinding::run(&plan, &mut desks, report)?;
        }
    }
    if wants(&["size"]) {
        size::run(&plan, path, report)?;
    }
    if wants(&["reply"]) {
        replies::run(&plan, toprope, path, report)?;
    }
    if wants(&["transcript"]) {
        transcripts::run(&plan, report)?;
    }
    if wants(&["linking"]) {
        linking::run(&plan, path, report)?;
    }
    if wants(&["listing"]) {
        listing::run(&plan, report)?;
    }
    for files in &plan.sizes {
        Repository::of(&plan.cache, *files)?;
    }
    Ok(())
}

/// Where repositories are kept between runs.
pub fn cache() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let built = own.parent().context("a program is in a folder")?;
    let cache = built.join("bench-repositories");
    fs_err::create_dir_all(&cache)?;
    Ok(cache)
}

impl Plan {
    fn rounds(&self, share: u32) -> u32 {
        (self.rounds / share).max(3)
    }

    fn smallest(&self) -> u32 {
        self.sizes.first().copied().unwrap_or_default()
    }

    fn largest(&self) -> u32 {
        self.sizes.last().copied().unwrap_or_default()
    }

    /// A measurement for which the largest repository is meant.
    fn judge(&self, report: &mut Report, target: Target, measured: Option<f64>) {
        let [.., meant] = SIZES;
        let reason = (self.largest() < meant).then(|| format!("at most {} files", self.largest()));
        judge(report, target, measured, reason);
    }

    /// A measurement in a repository of one size; in the largest there is where that one was left out.
    fn judge_at(
        &self,
        report: &mut Report,
        target: Target,
        files: u32,
        measured: impl Fn(u32) -> Option<f64>,
    ) {
        let there = files.min(self.largest());
        let reason = (there < files).then(|| format!("in a repository of {there} files"));
        judge(report, target, measured(there), reason);
    }
}

fn judge(report: &mut Report, target: Target, measured: Option<f64>, reason: Option<String>) {
    if let Some(measured) = measured {
        report.judge(Judgement::new(target, measured).informative(reason));
    }
}
