//! `toprope init`: registers the hook in an agent's settings, and proves that it answers.

mod check;
pub mod child;
mod choice;
pub mod context;
pub mod entries;
pub mod output;
pub mod probe;
pub mod program;
mod settings_diff;

pub use choice::scopes;
pub use settings_diff::counted;

use crate::failure::{Failure, FailureKind};
use crate::install::apply;
use crate::install::backup::Backups;
use crate::install::target::{InstallScope, SettingsTarget};
use crate::{person, show};
use ::daemon::config::{self, SettingsLayer};
use ::daemon::environment::Environment;
use check::{InstallReport, ProofPolicy};
use choice::ScopeChoice;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use context::{Site, refused};
use engine::settings::{GuardSettings, Profile};
use entries::{Invocation, entries_in};
use output::AlignedLines;
use settings_diff::{SettingsDiff, Tense};
use std::process::ExitCode;
use std::time::Duration;
use store::Store;

const NEXT: &str = "start your agent as usual; `toprope status` and `toprope log --follow` show what it does";
const UNDO: &str = "`toprope uninstall` puts every file back as it was";
/// How long another process may hold the database.
const WAIT: Duration = Duration::from_secs(10);

/// Install the hook in the agent's settings, and check that it answers
///
/// Writes one entry per event into the settings file of the chosen scope and changes nothing else in it; `toprope
/// uninstall` puts the file back as it was. Then it starts the daemon and sends a probe through the installed command
/// line. Running it again repairs what is missing, and says so if nothing is.
#[derive(Args)]
pub struct InitArgs {
    /// Whose settings: `local` is you in this repository, `project` everybody who works in it, `user` you everywhere
    ///
    /// Without it: `local`, or `user` where the repository has linked worktrees, because the client reads a
    /// repository's settings only from the worktree it runs in.
    #[arg(long, value_parser = scopes())]
    scope: Option<InstallScope>,
    /// Which agent's settings
    #[arg(long, default_value = "claude-code", value_parser = ["claude-code"])]
    agent: String,
    /// Also choose the profile for this project, in your own settings
    #[arg(long, value_parser = profiles())]
    profile: Option<Profile>,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Install although hooks are switched off in the settings, and take a daemon or a probe that fails for a note
    #[arg(long)]
    force: bool,
}

impl InitArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let site = Site::here(environment)?;
        if !self.dry_run {
            person::may_set_up(environment)?;
        }
        let choice = ScopeChoice::of(self.scope, &site);
        let target = site.target(choice.scope)?;
        // Everything that can be refused is refused before anything is written.
        let options = site
            .options(&target, &self.guard(&site))
            .map_err(|error| refused(&error))?;
        let preview = apply::preview(&target, &options).map_err(|error| refused(&error))?;
        self.refuse_if_switched_off(&site)?;
        let mut report = InstallReport::new(if self.force {
            ProofPolicy::Forced
        } else {
            ProofPolicy::Strict
        });
        if self.dry_run {
            let before = entries_in(&target).map_err(|error| refused(&error))?;
            let (now, tense) = (Invocation::of_program(&options.program), Tense::Would);
            let change = SettingsDiff {
                target: &target,
                before: &before,
                installed: &preview,
                now: &now,
                tense,
            };
            settings_diff::tell(&site, choice, &change, &mut report.block);
            self.tell_profile(&mut report.block);
            report.block.say("dry run", "nothing was changed");
        } else {
            self.install(&site, choice, &target, &mut report)?;
        }
        show::line(&report.block.text());
        report.failure.map_or(Ok(ExitCode::SUCCESS), Err)
    }

    /// The guard's settings as they are once the profile is chosen.
    fn guard(&self, site: &Site<'_>) -> GuardSettings {
        let loaded = site.settings();
        let mut guard = loaded.settings.guard;
        let is_chosen = loaded
            .origins
            .get("guard.on_failure")
            .is_some_and(|origin| origin.layer() != SettingsLayer::BuiltIn);
        if let Some(profile) = self.profile.filter(|_| !is_chosen) {
            guard.on_failure = GuardSettings::of(profile).on_failure;
        }
        guard
    }

    fn refuse_if_switched_off(&self, site: &Site<'_>) -> Result<(), Failure> {
        let off = site
            .installed()
            .into_iter()
            .find(|(_, entries)| entries.hooks_are_disabled);
        let Some((target, _)) = off.filter(|_| !self.force) else {
            return Ok(());
        };
        let file = site.shown(&target.file);
        let sentence = format!("{file} says `disableAllHooks`, so no hook would run; nothing was changed");
        let hint = "take it out, or install all the same: `toprope init --force`";
        Err(Failure::saying(FailureKind::Failed, sentence).hint(hint))
    }

    fn tell_profile(&self, block: &mut AlignedLines) {
        if let Some(profile) = self.profile {
            block.say(
                "profile",
                format!("would be `{}` for this project", profile.word()),
            );
        }
    }

    fn install(
        &self,
        site: &Site<'_>,
        choice: ScopeChoice,
        target: &SettingsTarget,
        report: &mut InstallReport,
    ) -> Result<(), Failure> {
        let store = open_store(site)?;
        let profile = self
            .profile
            .map(|profile| set_profile(site, profile))
            .transpose()?;
        let invocation = write_settings(site, choice, target, &mut report.block)?;
        if let Some(profile) = profile {
            report.block.say("profile", profile);
        }
        report
            .block
            .say_of("store", site.shown(site.home.folder()), store);
        check::start_daemon(site, report);
        check::probe(site, target, &invocation, report);
        if report.failure.is_none() {
            report.block.say("next", NEXT);
            report.block.say("undo", UNDO);
        }
        Ok(())
    }
}

