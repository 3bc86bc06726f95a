//! Leases as they are shown: as data, and as lines of a table.

mod data;

use super::naming::{HolderNames, quotable};
use super::table::LeaseRow;
use engine::id::{ProjectId, WorktreeId};
use engine::lease::{FileKey, LeaseKind, Pattern};
use engine::text::one_line;
use engine::time::short;
use std::collections::BTreeMap;
use std::path::PathBuf;
use store::table::actors::{Actor, ActorState};
use store::table::leases::{self, Lease};
use store::table::projects::{self, Project};
use store::table::tickets::{self, Ticket, TicketState};
use store::table::worktrees::{self, Worktree};
use store::{Db, Moment, StoreError};

/// Characters of a command that are shown.
const LONGEST_COMMAND: usize = 60;

/// Leases and promises with everything that is shown of them.
#[derive(Debug, Default)]
pub struct LeaseEntries {
    /// Leases, each with who waits for it.
    pub leases: Vec<(Lease, Vec<Ticket>)>,
    /// Free files that are promised, each with who waits behind.
    pub promises: Vec<(Ticket, Vec<Ticket>)>,
    /// Who is who.
    pub names: HolderNames,
    places: BTreeMap<EntryScope, EntryPlace>,
}

/// A worktree, and the project of whoever is in it: a submodule is a project of its own, and still part of theirs.
type EntryScope = (Option<ProjectId>, WorktreeId);

#[derive(Debug)]
struct EntryPlace {
    name: String,
    root: PathBuf,
}

impl LeaseEntries {
    /// Nothing yet, for a person or for an agent to read.
    pub fn to(to_person: bool) -> Self {
        Self {
            names: HolderNames::to(to_person),
            ..Self::default()
        }
    }

    /// Adds a lease.
    pub fn add(&mut self, db: &Db, lease: Lease) -> Result<(), StoreError> {
        let waiting = if lease.ended.is_some() {
            Vec::new()
        } else {
            waiting_for(db, &lease)?
        };
        for actor in [Some(lease.owner), lease.lent_to].into_iter().flatten() {
            self.names.learn(db, actor)?;
        }
        let waiting = self.live(db, waiting)?;
        self.learn_place(db, lease.project, lease.key.worktree)?;
        self.leases.push((lease, waiting));
        Ok(())
    }

    /// Adds the files of a worktree that are free and promised.
    pub fn add_promises(&mut self, db: &Db, worktree: WorktreeId) -> Result<(), StoreError> {
        for ticket in tickets::in_worktree(db, Some(worktree))? {
            if ticket.state == TicketState::Offered {
                self.add_promise(db, ticket)?;
            }
        }
        Ok(())
    }

    /// Adds one of them.
    pub fn add_promise(&mut self, db: &Db, ticket: Ticket) -> Result<(), StoreError> {
        let mut behind = tickets::waiting(db, &ticket.key)?;
        behind.retain(|other| other.id != ticket.id);
        self.names.learn(db, ticket.actor)?;
        let behind = self.live(db, behind)?;
        let project = self.project_of(&ticket);
        self.learn_place(db, project, ticket.key.worktree)?;
        self.promises.push((ticket, behind));
        Ok(())
    }

    fn live(&mut self, db: &Db, mut tickets: Vec<Ticket>) -> Result<Vec<Ticket>, StoreError> {
        for ticket in &tickets {
            self.names.learn(db, ticket.actor)?;
        }
        let is_live = |actor: &Actor| actor.state == ActorState::Live;
        tickets.retain(|ticket| self.names.actor(ticket.actor).is_some_and(is_live));
        Ok(tickets)
    }

    fn learn_place(
        &mut self,
        db: &Db,
        project: Option<ProjectId>,
        worktree: Option<WorktreeId>,
    ) -> Result<(), StoreError> {
        let Some(id) = worktree.filter(|id| !self.places.contains_key(&(project, *id))) else {
            return Ok(());
        };
        if let Some(worktree) = worktrees::by_id(db, id)? {
            let home = project.map(|id| projects::by_id(db, id)).transpose()?.flatten();
            let name = name_of(&worktree, home.as_ref());
            let root = worktree.root;
            self.places.insert((project, id), EntryPlace { name, root });
        }
        Ok(())
    }

    /// The project of whoever drew a ticket.
    fn project_of(&self, ticket: &Ticket) -> Option<ProjectId> {
        self.names.actor(ticket.actor).and_then(|actor| actor.project)
    }

    /// The name of a worktree that was met, to somebody of that project.
    fn place(&self, project: Option<ProjectId>, worktree: Option<WorktreeId>) -> String {
        match worktree {
            Some(id) => self
                .places
                .get(&(project, id))
                .map_or_else(|| "gone".to_owned(), |place| place.name.clone()),
            None => "outside".to_owned(),
        }
    }

    /// Where its root is, for those who look at several.
    pub fn root(&self, worktree: Option<WorktreeId>) -> String {
        let is_it = |seen: &EntryScope| Some(seen.1) == worktree;
        let known = self.places.iter().find(|(seen, _)| is_it(seen));
        let root = known.map(|(_, place)| place.root.to_string_lossy());
        root.map_or_else(|| "-".to_owned(), |root| one_line(&root, 200))
    }

