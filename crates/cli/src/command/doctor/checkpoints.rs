//! Checkpoints: whether they are kept, whether their shadow is whole, and what they may miss.

use super::check::{CheckState, DoctorCheck};
use crate::command::checkpoint::degraded;
use crate::command::init::context::Site;
use crate::command::init::counted;
use crate::disk::size;
use crate::error_counters::{CHECKPOINT_TROUBLES, ErrorCounter, RECENT_MS, Severity};
use crate::here;
use engine::settings::Settings;
use engine::time::Timestamp;
use git::keep_refs;
use git::run::Limits;
use git::shadow::{self, Shadow};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::table::checkpoints::{self, CheckpointTally};
use store::table::counters::{self, Counter};
use store::table::notices;
use store::{Db, StoreError};

const NAME: &str = "checkpoints";
const GIT_TIME: Duration = Duration::from_secs(5);

/// Looks at them, as far as they are of this project.
pub fn look(
    site: &Site<'_>,
    settings: &Settings,
    db: &Db,
    now: Timestamp,
) -> Result<Vec<DoctorCheck>, StoreError> {
    if !settings.checkpoints.enabled {
        return Ok(vec![DoctorCheck::ok(NAME, "switched off in the settings")]);
    }
    let project = here::project(db, &site.root)?;
    let tally = match &project {
        Some(project) => checkpoints::tally(db, project.id)?,
        None => CheckpointTally::default(),
    };
    let place = match shadow::ShadowSite::of(&site.place, &site.home.shadows()) {
        Ok(place) => place,
        Err(error) => {
            let text = format!("none can be kept here: {error}");
            return Ok(vec![DoctorCheck::fail(NAME, text, "git status")]);
        }
    };
    let opened = Shadow::open(&place);
    let mut checks = vec![match &opened {
        Ok(Some(shadow)) => whole(site, shadow, tally),
        Ok(None) if tally.checkpoints == 0 => {
            DoctorCheck::ok(NAME, "none yet; the first prompt of an agent makes one")
        }
        Ok(None) => DoctorCheck::fail(
            NAME,
            format!(
                "{} recorded, and their objects are gone: there is no {}",
                are(tally.checkpoints),
                site.shown(&place.shadow)
            ),
            "toprope checkpoint create",
        ),
        Err(error) => DoctorCheck::fail(
            NAME,
            format!("{} cannot be read: {error}", site.shown(&place.shadow)),
            "the next checkpoint sets it aside and begins anew; nothing is deleted",
        ),
    }];
    checks.extend(set_aside(site, &place.shadow));
    if let Ok(Some(shadow)) = &opened {
        checks.extend(unsettled(shadow, db)?);
    }
    if let Some(project) = &project {
        checks.extend(incomplete(settings, db, project.id, now)?);
    }
    checks.extend(held(site));
    checks.extend(troubles(db, now)?);
    Ok(checks)
}

fn are(count: u64) -> String {
    match count {
        1 => "1 checkpoint is".to_owned(),
        more => format!("{more} checkpoints are"),
    }
}

fn whole(site: &Site<'_>, shadow: &Shadow, tally: CheckpointTally) -> DoctorCheck {
    let of = |count: u64, what: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), what);
    DoctorCheck::ok(
        NAME,
        format!(
            "{} of {}, {} in {}",
            tally.checkpoints,
            of(tally.sessions, "session"),
            size(shadow.size().unwrap_or_default()),
            site.shown(shadow.folder())
        ),
    )
}

