//! `toprope lease release`: gives back what one holds or reserved. Whoever is next in line gets it.

use super::Desk;
use super::desk::LeaseContext;
use super::entry::{LeaseEntries, shown_path};
use super::reserve::{gone, patterns};
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
use engine::id::ActorId;
use engine::lease::{EndReason, FileKey};
use engine::policy::lease::message::command;
use engine::text::one_line;
use std::ffi::OsStr;
use std::process::ExitCode;
use store::life::{self, LeaseMoment};
use store::table::leases::{self, Lease};
use store::{Db, StoreError};

/// Give back what you hold or reserved
///
/// Files that are released are offered to the next in line. Only your own: what others hold, `toprope lease break` takes away, and
/// only a person can do that.
#[derive(Args)]
pub struct ReleaseArgs {
    /// Files you hold, or patterns as you reserved them
    #[arg(value_name = "PATH", required_unless_present = "all", conflicts_with = "all")]
    paths: Vec<String>,
    /// Everything you hold or reserved
    #[arg(long)]
    all: bool,
}

/// One argument, as leases may know it.
struct ReleaseArgument<'a> {
    text: &'a str,
    key: Option<FileKey>,
    pattern: Option<String>,
}

/// Why nothing was released.
enum ReleaseRefusal {
    NoActor,
    Nothing,
    /// This argument names nothing anybody has.
    Free(String),
    /// This argument names what another has.
    Others(String, Box<LeaseEntries>),
    /// A call writes it right now.
    Writing(String),
    /// It is lent.
    Lent(String, Box<LeaseEntries>),
}

impl ReleaseArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment, token: Option<&str>) -> Result<ExitCode, Failure> {
        let Some(mut desk) = Desk::open(environment, token)? else {
            return Err(nothing());
        };
        desk.scene.caller.must_be_known()?;
        let released = desk.change(|scene, db| {
            let now = scene.now();
            let rows = scene.known_rows(db)?;
            let Some(me) = scene.caller.actor(db, rows, now.moment)? else {
                return Ok(Err(ReleaseRefusal::NoActor));
            };
            let mine = leases::held_by(db, me.id)?;
            let chosen = match self.chosen(scene, db, me.id, mine)? {
                Ok(chosen) => chosen,
                Err(stopped) => return Ok(Err(stopped)),
            };
            for lease in &chosen {
                give_back(db, lease, me.id, &now)?;
            }
            Ok(Ok(chosen))
        })?;
        let released = released.map_err(|stopped| stopped.failure(desk.scene.caller.is_person()))?;
        for lease in &released {
            show::line(&format!("released {}", shown_path(lease)));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The leases that are meant, all of them or none.
    fn chosen(
        &self,
        scene: &LeaseContext,
        db: &Db,
        me: ActorId,
        mine: Vec<Lease>,
    ) -> Result<Result<Vec<Lease>, ReleaseRefusal>, StoreError> {
        let names = |lease: &Lease| {
            let mut entries = LeaseEntries::to(scene.caller.is_person());
            entries.add(db, lease.clone()).map(|()| Box::new(entries))
        };
        let mut chosen: Vec<Lease> = Vec::new();
        if self.all {
            chosen = mine;
            chosen.retain(|lease| !is_at_work(lease) && lease.holder() == me);
            return Ok(if chosen.is_empty() {
                Err(ReleaseRefusal::Nothing)
            } else {
                Ok(chosen)
            });
        }
        for path in &self.paths {
            let named = ReleaseArgument::of(scene, db, path)?;
            let meant: Vec<&Lease> = mine.iter().filter(|lease| named.is(lease)).collect();
            if meant.is_empty() {
                return Ok(Err(match named.others(db)? {
                    Some(lease) => ReleaseRefusal::Others(one_line(path, 120), names(&lease)?),
                    None => ReleaseRefusal::Free(one_line(path, 120)),
                }));
            }
            for lease in meant {
                if is_at_work(lease) {
                    return Ok(Err(ReleaseRefusal::Writing(shown_path(lease))));
                }
                if lease.holder() != me {
                    return Ok(Err(ReleaseRefusal::Lent(shown_path(lease), names(lease)?)));
                }
                if chosen.iter().all(|known| known.id != lease.id) {
                    chosen.push(lease.clone());
                }
            }
        }
        Ok(Ok(chosen))
    }
}

impl<'a> ReleaseArgument<'a> {
    fn of(scene: &LeaseContext, db: &Db, text: &'a str) -> Result<Self, StoreError> {
        let target = scene.file(OsStr::new(text)).ok();
        let key = target.map(|target| scene.key(db, &target)).transpose()?;
        let pattern = patterns(scene, &[text.to_owned()]).ok();
        Ok(Self {
            text,
            key: key.flatten(),
            pattern: pattern.and_then(|mut patterns| patterns.pop()),
        })
    }

