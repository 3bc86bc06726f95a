//! `toprope init`: registers the hook in an agent's settings, and proves that it answers.

mod account;
pub mod block;
pub mod canary;
pub mod child;
mod choice;
pub mod entries;
pub mod program;
pub mod site;

pub use account::{counted, doubled};
pub use choice::scopes;

use super::daemon::{start_and_wait, status};
use crate::failure::{Failure, Kind};
use crate::install::apply::{self, Installed};
use crate::install::backup::Backups;
use crate::install::claude_code::ARGUMENTS;
use crate::install::plan::Options;
use crate::install::target::{Scope, Target};
use crate::{person, show};
use ::daemon::config;
use ::daemon::environment::{self, Environment};
use account::Tense;
use block::Block;
use canary::Answer;
use choice::Choice;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use engine::settings::Profile;
use entries::{Entries, Invocation, entries_in};
use site::{Site, refused};
use std::process::ExitCode;
use std::time::Duration;
use store::Store;

/// How long another process may hold the database.
const WAIT: Duration = Duration::from_secs(10);

/// Install the hook in the agent's settings, and check that it answers
///
/// Writes one entry per event into the settings file of the chosen scope and changes nothing else in it; `toprope
/// uninstall` puts the file back as it was. Then it starts the daemon and sends a probe through the installed command
/// line. Running it again repairs what is missing, and says so if nothing is.
#[derive(Args)]
pub struct Init {
    /// Whose settings: `local` is you in this repository, `project` everybody who works in it, `user` you everywhere
    ///
    /// Without it: `local`, or `user` where the repository has linked worktrees, because the client reads a
    /// repository's settings only from the worktree it runs in.
    #[arg(long, value_parser = scopes())]
    scope: Option<Scope>,
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

/// What an installation left to say: its lines, and the first thing that went wrong.
#[derive(Default)]
struct Report {
    block: Block,
    failure: Option<Failure>,
}

impl Init {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let site = Site::here(environment)?;
        if !self.dry_run {
            person::may_set_up(&site.home)?;
        }
        let choice = Choice::of(self.scope, &site);
        let target = site.target(choice.scope)?;
        let options = site
            .options(&target, self.wanted_profile(&site))
            .map_err(|error| refused(&error))?;
        // Everything that can be refused is refused before anything is written.
        let preview = apply::preview(&target, &options).map_err(|error| refused(&error))?;
        self.refuse_if_switched_off(&site)?;
        let mut report = Report::default();
        if self.dry_run {
            self.describe(&site, choice, &target, &preview, &mut report.block)?;
            report.block.say("dry run", "nothing was changed");
        } else {
            self.install(&site, choice, &target, &mut report)?;
        }
        show::line(&report.block.text());
        report.failure.map_or(Ok(ExitCode::SUCCESS), Err)
    }

    fn wanted_profile(&self, site: &Site<'_>) -> Profile {
        self.profile.unwrap_or_else(|| site.settings().settings.profile)
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
        Err(Failure::saying(Kind::Failed, sentence)
            .hint("take it out, or install all the same: `toprope init --force`"))
    }

    fn describe(
        &self,
        site: &Site<'_>,
        choice: Choice,
        target: &Target,
        preview: &Installed,
        block: &mut Block,
    ) -> Result<(), Failure> {
        let before = entries_in(target).map_err(|error| refused(&error))?;
        let changes = account::changes(&preview.plan, &before, Tense::Would);
        block.say_of("Claude Code", site.shown(&target.file), changes);
        account::list_foreign(&preview.plan, block);
        block.say("scope", choice.account());
        account::list_notes(site, preview, block);
        if let Some(profile) = self.profile {
            block.say(
                "profile",
                format!("would be `{}` for this project", profile.word()),
            );
        }
        Ok(())
    }

    fn install(
        &self,
        site: &Site<'_>,
        choice: Choice,
        target: &Target,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let store = open_store(site)?;
        let profile = self
            .profile
            .map(|profile| set_profile(site, profile))
            .transpose()?;
        let options = site
            .options(target, site.settings().settings.profile)
            .map_err(|error| refused(&error))?;
        let invocation = write_settings(site, choice, target, &options, &mut report.block)?;
        if let Some(profile) = profile {
            report.block.say("profile", profile);
        }
        report
            .block
            .say_of("store", site.shown(site.home.folder()), store);
        self.start_daemon(site, report);
        self.probe(site, target, &invocation, report);
        if report.failure.is_none() {
            let next =
                "start your agent as usual; `toprope status` and `toprope log --follow` show what it does";
            report.block.say("next", next);
            report
                .block
                .say("undo", "`toprope uninstall` puts every file back as it was");
        }
        Ok(())
    }

