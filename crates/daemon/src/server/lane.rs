//! Threads beside the acceptors for what is slow: a slow sender, a question to git. Few, and counted.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// More slow connections than this, and the next one's hook decides in its own process.
const MOST: usize = 32;

/// The lanes in use.
#[derive(Default)]
pub struct Lanes {
    used: Arc<(Mutex<usize>, Condvar)>,
}

impl Lanes {
    /// Runs the work on a thread of its own, unless all lanes are taken.
    pub fn open(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let used = Arc::clone(&self.used);
        {
            let mut count = used.0.lock().unwrap_or_else(PoisonError::into_inner);
            if *count >= MOST {
                return Err(io::Error::other("all lanes are taken"));
            }
            *count += 1;
        }
        let lane = Lane(Arc::clone(&used));
        thread::Builder::new().name("lane".to_owned()).spawn(move || {
            let _lane = lane;
            work();
        })?;
        Ok(())
    }

    /// Waits until every lane is free again.
    pub fn wait_until_empty(&self) {
        let (count, freed) = &*self.used;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        drop(freed.wait_while(count, |count| *count > 0));
    }
}

/// Frees its lane however the work ends.
struct Lane(Arc<(Mutex<usize>, Condvar)>);

impl Drop for Lane {
    fn drop(&mut self) {
        let (count, freed) = &*self.0;
        *count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_taken_lane_is_refused_and_a_freed_one_is_given_again() {
        let lanes = Lanes::default();
        let (release, wait) = channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        for _ in 0..MOST {
            let wait = Arc::clone(&wait);
            lanes
                .open(move || assert!(wait.lock().unwrap().recv().is_err()))
                .unwrap();
        }
        assert!(lanes.open(|| {}).is_err());
        drop(release);
        lanes.wait_until_empty();
        lanes.open(|| {}).unwrap();
        lanes.wait_until_empty();
    }
}
