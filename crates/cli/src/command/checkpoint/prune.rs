//! `toprope checkpoint prune`: drops now what would go with time, or what a person names.

use super::place::{CheckpointPlace, uncut};
use super::session::choose;
use super::{entry, point};
use crate::command::init::counted;
use crate::command::log::when::LogMoment;
use crate::command::rewind::flags::ask;
use crate::disk::size;
use crate::failure::{Failure, FailureKind};
use crate::{moment, person, show};
use ::daemon::checkpoint::retention::{PruneRequest, PrunedCheckpoints, prune};
use ::daemon::clock;
use ::daemon::environment::Environment;
use ::daemon::process::Process;
use clap::Args;
use jiff::tz::TimeZone;
use std::process::ExitCode;
use store::table::checkpoints::Checkpoint;
use store::table::events::{self, PersonAct};

/// Drop old checkpoints of this project now
///
/// What the settings keep no longer, or everything of before a day or of one session. Never what is pinned, in no commit
/// yet, of a session that is open, among the last of its session, or needed by an undo of the last seven days.
#[derive(Args)]
pub struct PruneArgs {
    /// Only of this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// All that is older: how long ago (2h, 3d), `today`, a day (2026-11-15), or RFC 3339
    #[arg(long, value_name = "DATE", value_parser = LogMoment::parse)]
    before: Option<LogMoment>,
    /// Show what would go, and drop nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl PruneArgs {
    /// Drops them.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if !self.dry_run {
            person::may_put_back(environment, self.yes)?;
        }
        let here = CheckpointPlace::open(environment)?;
        let session = match &self.session {
            Some(named) => choose(&here, environment, Some(named))?.map(|chosen| chosen.id()),
            None => None,
        };
        let mut wish = PruneRequest {
            session,
            before: self
                .before
                .map(|when| when.moment(clock::now(), &TimeZone::system())),
            dry_run: true,
        };
        let foretold = prune(&here.cutter(), &wish).map_err(uncut)?;
        for checkpoint in &foretold.dropped {
            show::line(&line(checkpoint));
        }
        if foretold.dropped.is_empty() && !foretold.is_over {
            show::talk("Nothing to drop.");
            if !self.dry_run {
                // What earlier ones left behind goes all the same; nobody need be asked for that.
                wish.dry_run = false;
                tell_size(&prune(&here.cutter(), &wish).map_err(uncut)?);
            }
            return Ok(ExitCode::SUCCESS);
        }
        let count = counted(foretold.dropped.len(), "checkpoint");
        if self.dry_run {
            show::talk(&format!("{count} would go."));
            return Ok(ExitCode::SUCCESS);
        }
        if !self.yes && !ask(&format!("Drop {count} for good?"))? {
            show::talk("Nothing was dropped.");
            return Ok(FailureKind::NeedsPerson.exit());
        }
        wish.dry_run = false;
        let pruned = prune(&here.cutter(), &wish).map_err(uncut)?;
        log(&here, &pruned)?;
        tell(&pruned, here.settings.log.keep_days);
        Ok(ExitCode::SUCCESS)
    }
}

fn line(checkpoint: &Checkpoint) -> String {
    format!(
        "{}  {}  {:6}  {}",
        checkpoint.id,
        moment::rfc3339(checkpoint.created_at),
        point::name(checkpoint),
        entry::label(checkpoint)
    )
}

/// A line of the log: the person did it.
fn log(here: &CheckpointPlace, pruned: &PrunedCheckpoints) -> Result<(), Failure> {
    let now = clock::now();
    here.write(|db| {
        events::note_act(
            db,
            &PersonAct {
                name: "Prune",
                key: &now.0.to_string(),
                at: now,
                project: Some(here.project),
                worktree: Some(here.worktree),
                target: &counted(pruned.dropped.len(), "checkpoint"),
                outcome: "dropped",
                process: &Process::own().into(),
            },
        )
    })?;
    Ok(())
}

fn tell(pruned: &PrunedCheckpoints, keep_days: u32) {
    show::talk(&format!(
        "Dropped {}; the checkpoints took {} on disk, and take {} now.",
        counted(pruned.dropped.len(), "checkpoint"),
        size(pruned.bytes_before),
        size(pruned.bytes_after)
    ));
    show::talk(&format!(
        "What agents sent stays in the log for {} (log.keep_days).",
        counted(usize::try_from(keep_days).unwrap_or(usize::MAX), "day")
    ));
    if pruned.is_over {
        show::talk("That is more than checkpoints.max_store_mb; all that is left is needed or recent.");
    }
}

fn tell_size(pruned: &PrunedCheckpoints) {
    if pruned.bytes_after < pruned.bytes_before {
        show::talk(&format!(
            "The checkpoints took {} on disk, and take {} now.",
            size(pruned.bytes_before),
            size(pruned.bytes_after)
        ));
    }
}
