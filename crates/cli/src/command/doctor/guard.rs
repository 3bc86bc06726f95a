//! The guard: rules that were left out, rewrites that another hook undid, and whether a denial really reaches the client.

use super::check::DoctorCheck;
use crate::command::init::context::Site;
use crate::command::init::probe;
use ::daemon::pipeline::guard::session::LOST_REWRITE;
use engine::policy::guard::RuleSet;
use engine::settings::{Mode, Profile, Settings};
use engine::text::one_line;
use engine::text::path_word;
use store::table::session_notes;
use store::{Db, StoreError};

/// Looks at the rules in force.
pub fn rules(settings: &Settings) -> Vec<DoctorCheck> {
    let rules = RuleSet::of(settings);
    if rules.problems().is_empty() {
        return vec![in_force(settings, rules.rules().len())];
    }
    let told = rules.problems().iter();
    told.map(|problem| {
        DoctorCheck::warn(
            "guard",
            one_line(&problem.to_string(), 400),
            format!("toprope guard packs --verify {}", path_word(&problem.file)),
        )
    })
    .collect()
}

/// How far the guard goes here.
fn in_force(settings: &Settings, rules: usize) -> DoctorCheck {
    if !settings.enabled {
        return DoctorCheck::warn(
            "guard",
            "off: Toprope is switched off here, so nothing is judged or stopped",
            "toprope config set enabled true",
        );
    }
    if settings.profile == Profile::Observe {
        return DoctorCheck::ok(
            "guard",
            "observe: commands are judged and recorded, none is stopped",
        );
    }
    let advice = match settings.guard.mode {
        Mode::Enforce => "",
        Mode::Advise => ", as advice: what they find is not stopped",
        Mode::Off => {
            return DoctorCheck::warn(
                "guard",
                "off: nothing is stopped but what no setting allows",
                "toprope config set guard.mode enforce",
            );
        }
    };
    let loosened = settings.guard.loosened();
    if loosened.is_empty() {
        return DoctorCheck::ok("guard", format!("{rules} rules{advice}"));
    }
    let text = format!("{rules} rules{advice}; not in force: {}", loosened.join(", "));
    DoctorCheck::warn("guard", one_line(&text, 400), "toprope guard packs")
}

/// Looks for sessions in which another hook's rewrite won over ours.
pub fn races(db: &Db) -> Result<Option<DoctorCheck>, StoreError> {
    let lost = session_notes::count(db, LOST_REWRITE)?;
    Ok((lost > 0).then(|| {
        let sessions = engine::policy::guard::message::count(lost, "session", "sessions");
        DoctorCheck::warn(
            "guard",
            format!("another hook rewrote a command after us in {sessions}; there we deny with the corrected command"),
            "toprope doctor --json",
        )
    }))
}

/// Sends a command that must be denied through each way the client would start us.
pub fn fire(site: &Site<'_>, settings: &Settings) -> Vec<DoctorCheck> {
    if !settings.enabled || settings.profile == Profile::Observe {
        return Vec::new();
    }
    let mut checks = Vec::new();
    for (target, entries) in site.installed() {
        for invocation in &entries.invocations {
            let file = site.shown(&target.file);
            checks.push(match probe::must_deny(site, invocation) {
                Ok(took) => DoctorCheck::ok(
                    "denial",
                    format!(
                        "through {file}: `{}` was denied in {}",
                        probe::FORBIDDEN,
                        probe::milliseconds(took)
                    ),
                ),
                Err(lost) => DoctorCheck::fail(
                    "denial",
                    format!("through {file}: {lost}"),
                    "toprope doctor --fix",
                ),
            });
        }
    }
    checks
}
