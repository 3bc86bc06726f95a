//! Who may give a command: some only a person, and none of those a live agent. One check, one place.

use crate::failure::{Failure, FailureKind};
use daemon::environment::Environment;
use daemon::home::Home;
use daemon::process::{self, Process};
use engine::access::{self, CommandAccess};
use std::fmt;
use std::io::IsTerminal;
use std::time::Duration;
use store::table::sessions;
use store::{Store, StoreError};

/// How long a look into a database may wait.
const WAIT: Duration = Duration::from_secs(2);

/// Refuses a command that only a person may give to whoever is an agent. Asked once, before any command runs.
pub fn admit(environment: &Environment, names: &str, words: &[Option<&str>]) -> Result<(), Failure> {
    match access::errand(names, words) {
        CommandAccess::Person => may_set_up(environment),
        CommandAccess::Agent | CommandAccess::Other => Ok(()),
    }
}

/// Set-up needs no terminal, so that scripts can do it; it is refused to agents alone.
pub fn may_set_up(environment: &Environment) -> Result<(), Failure> {
    match agent_here(environment) {
        Some(sign) => Err(Failure::saying(
            FailureKind::NeedsPerson,
            format!("this is for a person, and {sign}"),
        )
        .hint("ask the user to run it in a terminal of their own")),
        None => Ok(()),
    }
}

/// What tells that an agent runs this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentSign {
    /// A live agent is among the ancestors.
    Above(Process),
    /// An agent's variable is set.
    Variable(&'static str),
    /// Whoever started it is gone, and it has no terminal: a shell that was left behind.
    Orphan,
    /// What holds the other end of its terminal was started after an agent, and nothing tells that a person sees it.
    Terminal,
}

impl fmt::Display for AgentSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Above(agent) => write!(f, "an agent (pid {}) is running it", agent.pid),
            Self::Variable(name) => write!(f, "this shell is an agent's: `{name}` is set"),
            Self::Orphan => {
                f.write_str("this process was left behind, without a terminal: an agent may have started it")
            }
            Self::Terminal => f.write_str(
                "an agent may have opened this terminal: it was opened after the agent had started, by a process nobody is above",
            ),
        }
    }
}

/// What tells that an agent runs this process; nothing for a person.
pub fn agent_here(environment: &Environment) -> Option<AgentSign> {
    let recorded = recorded_agents(environment);
    if let Some(agent) = above(environment, &recorded) {
        return Some(AgentSign::Above(agent));
    }
    let variable = AGENTS_SIGNS
        .into_iter()
        .find(|name| environment.value(name).is_some());
    variable
        .map(AgentSign::Variable)
        .or_else(|| process::is_left_by(&recorded).then_some(AgentSign::Orphan))
        .or_else(|| process::is_opened_by(&recorded).then_some(AgentSign::Terminal))
}

/// What only a person may do: at a terminal, and not below a live agent.
pub fn must_be_a_person(environment: &Environment) -> Result<(), Failure> {
    may_set_up(environment)?;
    if is_at_a_terminal() {
        return Ok(());
    }
    Err(
        Failure::saying(FailureKind::NeedsPerson, "this is for a person at a terminal")
            .hint("run it yourself, in a terminal of your own"),
    )
}

/// What an agent sets in every shell it opens.
const AGENTS_SIGNS: [&str; 3] = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT"];

/// What lets an agent do what the guard stopped: only a person, in a terminal no agent opened or looks into.
pub fn may_approve(environment: &Environment) -> Result<(), Failure> {
    if is_alone_at_a_terminal(environment) {
        return Ok(());
    }
    Err(Failure::saying(
        FailureKind::NeedsPerson,
        "Approvals come from a person in their own terminal.",
    ))
}

/// What takes something away from an agent: only a person, in a terminal no agent opened or looks into.
pub fn may_take_away(environment: &Environment, by_person: bool) -> Result<(), Failure> {
    if by_person && is_alone_at_a_terminal(environment) {
        return Ok(());
    }
    Err(Failure::saying(
        FailureKind::NeedsPerson,
        "a lease is broken by a person in their own terminal",
    ))
}

