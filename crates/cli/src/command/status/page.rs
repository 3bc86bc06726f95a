//! The report as a person reads it.

use super::StatusReport;
use super::agent::{AgentEntry, LastEvent};
use super::project::ProjectEntry;
use super::state::HealthState;
use crate::command::daemon::DaemonState;
use crate::disk::size;
use crate::moment;
use crate::terminal::{Terminal, cut, padded, width};
use engine::text::one_line;
use engine::time::{Timestamp, short};

/// Labels, counts and other names stand in a column this wide.
const NAME: usize = 11;

/// The whole report.
pub fn text(report: &StatusReport, terminal: Terminal) -> String {
    let mut text = String::new();
    for project in &report.projects {
        text.push_str(&about(project));
        text.push_str(&agents(&project.agents, report.now, terminal));
        text.push('\n');
    }
    text.push_str(&line("daemon", &daemon(&report.daemon)));
    text.push_str(&kept(&report.state, report.now));
    text
}

fn about(project: &ProjectEntry) -> String {
    let off = if project.enabled {
        ""
    } else {
        ", but switched off here"
    };
    let policies: Vec<String> = project
        .policies
        .iter()
        .map(|policy| match policy.loosened.as_slice() {
            [] => format!("{} {}", policy.name, policy.mode),
            loosened => format!("{} {} ({})", policy.name, policy.mode, loosened.join(", ")),
        })
        .collect();
    let mut text = String::new();
    if !project.installed {
        text.push_str(&line(
            "hooks",
            "not installed here, so no agent is seen or stopped: toprope init",
        ));
    }
    for fault in &project.hooks {
        text.push_str(&line("hooks", &format!("{fault}: toprope doctor")));
    }
    text.push_str(&line("project", &project.root));
    text.push_str(&line("profile", &format!("{}{off}", project.profile)));
    text.push_str(&line("policies", &policies.join(", ")));
    text.push_str(&line("checkpoints", &checkpoints(project)));
    if project.requests > 0 {
        let waits = if project.requests == 1 { "waits" } else { "wait" };
        let shown = format!("{} {waits} for you: toprope guard allow", project.requests);
        text.push_str(&line("requests", &shown));
    }
    for problem in &project.problems {
        for (index, part) in problem.lines().enumerate() {
            text.push_str(&line(if index == 0 { "settings" } else { "" }, part));
        }
    }
    if !project.seen {
        text.push_str(&line("agents", "none seen here yet"));
    } else if project.agents.is_empty() {
        text.push_str(&line("agents", "none at work"));
    } else {
        text.push_str(&line("agents", &count(&project.agents)));
    }
    text
}

fn checkpoints(project: &ProjectEntry) -> String {
    match (project.checkpoints.enabled, project.checkpoints.count) {
        (true, 0) => "on, none yet".to_owned(),
        (true, count) => format!("on, {count} here"),
        (false, 0) => "off".to_owned(),
        (false, count) => format!("off, {count} here from before"),
    }
}

fn count(agents: &[AgentEntry]) -> String {
    let mut sessions: Vec<&str> = agents.iter().map(|agent| agent.session_id.as_str()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let plural = if sessions.len() == 1 {
        "session"
    } else {
        "sessions"
    };
    format!("{} in {} {plural}", agents.len(), sessions.len())
}

/// A tree: subagents stand further in, below whoever started them.
fn agents(agents: &[AgentEntry], now: Timestamp, terminal: Terminal) -> String {
    let safe = |text: &str| one_line(text, usize::MAX);
    let names: Vec<String> = agents
        .iter()
        .map(|agent| format!("{}{}", "  ".repeat(agent.depth + 1), safe(&agent.label)))
        .collect();
    let ages: Vec<String> = agents
        .iter()
        .map(|agent| moment::ago(agent.last_seen, now))
        .collect();
    let (name, age) = (widest(&names), widest(&ages));
    let lines = agents
        .iter()
        .zip(names.iter().zip(&ages))
        .map(|(agent, (shown, ago))| {
            let state = if agent.working { "working" } else { "waiting" };
            let task = agent
                .description
                .as_ref()
                .map(|task| format!("\"{task}\""))
                .unwrap_or_default();
            let last = agent.last_event.as_ref().map(last).unwrap_or_default();
            let lead = format!("{}  {state}  {}  ", padded(shown, name), padded(ago, age));
            let rest = safe([last, task].join("  ").trim());
            let rest = cut(&rest, terminal.width.saturating_sub(width(&lead)));
            format!("{}\n", format!("{lead}{rest}").trim_end())
        });
    lines.collect()
}

fn last(event: &LastEvent) -> String {
    let what = event.tool.as_deref().unwrap_or(&event.event);
    format!("{what} {}", event.target.as_deref().unwrap_or_default())
        .trim_end()
        .to_owned()
}

fn daemon(found: &DaemonState) -> String {
    let daemon = match found {
        DaemonState::Serving(daemon) => daemon,
        DaemonState::Silent(silent) => return format!("{}: {}", silent.told(), silent.hint()),
        DaemonState::Nobody => return "not running; the next hook starts one".to_owned(),
    };
    let memory = daemon
        .resident_kib
        .map(|kib| format!(", {}", size(kib.saturating_mul(1024))))
        .unwrap_or_default();
    format!(
        "serving (pid {}) for {}{memory}",
        daemon.pid,
        short(daemon.uptime_s.saturating_mul(1000))
    )
}

fn kept(state: &HealthState, now: Timestamp) -> String {
    let mut text = line("state", &format!("{} in {}", size(state.bytes), state.folder));
    for counter in &state.counters {
        let when = counter
            .when
            .map(|at| format!(", last {}", moment::ago(at, now)))
            .unwrap_or_default();
        let what = counter
            .last
            .as_ref()
            .map(|text| format!(": {text}"))
            .unwrap_or_default();
        text.push_str(&line(&counter.name, &format!("{}{when}{what}", counter.count)));
    }
    for notice in &state.notices {
        text.push_str(&line(
            "for you",
            &format!("{} ({})", notice.text, moment::ago(notice.when, now)),
        ));
    }
    text
}

fn widest(texts: &[String]) -> usize {
    texts.iter().map(|text| width(text)).max().unwrap_or_default()
}

fn line(name: &str, value: &str) -> String {
    format!(
        "{} {}\n",
        padded(&one_line(name, usize::MAX), NAME),
        one_line(value, usize::MAX)
    )
}