    /// Live leases and promises as lines of a table.
    pub fn rows(&self, now: Moment) -> Vec<(Option<WorktreeId>, LeaseRow)> {
        let leases = self.leases.iter().map(|(lease, waiting)| {
            let last = lease.wrote.map(|wrote| short(now.since(wrote)));
            let ends = lease
                .expires
                .map(|ends| format!("ends in {}", short(now.until(ends))));
            let row = LeaseRow {
                cells: vec![
                    shown_path(lease),
                    self.holder(lease),
                    short(now.since(lease.taken)),
                    last.unwrap_or_else(|| "-".to_owned()),
                    self.line(waiting),
                ],
                note: ends,
            };
            (lease.key.worktree, row)
        });
        let promises = self.promises.iter().map(|(ticket, behind)| {
            let ends = ticket
                .offered_until
                .map(|until| format!("ends in {}", short(now.until(until))));
            let row = LeaseRow {
                cells: vec![
                    shown(&ticket.key),
                    self.promised(ticket),
                    "-".to_owned(),
                    "-".to_owned(),
                    self.line(behind),
                ],
                note: ends,
            };
            (ticket.key.worktree, row)
        });
        leases.chain(promises).collect()
    }

    /// Leases that are over as lines of a table.
    pub fn ended_rows(&self, now: Moment) -> Vec<(Option<WorktreeId>, LeaseRow)> {
        let leases = self.leases.iter().filter_map(|(lease, _)| {
            let (at, reason) = lease.ended?;
            let row = LeaseRow {
                cells: vec![
                    shown_path(lease),
                    self.holder(lease),
                    short(at.since(lease.taken.at)),
                    lease.writes.to_string(),
                    crate::moment::ago(at, now.at),
                    reason.as_str().to_owned(),
                ],
                note: None,
            };
            Some((lease.key.worktree, row))
        });
        leases.collect()
    }

    /// Who has it, and in which way.
    pub fn holder(&self, lease: &Lease) -> String {
        let reason = lease.reason.as_deref().map(str::trim);
        let reason = reason.filter(|reason| !reason.is_empty());
        match (lease.kind, lease.lent_to, reason) {
            (LeaseKind::Reserve, _, Some(reason)) => {
                format!(
                    "{}, reserved: \"{}\"",
                    self.names.label(lease.owner),
                    quotable(reason)
                )
            }
            (LeaseKind::Reserve, _, None) => format!("{}, reserved", self.names.label(lease.owner)),
            (LeaseKind::Edit, _, Some(command)) if lease.is_everything() => {
                let command = one_line(command, LONGEST_COMMAND);
                format!("{}, running `{command}`", self.names.with_task(lease.owner))
            }
            (LeaseKind::Edit, Some(borrower), _) => format!(
                "{} (from {})",
                self.names.with_task(borrower),
                self.names.label(lease.owner)
            ),
            (LeaseKind::Edit, None, _) => self.names.with_task(lease.owner),
        }
    }

    /// To whom it is promised.
    pub fn promised(&self, ticket: &Ticket) -> String {
        format!("promised to {}", self.names.with_task(ticket.actor))
    }

    fn line(&self, waiting: &[Ticket]) -> String {
        if waiting.is_empty() {
            return "-".to_owned();
        }
        let labels: Vec<String> = waiting
            .iter()
            .map(|ticket| self.names.label(ticket.actor))
            .collect();
        labels.join(", ")
    }
}

/// Git's own name of a worktree; the one a repository was made with is `main`. Of a submodule, or another repository
/// inside, it is the folder.
pub fn name_of(worktree: &Worktree, home: Option<&Project>) -> String {
    if let Some(home) = home.filter(|home| home.id != worktree.project) {
        let root = &worktree.root;
        let folder = root.strip_prefix(&home.place.root).unwrap_or(root);
        return one_line(&folder.to_string_lossy(), 80);
    }
    let name = worktree.name.as_deref().filter(|name| !name.is_empty());
    name.map_or_else(
        || "main".to_owned(),
        |name| one_line(&String::from_utf8_lossy(name), 80),
    )
}

/// The path or pattern as a terminal may show it.
pub fn shown_path(lease: &Lease) -> String {
    one_line(lease.reach(), 200)
}

/// The path of a file as a terminal may show it.
pub fn shown(key: &FileKey) -> String {
    one_line(&key.path, 200)
}

/// Who waits for what a lease covers. Of a pattern: for files below it that nobody holds by themselves.
fn waiting_for(db: &Db, lease: &Lease) -> Result<Vec<Ticket>, StoreError> {
    if lease.pattern.is_none() {
        return tickets::waiting(db, &lease.key);
    }
    let pattern = Pattern::parse(lease.reach()).unwrap_or_else(|_| Pattern::of_path(lease.reach()));
    let mut found = Vec::new();
    for ticket in tickets::in_worktree(db, lease.key.worktree)? {
        if pattern.fits(&ticket.key.path) && leases::held(db, &ticket.key)?.is_none() {
            found.push(ticket);
        }
    }
    Ok(found)
}
