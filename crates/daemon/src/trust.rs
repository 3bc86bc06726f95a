//! Whether a person trusted a file's bytes. Asked only where a project's settings want to loosen something.

use crate::clock;
use crate::config::FileStamp;
use crate::home::Home;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::table::trusts::{self, Fingerprint, Trust};
use store::{Store, StoreError};

/// How long a look into the database may wait for a writer.
const WAIT: Duration = Duration::from_secs(1);

/// The trusted files, as the database has them.
#[derive(Debug)]
pub struct Trusts {
    database: PathBuf,
    stamp: PathBuf,
    known: Mutex<TrustCache>,
}

/// Answers that hold until something is trusted or revoked.
#[derive(Debug, Default)]
struct TrustCache {
    stamp: Option<FileStamp>,
    answers: HashMap<(PathBuf, [u8; 32]), bool>,
}

impl Trusts {
    /// The trusted files of this home.
    pub fn of(home: &Home) -> Self {
        Self {
            database: home.database(),
            stamp: home.trust_stamp(),
            known: Mutex::default(),
        }
    }

    /// Whether exactly these bytes of this file are trusted. What cannot be looked up is not.
    pub fn holds(&self, path: &Path, hash: &[u8; 32]) -> bool {
        let stamp = Some(self.stamp());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.stamp != stamp {
            *known = TrustCache {
                stamp,
                answers: HashMap::new(),
            };
        }
        let key = (path.to_owned(), *hash);
        if let Some(answer) = known.answers.get(&key) {
            return *answer;
        }
        // An answer that could not be had now is asked for again at the next event.
        let answer = self.look_up(path, hash);
        if let Ok(answer) = answer {
            known.answers.insert(key, answer);
        }
        answer.unwrap_or(false)
    }

    /// The file that changes whenever something is trusted or revoked, as it is now.
    pub fn stamp(&self) -> FileStamp {
        FileStamp::of(&self.stamp)
    }

    /// Trusts these bytes of a file from now on.
    pub fn trust(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(|db| trusts::trust(db, path, &Fingerprint::of(bytes), clock::now()))
    }

    /// Trusts a file no longer; false if it was not trusted.
    pub fn revoke(&self, path: &Path) -> Result<bool, StoreError> {
        self.write(|db| trusts::revoke(db, path, clock::now()))
    }

    /// All trusted files.
    pub fn list(&self) -> Result<Vec<Trust>, StoreError> {
        trusts::list(&Store::open_existing(&self.database, WAIT)?.read())
    }

    fn look_up(&self, path: &Path, hash: &[u8; 32]) -> Result<bool, StoreError> {
        let store = Store::open_existing(&self.database, WAIT)?;
        trusts::is_trusted(&store.read(), path, &Fingerprint::from(*hash))
    }

    fn write<T>(&self, change: impl FnOnce(&store::Db) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut store = Store::open(&self.database, WAIT)?;
        let mut tx = store.begin()?;
        let outcome = tx.unit(change)?;
        tx.commit()?;
        // Makes running daemons look again; one that misses it looks again when it next starts.
        let _ = fs_err::write(&self.stamp, clock::now().0.to_string());
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use sha2::{Digest, Sha256};

    #[test]
    fn trust_is_in_bytes_and_is_seen_at_once() {
        let world = tempfile::tempdir().unwrap();
        let home = Home::of(&Environment::of(&[(
            "TOPROPE_HOME",
            world.path().to_str().unwrap(),
        )]));
        let (daemon, person) = (Trusts::of(&home), Trusts::of(&home));
        let file = Path::new("/p/toprope.toml");
        let hash = |bytes: &[u8]| -> [u8; 32] { Sha256::digest(bytes).into() };
        assert!(
            !daemon.holds(file, &hash(b"a")),
            "nothing is trusted before a database exists"
        );
        person.trust(file, b"a").unwrap();
        assert!(daemon.holds(file, &hash(b"a")));
        assert!(!daemon.holds(file, &hash(b"b")), "other bytes are another file");
        assert!(person.revoke(file).unwrap());
        assert!(!daemon.holds(file, &hash(b"a")));
    }
}
