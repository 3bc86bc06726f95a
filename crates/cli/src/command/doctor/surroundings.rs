//! What Toprope stands on: disk, git, and its own settings.

use super::check::DoctorCheck;
use crate::command::init::context::Site;
use crate::disk::{MIB, size, used};
use ::daemon::config::{LoadedSettings, SettingsProblem};
use engine::settings::Settings;
use git::run::Limits;
use std::time::Duration;

/// Below this the record may stop any moment.
const LITTLE_ROOM: u64 = 64 * MIB;
/// The oldest git that the tests were run with: Debian 12's. What older ones lack is not known.
const OLDEST_GIT: [u64; 2] = [2, 39];
const GIT_TIME: Duration = Duration::from_secs(5);

/// Looks at what the state folder takes, and what is left.
pub fn disk(site: &Site<'_>, settings: &Settings) -> DoctorCheck {
    let folder = site.home.folder();
    let shown = site.shown(folder);
    if !folder.exists() {
        return DoctorCheck::ok("disk", format!("{shown} is not there yet"));
    }
    let used = used(folder);
    let room = rustix::fs::statvfs(folder)
        .map(|found| found.f_bavail.saturating_mul(found.f_frsize))
        .ok();
    let left = room
        .map(|room| format!(", {} left", size(room)))
        .unwrap_or_default();
    let text = format!("{shown} takes {}{left}", size(used));
    if room.is_some_and(|room| room < LITTLE_ROOM) {
        return DoctorCheck::warn("disk", text, format!("df -h '{}'", folder.display()));
    }
    let most = u64::from(settings.log.max_mib).saturating_mul(MIB);
    if used > most.saturating_mul(2) {
        let text = format!("{text}, twice what `log.max_mib` allows");
        return DoctorCheck::warn("disk", text, format!("du -ah '{}'", folder.display()));
    }
    DoctorCheck::ok("disk", text)
}

/// Looks at git.
pub fn git(site: &Site<'_>) -> DoctorCheck {
    let said = match site.git().run(&["version"], Limits::within(GIT_TIME)) {
        Ok(said) => said,
        Err(error) => return DoctorCheck::warn("git", error.to_string(), "git --version"),
    };
    let said = String::from_utf8_lossy(&said);
    let word = engine::text::one_line(said.split_whitespace().nth(2).unwrap_or_default(), 40);
    let numbers: Vec<u64> = word.split('.').map_while(|number| number.parse().ok()).collect();
    if numbers.len() < OLDEST_GIT.len() || *numbers < *OLDEST_GIT.as_slice() {
        let oldest = OLDEST_GIT.map(|number| number.to_string()).join(".");
        return DoctorCheck::warn(
            "git",
            format!("`{word}` is older than {oldest}, the oldest that Toprope is tested with"),
            "git --version",
        );
    }
    DoctorCheck::ok("git", word)
}

/// Looks at what is wrong in the settings files.
pub fn settings(loaded: &LoadedSettings) -> Vec<DoctorCheck> {
    let mut checks: Vec<DoctorCheck> = loaded.problems.iter().map(problem).collect();
    if !loaded.settings.enabled {
        let origin = loaded
            .origins
            .get("enabled")
            .map(|origin| format!(" ({origin})"))
            .unwrap_or_default();
        let text = format!("Toprope is switched off here{origin}");
        checks.push(DoctorCheck::warn(
            "settings",
            text,
            "toprope config show --origin",
        ));
    }
    if checks.is_empty() {
        checks.push(DoctorCheck::ok(
            "settings",
            format!("profile `{}`", loaded.settings.profile.word()),
        ));
    }
    checks
}

fn problem(problem: &SettingsProblem) -> DoctorCheck {
    let hint = problem
        .hint
        .clone()
        .unwrap_or_else(|| "toprope config check".to_owned());
    let plain = SettingsProblem {
        hint: None,
        ..problem.clone()
    };
    DoctorCheck::warn("settings", plain.to_string(), hint)
}
