//! The hook's entries: whether they are there, are what `init` writes, and start this program.

use super::check::{CheckState, DoctorCheck};
use crate::command::init::context::Site;
use crate::command::init::counted;
use crate::command::init::entries::{HookEntries, Invocation, entries_in};
use crate::command::init::program;
use crate::install::claude_code::HookProgram;
use crate::install::error::InstallError;
use crate::install::plan::{InstallOptions, InstallPlan, plan};
use crate::install::target::{InstallScope, SettingsTarget};
use engine::policy::guard::entries;
use engine::settings::GuardSettings;
use engine::text::one_line;
use serde_json::Value;
use std::path::Path;

const FIX: &str = "toprope doctor --fix";
/// The event before every call: without it nothing is ever stopped.
const ASKED: &str = "PreToolUse";

/// What keeps the entries from doing their work, one sentence each. Nothing where there are none.
pub fn failures(site: &Site<'_>, guard: &GuardSettings) -> Vec<String> {
    if !site.is_installed() {
        return Vec::new();
    }
    let checks = look(site, guard).into_iter();
    checks
        .filter(|check| check.state == CheckState::Fail)
        .map(|check| check.text)
        .collect()
}

/// Looks at every settings file the client reads here.
pub fn look(site: &Site<'_>, guard: &GuardSettings) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    let mut installed = Vec::new();
    for target in site.targets() {
        match entries_in(&target) {
            Ok(entries) => installed.push((target, entries)),
            Err(error) => checks.push(unreadable(site, &target, &error)),
        }
    }
    checks.extend(
        installed
            .iter()
            .filter(|(_, entries)| entries.hooks_are_disabled)
            .map(|(target, _)| {
                let file = site.shown(&target.file);
                let hint = format!("take `disableAllHooks` out of {file}");
                DoctorCheck::fail(
                    "hooks",
                    format!("{file} says `disableAllHooks`, so no hook runs"),
                    hint,
                )
            }),
    );
    checks.extend(site.targets().iter().flat_map(|target| variables(site, target)));
    installed.retain(|(_, entries)| !entries.events.is_empty());
    if installed.is_empty() {
        checks.push(DoctorCheck::fail("hooks", "not installed here", "toprope init"));
    }
    for (target, entries) in &installed {
        checks.push(drift(site, target, entries, guard));
        checks.extend(
            entries
                .invocations
                .iter()
                .map(|invocation| runs(site, target, invocation)),
        );
    }
    checks.extend(doubled(site, &installed));
    checks.extend(unread_in_worktrees(site, &installed));
    checks
}

/// Variables under `env` that steer us, which hooks do not follow, and those of a project that have whatever the client runs
/// load something. The person should know who tries.
fn variables(site: &Site<'_>, target: &SettingsTarget) -> Vec<DoctorCheck> {
    let Ok(text) = fs_err::read_to_string(&target.file) else {
        return Vec::new();
    };
    let settings = entries::parsed(&text);
    let quoted = |variables: Vec<(&str, &Value)>| -> Vec<String> {
        let names = variables.into_iter();
        names
            .map(|(name, _)| format!("`{}`", one_line(name, 60)))
            .collect()
    };
    let file = site.shown(&target.file);
    let mut checks = Vec::new();
    let steering = quoted(entries::variables(&settings));
    if !steering.is_empty() {
        let names = some(&steering);
        checks.push(DoctorCheck::fail(
            "variables",
            format!("{file} sets {names} under `env`: Toprope does not follow it"),
            format!("take {names} out of `env` in {file}"),
        ));
    }
    // In the person's own file they are the person's.
    let loading = quoted(entries::loading(&settings));
    if !loading.is_empty() && target.scope != InstallScope::User {
        let names = some(&loading);
        checks.push(DoctorCheck::warn(
            "variables",
            format!(
                "{file} sets {names} under `env`: the client hands it to everything it runs, hooks included"
            ),
            format!("unless you want that, take {names} out of `env` in {file}"),
        ));
    }
    checks
}

fn unreadable(site: &Site<'_>, target: &SettingsTarget, error: &InstallError) -> DoctorCheck {
    let text = match error {
        InstallError::Content { source, .. } => {
            format!("{} cannot be read: {source}", site.shown(&target.file))
        }
        InstallError::Io { source, .. } => format!("{error}: {source}"),
        other => other.to_string(),
    };
    DoctorCheck::fail("hooks", text, error.hint())
}

/// Whether the entries are what `init` would write, whichever copy of the program they start.
fn drift(
    site: &Site<'_>,
    target: &SettingsTarget,
    entries: &HookEntries,
    guard: &GuardSettings,
) -> DoctorCheck {
    let file = site.shown(&target.file);
    let planned = site.options(target, guard).and_then(|mut options| {
        keep_program(site, target, entries, &mut options)?;
        planned(target, &options)
    });
    match planned {
        Ok(plan) if plan.is_already_installed() => DoctorCheck::ok(
            "hooks",
            format!("{file}: {}", counted(entries.events.len(), "event")),
        ),
        Ok(plan) if !plan.weakened.is_empty() => DoctorCheck::fail(
            "hooks",
            format!(
                "{file} was changed, so Toprope may be asked too late or not at all: {}",
                some(&plan.weakened)
            ),
            FIX,
        ),
        Ok(_) if !entries.replaced.is_empty() => DoctorCheck::fail(
            "hooks",
            format!(
                "{file} runs another program with our arguments, so Toprope is not asked: {}",
                some(&entries.replaced)
            ),
            FIX,
        ),
        Ok(plan) if plan.added.iter().any(|event| event == ASKED) => DoctorCheck::fail(
            "hooks",
            format!("{file}: {ASKED} has no entry of ours, so nothing is stopped"),
            FIX,
        ),
        Ok(plan) => DoctorCheck::warn("hooks", format!("{file}: {}", account(&plan)), FIX),
        Err(error) => unreadable(site, target, &error),
    }
}

