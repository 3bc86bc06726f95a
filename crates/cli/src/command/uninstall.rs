//! `toprope uninstall`: takes the hook out of every settings file of this project, and puts back what was there.

mod checkpoints;
mod everywhere;
mod purge;

use super::init::context::{Site, refused};
use super::init::entries::entries_in;
use super::init::output::AlignedLines;
use super::init::{counted, scopes};
use crate::failure::{Failure, FailureKind};
use crate::install::backup::Backups;
use crate::install::error::InstallError;
use crate::install::remove::{RemoveOutcome, Uninstalled, uninstall};
use crate::install::target::{InstallScope, SettingsTarget};
use crate::{person, show};
use ::daemon::environment::Environment;
use checkpoints::ShadowSummary;
use clap::Args;
use std::process::ExitCode;

/// Take the hook out of the agent's settings, and put every file back as it was
///
/// Looks into your own settings, the project's and your own for this project. A file that nobody else changed since is
/// restored byte for byte, from any other exactly our entries go. What was recorded stays, unless `--purge` is given.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct UninstallArgs {
    /// Only the settings of this scope
    #[arg(long, value_parser = scopes())]
    scope: Option<InstallScope>,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Also stop the daemon and remove all that Toprope stored, the checkpoints of every project and its own settings
    /// among it; needs `--yes`
    #[arg(long, conflicts_with_all = ["scope", "dry_run"])]
    purge: bool,
    /// Also remove the checkpoints of this project, with what holds commits for them; without it a person is asked
    #[arg(long, conflicts_with = "scope")]
    purge_checkpoints: bool,
    /// Yes, remove it
    #[arg(long, requires = "purge")]
    yes: bool,
}

impl UninstallArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let site = Site::here(environment)?;
        let targets: Vec<SettingsTarget> = match self.scope {
            Some(scope) => vec![site.target(scope)?],
            None => site.targets(),
        };
        let backups = Backups::in_state(site.home.folder());
        if self.dry_run {
            return self.dry_run(&site, &targets, &backups);
        }
        person::may_set_up(environment)?;
        if self.purge && !self.yes {
            let sentence = format!(
                "`--purge` would remove {}; nothing was changed",
                purge::all(&site)?
            );
            return Err(
                Failure::saying(FailureKind::NeedsPerson, sentence).hint("toprope uninstall --purge --yes")
            );
        }
        let mut block = AlignedLines::default();
        let mut failure = report(&site, uninstall(&targets, &backups, &|_| {}), &mut block);
        if !self.purge
            && let (None, None, Some(kept)) = (&failure, self.scope, ShadowSummary::here(&site))
        {
            failure = kept.settle(&site, self.purge_checkpoints, &mut block).err();
        }
        if self.purge && failure.is_none() {
            failure = purge::purge(&site, &mut block).err();
        } else if site.home.folder().exists() {
            let kept = "kept; `toprope uninstall --purge --yes` removes what was recorded";
            block.say_of("store", site.shown(site.home.folder()), kept);
        }
        show::line(&block.text());
        failure.map_or(Ok(ExitCode::SUCCESS), Err)
    }

    fn dry_run(
        &self,
        site: &Site<'_>,
        targets: &[SettingsTarget],
        backups: &Backups,
    ) -> Result<ExitCode, Failure> {
        let mut block = AlignedLines::default();
        let mut failure = None;
        for target in targets {
            let text = prospect(target, backups).unwrap_or_else(|error| {
                failure.get_or_insert_with(|| refused(&error));
                "would be left as it is".to_owned()
            });
            block.say_of(target.scope.name(), site.shown(&target.file), text);
        }
        if let (None, Some(kept)) = (self.scope, ShadowSummary::here(site)) {
            kept.foretell(site, self.purge_checkpoints, &mut block);
        }
        block.say("dry run", "nothing was changed");
        show::line(&block.text());
        failure.map_or(Ok(ExitCode::SUCCESS), Err)
    }
}

/// Tells what became of each file; a refusal is told and becomes the failure of the command.
fn report(site: &Site<'_>, uninstalled: Uninstalled, block: &mut AlignedLines) -> Option<Failure> {
    let mut failure = None;
    for visit in uninstalled.visits {
        let text = match &visit.outcome {
            Ok(RemoveOutcome::Absent) => "no such file".to_owned(),
            Ok(RemoveOutcome::NothingOfOurs) => "nothing of ours".to_owned(),
            Ok(RemoveOutcome::Restored) => "restored as it was".to_owned(),
            Ok(RemoveOutcome::Deleted) => "removed, as it was not there before".to_owned(),
            Ok(RemoveOutcome::EntriesRemoved { events }) => format!("removed our {}", entries(events.len())),
            Err(_) => "left as it is".to_owned(),
        };
        block.say_of(visit.scope.name(), site.shown(&visit.file), text);
        if let Err(error) = &visit.outcome {
            failure.get_or_insert_with(|| refused(error));
        }
    }
    for folder in &uninstalled.folders {
        block.say_of(
            "folder",
            site.shown(folder),
            "removed, as it was not there before",
        );
    }
    failure
}

/// What would become of a settings file.
fn prospect(target: &SettingsTarget, backups: &Backups) -> Result<String, InstallError> {
    let file = target.resolve()?;
    let Some(now) = file.read()? else {
        return Ok("no such file".to_owned());
    };
    let record = backups.load(file.path())?;
    if let Some(record) = record.filter(|record| record.is_ours_alone(&now)) {
        let back = if record.original.is_some() {
            "would be restored as it was"
        } else {
            "would be removed"
        };
        return Ok(back.to_owned());
    }
    let ours = entries_in(target)?.events.len();
    Ok(match ours {
        0 => "nothing of ours".to_owned(),
        some => format!("would lose our {}", entries(some)),
    })
}

fn entries(events: usize) -> String {
    format!("entries for {}", counted(events, "event"))
}
