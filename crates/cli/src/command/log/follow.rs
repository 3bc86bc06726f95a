//! Goes on with what happens: looks for rows after the last one shown, whoever wrote them.

use super::line::LogLine;
use super::page::LogPage;
use crate::failure::Failure;
use engine::id::EventSeq;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;
use signal_hook::consts::SIGINT;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::net::UnixStream;
use store::table::events::{self, EventRow, LogFilter};
use store::{Db, Store, StoreError};

/// A tenth of a second between two looks: what is new is shown within two of them.
const LOOK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// Rows fetched at once.
const AT_ONCE: u64 = 1_000;

/// What was shown, and what is held back for one look.
pub struct LogFollower {
    after: EventSeq,
    version: Option<u64>,
    /// Calls that had not ended when they were first seen: most do before the next look, and then make one line.
    held: BTreeSet<EventSeq>,
}

impl LogFollower {
    /// Follows what comes after this event.
    pub fn after(seq: EventSeq) -> Self {
        Self {
            after: seq,
            version: None,
            held: BTreeSet::new(),
        }
    }

    /// Shows what came since the last look.
    pub fn look(&mut self, store: &Store, filter: &LogFilter, page: &mut LogPage) -> Result<(), Failure> {
        let version = store.version()?;
        let is_new = self.version != Some(version);
        if !is_new && self.held.is_empty() {
            return Ok(());
        }
        let db = store.snapshot()?;
        let mut told = BTreeSet::new();
        let waiting = std::mem::take(&mut self.held);
        loop {
            let rows = events::list(
                &db,
                &LogFilter {
                    after_seq: Some(self.after),
                    limit: AT_ONCE,
                    ..filter.clone()
                },
            )?;
            let is_full = u64::try_from(rows.len()).unwrap_or(u64::MAX) >= AT_ONCE;
            self.after = match rows.last() {
                Some(last) if is_full => last.seq,
                Some(_) | None => newest(&db)?.max(self.after),
            };
            if page.joins() {
                self.show_calls(&db, page, rows, &waiting, &mut told)?;
            } else {
                page.show_events(&db, &rows)?;
            }
            if !is_full {
                // Only now: what went wrong before is looked for again.
                self.version = Some(version);
                return Ok(());
            }
        }
    }

    /// A call that has not ended is held back for one look, then shown as running; its end is then a line of its own.
    fn show_calls(
        &mut self,
        db: &Db,
        page: &mut LogPage,
        mut rows: Vec<EventRow>,
        waiting: &BTreeSet<EventSeq>,
        told: &mut BTreeSet<EventSeq>,
    ) -> Result<(), StoreError> {
        for seq in waiting {
            rows.extend(events::by_seq(db, *seq)?);
        }
        let lines = page.joined(db, &rows, told)?;
        let (open, ended): (Vec<LogLine>, Vec<LogLine>) = lines.into_iter().partition(|line| line.is_open);
        let (late, fresh): (Vec<LogLine>, Vec<LogLine>) =
            open.into_iter().partition(|line| waiting.contains(&line.first));
        self.held.extend(fresh.iter().map(|line| line.first));
        let mut shown = [ended, late].concat();
        shown.sort_by_key(|line| line.newest);
        page.show(&shown);
        Ok(())
    }
}

/// The newest event of all.
pub fn newest(db: &Db) -> Result<EventSeq, StoreError> {
    let newest = events::list(
        db,
        &LogFilter {
            limit: 1,
            ..LogFilter::default()
        },
    )?;
    Ok(newest.last().map_or(EventSeq(0), |row| row.seq))
}

/// What ends following: Ctrl-C, or a reader that went away.
pub struct FollowEnd {
    bell: UnixStream,
}

impl FollowEnd {
    /// From now on Ctrl-C is heard here, and ends nothing by itself.
    pub fn listen() -> io::Result<Self> {
        let (bell, ringer) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGINT, ringer)?;
        Ok(Self { bell })
    }

    /// Waits until it is time for the next look; false when there shall be none.
    pub fn wait(&self) -> io::Result<bool> {
        let stdout = io::stdout();
        let mut watched = [
            PollFd::from_borrowed_fd(self.bell.as_fd(), PollFlags::IN),
            // Asks for nothing: that the reader is gone is told unasked.
            PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty()),
        ];
        match poll(&mut watched, Some(&LOOK)) {
            Ok(_) => Ok(watched.iter().all(|one| one.revents().is_empty())),
            // A signal cut the wait short; if it was ours, the bell is up at the next wait.
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}
