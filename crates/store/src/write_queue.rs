//! Waiting for the write lock, of which there is one for all processes: in the order they came, as long as it is handed on.
//!
//! `SQLite` knows no order among those who wait. In a crowd some would wait in vain while others have it again and again,
//! so there is a line: a lock on a file of its own, which the system hands on in the order it was asked for, also past
//! processes that died. The first in line asks for the write lock again and again, and makes room as soon as it has it.

use crate::StoreError;
use crate::db::Db;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The end of the name of the file that is the line; the beginning is the database's.
pub const LINE: &str = "-line";

/// Between two looks of the first in line whether the write lock is free.
const LOOK_AGAIN: Duration = Duration::from_micros(500);

/// Between two looks of everybody else: should the first in line stand still, the others do not.
const LOOK_RARELY: Duration = Duration::from_millis(50);

/// How many times as long as for one writer a crowd of them is waited for.
const CROWD: u32 = 4;

/// Threads of this process that may stand in line at once.
const MOST_THREADS: usize = 64;

/// Opens a write transaction as soon as no other is open, unless that takes too long.
pub(crate) fn take(db: &Db) -> Result<(), StoreError> {
    db.connection().busy_timeout(Duration::ZERO)?;
    let taken = wait(db);
    db.connection().busy_timeout(db.wait())?;
    taken
}

fn wait(db: &Db) -> Result<(), StoreError> {
    let mut patience = QueueLimits::new(db);
    // Held until the write lock is ours.
    let mut place = QueuePosition::in_line(db);
    loop {
        place = place.moved_up(LOOK_RARELY.min(db.wait()));
        let taken = db.execute("BEGIN IMMEDIATE", &[]);
        if !matches!(taken, Err(StoreError::Busy)) || patience.is_over() {
            return taken.map(drop);
        }
        place.rest();
    }
}

/// Where one stands.
enum QueuePosition {
    /// First in line, until the file is dropped.
    First(#[expect(dead_code, reason = "held, and let go")] File),
    /// Behind others; the file comes when they are through.
    Behind(Receiver<File>),
    /// There is no line.
    Anywhere,
}

impl QueuePosition {
    /// Joins the line for this database.
    fn in_line(db: &Db) -> Self {
        match line_of(db).and_then(|line| open(&line).ok()) {
            Some(line) if line.try_lock().is_ok() => Self::First(line),
            Some(line) => behind(line).map_or(Self::Anywhere, Self::Behind),
            None => Self::Anywhere,
        }
    }

    /// Waits a while to be the first.
    fn moved_up(self, longest: Duration) -> Self {
        match self {
            Self::Behind(told) => match told.recv_timeout(longest) {
                Ok(line) => Self::First(line),
                Err(RecvTimeoutError::Timeout) => Self::Behind(told),
                Err(RecvTimeoutError::Disconnected) => Self::Anywhere,
            },
            other => other,
        }
    }

    fn rest(&self) {
        if !matches!(self, Self::Behind(_)) {
            sleep(LOOK_AGAIN);
        }
    }
}

/// Has a thread wait for the line, as the system knows no limit for that. One that nobody waits for any more lets the next
/// one in and ends.
fn behind(line: File) -> Option<Receiver<File>> {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    if THREADS.fetch_add(1, Ordering::Relaxed) >= MOST_THREADS {
        THREADS.fetch_sub(1, Ordering::Relaxed);
        return None;
    }
    let (tell, told) = mpsc::channel();
    let waiting = move || {
        if line.lock().is_ok() {
            let _ = tell.send(line);
        }
        THREADS.fetch_sub(1, Ordering::Relaxed);
    };
    let thread = thread::Builder::new().name("in line".to_owned()).spawn(waiting);
    if thread.is_err() {
        THREADS.fetch_sub(1, Ordering::Relaxed);
    }
    thread.is_ok().then_some(told)
}

/// How long others are waited for: as long as the connection's owner said after the last of them wrote something. A
/// database that is stuck and one that is in demand look the same to who asks only for the lock.
struct QueueLimits<'a> {
    db: &'a Db,
    since: Instant,
    /// The newest state of the database that was seen, and when it was new.
    state: Option<u64>,
    changed: Instant,
}

impl<'a> QueueLimits<'a> {
    fn new(db: &'a Db) -> Self {
        let now = Instant::now();
        Self {
            db,
            since: now,
            state: None,
            changed: now,
        }
    }

