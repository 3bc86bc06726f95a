//! Commits on a branch that nobody but a person moves.

use super::CheckContext;
use crate::policy::guard::branch::current;
use crate::policy::guard::glob::{StarReach, fits};
use crate::policy::guard::match_result::Hit;
use crate::policy::guard::push::is_protected;
use crate::policy::guard::verdict::Ruling;
use crate::settings::{Mode, Profile};

pub(super) fn find(look: &CheckContext<'_>) -> Option<Hit> {
    let seen = look.seen;
    if !seen.sub(&["commit"]) || seen.has(&["--dry-run"]) {
        return None;
    }
    let repository = look.world.repository(seen.command.cwd.as_deref())?;
    let branch = current(seen, look.world)?;
    if repository.operation.is_some() || !is_protected(&branch, seen, look.world, look.rules) {
        return None;
    }
    if is_only_plan(look) {
        return None;
    }
    Some(Hit {
        verdict: Some(ruling(look.world.facts.gates.branch, look)),
        what: Some(format!("commits on `{branch}`")),
        ..Hit::yes().about(branch)
    })
}

/// What a gate's mode means for a rule of its kind.
pub(super) fn ruling(mode: Option<Mode>, look: &CheckContext<'_>) -> Ruling {
    let mode = mode.unwrap_or(if look.rules.profile() == Profile::Strict {
        Mode::Enforce
    } else {
        Mode::Advise
    });
    match mode {
        Mode::Off => Ruling::Silent,
        Mode::Advise => Ruling::Advise,
        Mode::Enforce => Ruling::Deny,
    }
}

/// Whether the commit would hold plan files and nothing else.
fn is_only_plan(look: &CheckContext<'_>) -> bool {
    let seen = look.seen;
    let plans = &look.world.facts.gates.plan_files;
    let is_plan = |path: &str| plans.iter().any(|pattern| fits(pattern, path, StarReach::Name));
    let Some(repository) = look.world.repository(seen.command.cwd.as_deref()) else {
        return false;
    };
    let Some(staged) = &repository.staged else {
        return false;
    };
    let named: Vec<&str> = seen.literals().collect();
    let all = seen.has(&["-a", "--all"]);
    let changed = repository.changed.as_deref();
    let mut paths: Vec<&str> = Vec::new();
    if named.is_empty() || seen.has(&["-i", "--include"]) {
        paths.extend(staged.iter().map(String::as_str));
    }
    paths.extend(&named);
    if all {
        let Some(changed) = changed else { return false };
        paths.extend(changed.iter().map(String::as_str));
    }
    !paths.is_empty() && !seen.has(&["--amend"]) && paths.iter().all(|path| is_plan(path))
}
