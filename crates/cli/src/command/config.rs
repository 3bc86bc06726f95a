//! `toprope config`: every setting, where it comes from, and the one safe way to change it.

use crate::failure::{Failure, FailureKind};
use crate::{person, show};
use ::daemon::config::{self, EditError, LoadedSettings, ReplaceError, SettingsPaths};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use ::daemon::trust::Trusts;
use clap::{Args, Subcommand, ValueEnum};
use std::process::ExitCode;

/// Show, check and change settings
///
/// Layers, each over the one before: built-in, user, project (toprope.toml), local (toprope.local.toml).
/// The two project files may tighten what protects you, and loosen it only if you trusted them (`toprope trust`).
#[derive(Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    action: ConfigAction,
}

#[derive(Subcommand)]
enum ConfigAction {
    /// Every setting in force here
    Show {
        /// Say which layer each value comes from
        #[arg(long)]
        origin: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Whether all settings files here are well; exits with 1 if one is not
    Check,
    /// Change one setting, keeping comments and layout of the file
    Set {
        /// Such as `structure.mode`
        key: String,
        /// Such as `off`
        value: String,
        /// Which file to write
        #[arg(long, value_enum, default_value_t = ConfigScope::User)]
        scope: ConfigScope,
        /// With `--scope user`: for this project only
        #[arg(long)]
        project: bool,
    },
    /// Where the settings files are, whether they exist or not
    Path,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConfigScope {
    /// Your own settings, for every project
    User,
    /// `toprope.toml`, committed
    Project,
    /// `toprope.local.toml`, for this machine
    Local,
}

impl ConfigArgs {
    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let places = places(environment);
        match &self.action {
            ConfigAction::Show { origin, json } => {
                let loaded = load(environment, &places);
                if *json {
                    show::json_text(config::show_json(&loaded, *origin).trim_end());
                } else {
                    show::line(config::show_text(&loaded, *origin).trim_end());
                }
                if !json && !loaded.problems.is_empty() {
                    show::talk(config::show_problems(&loaded).trim_end());
                }
                Ok(ExitCode::SUCCESS)
            }
            ConfigAction::Check => Ok(check(&load(environment, &places))),
            ConfigAction::Set {
                key,
                value,
                scope,
                project,
            } => {
                person::may_set_up(environment)?;
                let scope = match (scope, project) {
                    (ConfigScope::User, false) => config::EditScope::User,
                    (ConfigScope::User, true) => config::EditScope::UserProject,
                    (ConfigScope::Project, _) => config::EditScope::Project,
                    (ConfigScope::Local, _) => config::EditScope::Local,
                };
                set(environment, &places, scope, key, value)
            }
            ConfigAction::Path => {
                for (layer, path) in places.files() {
                    let there = if path.exists() { "" } else { "  (not there)" };
                    show::line(&format!("{:8} {}{there}", layer.word(), path.display()));
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// The settings files that count in the current folder.
pub fn places(environment: &Environment) -> SettingsPaths {
    let place = std::env::current_dir()
        .ok()
        .map(|folder| git::place::find(&folder));
    SettingsPaths::at(config::user_file(environment), place.as_ref())
}

/// The settings in force for these files.
pub fn load(environment: &Environment, places: &SettingsPaths) -> LoadedSettings {
    let trusts = Trusts::of(&Home::of(environment));
    config::load(places, &|path, hash| trusts.holds(path, hash))
}

fn check(loaded: &LoadedSettings) -> ExitCode {
    if loaded.problems.is_empty() {
        show::line("all settings are well");
        return ExitCode::SUCCESS;
    }
    show::line(config::show_problems(loaded).trim_end());
    ExitCode::FAILURE
}

fn set(
    environment: &Environment,
    places: &SettingsPaths,
    scope: config::EditScope,
    key: &str,
    value: &str,
) -> Result<ExitCode, Failure> {
    let edited = config::set(places, scope, key, value).map_err(refused)?;
    let before = edited.before.filter(|_| edited.changed);
    let before = before.map(|value| format!(" (was {value})")).unwrap_or_default();
    let verb = if edited.changed { "set" } else { "already" };
    show::line(&format!(
        "{verb} {} = {}{before} in {}",
        edited.key,
        edited.after,
        edited.path.display()
    ));
    let loaded = load(environment, places);
    if !loaded.problems.is_empty() {
        show::talk(config::show_problems(&loaded).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(error: EditError) -> Failure {
    let hint = error.hint();
    let kind = match &error {
        EditError::UnknownKey { .. }
        | EditError::Unfit { .. }
        | EditError::Shared { .. }
        | EditError::Person { .. }
        | EditError::NoProject => FailureKind::WrongUse,
        EditError::Replace(ReplaceError::Changed { .. }) => FailureKind::NotObtained,
        EditError::NoUserFile
        | EditError::Broken(_)
        | EditError::InTheWay { .. }
        | EditError::Outside { .. }
        | EditError::Replace(ReplaceError::ReadOnly { .. } | ReplaceError::Refused(_)) => FailureKind::Failed,
    };
    let failure = Failure::new(kind, error);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