    fn is_over(&mut self) -> bool {
        let state = self.db.number("PRAGMA data_version", &[]).ok();
        if state.is_some() && state != self.state {
            (self.state, self.changed) = (state, Instant::now());
        }
        let limit = self.db.wait();
        self.changed.elapsed() >= limit || self.since.elapsed() >= limit.saturating_mul(CROWD)
    }
}

/// The file that is the line for this database; one in memory has no other writers.
fn line_of(db: &Db) -> Option<PathBuf> {
    let database = db.connection().path().filter(|path| !path.is_empty())?;
    let mut line = OsString::from(database);
    line.push(LINE);
    Some(line.into())
}

fn open(line: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(line)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the lock is in a file, and nobody tells when it is free"
)]
fn sleep(pause: Duration) {
    thread::sleep(pause);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Store, counters};
    use std::sync::Mutex;

    const LONG: Duration = Duration::from_mins(1);

    fn store(folder: &Path, wait: Duration) -> Store {
        Store::open(&folder.join("db"), wait).unwrap()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn who_waits_longer_comes_first() {
        const WAITING: usize = 8;
        let folder = tempfile::tempdir().unwrap();
        let line = folder.path().join("db-line");
        let (store, order) = (store(folder.path(), LONG), Mutex::new(Vec::new()));
        let first = QueuePosition::in_line(&store.read());
        assert!(matches!(first, QueuePosition::First(_)));
        thread::scope(|scope| {
            for number in 1..=WAITING {
                let place = QueuePosition::in_line(&store.read());
                while in_line(&line) <= number {
                    thread::yield_now();
                }
                let order = &order;
                scope.spawn(move || {
                    let first = place.moved_up(LONG);
                    order.lock().unwrap().push(number);
                    assert!(matches!(first, QueuePosition::First(_)));
                });
            }
            drop(first);
        });
        assert_eq!(order.into_inner().unwrap(), (1..=WAITING).collect::<Vec<_>>());
    }

    /// How many stand in this line, with the first.
    #[cfg(target_os = "linux")]
    fn in_line(line: &Path) -> usize {
        use std::os::unix::fs::MetadataExt;
        let Ok(inode) = fs_err::metadata(line).map(|line| line.ino()) else {
            return 0;
        };
        let locks = fs_err::read_to_string("/proc/locks").unwrap();
        let of_it = |lock: &&str| lock.contains("FLOCK") && lock.contains(&format!(":{inode} "));
        locks.lines().filter(of_it).count()
    }

    #[test]
    fn who_waited_long_enough_is_told_and_a_first_in_line_that_stands_still_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let mut holder = store(folder.path(), LONG);
        let mut hurried = store(folder.path(), Duration::from_millis(20));
        let held = holder.begin().unwrap();
        let line = folder.path().join("db-line");
        let first = open(&line).unwrap();
        first.lock().unwrap();
        assert!(matches!(hurried.begin().map(drop), Err(StoreError::Busy)));
        drop(held);
        let mut patient = store(folder.path(), LONG);
        for _ in 0..2 * MOST_THREADS {
            assert!(
                hurried.begin().is_ok(),
                "what is free is taken, whoever is in line"
            );
        }
        assert!(patient.begin().is_ok());
        drop(first);
        let next = open(&line).unwrap();
        assert!(next.lock().is_ok(), "the one that gave up lets others in");
    }

    #[test]
    fn where_no_line_can_be_everybody_looks() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("db-line")).unwrap();
        let (mut one, mut two) = (store(folder.path(), LONG), store(folder.path(), LONG));
        let held = one.begin().unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| two.begin().map(drop).is_ok());
            drop(held);
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_database_in_demand_is_waited_for_longer_than_one_that_is_stuck() {
        let folder = tempfile::tempdir().unwrap();
        let (mut other, own) = (store(folder.path(), LONG), store(folder.path(), LONG));
        let reader = own.read();
        let mut patience = QueueLimits::new(&reader);
        assert!(!patience.is_over());
        patience.changed -= LONG;
        assert!(patience.is_over(), "nobody wrote anything for so long");
        let written = other.begin().unwrap().only(|db| counters::add(db, "one", 1));
        written.unwrap();
        assert!(!patience.is_over());
        patience.since -= LONG * CROWD;
        assert!(patience.is_over(), "they write and write");
    }
}
