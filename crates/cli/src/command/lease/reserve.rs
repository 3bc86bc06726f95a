//! `toprope lease reserve`: keeps files for oneself before they are written.

use super::Desk;
use super::desk::LeaseContext;
use super::entry::{LeaseEntries, shown, shown_path};
use super::settling::settle_worktree;
use crate::failure::{Failure, FailureKind};
use crate::{lifetime, show};
use ::daemon::environment::Environment;
use ::daemon::pipeline::lease::spelled;
use clap::Args;
use engine::lease::pattern::escaped;
use engine::lease::{LeaseKind, Pattern};
use engine::policy::lease::message::wait_command;
use engine::settings::Mode;
use engine::text::one_line;
use engine::time::short;
use std::ffi::OsStr;
use std::process::ExitCode;
use store::table::leases::{self, Reservation, Reserving};
use store::{Db, StoreError};

/// Leases of others that are named.
const MOST_NAMED: usize = 10;
/// What a glob has and a plain path has not.
const GLOB: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Keep files for yourself, whether they are written or not
///
/// Nobody else may write what is reserved, except agents that its owner started. All of them or none: what others hold or
/// reserved is refused, and listed. The same again extends the time. It ends with its time, by `toprope lease release`, or with
/// the agent that made it.
#[derive(Args)]
pub struct ReserveArgs {
    /// A glob, relative to the worktree's root, or the path of a file or folder
    #[arg(value_name = "GLOB", required = true)]
    globs: Vec<String>,
    /// For how long, at most 24h
    #[arg(long = "for", value_name = "TIME", default_value = "1h", value_parser = lifetime::parse)]
    lasts: u64,
    /// Why, for those who are kept out
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

enum ReserveResult {
    Made(Box<LeaseEntries>),
    Refused(Box<LeaseEntries>),
    TooMany,
    NoActor,
}

impl ReserveArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment, token: Option<&str>) -> Result<ExitCode, Failure> {
        let mut desk = Desk::make(environment, token)?;
        desk.scene.caller.must_be_known()?;
        let patterns = patterns(&desk.scene, &self.globs)?;
        match desk.change(|scene, db| self.reserve(scene, db, &patterns))? {
            ReserveResult::Made(made) => self.made(&desk.scene, &made),
            ReserveResult::Refused(others) => Err(refused(&others)),
            ReserveResult::TooMany => Err(Failure::saying(
                FailureKind::NotObtained,
                format!("at most {} reservations are kept for one", store::MOST_PER_ACTOR),
            )
            .hint("toprope lease release --all")),
            ReserveResult::NoActor => Err(gone()),
        }
    }

    fn reserve(
        &self,
        scene: &LeaseContext,
        db: &Db,
        patterns: &[String],
    ) -> Result<ReserveResult, StoreError> {
        let now = scene.now();
        let place = scene.rows(db)?;
        let rows = (place.project, place.worktree);
        let (Some(actor), Some(worktree)) = (scene.caller.actor(db, rows, now.moment)?, place.worktree)
        else {
            return Ok(ReserveResult::NoActor);
        };
        settle_worktree(db, worktree, &now)?;
        let wanted = Reservation {
            actor: actor.id,
            project: place.project,
            worktree,
            patterns,
            for_ms: self.lasts,
            reason: self.reason.as_deref(),
            at: now.moment,
        };
        let mut entries = LeaseEntries::to(scene.caller.is_person());
        match leases::reserve(db, &wanted)? {
            Reserving::Made(made) => {
                for id in made {
                    if let Some(lease) = leases::by_id(db, id)? {
                        entries.add(db, lease)?;
                    }
                }
                Ok(ReserveResult::Made(Box::new(entries)))
            }
            Reserving::Refused { leases, promises } => {
                for lease in leases {
                    entries.add(db, lease)?;
                }
                for ticket in promises {
                    entries.add_promise(db, ticket)?;
                }
                Ok(ReserveResult::Refused(Box::new(entries)))
            }
            Reserving::TooMany => Ok(ReserveResult::TooMany),
        }
    }

    fn made(&self, scene: &LeaseContext, made: &LeaseEntries) -> Result<ExitCode, Failure> {
        if self.json {
            show::json(&made.data())?;
        } else {
            let lasts = short(self.lasts);
            for (lease, _) in &made.leases {
                show::line(&format!("{} is reserved for {lasts}", shown_path(lease)));
            }
        }
        if scene.settings.mode != Mode::Enforce {
            let mode = scene.settings.mode.word();
            show::talk(&format!("Nobody is kept out here: `lease.mode = {mode}`."));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Every argument as a pattern from the root of the worktree. What is there by that name is meant by that name.
pub fn patterns(scene: &LeaseContext, arguments: &[String]) -> Result<Vec<String>, Failure> {
    let mut found: Vec<String> = Vec::new();
    for argument in arguments {
        let pattern = pattern(scene, argument)?;
        if let Err(fault) = Pattern::parse(&pattern) {
            let shown = one_line(argument, 80);
            return Err(Failure::saying(
                FailureKind::WrongUse,
                format!("the pattern \"{shown}\" {}", fault.as_str()),
            ));
        }
        if !found.contains(&pattern) {
            found.push(pattern);
        }
    }
    Ok(found)
}

fn pattern(scene: &LeaseContext, argument: &str) -> Result<String, Failure> {
    let is_path = !argument.contains(GLOB);
    let file = scene.file(OsStr::new(argument));
    match file {
        Ok(target) if is_path || target.exists => {
            if target.root.as_deref() != Some(scene.root()) {
                let shown = one_line(argument, 80);
                return Err(Failure::saying(
                    FailureKind::WrongUse,
                    format!("\"{shown}\" is not in this worktree"),
                )
                .hint(format!("its root is {}", scene.root().display())));
            }
            Ok(match (target.folder, target.key.path.is_empty()) {
                (true, true) => "**".to_owned(),
                (true, false) => format!("{}/**", escaped(&target.key.path)),
                (false, _) => escaped(&target.key.path),
            })
        }
        Ok(_) => {
            let plain = argument.trim_start_matches("./");
            let folds = scene.folds_case();
            Ok(spelled(OsStr::new(plain), folds))
        }
        Err(failure) => Err(failure),
    }
}

fn refused(others: &LeaseEntries) -> Failure {
    let held = others
        .leases
        .iter()
        .map(|(lease, _)| format!("{} ({})", shown_path(lease), others.holder(lease)));
    let promised = others
        .promises
        .iter()
        .map(|(ticket, _)| format!("{} ({})", shown(&ticket.key), others.promised(ticket)));
    let named: Vec<String> = held.chain(promised).take(MOST_NAMED).collect();
    let more = (others.leases.len() + others.promises.len()).saturating_sub(named.len());
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let first = match (others.leases.first(), others.promises.first()) {
        (Some((lease, _)), _) => {
            (lease.kind == LeaseKind::Edit && !lease.is_everything()).then_some(&lease.key)
        }
        (None, promised) => promised.map(|(ticket, _)| &ticket.key),
    };
    let failure = Failure::saying(
        FailureKind::NotObtained,
        format!("others have some of it: {}{more}", named.join(", ")),
    );
    failure.hint(first.map_or_else(
        || "toprope lease list".to_owned(),
        |key| wait_command(&shown(key)),
    ))
}

/// The actor is not there any more.
pub fn gone() -> Failure {
    Failure::saying(
        FailureKind::Failed,
        "whoever gave this command is not known any more",
    )
}
