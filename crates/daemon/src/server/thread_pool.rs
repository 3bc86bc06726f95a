//! Threads beside the acceptors for what is slow: a slow sender, a question to git, a file to read. Few, and counted.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// More slow connections than this, and the next one's hook decides in its own process.
const MOST: usize = 32;

/// How long a thread waits for more: calls that write files follow one another closely.
const REST: Duration = Duration::from_secs(2);

type PoolTask = Box<dyn FnOnce() + Send>;

/// The lanes in use.
#[derive(Default)]
pub struct ThreadPool {
    road: Arc<PoolShared>,
}

#[derive(Default)]
struct PoolShared {
    traffic: Mutex<PoolQueue>,
    freed: Condvar,
    given: Condvar,
}

#[derive(Default)]
struct PoolQueue {
    /// Works that are not over.
    used: usize,
    /// Threads that rest.
    idle: usize,
    /// Works that threads at rest are to take, one each.
    given: VecDeque<PoolTask>,
}

impl ThreadPool {
    /// Runs the work on a thread of its own, unless all lanes are taken.
    pub fn open(&self, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut traffic = self.road.traffic();
        if traffic.used >= MOST {
            return Err(io::Error::other("all lanes are taken"));
        }
        traffic.used += 1;
        let lane = PoolSlot(Arc::clone(&self.road));
        let work: PoolTask = Box::new(move || {
            let _lane = lane;
            work();
        });
        if traffic.idle > traffic.given.len() {
            traffic.given.push_back(work);
            self.road.given.notify_one();
            return Ok(());
        }
        drop(traffic);
        let road = Arc::clone(&self.road);
        thread::Builder::new().name("lane".to_owned()).spawn(move || {
            let mut next = Some(work);
            while let Some(work) = next {
                work();
                next = road.rest();
            }
        })?;
        Ok(())
    }

    /// Waits until every lane is free again.
    pub fn wait_until_empty(&self) {
        let traffic = self.road.traffic();
        drop(self.road.freed.wait_while(traffic, |traffic| traffic.used > 0));
    }
}

impl PoolShared {
    /// Waits a while for more to do.
    fn rest(&self) -> Option<PoolTask> {
        let mut traffic = self.traffic();
        traffic.idle += 1;
        self.freed.notify_all();
        let rested = self
            .given
            .wait_timeout_while(traffic, REST, |traffic| traffic.given.is_empty());
        let mut traffic = rested.unwrap_or_else(PoisonError::into_inner).0;
        traffic.idle -= 1;
        traffic.given.pop_front()
    }

    fn traffic(&self) -> MutexGuard<'_, PoolQueue> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees its lane however the work ends.
struct PoolSlot(Arc<PoolShared>);

impl Drop for PoolSlot {
    fn drop(&mut self) {
        self.0.traffic().used -= 1;
        self.0.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_taken_lane_is_refused_and_a_freed_one_is_given_again() {
        let lanes = ThreadPool::default();
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

    #[test]
    fn work_that_follows_closely_needs_no_new_thread() {
        let lanes = ThreadPool::default();
        let (tell, told) = channel();
        let mut threads = Vec::new();
        for _ in 0..8 {
            let tell = tell.clone();
            lanes
                .open(move || tell.send(thread::current().id()).unwrap())
                .unwrap();
            threads.push(told.recv().unwrap());
            let traffic = lanes.road.traffic();
            drop(lanes.road.freed.wait_while(traffic, |traffic| traffic.idle == 0));
        }
        threads.dedup();
        assert_eq!(threads.len(), 1);
    }
}
