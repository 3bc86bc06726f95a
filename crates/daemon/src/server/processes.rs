//! The agents' processes the daemon has met, and those it has yet to watch.

use crate::process::Process;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// See the module.
#[derive(Default)]
pub struct Processes {
    met: Mutex<ProcessEvent>,
}

#[derive(Default)]
struct ProcessEvent {
    known: BTreeSet<Process>,
    new: Vec<Process>,
}

impl Processes {
    /// Meets a process; true the first time.
    pub fn greet(&self, process: Process) -> bool {
        let mut met = self.met();
        let is_new = met.known.insert(process);
        if is_new {
            met.new.push(process);
        }
        is_new
    }

    /// The processes met since the last call.
    pub fn newcomers(&self) -> Vec<Process> {
        std::mem::take(&mut self.met().new)
    }

    /// Forgets processes that are gone.
    pub fn forget(&self, gone: &[Process]) {
        let mut met = self.met();
        for process in gone {
            met.known.remove(process);
        }
    }

    /// How many are known.
    pub fn count(&self) -> usize {
        self.met().known.len()
    }

    fn met(&self) -> MutexGuard<'_, ProcessEvent> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
