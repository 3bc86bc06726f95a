//! `toprope lease break`: a person takes a file away from whoever holds it.

use super::Desk;
use super::desk::LeaseContext;
use super::entry::{LeaseEntries, shown_path};
use super::reserve::patterns;
use super::settling::settle_project;
use crate::command::rewind::flags::ask;
use crate::failure::{Failure, FailureKind};
use crate::{person, show};
use ::daemon::clock;
use ::daemon::environment::Environment;
use clap::Args;
use engine::effect::{Audience, Owed};
use engine::id::LeaseId;
use engine::lease::{EndReason, notice};
use engine::policy::lease::message::broken;
use engine::text::one_line;
use engine::time::short;
use std::ffi::OsStr;
use std::process::ExitCode;
use store::life;
use store::table::leases::{self, Lease};
use store::table::notices;
use store::{Db, StoreError};

/// Characters of a reason that are passed on.
const LONGEST_REASON: usize = 200;

/// Take a file away from whoever holds it
///
/// For a person alone, in a terminal of their own. The holder is told and has to ask again before it writes; the next in line
/// gets the file. What was written stays as it is.
#[derive(Args)]
pub struct BreakArgs {
    /// The file, or a pattern as it was reserved
    #[arg(value_name = "PATH")]
    path: String,
    /// Why, for the holder
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl BreakArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment, token: Option<&str>) -> Result<ExitCode, Failure> {
        // First, so that a token nobody was given is recorded.
        let desk = Desk::open(environment, token)?;
        let by_person = desk.as_ref().is_none_or(|desk| desk.scene.caller.is_person());
        person::may_take_away(environment, by_person)
            .map_err(|failure| failure.hint(format!("ask the user to run `{}`", self.command())))?;
        let Some(mut desk) = desk else {
            return Err(self.free());
        };
        let found = desk.change(|scene, db| self.found(scene, db))?;
        if found.leases.is_empty() {
            return Err(self.free());
        }
        show::talk(&shown(&found));
        if !ask("Take it away?")? {
            show::talk("Nothing was changed.");
            return Ok(FailureKind::NotObtained.exit());
        }
        let ids: Vec<LeaseId> = found.leases.iter().map(|(lease, _)| lease.id).collect();
        for lease in desk.change(|scene, db| self.take(scene, db, &ids))? {
            show::line(&format!(
                "took {} away from {}",
                shown_path(&lease),
                found.holder(&lease)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn command(&self) -> String {
        engine::policy::lease::message::command("break", &one_line(&self.path, 120))
    }

    fn free(&self) -> Failure {
        Failure::saying(
            FailureKind::NoMatch,
            format!("nobody holds {}", one_line(&self.path, 120)),
        )
        .hint("toprope lease list")
    }

    /// What stands in the way of this file, or was reserved with this pattern. A person's own is theirs to release.
    fn found(&self, scene: &LeaseContext, db: &Db) -> Result<LeaseEntries, StoreError> {
        let mut entries = LeaseEntries::to(true);
        let Some(project) = scene.project(db)? else {
            return Ok(entries);
        };
        let now = scene.now();
        settle_project(db, project, &now)?;
        let mut found: Vec<Lease> = Vec::new();
        let target = scene.file(OsStr::new(&self.path)).ok();
        if let Some(key) = target.map(|target| scene.key(db, &target)).transpose()?.flatten() {
            found.extend(leases::held(db, &key)?);
            found.extend(leases::everything(db, key.worktree)?);
            found.extend(leases::reservations_over(db, &key)?);
        }
        if let Ok(patterns) = patterns(scene, std::slice::from_ref(&self.path)) {
            let worktree = scene.known_rows(db)?.1;
            let mut reserved = leases::reservations(db, worktree)?;
            reserved.retain(|lease| patterns.contains(&lease.key.path));
            found.extend(reserved);
        }
        found.sort_by_key(|lease| lease.id);
        found.dedup_by_key(|lease| lease.id);
        for lease in found {
            entries.add(db, lease)?;
        }
        let names = &entries.names;
        entries.leases.retain(|(lease, _)| {
            let owner = names.actor(lease.owner);
            !owner.is_some_and(|owner| owner.key.is_person())
        });
        Ok(entries)
    }

    fn take(&self, scene: &LeaseContext, db: &Db, ids: &[LeaseId]) -> Result<Vec<Lease>, StoreError> {
        let now = scene.now();
        let mut taken = Vec::new();
        for id in ids {
            let Some(lease) = leases::by_id(db, *id)?.filter(|lease| lease.ended.is_none()) else {
                continue;
            };
            life::end_lease(db, *id, EndReason::Broken, &now)?;
            let path = shown_path(&lease);
            let reason = self.reason.as_deref().map(str::trim);
            let reason = reason.filter(|reason| !reason.is_empty());
            let text = match reason {
                Some(reason) => format!("{} They say: {}", broken(&path), one_line(reason, LONGEST_REASON)),
                None => broken(&path),
            };
            let owed = Owed {
                audience: Audience::Actor,
                kind: notice::BROKEN.to_owned(),
                key: lease.reach().to_owned(),
                text,
            };
            for actor in [Some(lease.owner), lease.lent_to].into_iter().flatten() {
                notices::owe(db, &owed, actor, now.moment.at)?;
            }
            taken.push(lease);
        }
        Ok(taken)
    }
}

/// What would be taken away, before it is.
fn shown(found: &LeaseEntries) -> String {
    let now = clock::moment();
    let lines = found.leases.iter().map(|(lease, waiting)| {
        let last = match lease.wrote {
            Some(wrote) => format!("last write {} ago", short(now.since(wrote))),
            None => "nothing written yet".to_owned(),
        };
        let writing = if lease.call.is_some() {
            ", a call is open"
        } else {
            ""
        };
        let next = waiting.first().map(|ticket| found.names.label(ticket.actor));
        let next = next.map_or_else(String::new, |next| format!(", next in line: {next}"));
        format!(
            "  {}: {} for {}, {last}{writing}{next}\n",
            shown_path(lease),
            found.holder(lease),
            short(now.since(lease.taken))
        )
    });
    lines.collect()
}