fn keep_program(
    site: &Site<'_>,
    target: &SettingsTarget,
    entries: &HookEntries,
    options: &mut InstallOptions,
) -> Result<(), InstallError> {
    if let (InstallScope::User | InstallScope::Local, [Invocation::Exec { program, .. }]) =
        (target.scope, &*entries.invocations)
        && program.starts_with('/')
    {
        options.program = HookProgram::at(Path::new(program), site.home.folder())?;
    }
    Ok(())
}

/// What a file would become.
pub fn planned(target: &SettingsTarget, options: &InstallOptions) -> Result<InstallPlan, InstallError> {
    let file = target.resolve()?;
    let before = file.read()?;
    let refused = |source| InstallError::Content {
        path: file.path().to_owned(),
        source,
    };
    plan(before.as_deref(), options).map_err(refused)
}

fn account(plan: &InstallPlan) -> String {
    let mut parts = Vec::new();
    if !plan.added.is_empty() {
        parts.push(format!(
            "{} without an entry ({})",
            counted(plan.added.len(), "event"),
            some(&plan.added)
        ));
    }
    if !plan.repaired.is_empty() {
        parts.push(format!(
            "{} with another entry than `init` writes ({})",
            plan.repaired.len(),
            some(&plan.repaired)
        ));
    }
    parts.join(", ")
}

/// A few names, and how many more there are.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Whether an entry starts this program.
fn runs(site: &Site<'_>, target: &SettingsTarget, invocation: &Invocation) -> DoctorCheck {
    let file = site.shown(&target.file);
    let environment = site.environment();
    let own = match program::own(environment) {
        Ok(own) => own,
        Err(error) => return DoctorCheck::warn("program", error.to_string(), error.hint()),
    };
    let version = env!("CARGO_PKG_VERSION");
    match (invocation.file(environment), invocation) {
        (Some(found), _) if program::is_same(&found, &own) => {
            DoctorCheck::ok("program", format!("{} {version}", site.shown(&found)))
        }
        (Some(found), Invocation::Exec { .. } | Invocation::Shell(_)) => {
            let text = format!(
                "{file} runs {}, but this is {}",
                site.shown(&found),
                site.shown(&own)
            );
            DoctorCheck::warn(
                "program",
                text,
                if invocation.is_by_name() {
                    "type -a toprope"
                } else {
                    FIX
                },
            )
        }
        (None, Invocation::Shell(line)) => {
            let text = format!("{file} runs `{}` through a shell", one_line(line, 100));
            DoctorCheck::warn("program", text, FIX)
        }
        (None, Invocation::Exec { .. }) if invocation.is_by_name() => {
            let folder = own.parent().unwrap_or(&own).display();
            let text = format!("{file} runs `{invocation}`, which is not on PATH");
            DoctorCheck::fail("program", text, format!("export PATH=\"{folder}:$PATH\""))
        }
        (None, Invocation::Exec { .. }) => DoctorCheck::fail(
            "program",
            format!("{file} runs `{invocation}`, which is not there"),
            FIX,
        ),
    }
}

/// Different ways to start us are different hooks: the client runs them all.
fn doubled(site: &Site<'_>, installed: &[(SettingsTarget, HookEntries)]) -> Option<DoctorCheck> {
    let all: Vec<&Invocation> = installed
        .iter()
        .flat_map(|(_, entries)| &entries.invocations)
        .collect();
    let first = all.first()?;
    if all.iter().all(|other| other == first) {
        return None;
    }
    let files: Vec<String> = installed
        .iter()
        .map(|(target, _)| site.shown(&target.file))
        .collect();
    let text = format!(
        "{} start Toprope in different ways, so events come twice",
        files.join(" and ")
    );
    let scopes: Vec<InstallScope> = installed.iter().map(|(target, _)| target.scope).collect();
    let is_beside_project = scopes.contains(&InstallScope::Project) && scopes.len() > 1;
    let other = scopes
        .into_iter()
        .find(|scope| *scope != InstallScope::Project && is_beside_project);
    let hint = other.map_or_else(
        || FIX.to_owned(),
        |scope| format!("toprope uninstall --scope {}", scope.name()),
    );
    Some(DoctorCheck::warn("hooks", text, hint))
}

/// The client reads a repository's settings from the worktree it runs in; what git does not have is in no other.
fn unread_in_worktrees(site: &Site<'_>, installed: &[(SettingsTarget, HookEntries)]) -> Option<DoctorCheck> {
    let is_read_there = |target: &SettingsTarget| match target.scope {
        InstallScope::User => true,
        InstallScope::Project | InstallScope::Local => site.is_tracked(&target.file),
    };
    if installed.is_empty() || !site.has_linked_worktrees() {
        return None;
    }
    let text = "agents in linked worktrees do not read this worktree's settings, so nothing sees them";
    let is_read = installed.iter().any(|(target, _)| is_read_there(target));
    (!is_read).then(|| DoctorCheck::warn("hooks", text, "toprope init --scope user"))
}
