//! `toprope lease list`: who holds, keeps and waits for what. Agrees with what a hook would decide now.

use super::Desk;
use super::desk::{LeaseContext, settings_at};
use super::entry::{LeaseEntries, name_of};
use super::settling::settle_project;
use super::table;
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::clock;
use ::daemon::environment::Environment;
use clap::Args;
use engine::id::{ActorId, ActorKey, ProjectId, WorktreeId};
use engine::lease::FileKey;
use engine::text::one_line;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::ExitCode;
use store::life::LeaseMoment;
use store::table::actors;
use store::table::leases::{self, Lease, LeaseFilter};
use store::table::projects;
use store::table::worktrees::{self, Worktree};
use store::{Db, LeaseTerms, StoreError};

/// So many leases that are over are shown.
const MOST_ENDED: u64 = 200;

/// Show who holds what
///
/// Live leases of this project: what agents edit, what was reserved, which free files are promised to the next in line.
#[derive(Args)]
pub struct LeaseListArgs {
    /// Only what holds this file, or covers it
    #[arg(long, value_name = "PATH")]
    path: Option<OsString>,
    /// Only what this actor has: a label, or the beginning of an id
    #[arg(long, value_name = "ACTOR")]
    actor: Option<String>,
    /// Only what is in this worktree: its name, or its folder
    #[arg(long, value_name = "WORKTREE")]
    worktree: Option<String>,
    /// Of every project
    #[arg(long)]
    all: bool,
    /// What is over, with reasons: the last 200
    #[arg(long)]
    ended: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// What is asked for, as rows know it.
#[derive(Default)]
struct LeaseQuery {
    projects: Vec<ProjectId>,
    key: Option<FileKey>,
    actors: Option<BTreeSet<ActorId>>,
    worktrees: Option<BTreeSet<WorktreeId>>,
}

/// What nothing matches.
enum LeaseMatches {
    Entries(Box<LeaseEntries>, Option<WorktreeId>),
    NoActor,
    NoWorktree,
}

impl LeaseListArgs {
    /// Shows it.
    pub fn run(&self, environment: &Environment, token: Option<&str>) -> Result<ExitCode, Failure> {
        let Some(mut desk) = Desk::open(environment, token)? else {
            return self.show(&LeaseEntries::default(), None);
        };
        let key = self
            .path
            .as_deref()
            .map(|path| desk.scene.file(path))
            .transpose()?;
        let now = desk.scene.now();
        let to_person = desk.scene.caller.is_person();
        let found = desk.change(|scene, db| {
            let mut wanted = LeaseQuery {
                projects: self.projects(scene, db)?,
                ..LeaseQuery::default()
            };
            for project in &wanted.projects {
                let terms = self.terms(environment, db, *project, now.terms)?;
                settle_project(db, *project, &LeaseMoment { terms, ..now })?;
            }
            if let Some(label) = &self.actor {
                wanted.actors = Some(fitting(db, &wanted.projects, label)?);
                if wanted.actors.as_ref().is_some_and(BTreeSet::is_empty) {
                    return Ok(LeaseMatches::NoActor);
                }
            }
            if let Some(name) = &self.worktree {
                wanted.worktrees = Some(self.named(scene, db, &wanted.projects, name)?);
                if wanted.worktrees.as_ref().is_some_and(BTreeSet::is_empty) {
                    return Ok(LeaseMatches::NoWorktree);
                }
            }
            if let Some(target) = &key {
                // A file in a worktree that nobody was seen in is held by nobody.
                let Some(key) = scene.key(db, target)? else {
                    return Ok(LeaseMatches::Entries(Box::default(), None));
                };
                wanted.key = Some(key);
            }
            let here = scene.known_rows(db)?.1;
            let entries = self.entries(db, &wanted, LeaseEntries::to(to_person))?;
            Ok(LeaseMatches::Entries(Box::new(entries), here))
        })?;
        match found {
            LeaseMatches::Entries(entries, here) => self.show(&entries, here),
            LeaseMatches::NoActor => Err(nothing("actor", self.actor.as_deref(), "toprope session actors")),
            LeaseMatches::NoWorktree => Err(nothing(
                "worktree",
                self.worktree.as_deref(),
                "toprope lease list --all",
            )),
        }
    }

    fn projects(&self, scene: &LeaseContext, db: &Db) -> Result<Vec<ProjectId>, StoreError> {
        if self.all {
            let all = projects::list(db)?;
            return Ok(all.into_iter().map(|project| project.id).collect());
        }
        Ok(scene.project(db)?.into_iter().collect())
    }

    /// Every project has its own terms.
    fn terms(
        &self,
        environment: &Environment,
        db: &Db,
        project: ProjectId,
        here: LeaseTerms,
    ) -> Result<LeaseTerms, StoreError> {
        let Some(project) = projects::by_id(db, project)?.filter(|_| self.all) else {
            return Ok(here);
        };
        let place = git::place::find(&project.place.root);
        Ok(LeaseTerms::of(&settings_at(environment, &place)))
    }