/// Shadows that could not be used any more and were kept all the same.
fn set_aside(site: &Site<'_>, shadow: &Path) -> Vec<DoctorCheck> {
    let (Some(folder), Some(name)) = (shadow.parent(), shadow.file_name()) else {
        return Vec::new();
    };
    let prefix = format!("{}.broken-", name.to_string_lossy());
    let Ok(entries) = fs_err::read_dir(folder) else {
        return Vec::new();
    };
    let mut broken: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect();
    broken.sort();
    let told = |path: PathBuf| {
        let shown = path.display().to_string().replace('\'', r"'\''");
        let text = format!("a damaged shadow repository was set aside: {}", site.shown(&path));
        DoctorCheck::warn(NAME, text, format!("git --git-dir='{shown}' fsck"))
    };
    broken.into_iter().map(told).collect()
}

/// Rewinds that were cut short and that nobody came across yet.
fn unsettled(shadow: &Shadow, db: &Db) -> Result<Vec<DoctorCheck>, StoreError> {
    let Ok(entries) = fs_err::read_dir(shadow.journal_folder()) else {
        return Ok(Vec::new());
    };
    let owed = notices::for_person(db)?;
    let ids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    // Drafts, and those that are settled, have a dot in their names.
    let ids = ids.filter(|id| !id.contains('.'));
    Ok(ids
        .map(|id| {
            let told = owed.iter().find(|notice| notice.key == id);
            let text = told.map_or_else(
                || "A rewind was cut short and is not settled yet.".to_owned(),
                |told| told.text.clone(),
            );
            DoctorCheck::warn(NAME, text, "toprope checkpoint list settles it")
        })
        .collect())
}

/// Checkpoints of the last day that may miss something.
fn incomplete(
    settings: &Settings,
    db: &Db,
    project: engine::id::ProjectId,
    now: Timestamp,
) -> Result<Option<DoctorCheck>, StoreError> {
    let since = Timestamp(now.0.saturating_sub_unsigned(RECENT_MS));
    let found = checkpoints::degraded(db, project, since, u64::MAX)?;
    let Some(newest) = found.first() else {
        return Ok(None);
    };
    let mut text = degraded::sentences(newest, &settings.checkpoints).join(" ");
    if let more @ 1.. = found.len().saturating_sub(1) {
        // Writing to a string cannot fail.
        let _ = write!(text, " ({more} more within a day)");
    }
    let hint = format!("toprope checkpoint show {}", newest.id);
    Ok(Some(DoctorCheck::warn(NAME, text, hint)))
}

/// What people meet in their own repository.
fn held(site: &Site<'_>) -> Option<DoctorCheck> {
    site.place.common_dir.as_ref()?;
    let held = keep_refs::held(&site.git(), Limits::within(GIT_TIME)).ok()?;
    if held.is_empty() {
        return None;
    }
    let text = format!(
        "{} held by refs/toprope/keep: they show in `git log --all` and go along with `git push --mirror`",
        match held.len() {
            1 => "1 commit is".to_owned(),
            more => format!("{more} commits are"),
        }
    );
    Some(DoctorCheck::ok(NAME, text))
}

/// What was counted because it should not happen.
fn troubles(db: &Db, now: Timestamp) -> Result<Vec<DoctorCheck>, StoreError> {
    let counters = counters::list(db)?;
    let of = |trouble: &ErrorCounter| {
        let counter = counters.iter().find(|counter| counter.name == trouble.name)?;
        judged(trouble, counter, now)
    };
    Ok(CHECKPOINT_TROUBLES
        .iter()
        .filter_map(|(trouble, level)| Some((of(trouble)?, *level)))
        .map(|(check, level)| match level {
            Severity::Told => DoctorCheck {
                state: CheckState::Ok,
                hint: None,
                ..check
            },
            Severity::Warned => check,
            Severity::Failed => DoctorCheck {
                state: CheckState::Fail,
                ..check
            },
        })
        .collect())
}

fn judged(trouble: &ErrorCounter, counter: &Counter, now: Timestamp) -> Option<DoctorCheck> {
    let ago = now.since(counter.last_at?);
    if ago > RECENT_MS {
        return None;
    }
    Some(DoctorCheck::warn(NAME, trouble.told(counter, ago), trouble.hint))
}
