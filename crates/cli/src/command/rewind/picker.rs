//! Which checkpoint, where no address was given: a list to choose from, and a look before the choice counts.

use crate::command::checkpoint::entry;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::point;
use crate::command::checkpoint::session::choose;
use crate::failure::{Failure, FailureKind};
use crate::show;
use crate::terminal::cut;
use ::daemon::clock;
use ::daemon::environment::Environment;
use std::io::{self, BufRead, Write};
use store::table::checkpoints::{self, CheckpointFilter, ListedCheckpoint};

/// More are found by their address.
const MOST: u64 = 20;
const LABEL: usize = 60;

/// Lets the person choose; `None` if they chose none.
pub fn pick(
    here: &CheckpointPlace,
    environment: &Environment,
    session: Option<&str>,
) -> Result<Option<String>, Failure> {
    let Some(chosen) = choose(here, environment, session)? else {
        return Err(Failure::saying(
            FailureKind::NoMatch,
            "no session worked in this worktree yet",
        ));
    };
    let filter = CheckpointFilter {
        worktree: Some(here.worktree),
        session: Some(chosen.id()),
        actor: None,
        turn: None,
        kind: None,
        path: None,
        steps: false,
        limit: MOST,
    };
    let listed = here.read(|db| checkpoints::list(db, &filter))?;
    if listed.is_empty() {
        return Err(Failure::saying(
            FailureKind::NoMatch,
            "this session has no checkpoints yet",
        ));
    }
    show::talk(&format!("{} · newest first", chosen.title()));
    for (number, listed) in (1..).zip(&listed) {
        show::talk(&line(number, listed));
    }
    loop {
        let Some(answer) = answer("Which one? (number, an address, or nothing to leave)")? else {
            return Ok(None);
        };
        let number: Option<usize> = answer.parse().ok();
        match number {
            Some(number) => match number.checked_sub(1).and_then(|at| listed.get(at)) {
                Some(found) => return Ok(Some(found.checkpoint.id.to_string())),
                None => show::talk(&format!("there is no number {number}")),
            },
            None => return Ok(Some(answer)),
        }
    }
}

fn line(number: usize, listed: &ListedCheckpoint) -> String {
    let row = &listed.checkpoint;
    format!(
        "{number:>3}  {}  {:>4}  {:<6} {:<9} {}",
        row.id,
        entry::age(row.created_at, clock::now()),
        point::name(row),
        entry::files(row),
        cut(&entry::label(row), LABEL)
    )
}

fn answer(question: &str) -> io::Result<Option<String>> {
    let mut stderr = io::stderr();
    write!(stderr, "{question} ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(Some(answer.trim().to_owned()).filter(|answer| !answer.is_empty()))
}
