//! Who may give a command: some only a person, and none of those a live agent. One check, one place.

use crate::failure::{Failure, Kind};
use daemon::home::Home;
use daemon::process::Process;
use std::io::IsTerminal;
use std::time::Duration;
use store::Store;
use store::table::sessions;

/// How long a look into the database may wait.
const WAIT: Duration = Duration::from_secs(2);

/// Set-up needs no terminal, so that scripts can do it; it is refused only inside a live agent we have recorded.
pub fn may_set_up(home: &Home) -> Result<(), Failure> {
    match agent_above(home) {
        Some(agent) => Err(Failure::saying(
            Kind::NeedsPerson,
            format!(
                "this is for a person, and an agent (pid {}) is running it",
                agent.pid
            ),
        )
        .hint("ask the user to run it in a terminal of their own")),
        None => Ok(()),
    }
}

/// A live agent among this process's ancestors.
fn agent_above(home: &Home) -> Option<Process> {
    let store = Store::open_existing(&home.database(), WAIT).ok()?;
    let known = sessions::live_processes(&store.read()).ok()?;
    Process::ancestors()
        .into_iter()
        .find(|ancestor| known.iter().any(|agent| Process::from(agent.client) == *ancestor))
}

/// What only a person may do: at a terminal, and not below a live agent.
pub fn must_be_a_person(home: &Home) -> Result<(), Failure> {
    may_set_up(home)?;
    if std::io::stdin().is_terminal() {
        return Ok(());
    }
    Err(
        Failure::saying(Kind::NeedsPerson, "this is for a person at a terminal")
            .hint("run it yourself, in a terminal of your own"),
    )
}
