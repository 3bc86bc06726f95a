//! Where a set-up happens: the project, the client's settings files, and the Toprope settings in force there.

use super::entries::{HookEntries, entries_in};
use super::program;
use crate::command::config;
use crate::failure::{Failure, FailureKind};
use crate::here;
use crate::install::claude_code::{BrokenHook, HookProgram, ShellTools};
use crate::install::error::InstallError;
use crate::install::plan::{GitView, InstallOptions, plan};
use crate::install::target::{InstallScope, SettingsTarget};
use ::daemon::config::{LoadedSettings, SettingsPaths, user_file};
use ::daemon::environment::Environment;
use ::daemon::home::Home;
use engine::settings::{GuardSettings, OnFailure};
use engine::text::one_line;
use git::place::{Place, PlaceGap};
use git::run::{Git, GitError, Limits};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long git may take to say whether it ignores a file.
const GIT_TIME: Duration = Duration::from_secs(5);
const LONGEST_PATH: usize = 400;

/// See the module.
pub struct Site<'a> {
    environment: &'a Environment,
    /// Toprope's own state.
    pub home: Home,
    /// Where the current folder belongs.
    pub place: Place,
    /// The folder whose `.claude` the client reads.
    pub root: PathBuf,
}

impl<'a> Site<'a> {
    /// The site of the current folder.
    pub fn here(environment: &'a Environment) -> Result<Self, Failure> {
        Ok(Self::at(&here::folder()?, environment))
    }

    /// The site of a folder.
    pub fn at(folder: &Path, environment: &'a Environment) -> Self {
        let place = git::place::find(folder);
        let root = place
            .worktree
            .clone()
            .unwrap_or_else(|| place.project.root.clone());
        Self {
            environment,
            home: Home::of(environment),
            place,
            root,
        }
    }

    /// Whether a settings file the client reads here has us called, and none switches hooks off.
    pub fn is_installed(&self) -> bool {
        let installed = self.installed();
        let is_off = installed.iter().any(|(_, entries)| entries.hooks_are_disabled);
        !is_off && installed.iter().any(|(_, entries)| !entries.events.is_empty())
    }

    /// The settings file of a scope.
    pub fn target(&self, scope: InstallScope) -> Result<SettingsTarget, Failure> {
        if scope == InstallScope::User {
            let missing = || {
                Failure::saying(
                    FailureKind::Failed,
                    "there is no folder for your settings: HOME is not set",
                )
            };
            return self
                .client_folder()
                .map(|folder| SettingsTarget::user(&folder))
                .ok_or_else(missing);
        }
        if let Some(reason @ PlaceGap::Bare(_)) = &self.place.reason {
            let sentence = format!("{reason}, so there is no folder the client would read settings from");
            return Err(Failure::saying(FailureKind::Failed, sentence).hint("toprope init --scope user"));
        }
        Ok(match scope {
            InstallScope::Project => SettingsTarget::project(&self.root),
            InstallScope::Local | InstallScope::User => SettingsTarget::local(&self.root),
        })
    }

    /// Every settings file the client reads here, each once: in the home folder two scopes are one file.
    pub fn targets(&self) -> Vec<SettingsTarget> {
        let scopes = [InstallScope::User, InstallScope::Project, InstallScope::Local];
        let mut targets: Vec<SettingsTarget> = Vec::new();
        for target in scopes.into_iter().filter_map(|scope| self.target(scope).ok()) {
            if targets.iter().all(|known| known.file != target.file) {
                targets.push(target);
            }
        }
        targets
    }

    /// Every settings file that can be read, with what it holds of ours.
    pub fn installed(&self) -> Vec<(SettingsTarget, HookEntries)> {
        let look = |target: SettingsTarget| entries_in(&target).ok().map(|entries| (target, entries));
        self.targets().into_iter().filter_map(look).collect()
    }

    /// What is to be registered in a settings file, for these settings of the guard.
    pub fn options(
        &self,
        target: &SettingsTarget,
        guard: &GuardSettings,
    ) -> Result<InstallOptions, InstallError> {
        let program = match target.scope {
            InstallScope::Project => HookProgram::by_name(),
            InstallScope::User | InstallScope::Local => {
                HookProgram::at(&program::own(self.environment)?, self.home.folder())?
            }
        };
        let tools = guard.shell_tools.keys().map(String::as_str);
        let mut options = InstallOptions {
            program,
            broken: BrokenHook::BlocksShell(ShellTools::with(tools)),
            git: self.git_view(target),
        };
        // One user's entries serve every project; what a strict project asked for is not taken back by a lenient one.
        let is_kept = target.scope == InstallScope::User && is_met(target, &options);
        if guard.on_failure == OnFailure::Open && !is_kept {
            options.broken = BrokenHook::GoesOn;
        }
        Ok(options)
    }

