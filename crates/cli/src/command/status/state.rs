//! What Toprope keeps, how much room it takes, and what went wrong so far.

use crate::moment;
use ::daemon::home::Home;
use engine::time::Timestamp;
use serde::Serialize;
use std::path::Path;
use store::table::{counters, notices};
use store::{Store, StoreError};

/// Folders in the state folder are few and flat; deeper ones are not ours.
const DEEPEST: usize = 8;

/// See the module.
#[derive(Debug, Serialize)]
pub struct State {
    pub folder: String,
    /// Bytes of all files in it.
    pub bytes: u64,
    /// What is counted because it is no event: unreadable payloads, degraded decisions.
    pub counters: Vec<Counter>,
    /// Texts the person is still owed.
    pub notices: Vec<Notice>,
}

/// How often something happened.
#[derive(Debug, Serialize)]
pub struct Counter {
    pub name: String,
    pub count: u64,
    pub last: Option<String>,
    pub last_at: Option<String>,
    #[serde(skip)]
    pub when: Option<Timestamp>,
}

/// A text the person is owed.
#[derive(Debug, Serialize)]
pub struct Notice {
    pub text: String,
    pub since: String,
    #[serde(skip)]
    pub when: Timestamp,
}

impl State {
    /// What is kept, as it is now.
    pub fn of(home: &Home, store: Option<&Store>) -> Result<Self, StoreError> {
        let (mut counted, mut owed) = (Vec::new(), Vec::new());
        if let Some(store) = store {
            let db = store.snapshot()?;
            counted = counters::list(&db)?;
            owed = notices::for_person(&db)?;
        }
        Ok(Self {
            folder: home.folder().to_string_lossy().into_owned(),
            bytes: bytes_in(home.folder(), DEEPEST),
            counters: counted.into_iter().map(counter).collect(),
            notices: owed
                .into_iter()
                .map(|notice| Notice {
                    text: notice.text,
                    since: moment::rfc3339(notice.created_at),
                    when: notice.created_at,
                })
                .collect(),
        })
    }
}

fn counter(counter: counters::Counter) -> Counter {
    Counter {
        name: counter.name,
        count: counter.count,
        last: counter.last_text,
        last_at: counter.last_at.map(moment::rfc3339),
        when: counter.last_at,
    }
}

/// Bytes of all files in a folder; what cannot be looked at, or vanishes meanwhile, counts as nothing.
fn bytes_in(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return 0;
    };
    let sizes = entries
        .flatten()
        .map(|entry| match fs_err::symlink_metadata(entry.path()) {
            Ok(found) if found.is_file() => found.len(),
            Ok(found) if found.is_dir() && depth > 0 => bytes_in(&entry.path(), depth - 1),
            Ok(_) | Err(_) => 0,
        });
    sizes.sum()
}

/// A number of bytes as people read it: `812 KiB`, `1.2 MiB`.
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = KIB * 1024;
    const GIB: u64 = MIB * 1024;
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes / KIB),
        MIB..GIB => format!("{} MiB", tenths(MIB)),
        GIB.. => format!("{} GiB", tenths(GIB)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_to_what_matters() {
        let shown: Vec<String> = [0, 1023, 1024, 831_488, 1_310_720, 3_221_225_472]
            .map(size)
            .into();
        assert_eq!(shown, ["0 B", "1023 B", "1 KiB", "812 KiB", "1.2 MiB", "3.0 GiB"]);
    }

    #[test]
    fn all_files_below_a_folder_count_and_links_do_not() {
        let world = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(world.path().join("a/b")).unwrap();
        fs_err::write(world.path().join("one"), [0; 10]).unwrap();
        fs_err::write(world.path().join("a/b/two"), [0; 5]).unwrap();
        fs_err::os::unix::fs::symlink("/", world.path().join("a/everything")).unwrap();
        assert_eq!(bytes_in(world.path(), DEEPEST), 15);
        assert_eq!(bytes_in(&world.path().join("absent"), DEEPEST), 0);
    }
}