/// Makes the state folder and the database, and says whether they were there.
fn open_store(site: &Site<'_>) -> Result<&'static str, Failure> {
    let was_there = site.home.database().exists();
    site.home.make().map_err(|error| {
        Failure::saying(FailureKind::Failed, error.to_string())
            .hint("name another folder with `TOPROPE_HOME`")
    })?;
    Store::open(&site.home.database(), WAIT)?;
    Ok(if was_there { "already there" } else { "created" })
}

/// Writes the profile into the person's own settings, and says which one is in force.
fn set_profile(site: &Site<'_>, profile: Profile) -> Result<String, Failure> {
    let word = profile.word();
    let edited = config::set(&site.places(), config::EditScope::UserProject, "profile", word);
    let edited = edited.map_err(|error| {
        let failure = Failure::saying(FailureKind::Failed, error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    let set = format!("`{word}` for this project, in {}", site.shown(&edited.path));
    let loaded = site.settings();
    if loaded.settings.profile == profile {
        return Ok(set);
    }
    let origin = loaded
        .origins
        .get("profile")
        .map(|origin| format!(" ({origin})"))
        .unwrap_or_default();
    Ok(format!(
        "{set}, but `{}` is in force{origin}",
        loaded.settings.profile.word()
    ))
}

/// Reads a profile from the command line.
fn profiles() -> impl TypedValueParser<Value = Profile> {
    let named = |word: String| Profile::named(&word).ok_or("no such profile");
    PossibleValuesParser::new(Profile::WORDS).try_map(named)
}

/// Writes the settings, and says how the client starts us from now on.
fn write_settings(
    site: &Site<'_>,
    choice: ScopeChoice,
    target: &SettingsTarget,
    block: &mut AlignedLines,
) -> Result<Invocation, Failure> {
    let guard = site.settings().settings.guard;
    let write = || {
        let options = site.options(target, &guard)?;
        let before = entries_in(target)?;
        let installed = apply::install(target, &options, &Backups::in_state(site.home.folder()), &|_| {})?;
        Ok((Invocation::of_program(&options.program), before, installed))
    };
    let (now, before, installed) = write().map_err(|error| refused(&error))?;
    let change = SettingsDiff {
        target,
        before: &before,
        installed: &installed,
        now: &now,
        tense: Tense::Done,
    };
    settings_diff::tell(site, choice, &change, block);
    Ok(now)
}