    /// Where Toprope's settings for this project are looked for.
    pub fn places(&self) -> SettingsPaths {
        SettingsPaths::at(user_file(self.environment), Some(&git::place::find(&self.root)))
    }

    /// The Toprope settings in force here.
    pub fn settings(&self) -> LoadedSettings {
        config::load(self.environment, &self.places())
    }

    /// Whether other working trees share this repository. One whose folder is gone no longer counts.
    pub fn has_linked_worktrees(&self) -> bool {
        let Some(common) = &self.place.common_dir else {
            return false;
        };
        let Ok(entries) = fs_err::read_dir(common.join("worktrees")) else {
            return false;
        };
        entries.flatten().any(|entry| {
            let named = fs_err::read_to_string(entry.path().join("gitdir"));
            named.is_ok_and(|named| Path::new(named.trim_end_matches('\n')).exists())
        })
    }

    /// Whether git has a file, so that other working trees get it too.
    pub fn is_tracked(&self, file: &Path) -> bool {
        let asked = [
            OsString::from("ls-files"),
            "--error-unmatch".into(),
            "--".into(),
            file.into(),
        ];
        self.git().run(&asked, Limits::within(GIT_TIME)).is_ok()
    }

    /// The environment the site was found in.
    pub fn environment(&self) -> &'a Environment {
        self.environment
    }

    /// Git, in the project's folder.
    pub fn git(&self) -> Git {
        Git::new(&self.root, &self.git_environment())
    }

    /// What git needs to know of the person's environment.
    pub fn git_environment(&self) -> git::run::GitEnvironment {
        let value = |name: &str| -> Option<OsString> { self.environment.value(name).cloned() };
        git::run::GitEnvironment {
            path: value("PATH").unwrap_or_default(),
            home: value("HOME"),
        }
    }

    /// A path as people here would name it: short, and with nothing in it that could mislead.
    pub fn shown(&self, path: &Path) -> String {
        let text = |path: &Path| one_line(&path.to_string_lossy(), LONGEST_PATH);
        if let Ok(inside) = path.strip_prefix(&self.root)
            && !inside.as_os_str().is_empty()
        {
            return text(inside);
        }
        match self.user_folder().map(|folder| path.strip_prefix(folder)) {
            Some(Ok(inside)) => format!("~/{}", text(inside)),
            Some(Err(_)) | None => text(path),
        }
    }

    fn user_folder(&self) -> Option<PathBuf> {
        self.environment
            .value("HOME")
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    }

    fn client_folder(&self) -> Option<PathBuf> {
        let named = self.environment.value("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let folder = named.filter(|folder| folder.is_absolute());
        folder.or_else(|| Some(self.user_folder()?.join(".claude")))
    }

    fn git_view(&self, target: &SettingsTarget) -> GitView {
        if target.scope != InstallScope::Local || self.place.worktree.is_none() {
            return GitView::PassesOver;
        }
        let asked = [
            OsString::from("check-ignore"),
            "--quiet".into(),
            "--".into(),
            target.file.clone().into(),
        ];
        match self.git().run(&asked, Limits::within(GIT_TIME)) {
            Err(GitError::Failed { code: Some(1), .. }) => GitView::Sees,
            // Ignored; or git could not say, and then a note would be a guess.
            Ok(_) | Err(_) => GitView::PassesOver,
        }
    }
}

fn is_met(target: &SettingsTarget, options: &InstallOptions) -> bool {
    let before = target.resolve().and_then(|file| file.read());
    before.is_ok_and(|before| plan(before.as_deref(), options).is_ok_and(|plan| plan.is_already_installed()))
}

/// A refusal of the settings library, as a failure of a command.
pub fn refused(error: &InstallError) -> Failure {
    let sentence = match error {
        InstallError::Io { source, .. } => format!("{error}: {source}"),
        other => other.to_string(),
    };
    Failure::saying(FailureKind::Failed, sentence).hint(error.hint())
}
