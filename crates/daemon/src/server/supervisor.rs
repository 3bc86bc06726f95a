//! The daemon's own thread: watches the agents' processes, hears signals, and notices that nobody needs it any more.

use super::Server;
use crate::checkpoint::vanished;
use crate::clock;
use crate::process::Process;
use crate::watch::{ProcessWatch, Woken};
use rustix::fd::AsFd;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;
use store::table::sessions;

/// Where processes cannot be watched, they are looked at this often.
const LOOK: Duration = Duration::from_secs(5);

/// See the module.
pub struct Supervisor {
    watch: ProcessWatch,
    bell: UnixStream,
    pub(super) idle: Duration,
}

/// Lets the signals that end a daemon ring its bell.
pub fn hear_signals(server: &Server, ringer: &UnixStream) -> io::Result<()> {
    for signal in [SIGTERM, SIGINT] {
        // In this order: the flag is up before the bell rings.
        signal_hook::flag::register(signal, Arc::clone(&server.stopping))?;
        signal_hook::low_level::pipe::register(signal, ringer.try_clone()?)?;
    }
    Ok(())
}

impl Supervisor {
    /// Watches every process the store believes alive.
    pub fn new(server: &Server, bell: UnixStream) -> Self {
        let idle = server.world.settings_of_user().daemon.idle_minutes;
        let mut keeper = Self {
            watch: ProcessWatch::default(),
            bell,
            idle: Duration::from_secs(u64::from(idle) * 60),
        };
        let known = sessions::live_processes(&server.writer.store().read()).unwrap_or_default();
        for process in known {
            server.processes.greet(process.client.into());
        }
        keeper.meet(server);
        keeper
    }

    /// Keeps watch until it is time to leave.
    pub fn keep(mut self, server: &Server) {
        while !server.is_stopping() {
            let bells: Vec<_> = [self.bell.as_fd()]
                .into_iter()
                .chain(server.ground.alarm())
                .collect();
            match self.watch.wait(&bells, self.patience(server)) {
                Ok(Woken::Called) => {
                    self.hear();
                    server.ground.hear();
                    if server.ground.is_lost() {
                        server.log.line("the socket or the database was taken away");
                        return;
                    }
                    self.meet(server);
                }
                Ok(Woken::Gone(gone)) => close(server, &gone),
                Ok(Woken::TimeUp) if self.is_unneeded(server) => {
                    server.log.line("nobody needs me");
                    return;
                }
                Ok(Woken::TimeUp) => {}
                Err(error) => {
                    server.log.line(&format!("cannot watch any more: {error}"));
                    return;
                }
            }
        }
    }

    /// Takes everything off the bell.
    fn hear(&mut self) {
        let mut rings = [0; 256];
        while matches!(self.bell.read(&mut rings), Ok(1..)) {}
    }

    fn meet(&mut self, server: &Server) {
        for process in server.processes.newcomers() {
            self.watch.add(process);
        }
        if let Some(gone) = self.watch.gone() {
            close(server, &gone);
        }
    }

    fn is_unneeded(&self, server: &Server) -> bool {
        self.watch.is_empty() && server.quiet_for() >= self.idle
    }

    /// How long to wait at most: no timer runs while agents are watched.
    fn patience(&self, server: &Server) -> Option<Duration> {
        if !self.watch.is_empty() {
            return self.watch.must_look().then_some(LOOK);
        }
        Some(
            self.idle
                .saturating_sub(server.quiet_for())
                .max(Duration::from_millis(1)),
        )
    }
}

fn close(server: &Server, gone: &[Process]) {
    server.processes.forget(gone);
    let mut store = server.writer.store();
    let closed = (|| -> Result<(), StoreError> {
        let mut tx = store.begin()?;
        for process in gone {
            tx.unit(|db| vanished::note(db, &(*process).into(), clock::moment()))?;
        }
        tx.commit()
    })();
    drop(store);
    server.jobs.ring();
    if let Err(error) = closed {
        server.log.line(&format!(
            "could not close the sessions of a process that is gone: {error}"
        ));
    }
}
