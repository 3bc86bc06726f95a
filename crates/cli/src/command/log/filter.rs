//! Which events to show, as flags: each may be given again for "or", together they mean "and".

use super::path::LogPath;
use super::when::LogMoment;
use crate::failure::{Failure, FailureKind};
use clap::Args;
use engine::id::ProjectId;
use engine::policy::ORDER;
use engine::text::one_line;
use engine::time::Timestamp;
use engine::verdict::VerdictKind;
use jiff::tz::TimeZone;
use store::table::events::{self, LogFilter};
use store::{Db, StoreError};

/// More tools than these are not named in a hint.
const MOST_TOOLS: usize = 20;

/// What the pipeline calls a payload it could not read.
const UNREADABLE: &str = "unreadable";

/// See the module.
#[derive(Args)]
#[command(next_help_heading = "Filters (each may be repeated)")]
pub struct LogFilterArgs {
    /// Of this client session: the beginning of its id
    #[arg(long, value_name = "ID", value_parser = session)]
    session: Vec<String>,
    /// Of this agent: its label, or the beginning of its id
    #[arg(long, value_name = "AGENT", value_parser = agent)]
    agent: Vec<String>,
    /// With this name, such as `UserPromptSubmit`
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Of this tool, such as `Edit`; `Task` and `Agent` are one
    #[arg(long, value_name = "NAME", value_parser = tool)]
    tool: Vec<String>,
    /// About this file, whatever is in this folder, or what fits a glob from the worktree's root (`src/**/*.rs`)
    #[arg(long, value_name = "PATH", value_parser = LogPath::parse)]
    path: Vec<LogPath>,
    /// With this verdict: silent, advise, rewrite, ask or deny
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    verdict: Vec<VerdictKind>,
    /// On which this policy had something to say
    #[arg(long, value_name = "NAME", value_parser = policy)]
    policy: Vec<String>,
    /// Not earlier: `10m`, `2h`, `today`, a day, or RFC 3339
    #[arg(long, value_name = "WHEN", value_parser = LogMoment::parse)]
    since: Option<LogMoment>,
    /// Not later, in the same words
    #[arg(long, value_name = "WHEN", value_parser = LogMoment::parse)]
    until: Option<LogMoment>,
    /// Of every project, not only the one of the current folder
    #[arg(long)]
    pub all_projects: bool,
}

impl LogFilterArgs {
    /// Refuses names no event ever had.
    pub fn check(&self, db: &Db) -> Result<(), Failure> {
        for name in &self.event {
            // Clients add events faster than we release; whatever came once can be asked for.
            if !is_known(name) && !events::was_named(db, name)? {
                let known: Vec<&str> = agents::claude_code::events().collect();
                return Err(
                    Failure::saying(FailureKind::WrongUse, format!("there is no event `{name}`"))
                        .hint(format!("accepted: {}", known.join(", "))),
                );
            }
        }
        Ok(())
    }

    /// The same for the store, at most so many events.
    pub fn of_store(
        &self,
        project: Option<ProjectId>,
        now: Timestamp,
        limit: u64,
    ) -> Result<LogFilter, Failure> {
        let zone = TimeZone::system();
        let paths = self.path.iter().map(LogPath::filter);
        Ok(LogFilter {
            project,
            tools: self.tool.clone(),
            agents: self.agent.clone(),
            sessions: self.session.clone(),
            events: self.event.clone(),
            verdicts: self.verdict.clone(),
            policies: self.policy.clone(),
            paths: paths.collect::<Result<_, _>>()?,
            since: self.since.map(|when| when.moment(now, &zone)),
            until: self.until.map(|when| when.moment(now, &zone)),
            after_seq: None,
            limit,
        })
    }

    /// The tools that were asked for and never used in a project.
    pub fn unused_tools(&self, db: &Db, project: ProjectId) -> Result<Option<String>, StoreError> {
        let used = events::tools_seen(db, project)?;
        let is_used =
            |tool: &String| used.contains(tool) || (tool == "Task" && used.iter().any(|t| t == "Agent"));
        if self.tool.is_empty() || self.tool.iter().any(is_used) {
            return Ok(None);
        }
        let shown: Vec<String> = used
            .iter()
            .take(MOST_TOOLS)
            .map(|tool| one_line(tool, 60))
            .collect();
        Ok(Some(match shown.as_slice() {
            [] => "no tool was used here yet".to_owned(),
            some => format!("tools used here: {}", some.join(", ")),
        }))
    }
}

fn is_known(name: &str) -> bool {
    name == UNREADABLE || agents::claude_code::events().any(|known| known == name)
}

fn session(text: &str) -> Result<String, String> {
    filled(text, "the beginning of a session's id")
}

fn agent(text: &str) -> Result<String, String> {
    filled(text, "an agent's label, or the beginning of its id")
}

fn tool(text: &str) -> Result<String, String> {
    filled(
        text,
        "the name of a tool, such as Bash, Edit or mcp__server__tool",
    )
}

fn filled(text: &str, accepted: &str) -> Result<String, String> {
    if text.is_empty() {
        Err(format!("accepted: {accepted}"))
    } else {
        Ok(text.to_owned())
    }
}

fn verdict(word: &str) -> Result<VerdictKind, String> {
    let known = || VerdictKind::ALL.map(VerdictKind::as_str).join(", ");
    VerdictKind::parse(word).ok_or_else(|| format!("accepted: {}", known()))
}

fn policy(name: &str) -> Result<String, String> {
    let known: Vec<&str> = ORDER.iter().map(|policy| policy.name()).collect();
    if known.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("accepted: {}", known.join(", ")))
    }
}
