//! What a session is told of its project at its start: in a small one and in a large one, within the same time and of the same
//! length.

use super::{SETTINGS, judge};
use crate::arguments::Effort;
use crate::checkpoints::repository::Repository;
use crate::checkpoints::{SIZES, cache};
use crate::payload::recorded;
use crate::report::Report;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::stopwatch;
use crate::target;
use crate::timing::{Timings, milliseconds};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::Path;

/// As many folders as lines are told, and more, with one file each.
const SPARSE: &str = "many folders";
/// Fewer folders than lines are told.
const SMALL: &str = "few folders";
const LARGE: &str = "most folders";

/// A project and what its sessions took and were told.
struct Project {
    name: &'static str,
    files: u32,
    stage: Stage,
    took: Timings,
    told: u32,
}

/// Every round a session starts in each project, whole process.
pub fn run(toprope: &Path, path: &OsStr, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let [smallest, .., largest] = SIZES;
    let cache = cache()?;
    let repositories = [
        (SPARSE, Repository::sparse(&cache, smallest)?),
        (SMALL, Repository::of(&cache, smallest)?),
        (LARGE, Repository::of(&cache, largest.min(effort.largest))?),
    ];
    let mut projects = Vec::new();
    for (name, repository) in repositories {
        // The repository itself: nothing here changes it, and another hundred thousand files would.
        let stage = Stage::around(path, |project| Ok(symlink(&repository.root, project)?))?;
        stage.settle(SETTINGS)?;
        let mut project = Project {
            name,
            files: repository.files,
            stage,
            took: Timings::default(),
            told: 0,
        };
        project.starts_a_session(toprope, 0)?;
        project.took = Timings::default();
        projects.push(project);
    }
    let mut shuffle = Shuffle::new();
    for round in 1..=(effort.rounds / 10).max(3) {
        shuffle.order(&mut projects);
        for project in &mut projects {
            project.starts_a_session(toprope, round)?;
        }
    }
    projects.sort_by_key(|project| (project.files, project.name));
    show(&projects, largest, report)
}

fn show(projects: &[Project], meant: u32, report: &mut Report) -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> = projects
        .iter()
        .map(|project| {
            vec![
                format!("{} files, {}", project.files, project.name),
                milliseconds(project.took.median()),
                milliseconds(project.took.percentile(95)),
                project.told.to_string(),
            ]
        })
        .collect();
    report.table(
        "a session starts, whole process, milliseconds",
        &["", "p50", "p95", "characters told"],
        &rows,
    )?;
    let most = projects
        .iter()
        .map(|project| project.files)
        .max()
        .unwrap_or_default();
    let reason = || (most < meant).then(|| format!("at most {most} files"));
    let slowest = projects.iter().map(|project| project.took.percentile(95)).max();
    let slowest = slowest.map(|took| took.as_secs_f64() * 1000.0);
    judge(report, target::STRUCTURE, slowest, reason());
    let told = |name: &str| projects.iter().find(|project| project.name == name);
    let ratio = |name: &str| {
        let (one, other) = (f64::from(told(LARGE)?.told), f64::from(told(name)?.told));
        Some(one.max(other) / one.min(other).max(1.0))
    };
    judge(report, target::STRUCTURE_SIZE, ratio(SPARSE), reason());
    let fewer = "one has fewer folders than lines are told".to_owned();
    judge(report, target::STRUCTURE_LINES, ratio(SMALL), Some(fewer));
    Ok(())
}

impl Project {
    fn starts_a_session(&mut self, toprope: &Path, number: u32) -> anyhow::Result<()> {
        let session = format!("{number:08x}-52a4-4c55-9f0f-3c2a9d6e7f10");
        let event = recorded("SessionStart", None, self.stage.project(), &session)?.to_string();
        let mut hook = self.stage.command(toprope, &["hook", "claude-code"]);
        let (took, said) = stopwatch::answer(&mut hook, event.as_bytes())?;
        let said: Value = serde_json::from_str(&said).context("a session was told nothing")?;
        let told = said.pointer("/hookSpecificOutput/additionalContext");
        let told = told.and_then(Value::as_str).unwrap_or_default();
        ensure!(
            told.contains("Project state"),
            "a session was not told of its project: {told}"
        );
        self.took.add(took);
        self.told = u32::try_from(state(told).chars().count())?;
        self.ends(toprope, &session)
    }

    /// It leaves, so that the next one is told of the project alone.
    fn ends(&self, toprope: &Path, session: &str) -> anyhow::Result<()> {
        let event = recorded("SessionEnd", None, self.stage.project(), session)?.to_string();
        let mut hook = self.stage.command(toprope, &["hook", "claude-code"]);
        stopwatch::run(&mut hook, event.as_bytes()).map(drop)
    }
}

/// The part about the project.
fn state(told: &str) -> &str {
    told.find("Project state")
        .and_then(|at| told.get(at..))
        .unwrap_or_default()
}
