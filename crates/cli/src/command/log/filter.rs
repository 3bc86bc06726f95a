//! Which events to show, as flags: each may be given again for "or", together they mean "and".

use super::when::When;
use crate::failure::{Failure, Kind};
use clap::Args;
use engine::id::ProjectId;
use engine::policy::ORDER;
use engine::time::Timestamp;
use engine::verdict::VerdictKind;
use jiff::tz::TimeZone;
use store::table::events::{self, LogFilter};
use store::{Db, StoreError};

/// What the pipeline calls a payload it could not read.
const UNREADABLE: &str = "unreadable";

/// See the module.
#[derive(Args)]
#[command(next_help_heading = "Filters (each may be repeated)")]
pub struct Filter {
    /// Of this client session: the beginning of its id
    #[arg(long, value_name = "ID")]
    session: Vec<String>,
    /// Of this agent: its label, or the beginning of its id
    #[arg(long, value_name = "AGENT")]
    agent: Vec<String>,
    /// With this name, such as `UserPromptSubmit`
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Of this tool, such as `Edit`; `Task` and `Agent` are one
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// About this path: whole, its end, or a glob
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// With this verdict: silent, advise, rewrite, ask or deny
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    verdict: Vec<VerdictKind>,
    /// On which this policy had something to say
    #[arg(long, value_name = "NAME", value_parser = policy)]
    policy: Vec<String>,
    /// Not earlier: `10m`, `2h`, `today`, a day, or RFC 3339
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    since: Option<When>,
    /// Not later, in the same words
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    until: Option<When>,
    /// Of every project, not only the one of the current folder
    #[arg(long)]
    pub all_projects: bool,
}

impl Filter {
    /// Refuses names no event ever had.
    pub fn check(&self, db: &Db) -> Result<(), Failure> {
        for name in &self.event {
            if !is_known(name) && !was_recorded(db, name)? {
                let known: Vec<&str> = agents::claude_code::events().collect();
                return Err(
                    Failure::saying(Kind::WrongUse, format!("there is no event `{name}`"))
                        .hint(format!("accepted: {}", known.join(", "))),
                );
            }
        }
        Ok(())
    }

    /// The same for the store, at most so many events.
    pub fn of_store(&self, project: Option<ProjectId>, now: Timestamp, limit: u64) -> LogFilter {
        let zone = TimeZone::system();
        let shortened = |path: &String| path.strip_prefix("./").unwrap_or(path).to_owned();
        LogFilter {
            project,
            tools: self.tool.clone(),
            agents: self.agent.clone(),
            sessions: self.session.clone(),
            events: self.event.clone(),
            verdicts: self.verdict.clone(),
            policies: self.policy.clone(),
            paths: self.path.iter().map(shortened).collect(),
            since: self.since.map(|when| when.moment(now, &zone)),
            until: self.until.map(|when| when.moment(now, &zone)),
            after_seq: None,
            limit,
        }
    }
}

fn is_known(name: &str) -> bool {
    name == UNREADABLE || agents::claude_code::events().any(|known| known == name)
}

/// Clients add events faster than we release; whatever came once can be asked for.
fn was_recorded(db: &Db, name: &str) -> Result<bool, StoreError> {
    Ok(events::fired(db)?.iter().any(|(known, _, _)| known == name))
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
