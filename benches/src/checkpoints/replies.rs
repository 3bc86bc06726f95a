//! What checkpoints add to a hook's reply: whole processes through the daemon, in the same project with them on and off.

use super::repository::Repository;
use super::{Plan, judge};
use crate::payload::{CALL, recorded};
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::{SESSION, Stage};
use crate::stopwatch;
use crate::target;
use anyhow::ensure;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::table::checkpoints::{self, CheckpointFilter};

/// The repository the agent works in.
const FILES: u32 = 10_000;
/// The length of the file that is about to be written.
const LENGTH: usize = 10_000;
const OFF: &str = "[checkpoints]\nenabled = false\n";

const COMMAND: &str = "before a command";
const PROMPT: &str = "prompt";
const FIRST: &str = "before the first write of a turn";
const WRITE: &str = "before a write";

/// An agent with a daemon of its own.
struct Agent<'a> {
    toprope: &'a Path,
    stage: Stage,
    is_on: bool,
    file: PathBuf,
    calls: u64,
}

/// Every round both agents ask, write and run a command. What a reply leaves to be done is done before the next.
pub fn run(plan: &Plan, toprope: &Path, path: &OsStr, report: &mut Report) -> anyhow::Result<()> {
    let repository = Repository::of(&plan.cache, FILES.min(plan.largest()))?;
    let mut agents = [
        Agent::new(toprope, &repository, path, true)?,
        Agent::new(toprope, &repository, path, false)?,
    ];
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..plan.rounds(3) {
        for step in [Agent::asks, Agent::writes, Agent::runs] {
            shuffle.order(&mut agents);
            for agent in &mut agents {
                step(agent, &mut series)?;
            }
        }
    }
    for agent in &agents {
        agent.verify()?;
    }
    let heading = format!(
        "hook replies in {} files, whole process, milliseconds; ratio to off",
        repository.files
    );
    series.show(report, &heading, |name| {
        let event = name.strip_suffix(", on").or(name.strip_suffix(", off"))?;
        series.median(&name_of(event, false))
    })?;
    for (target, event) in [
        (target::REPLY, COMMAND),
        (target::PROMPT, PROMPT),
        (target::PRE_IMAGE, WRITE),
    ] {
        let measured = series.ratio(&name_of(event, true), &name_of(event, false));
        judge(report, target, measured, None);
    }
    Ok(())
}

impl<'a> Agent<'a> {
    fn new(toprope: &'a Path, repository: &Repository, path: &OsStr, is_on: bool) -> anyhow::Result<Self> {
        let stage = Stage::around(path, |project| repository.cloned(project).map(drop))?;
        if !is_on {
            stage.settle(OFF)?;
        }
        let file = stage.project().join(repository.path(0));
        let mut agent = Self {
            toprope,
            stage,
            is_on,
            file,
            calls: 0,
        };
        agent.send("SessionStart", None)?;
        let mut untimed = Series::default();
        for step in [Self::asks, Self::writes, Self::runs] {
            step(&mut agent, &mut untimed)?;
        }
        Ok(agent)
    }

    /// A turn ends, the next begins, and its first write follows at once.
    fn asks(&mut self, series: &mut Series) -> anyhow::Result<()> {
        self.send("Stop", None)?;
        self.stage.wait_for_jobs()?;
        self.type_into_file()?;
        let took = self.send("UserPromptSubmit", None)?;
        series.add(&name_of(PROMPT, self.is_on), took);
        self.call("Edit", FIRST, series)
    }

    /// A write of a file that the person typed into a moment ago.
    fn writes(&mut self, series: &mut Series) -> anyhow::Result<()> {
        self.type_into_file()?;
        self.call("Edit", WRITE, series)
    }

    fn runs(&mut self, series: &mut Series) -> anyhow::Result<()> {
        self.call("Bash", COMMAND, series)
    }

    /// A call from the event before it to the end of what it left to be done. The event before it is timed.
    fn call(&mut self, tool: &str, event: &str, series: &mut Series) -> anyhow::Result<()> {
        self.calls += 1;
        let passed = self.send("PreToolUse", Some(tool))?;
        series.add(&name_of(event, self.is_on), passed);
        self.send("PostToolUse", Some(tool))?;
        self.send("PostToolBatch", None)?;
        self.stage.wait_for_jobs()
    }

    fn send(&self, event: &str, tool: Option<&str>) -> anyhow::Result<Duration> {
        let mut payload = recorded(event, tool, self.stage.project(), SESSION)?;
        let file = self.file.display().to_string();
        for (place, value) in [
            ("/prompt", format!("Do number {}.", self.calls)),
            (
                "/prompt_id",
                format!("00000000-0000-4000-8000-{:012}", self.calls),
            ),
            ("/tool_input/file_path", file.clone()),
            ("/tool_response/filePath", file),
            (
                "/tool_input/command",
                "cargo test -p client --test retries".to_owned(),
            ),
        ] {
            if let Some(found) = payload.pointer_mut(place) {
                *found = Value::from(value);
            }
        }
        if let Some(calls) = payload.pointer_mut("/tool_calls") {
            *calls = Value::Array(Vec::new());
        }
        if let Some(listed) = payload.pointer_mut("/tool_response/bashEditDiff") {
            *listed = serde_json::json!({ "files": [], "moreFiles": 0, "changedFiles": [] });
        }
        let event = payload
            .to_string()
            .replace(CALL, &format!("toolu_{:012}", self.calls));
        let mut command = self.stage.command(self.toprope, &["hook", "claude-code"]);
        stopwatch::run(&mut command, event.as_bytes())
    }

    /// New content, which nobody has seen yet.
    fn type_into_file(&mut self) -> anyhow::Result<()> {
        self.calls += 1;
        let line = format!("// what a person typed, number {}\n", self.calls);
        let text: String = line.chars().cycle().take(LENGTH).collect();
        fs_err::write(&self.file, text)?;
        Ok(())
    }

    /// Whether what was measured is what is claimed.
    fn verify(&self) -> anyhow::Result<()> {
        let store = self.stage.store()?;
        let filter = CheckpointFilter {
            worktree: None,
            session: None,
            actor: None,
            turn: None,
            kind: None,
            path: None,
            steps: true,
            limit: u64::from(u32::MAX),
        };
        let cut = u64::try_from(checkpoints::list(&store.read(), &filter)?.len())?;
        if self.is_on {
            ensure!(
                cut >= self.calls / 3,
                "{} calls left {cut} checkpoints",
                self.calls
            );
        } else {
            ensure!(cut == 0, "checkpoints were cut though they are off");
        }
        Ok(())
    }
}

fn name_of(event: &str, is_on: bool) -> String {
    format!("{event}, {}", if is_on { "on" } else { "off" })
}
