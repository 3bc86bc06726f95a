//! The database: whether it can be opened, is sound, and what trouble it remembers.

use super::WAIT;
use super::check::DoctorCheck;
use crate::command::init::context::Site;
use crate::disk::size;
use crate::error_counters::{ErrorCounter, RECENT_MS, TROUBLES};
use engine::text::one_line;
use engine::text::path_word;
use engine::time::Timestamp;
use std::os::unix::ffi::OsStrExt;
use store::table::counters::{self, Counter};
use store::{Db, Depth, Store, StoreError};

/// Looks at the file.
pub fn look(site: &Site<'_>, store: Result<&Store, &StoreError>, depth: Depth) -> DoctorCheck {
    let found = match store {
        Ok(store) => store.examine(depth),
        Err(error) => return unopened(site, error),
    };
    let examined = match found {
        Ok(examined) => examined,
        Err(error) => return unopened(site, &error),
    };
    match (examined.damage.as_slice(), examined.sample) {
        ([], None) => DoctorCheck::ok("database", format!("sound, {}", size(bytes(site)))),
        ([], Some(rows)) => {
            let text = format!(
                "no damage in a sample of {rows} rows, {}; `toprope doctor --deep` checks all of it",
                size(bytes(site))
            );
            DoctorCheck::ok("database", text)
        }
        ([first, rest @ ..], _) => {
            let text = format!("damaged: {} (and {} more)", one_line(first, 100), rest.len());
            DoctorCheck::fail("database", text, put_aside(site))
        }
    }
}

fn bytes(site: &Site<'_>) -> u64 {
    fs_err::metadata(site.home.database()).map_or(0, |found| found.len())
}

/// Returns the database's free space to the disk, and says how much.
pub fn compact(site: &Site<'_>) -> Result<String, StoreError> {
    let mut store = Store::open_existing(&site.home.database(), WAIT)?;
    let before = bytes(site);
    while store.give_back()? {}
    // The file shrinks when its log is moved; who reads it just now holds that up, and then only this.
    match store.checkpoint() {
        Err(StoreError::Busy) => store.advance().map(drop)?,
        other => other?,
    }
    let after = bytes(site);
    Ok(format!(
        "database: returned {} to the disk, {} left",
        size(before.saturating_sub(after)),
        size(after)
    ))
}

fn unopened(site: &Site<'_>, error: &StoreError) -> DoctorCheck {
    let text = error.to_string();
    match error {
        StoreError::NotThere { .. } => DoctorCheck::warn("database", "there is none yet", "toprope init"),
        StoreError::TooOld { .. } => DoctorCheck::warn("database", text, "toprope doctor --fix"),
        StoreError::TooNew { .. } => DoctorCheck::fail(
            "database",
            text,
            "a newer Toprope wrote it: use that one, or upgrade this one",
        ),
        StoreError::Corrupt => DoctorCheck::fail("database", text, put_aside(site)),
        StoreError::Busy => DoctorCheck::warn("database", text, "toprope daemon restart"),
        StoreError::Full => DoctorCheck::fail(
            "database",
            text,
            format!("df -h '{}'", site.home.folder().display()),
        ),
        StoreError::ReadOnly => DoctorCheck::fail(
            "database",
            text,
            format!("ls -l {}", path_word(site.home.folder().as_os_str().as_bytes())),
        ),
        StoreError::CannotOpen { .. } | StoreError::Io(_) | StoreError::RolledBack | StoreError::Bug(_) => {
            let cause = std::error::Error::source(error)
                .map(|cause| format!(": {cause}"))
                .unwrap_or_default();
            DoctorCheck::fail(
                "database",
                format!("{text}{cause}"),
                format!("ls -l {}", path_word(site.home.folder().as_os_str().as_bytes())),
            )
        }
    }
}

/// A damaged file is never deleted: what can be read of it may still matter. Its log goes with it, because a new file
/// beside an old log would be damaged again.
fn put_aside(site: &Site<'_>) -> String {
    let folder = path_word(site.home.folder().as_os_str().as_bytes());
    format!("toprope daemon stop; mkdir {folder}/damaged && mv {folder}/toprope.db* {folder}/damaged")
}

/// Looks at what was counted because it should not happen.
pub fn trouble(db: &Db, now: Timestamp) -> Result<Vec<DoctorCheck>, StoreError> {
    let counters = counters::list(db)?;
    let named = |name: &str| counters.iter().find(|counter| counter.name == name);
    Ok(TROUBLES
        .iter()
        .map(|trouble| judge(trouble, named(trouble.name), now))
        .collect())
}

fn judge(trouble: &ErrorCounter, counter: Option<&Counter>, now: Timestamp) -> DoctorCheck {
    let Some(counter) = counter else {
        return DoctorCheck::ok(trouble.name, trouble.none);
    };
    let ago = counter.last_at.map_or(u64::MAX, |at| now.since(at));
    if ago > RECENT_MS {
        let text = format!("{} within a day; {} before", trouble.none, counter.count);
        return DoctorCheck::ok(trouble.name, text);
    }
    DoctorCheck::warn(trouble.name, trouble.told(counter, ago), trouble.hint)
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn trouble_is_a_warning_for_a_day_and_history_after() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("a.db"), std::time::Duration::from_secs(5)).unwrap();
        let (then, day) = (Timestamp(1_000_000), i64::try_from(RECENT_MS).unwrap());
        let mut tx = store.begin().unwrap();
        tx.unit(|db| counters::note(db, "degraded", "`guard` panicked: x", then))
            .unwrap();
        tx.unit(|db| counters::note(db, "degraded", "`guard` panicked: y", then))
            .unwrap();
        tx.commit().unwrap();
        let soon = trouble(&store.read(), Timestamp(then.0 + 120_000)).unwrap();
        assert_eq!(
            soon[0].text,
            "2 decisions went without a policy that failed, the last 2 min ago: `guard` panicked: y"
        );
        assert_eq!((soon[0].state, soon[1].state), (CheckState::Warn, CheckState::Ok));
        let later = trouble(&store.read(), Timestamp(then.0 + day + 1)).unwrap();
        assert_eq!(
            (later[0].state, &*later[0].text),
            (CheckState::Ok, "no policy failed within a day; 2 before")
        );
    }
}