fn is_alone_at_a_terminal(environment: &Environment) -> bool {
    let has_terminal = is_at_a_terminal()
        && std::io::stderr().is_terminal()
        && fs_err::File::options()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .is_ok();
    has_terminal && agent_here(environment).is_none()
}

/// What can be undone needs no terminal where it was agreed to beforehand; it is refused inside a live agent.
pub fn may_put_back(environment: &Environment, agreed: bool) -> Result<(), Failure> {
    may_set_up(environment)?;
    if agreed || is_at_a_terminal() {
        return Ok(());
    }
    Err(Failure::saying(
        FailureKind::WrongUse,
        "there is no terminal to ask at; nothing was changed",
    )
    .hint("`--dry-run` shows what would be done, `--yes` does it"))
}

/// Whether somebody can be asked.
pub fn is_at_a_terminal() -> bool {
    std::io::stdin().is_terminal()
}

/// A live agent among this process's ancestors: one we recorded, or one whose environment we still have. The second
/// also holds where a record cannot be read, or is one we do not know of.
pub fn agent_above(environment: &Environment) -> Option<Process> {
    above(environment, &recorded_agents(environment))
}

fn above(environment: &Environment, recorded: &[Process]) -> Option<Process> {
    let named = named(environment);
    Process::ancestors()
        .into_iter()
        .find(|ancestor| recorded.contains(ancestor) || named == Some(*ancestor))
}

fn recorded_agents(environment: &Environment) -> Vec<Process> {
    let homes = homes(environment).into_iter();
    homes
        .flat_map(|home| recorded(&home).unwrap_or_default())
        .collect()
}

/// The agent that says of itself that this is its shell.
fn named(environment: &Environment) -> Option<Process> {
    environment.value("CLAUDECODE")?;
    Process::of(environment.text("CLAUDE_PID")?.parse().ok()?)
}

/// Every home an agent here may be recorded in: naming another one must not hide it.
fn homes(environment: &Environment) -> Vec<Home> {
    let only = |names: &[&'static str]| {
        let kept = names
            .iter()
            .filter_map(|name| Some((*name, environment.text(name)?)));
        Home::of(&Environment::of(&kept.collect::<Vec<_>>()))
    };
    let mut homes = vec![Home::of(environment)];
    let of_account = account_home().map(|home| Home::of(&Environment::of(&[("HOME", &*home)])));
    for home in [only(&["XDG_STATE_HOME", "HOME"]), only(&["HOME"])]
        .into_iter()
        .chain(of_account)
    {
        if homes.iter().all(|known| known.folder() != home.folder()) {
            homes.push(home);
        }
    }
    homes
}

/// The home that the system has for this user, whatever the environment says. Tests have homes of their own.
fn account_home() -> Option<String> {
    if cfg!(feature = "testing") {
        return None;
    }
    let accounts = fs_err::read_to_string("/etc/passwd").ok()?;
    home_in(&accounts, rustix::process::getuid().as_raw())
}

fn home_in(accounts: &str, user: u32) -> Option<String> {
    let mut lines = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let account = lines.find(|fields| fields.get(2).and_then(|id| id.parse().ok()) == Some(user))?;
    let home = account.get(5).filter(|home| home.starts_with('/'))?;
    Some((*home).to_owned())
}

/// The agents that are at work according to a home's record.
fn recorded(home: &Home) -> Result<Vec<Process>, StoreError> {
    let store = Store::open_existing(&home.database(), WAIT)?;
    let live = sessions::live_processes(&store.read())?;
    Ok(live.into_iter().map(|agent| agent.client.into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_knows_a_user_s_home() {
        let accounts = "root:x:0:0:root:/root:/bin/bash\nme:x:1000:1000:,,,:/home/me:/bin/zsh\nbad\n";
        assert_eq!(home_in(accounts, 1000).as_deref(), Some("/home/me"));
        assert_eq!(home_in(accounts, 0).as_deref(), Some("/root"));
        assert_eq!(home_in(accounts, 7), None);
    }
}
