//! The hook before a write beside hooks that keep one writer per file in a JSON lock file: how long each takes, and how often
//! each gives one file to two agents that ask at the same time.

use super::agent::{Agent, is_denied};
use super::crowd::ensure_leased;
use super::{SETTINGS, judge, number};
use crate::arguments::Effort;
use crate::peer::{self, Peers};
use crate::product::Product;
use crate::report::Report;
use crate::series::Series;
use crate::shuffle::Shuffle;
use crate::stage::Stage;
use crate::stopwatch::{self, quoted};
use crate::target;
use anyhow::{Context, ensure};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const OURS: &str = "hook";
/// Keeps nothing: what the shell and a process cost that all others have to start as well.
const EMPTY: &str = "empty process";
const FILE: &str = "parser.rs";
/// Agents that want one file.
const CONTENDERS: u64 = 8;
/// Files they want, one after the other; fewer than an agent may wait for.
const FILES: u32 = 50;
/// How long runtimes have to start before their agents are told what they want; else the order of their starts decides.
const START: Duration = Duration::from_millis(300);

/// A way to keep one writer per file, as a command for `sh -c`.
struct Keeper {
    name: &'static str,
    line: String,
    stage: Stage,
}

/// Times every way in turn, then lets agents meet.
pub fn run(product: &Product, peers: &Peers, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let toprope = product.toprope.as_path();
    let ours = (OURS, format!("{} hook claude-code", quoted(toprope)));
    let theirs = peers.locking.iter().map(|peer| (peer.name, peer.command.clone()));
    let mut keepers = Vec::new();
    let empty = (EMPTY, quoted(&product.floor));
    for (name, line) in [ours, empty].into_iter().chain(theirs) {
        let stage = Stage::new(&peers.path)?;
        stage.settle(SETTINGS)?;
        fs_err::write(stage.project().join(FILE), "one\n")?;
        keepers.push(Keeper { name, line, stage });
    }
    if let Some(ours) = keepers.first() {
        Agent::new(&ours.stage, 0).is_asked(toprope)?;
    }
    let series = alone(&keepers, effort)?;
    series.show(
        report,
        "one writer per file, whole process before a write (sh -c), milliseconds",
        |_| series.median(OURS),
    )?;
    let reason = series
        .median(peer::NODE)
        .is_none()
        .then(|| "node is not installed; this is python".to_owned());
    let peer = if reason.is_some() {
        peer::PYTHON_PLAIN
    } else {
        peer::NODE
    };
    judge(report, target::LOCK_FILE, series.ratio(peer, OURS), reason);
    together(&keepers, effort, report)
}

fn alone(keepers: &[Keeper], effort: &Effort) -> anyhow::Result<Series> {
    let mut runs = Vec::new();
    for keeper in keepers {
        let agent = Agent::new(&keeper.stage, 0);
        let calls = agent.calls("Edit", &keeper.stage.project().join(FILE))?;
        runs.push((keeper, agent, calls));
    }
    let mut series = Series::default();
    let mut shuffle = Shuffle::new();
    for _ in 0..(effort.rounds / 3).max(3) {
        shuffle.order(&mut runs);
        for (keeper, agent, calls) in &mut runs {
            let took = stopwatch::run(&mut keeper.command(), &agent.before(calls))?;
            series.add(keeper.name, took);
            stopwatch::run(&mut keeper.command(), &agent.after(calls))?;
        }
    }
    Ok(series)
}

fn together(keepers: &[Keeper], effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let files = effort.rounds.min(FILES);
    for keeper in keepers.iter().filter(|keeper| keeper.name != EMPTY) {
        let agents = (0..CONTENDERS).map(|number| Agent::new(&keeper.stage, 100 + number));
        let mut agents: Vec<Agent<'_>> = agents.collect();
        let mut twice = 0;
        for file in 0..files {
            let file = keeper.stage.project().join(format!("wanted{file}.rs"));
            let granted = keeper.meets(&mut agents, &file)?;
            ensure!(granted > 0, "{}: nobody was given a file", keeper.name);
            twice += usize::from(granted > 1);
        }
        rows.push(vec![keeper.name.to_owned(), files.to_string(), twice.to_string()]);
        if keeper.name == OURS {
            ensure_leased(&keeper.stage)?;
            judge(report, target::DOUBLE_GRANTS, Some(number(twice)), None);
        }
    }
    report.table(
        &format!("{CONTENDERS} agents that want one file at the same time"),
        &["", "files", "given to several"],
        &rows,
    )
}

impl Keeper {
    fn command(&self) -> Command {
        self.stage.command(Path::new("/bin/sh"), &["-c", &self.line])
    }

    /// Agents ask for a file, all of them started before the first is told which: how many were given it.
    fn meets(&self, agents: &mut [Agent<'_>], file: &Path) -> anyhow::Result<usize> {
        let mut asking = Vec::new();
        for agent in agents {
            let calls = agent.calls("Edit", file)?;
            let mut command = self.command();
            let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
            asking.push((command.spawn()?, agent.before(&calls)));
        }
        wait_for_runtimes();
        let mut told = Vec::new();
        for (mut process, event) in asking {
            let mut stdin = process.stdin.take().context("a process has an input")?;
            stdin.write_all(&event)?;
            drop(stdin);
            told.push(process);
        }
        let mut granted = 0;
        for process in told {
            granted += usize::from(!is_denied(&answer(process)?));
        }
        Ok(granted)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a script runtime says nothing when it begins to read"
)]
fn wait_for_runtimes() {
    std::thread::sleep(START);
}

fn answer(process: Child) -> anyhow::Result<String> {
    let output = process.wait_with_output()?;
    ensure!(output.status.success(), "a hook ended with {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
