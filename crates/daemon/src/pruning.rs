//! Keeps the log within its days and its size while agents work, in slices so short that hooks hardly wait for them.

use crate::clock;
use crate::server::Server;
use engine::time::Timestamp;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use store::prune::{self, Pass};
use store::table::counters;
use store::{Db, Store, StoreError};

/// The counter that remembers when the log was last pruned.
const PRUNED: &str = "pruned";

/// A slice takes no further step after this long. What is longer shows in the slowest hooks.
const SLICE: Duration = Duration::from_millis(1);

/// Between two slices: most events meet none, and the disk has time for what they write.
const REST: Duration = Duration::from_millis(20);

/// A write-ahead log is moved into the database once it is longer than this.
pub(crate) const LONG_LOG: u64 = 2 * 1024 * 1024;

/// Nothing is added to a write-ahead log that is longer than this and cannot be moved.
const LONGEST_LOG: u64 = 32 * 1024 * 1024;

/// Whether somebody prunes: one does it for all.
#[derive(Default)]
pub(crate) struct Pruning {
    runs: AtomicBool,
}

/// Whether it is time to drop what is too old: once a day, when a session starts. Size is looked at all the time.
pub(crate) fn is_due(db: &Db, now: Timestamp) -> Result<bool, StoreError> {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    Ok(counters::last(db, PRUNED)?.is_none_or(|last| now.since(last) > DAY_MS))
}

/// Starts pruning if the log is bigger than it may be.
pub(crate) fn look(server: &Arc<Server>, beside: Option<&Store>) -> Result<(), StoreError> {
    let most = u64::from(server.world.settings_of_user().log.max_mib);
    match beside {
        Some(store) if prune::is_too_big(&store.read(), most)? => {
            start(server);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Prunes on a thread of its own, unless one does already.
pub(crate) fn start(server: &Arc<Server>) {
    if server.pruning.runs.swap(true, Ordering::SeqCst) {
        return;
    }
    let pruner = Arc::clone(server);
    let started = server.crew.open(move || {
        let done = catch_unwind(AssertUnwindSafe(|| prune_all(&pruner)));
        pruner.pruning.runs.store(false, Ordering::SeqCst);
        match done {
            Ok(done) => pruner.note_trouble("the log could not be pruned", done),
            Err(_) => pruner.note_trouble("pruning the log", Err("panicked")),
        }
    });
    if let Err(error) = started {
        server.pruning.runs.store(false, Ordering::SeqCst);
        server.note_trouble("nobody prunes the log", Err(error));
    }
}

fn prune_all(server: &Server) -> Result<(), StoreError> {
    let log = server.world.settings_of_user().log;
    let database = server.world.home().database();
    let beside = Store::open_existing(&database, Duration::ZERO)?;
    let mut pass = Pass::new(log.keep_days, u64::from(log.max_mib), clock::now());
    while slice(server, &mut pass)? {
        // What is left, a later look finds.
        if server.jobs.is_closed() || !has_room(&beside, &database)? {
            return Ok(());
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "leaves the disk and the write lock to others; there is nothing to wait for"
        )]
        thread::sleep(REST);
    }
    server
        .writer
        .change(|db| counters::note(db, PRUNED, "", clock::now()))
}

/// As many steps as fit into a short transaction; false if nothing is left to drop.
fn slice(server: &Server, pass: &mut Pass) -> Result<bool, StoreError> {
    server.writer.change(|db| {
        let began = Instant::now();
        while pass.step(db)?.more {
            if began.elapsed() >= SLICE {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

/// Moves the write-ahead log if it is long; false if it cannot be moved and is too long to go on.
fn has_room(beside: &Store, database: &Path) -> Result<bool, StoreError> {
    let length = log_length(database);
    Ok(length <= LONG_LOG || beside.advance()? || length <= LONGEST_LOG)
}

/// Bytes of a database's write-ahead log.
pub(crate) fn log_length(database: &Path) -> u64 {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    fs_err::metadata(PathBuf::from(log)).map_or(0, |found| found.len())
}