    /// Whether a lease is meant: on this file, or made with this pattern.
    fn is(&self, lease: &Lease) -> bool {
        if lease.pattern.is_some() {
            return self.pattern.as_deref() == Some(lease.reach()) || lease.reach() == self.text;
        }
        self.key.as_ref().is_some_and(|key| {
            let is_linked = key.file_id.is_some() && key.file_id == lease.key.file_id;
            key.worktree == lease.key.worktree && (key.path == lease.key.path || is_linked)
        })
    }

    /// The lease another has on the file.
    fn others(&self, db: &Db) -> Result<Option<Lease>, StoreError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        match leases::held(db, key)? {
            Some(lease) => Ok(Some(lease)),
            None => Ok(leases::reservations_over(db, key)?.into_iter().next()),
        }
    }
}

impl ReleaseRefusal {
    fn failure(self, by_person: bool) -> Failure {
        match self {
            Self::NoActor => gone(),
            Self::Nothing => nothing(),
            Self::Free(path) => Failure::saying(FailureKind::NoMatch, format!("nobody holds {path}")),
            Self::Others(path, entries) => others(&path, &entries, by_person),
            Self::Writing(path) => Failure::saying(
                FailureKind::NotObtained,
                format!("a call of yours is writing {path}"),
            )
            .hint("release it with a command of its own, once that call is over"),
            Self::Lent(path, entries) => {
                let borrower = entries.leases.first().and_then(|(lease, _)| lease.lent_to);
                let borrower = borrower.map(|borrower| entries.names.with_task(borrower));
                Failure::saying(
                    FailureKind::NotObtained,
                    format!("{path} is lent to {}", borrower.unwrap_or_default()),
                )
                .hint("it comes back when that agent ends")
            }
        }
    }
}

/// What another has. Only a person can take it away, and says so explicitly.
fn others(path: &str, entries: &LeaseEntries, by_person: bool) -> Failure {
    let holder = entries.leases.first().map(|(lease, _)| entries.holder(lease));
    let told = format!("{path} is held by {}", holder.unwrap_or_default());
    if by_person {
        Failure::saying(FailureKind::NotObtained, told).hint(command("break", path))
    } else {
        Failure::saying(FailureKind::NeedsPerson, told).hint(command("wait", path))
    }
}

fn nothing() -> Failure {
    Failure::saying(FailureKind::NoMatch, "you hold nothing that could be released")
        .hint("toprope lease list")
}

/// Whether a call or a command writes under it right now.
fn is_at_work(lease: &Lease) -> bool {
    lease.call.is_some() || lease.process.is_some()
}

/// What is borrowed goes back to its owner, the rest ends.
fn give_back(db: &Db, lease: &Lease, me: ActorId, now: &LeaseMoment) -> Result<(), StoreError> {
    if lease.lent_to == Some(me) {
        return leases::give_back(db, lease.id);
    }
    life::end_lease(db, lease.id, EndReason::Released, now).map(drop)
}