    fn entries(
        &self,
        db: &Db,
        wanted: &LeaseQuery,
        mut entries: LeaseEntries,
    ) -> Result<LeaseEntries, StoreError> {
        for project in &wanted.projects {
            let filter = LeaseFilter {
                project: Some(*project),
                worktree: wanted.key.as_ref().and_then(|key| key.worktree),
                path: wanted.key.as_ref().map(|key| key.path.as_str()),
                ended: self.ended,
                most: if self.ended { MOST_ENDED } else { 0 },
                ..LeaseFilter::default()
            };
            for lease in leases::list_fitting(db, &filter, |lease| wanted.has(lease))? {
                entries.add(db, lease)?;
            }
            if self.ended {
                continue;
            }
            for worktree in worktrees::of(db, *project)? {
                entries.add_promises(db, worktree.id)?;
            }
        }
        entries.promises.retain(|(ticket, _)| {
            let is_path = wanted.key.as_ref().is_none_or(|key| *key == ticket.key);
            is_path && wanted.is_of(&[ticket.actor]) && wanted.is_in(ticket.key.worktree)
        });
        Ok(entries)
    }

    /// Worktrees of this name, or at this folder: the projects' own, and submodules in which something is held.
    fn named(
        &self,
        scene: &LeaseContext,
        db: &Db,
        projects: &[ProjectId],
        name: &str,
    ) -> Result<BTreeSet<WorktreeId>, StoreError> {
        let folder = scene.folder().join(name);
        let folder = fs_err::canonicalize(&folder).unwrap_or(folder);
        let mut found = BTreeSet::new();
        for id in projects {
            let project = projects::by_id(db, *id)?;
            let mut known = worktrees::of(db, *id)?;
            let filter = LeaseFilter {
                project: Some(*id),
                ended: self.ended,
                ..LeaseFilter::default()
            };
            let held = leases::list(db, &filter)?;
            for inner in held.iter().filter_map(|lease| lease.key.worktree) {
                if !known.iter().any(|known| known.id == inner) {
                    known.extend(worktrees::by_id(db, inner)?);
                }
            }
            let is_meant =
                |known: &&Worktree| name_of(known, project.as_ref()) == name || known.root == folder;
            found.extend(known.iter().filter(is_meant).map(|known| known.id));
        }
        Ok(found)
    }

    fn show(&self, entries: &LeaseEntries, here: Option<WorktreeId>) -> Result<ExitCode, Failure> {
        if self.json {
            show::json(&entries.data())?;
            return Ok(ExitCode::SUCCESS);
        }
        let now = clock::moment();
        let (mut heads, rows) = if self.ended {
            let heads = vec!["PATH", "HOLDER", "HELD", "WRITES", "ENDED", "REASON"];
            (heads, entries.ended_rows(now))
        } else {
            let heads = vec!["PATH", "HOLDER", "SINCE", "LAST WRITE", "WAITING"];
            (heads, entries.rows(now))
        };
        if rows.is_empty() {
            show::talk(if self.ended {
                "Nothing was held."
            } else {
                "Nobody holds anything."
            });
            return Ok(ExitCode::SUCCESS);
        }
        let is_apart = rows
            .iter()
            .any(|(worktree, _)| worktree.is_some() && *worktree != here);
        let mut lines = Vec::new();
        for (worktree, mut row) in rows {
            if is_apart {
                row.cells.insert(0, entries.root(worktree));
            }
            lines.push(row);
        }
        if is_apart {
            heads.insert(0, "WORKTREE");
        }
        show::line(table::text(&heads, &lines).trim_end());
        Ok(ExitCode::SUCCESS)
    }
}

impl LeaseQuery {
    fn has(&self, lease: &Lease) -> bool {
        let holders = [Some(lease.owner), lease.lent_to];
        let holders: Vec<ActorId> = holders.into_iter().flatten().collect();
        let is_outside = |key: &FileKey| key.worktree.is_some() || lease.key.worktree.is_none();
        self.key.as_ref().is_none_or(is_outside) && self.is_of(&holders) && self.is_in(lease.key.worktree)
    }

    fn is_of(&self, actors: &[ActorId]) -> bool {
        let wanted = self.actors.as_ref();
        wanted.is_none_or(|wanted| actors.iter().any(|actor| wanted.contains(actor)))
    }

    fn is_in(&self, worktree: Option<WorktreeId>) -> bool {
        let wanted = self.worktrees.as_ref();
        wanted.is_none_or(|wanted| worktree.is_some_and(|id| wanted.contains(&id)))
    }
}

/// Actors with this label, or whose id begins like this.
fn fitting(db: &Db, projects: &[ProjectId], label: &str) -> Result<BTreeSet<ActorId>, StoreError> {
    let mut found = BTreeSet::new();
    // A person is in no list of agents.
    let person = ActorKey::person(rustix::process::getuid().as_raw());
    let person = actors::by_key(db, &person)?.filter(|person| person.label == label);
    found.extend(person.map(|person| person.id));
    for project in projects {
        for actor in actors::list(db, Some(*project), false)? {
            let id = actor
                .key
                .agent
                .as_ref()
                .map_or(actor.key.session.as_str(), engine::id::AgentId::as_str);
            if actor.label == label || (!label.is_empty() && id.starts_with(label)) {
                found.insert(actor.id);
            }
        }
    }
    Ok(found)
}

fn nothing(what: &str, name: Option<&str>, hint: &str) -> Failure {
    let name = one_line(name.unwrap_or_default(), 60);
    Failure::saying(
        FailureKind::NoMatch,
        format!("there is no {what} \"{name}\" here"),
    )
    .hint(hint)
}
