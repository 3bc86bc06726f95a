//! Makes files and folders durable, several at once: the file system then writes its own journal once for many of them,
//! where one after the other would each wait for a writing of its own.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::fs::fsync;

/// More at once does not make it quicker.
const AT_ONCE: usize = 4;

/// Files that are open at a time: few enough for every system.
const MOST_OPEN: usize = 128;

/// What is to be made durable together.
#[derive(Debug, Default)]
pub struct Batch(Vec<OwnedFd>);

impl Batch {
    /// Adds one; where these are as many as can be open, they are made durable now.
    pub fn add(&mut self, open: impl Into<OwnedFd>) -> io::Result<()> {
        self.0.push(open.into());
        if self.0.len() < MOST_OPEN {
            return Ok(());
        }
        std::mem::take(self).sync()
    }

    /// Returns when all of them are durable, or one could not be made so.
    pub fn sync(self) -> io::Result<()> {
        sync(&self.0)
    }

    /// The same while something else is done.
    pub fn begin(self) -> Pending {
        let (open, doing) = (self.0, thread::Builder::new().name("sync".to_owned()));
        let open = Arc::new(open);
        let own = Arc::clone(&open);
        match doing.spawn(move || sync(&own)) {
            Ok(doing) => Pending::Doing(doing),
            Err(_) => Pending::Done(sync(&open)),
        }
    }
}

/// Something that is being made durable. If nobody waits for it, it becomes so all the same.
#[derive(Debug)]
pub enum Pending {
    Doing(JoinHandle<io::Result<()>>),
    Done(io::Result<()>),
}

impl Pending {
    /// Nothing is left to be done.
    pub fn none() -> Self {
        Self::Done(Ok(()))
    }

    /// Returns when all is durable, or something could not be made so.
    pub fn wait(self) -> io::Result<()> {
        match self {
            Self::Doing(doing) => joined(doing.join()),
            Self::Done(done) => done,
        }
    }
}

fn sync(open: &[OwnedFd]) -> io::Result<()> {
    let mut shares = open.chunks(open.len().div_ceil(AT_ONCE).max(1));
    let own = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let (mut others, mut left) = (Vec::new(), Vec::new());
        for share in shares {
            match thread::Builder::new().spawn_scoped(scope, || one_by_one(share)) {
                Ok(other) => others.push(other),
                // Without another thread it takes longer, and that is all.
                Err(_) => left.push(share),
            }
        }
        let mut synced = one_by_one(own);
        for share in left {
            synced = synced.and(one_by_one(share));
        }
        for other in others {
            synced = synced.and(joined(other.join()));
        }
        synced
    })
}

/// A thread that ended otherwise than by itself made nothing durable.
fn joined(ended: thread::Result<io::Result<()>>) -> io::Result<()> {
    ended.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
}

fn one_by_one(open: &[OwnedFd]) -> io::Result<()> {
    for file in open {
        fsync(file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    /// So many files, with a pipe among them: of a pipe nothing can be made durable.
    fn batch(count: usize, pipe: Option<usize>) -> io::Result<()> {
        let folder = tempfile::tempdir().unwrap();
        let mut batch = Batch::default();
        for number in 0..count {
            if pipe == Some(number) {
                batch.add(io::pipe().unwrap().1)?;
            }
            batch.add(File::create(folder.path().join(number.to_string())).unwrap())?;
        }
        batch.begin().wait()
    }

    #[test]
    fn nothing_and_more_than_can_be_open_are_synced() {
        for count in [
            0,
            1,
            2,
            AT_ONCE,
            AT_ONCE + 1,
            MOST_OPEN - 1,
            MOST_OPEN,
            2 * MOST_OPEN + 1,
        ] {
            batch(count, None).unwrap();
        }
    }

    #[test]
    fn one_that_cannot_be_made_durable_is_told_of_wherever_it_is() {
        for place in 0..2 * AT_ONCE {
            assert!(batch(2 * AT_ONCE, Some(place)).is_err(), "at {place}");
        }
    }
}