    fn start_daemon(&self, site: &Site<'_>, report: &mut Report) {
        let environment = site.environment();
        if environment.text(environment::DAEMON) == Some("never") {
            let off = format!(
                "off by `{}=never`: every hook decides in its own process",
                environment::DAEMON
            );
            return report.block.say("daemon", off);
        }
        if let Some(status) = status(&site.home) {
            let serving = format!(
                "already serving (pid {}, protocol {})",
                status.pid, status.protocol
            );
            return report.block.say("daemon", serving);
        }
        if let Some(status) = start_and_wait(&site.home, environment) {
            let started = format!("started (pid {}, protocol {})", status.pid, status.protocol);
            return report.block.say("daemon", started);
        }
        report
            .block
            .say("daemon", "did not start: every hook decides in its own process");
        let sentence = "the hook is installed and stays so, but the daemon did not start";
        let hint = format!(
            "its reasons are in {}; `toprope daemon run` shows them here",
            site.home.daemon_log().display()
        );
        self.fail(report, Failure::saying(Kind::Failed, sentence).hint(hint));
    }

    fn probe(&self, site: &Site<'_>, target: &Target, invocation: &Invocation, report: &mut Report) {
        if let Some(missing) = missing_on_path(site, invocation) {
            report.block.say(
                "check",
                "failed: `toprope` is not on PATH, where the client will look for it",
            );
            return self.fail(report, missing);
        }
        let lost = match canary::send(site, invocation, site.settings().settings.enabled) {
            Ok(Answer::Recorded { took }) => {
                let took = canary::milliseconds(took);
                return report.block.say(
                    "check",
                    format!("sent a probe through the installed hook: answered in {took}"),
                );
            }
            Ok(Answer::SwitchedOff { took }) => {
                let took = canary::milliseconds(took);
                report.block.say(
                    "check",
                    format!("sent a probe through the installed hook: answered in {took}"),
                );
                let off = "Toprope is switched off here (`enabled = false`), so nothing is recorded";
                return report.block.say("note", off);
            }
            Err(lost) => lost,
        };
        report.block.say("check", format!("failed: {lost}"));
        let sentence = format!(
            "the hook is in {} and stays there, but {lost}",
            site.shown(&target.file)
        );
        let hint = "`toprope doctor --fire` tries again; `toprope uninstall` takes it out";
        self.fail(report, Failure::saying(Kind::Failed, sentence).hint(hint));
    }

    /// Keeps the first failure, unless the person wants the installation all the same.
    fn fail(&self, report: &mut Report, failure: Failure) {
        if !self.force {
            report.failure.get_or_insert(failure);
        }
    }
}

/// Makes the state folder and the database, and says whether they were there.
fn open_store(site: &Site<'_>) -> Result<&'static str, Failure> {
    let was_there = site.home.database().exists();
    let made = site
        .home
        .make()
        .map_err(|error| Failure::saying(Kind::Failed, error.to_string()));
    made.map_err(|failure| failure.hint("name another folder with `TOPROPE_HOME`"))?;
    Store::open(&site.home.database(), WAIT)?;
    Ok(if was_there { "already there" } else { "created" })
}

/// Writes the profile into the person's own settings, and says which one is in force.
fn set_profile(site: &Site<'_>, profile: Profile) -> Result<String, Failure> {
    let edited = config::set(
        &site.places(),
        config::Scope::UserProject,
        "profile",
        profile.word(),
    )
    .map_err(|error| {
        let failure = Failure::saying(Kind::Failed, error.to_string());
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    let set = format!(
        "`{}` for this project, in {}",
        profile.word(),
        site.shown(&edited.path)
    );
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
    choice: Choice,
    target: &Target,
    options: &Options,
    block: &mut Block,
) -> Result<Invocation, Failure> {
    let before = entries_in(target).map_err(|error| refused(&error))?;
    let backups = Backups::in_state(site.home.folder());
    let installed = apply::install(target, options, &backups, &|_| {}).map_err(|error| refused(&error))?;
    let arguments = ARGUMENTS.map(str::to_owned).to_vec();
    let now = Invocation::Exec {
        program: options.program.as_str().to_owned(),
        arguments,
    };
    let changes = account::changes(&installed.plan, &before, Tense::Done);
    block.say_of("Claude Code", site.shown(&target.file), changes);
    account::list_foreign(&installed.plan, block);
    block.say("scope", choice.account());
    if let Some(replaced) = account::replaced(&before, &now) {
        block.say("note", replaced);
    }
    account::list_notes(site, &installed, block);
    warn_if_doubled(site, target, &now, block);
    Ok(now)
}

fn warn_if_doubled(site: &Site<'_>, target: &Target, now: &Invocation, block: &mut Block) {
    let all: Vec<(Target, Entries)> = site.installed();
    for (other, entries) in doubled(&all, target, now) {
        let how: Vec<String> = entries.invocations.iter().map(|one| format!("`{one}`")).collect();
        block.say(
            "note",
            format!(
                "{} also runs {}, so every event comes twice; `toprope uninstall --scope {}` takes it out",
                site.shown(&other.file),
                how.join(", "),
                other.scope.name()
            ),
        );
    }
}

fn missing_on_path(site: &Site<'_>, invocation: &Invocation) -> Option<Failure> {
    if !invocation.is_by_name() || invocation.file(site.environment()).is_some() {
        return None;
    }
    let own = program::own(site.environment()).ok()?;
    let folder = own.parent()?.display();
    let sentence =
        "the hook is installed and stays so, but `toprope` is not on PATH, where the client will look for it";
    Some(Failure::saying(Kind::Failed, sentence).hint(format!("export PATH=\"{folder}:$PATH\"")))
}
