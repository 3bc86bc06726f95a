//! How a file stands now: who holds it, who waits for it, and whose command changed it under its holder.

use super::overlap;
use crate::command::lease::{Desk, HolderNames, LeaseContext, LeaseEntries, settle_project};
use crate::failure::Failure;
use ::daemon::environment::Environment;
use engine::id::ProjectId;
use engine::lease::{FileKey, FileTarget};
use engine::policy::lease::overlap::tells_of_overlap;
use engine::time::short;
use std::ffi::OsStr;
use store::life::{self, ExpiryScope};
use store::table::events::{self, EventRow};
use store::table::tickets::{self, Ticket, TicketState};
use store::table::{leases, verdicts};
use store::{Db, Moment, StoreError};

/// So many verdicts that name the file are looked at.
const LOOKED_AT: u64 = 50;

/// See the module.
#[derive(Default)]
pub struct FileStanding {
    /// Who holds or reserved it, a sentence each.
    pub holders: Vec<String>,
    /// Who waits, in order.
    pub waiting: Vec<String>,
    /// Calls whose verdicts name it, newest first.
    pub named_in: Vec<EventRow>,
    /// What is said of a command that changed it under its holder.
    pub overlap: Option<String>,
    overlapped_by: Option<EventRow>,
}

impl FileStanding {
    /// Whether nothing is known.
    pub fn is_nothing(&self) -> bool {
        self.holders.is_empty() && self.waiting.is_empty() && self.named_in.is_empty()
    }

    /// How the file at a path stands. What is over has ended by then.
    pub fn of(environment: &Environment, path: &str) -> Result<Self, Failure> {
        let Some(mut desk) = Desk::open(environment, None)? else {
            return Ok(Self::default());
        };
        let target = desk.scene.file(OsStr::new(path))?;
        let mut standing = desk.change(|scene, db| found(scene, db, &target))?;
        drop(desk);
        standing.overlap = standing
            .overlapped_by
            .take()
            .map(|event| overlap::text(environment, path, &target, &event));
        Ok(standing)
    }
}

fn found(scene: &LeaseContext, db: &Db, target: &FileTarget) -> Result<FileStanding, StoreError> {
    let (Some(key), Some(project)) = (scene.key(db, target)?, scene.project(db)?) else {
        return Ok(FileStanding::default());
    };
    let now = scene.now();
    settle_project(db, project, &now)?;
    life::settle(db, ExpiryScope::File(&key), &now)?;
    let to_person = scene.caller.is_person();
    let mut standing = FileStanding {
        holders: holders(db, &key, to_person, now.moment)?,
        waiting: waiting(db, &key, to_person, now.moment)?,
        ..FileStanding::default()
    };
    add_verdicts(db, project, &target.shown, &mut standing)?;
    Ok(standing)
}

/// What is in the way of anybody else.
fn holders(db: &Db, key: &FileKey, to_person: bool, now: Moment) -> Result<Vec<String>, StoreError> {
    let mut entries = LeaseEntries::to(to_person);
    let held = leases::held(db, key)?.into_iter();
    let everything = leases::everything(db, key.worktree)?;
    for lease in held.chain(everything).chain(leases::reservations_over(db, key)?) {
        entries.add(db, lease)?;
    }
    let said = entries.leases.iter().map(|(lease, _)| {
        let mut said = format!("{} for {}", entries.holder(lease), short(now.since(lease.taken)));
        if let Some(wrote) = lease.wrote {
            let times = if lease.writes == 1 { "write" } else { "writes" };
            let ago = short(now.since(wrote));
            said = format!("{said}, {} {times}, the last {ago} ago", lease.writes);
        }
        match lease.expires {
            Some(ends) => format!("{said}, ends in {}", short(now.until(ends))),
            None => said,
        }
    });
    Ok(said.collect())
}

fn waiting(db: &Db, key: &FileKey, to_person: bool, now: Moment) -> Result<Vec<String>, StoreError> {
    let mut names = HolderNames::to(to_person);
    let mut said = Vec::new();
    for ticket in tickets::waiting(db, key)? {
        names.learn(db, ticket.actor)?;
        said.push(waiter(&ticket, &names, now));
    }
    Ok(said)
}

fn waiter(ticket: &Ticket, names: &HolderNames, now: Moment) -> String {
    let since = short(now.since(ticket.created));
    let who = names.with_task(ticket.actor);
    let denials = match ticket.denials {
        0 => String::new(),
        1 => ", denied once".to_owned(),
        times => format!(", denied {times} times"),
    };
    let promised = ticket
        .offered_until
        .filter(|_| ticket.state == TicketState::Offered)
        .map(|until| format!(", promised for {}", short(now.until(until))));
    format!("{who} for {since}{denials}{}", promised.unwrap_or_default())
}

/// Verdicts that name the file: of commands, whose events are about the command, and of those that changed it.
fn add_verdicts(
    db: &Db,
    project: ProjectId,
    shown: &str,
    standing: &mut FileStanding,
) -> Result<(), StoreError> {
    for (event, verdict) in verdicts::mentioning(db, project, shown, LOOKED_AT)? {
        let row = events::by_seq(db, event)?.filter(|row| row.tool.is_some());
        let Some(row) = row.filter(|_| mentions(&verdict.reason, shown)) else {
            continue;
        };
        let is_overlap = verdict.policy == "lease" && tells_of_overlap(&verdict.reason, shown);
        if is_overlap && standing.overlapped_by.is_none() {
            standing.overlapped_by = Some(row.clone());
        }
        if standing.named_in.iter().all(|known| known.seq != row.seq) {
            standing.named_in.push(row);
        }
    }
    Ok(())
}

/// Whether a text names a path, not only one that holds it.
fn mentions(text: &str, path: &str) -> bool {
    let is_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '/' | '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + path.len()..).unwrap_or_default();
        let mut after = after.chars();
        let next = match after.next() {
            Some('.') => after.next(),
            next => next,
        };
        !before.is_some_and(|letter| is_path(letter) || letter == '.') && !next.is_some_and(is_path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_within_another_is_not_that_path() {
        for text in [
            "src/a.rs is held",
            "in src/a.rs.",
            "(`src/a.rs`)",
            "see src/a.rs, src/b.rs",
        ] {
            assert!(mentions(text, "src/a.rs"), "{text}");
        }
        for text in [
            "src/a.rs.bak",
            "xsrc/a.rs",
            "lib/src/a.rs",
            "src/a.rs/b",
            "src/a.rsx",
        ] {
            assert!(!mentions(text, "src/a.rs"), "{text}");
        }
    }
}
