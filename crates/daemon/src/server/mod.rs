//! The daemon: takes the lock, opens the socket, answers events, and leaves when nobody needs it.

mod connection;
mod own_files;
mod processes;
mod program;
pub mod status;
mod supervisor;
mod thread_pool;

use crate::checkpoint::worker::Workers;
use crate::environment::Environment;
use crate::frame::request::Ask;
use crate::group_commit::GroupCommit;
use crate::home::{Home, HomeError};
use crate::jobs;
use crate::judge::Judge;
use crate::log_file::LogFile;
use crate::memory::MemoryTrimmer;
use crate::pipeline::PipelineContext;
use crate::process::Process;
use crate::pruning::Pruning;
use engine::policy::ORDER;
use own_files::DaemonFiles;
use processes::Processes;
use program::OwnBinary;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use store::Store;
use supervisor::Supervisor;
use thread_pool::ThreadPool;

/// Threads that take connections.
const ACCEPTORS: usize = 4;
/// Every so many events the jobs thread looks after the database.
const LOOK_AFTER: u64 = 64;
/// How long another process may hold the database.
const DATABASE_WAIT: Duration = Duration::from_secs(1);

/// Between two attempts to take a connection when the system has no room for one.
const BREATH: Duration = Duration::from_millis(20);

/// Why there is no daemon.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Another one serves this home.
    #[error("another daemon already serves {home}")]
    AlreadyServed {
        /// Which home.
        home: String,
    },
    /// There is no folder to live in.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The system refused something.
    #[error("the daemon could not start: {0}")]
    System(#[from] io::Error),
}

/// Everything the daemon's threads share.
pub(crate) struct Server {
    pub(crate) world: PipelineContext,
    pub(crate) writer: GroupCommit,
    ground: DaemonFiles,
    /// Threads for connections that take longer.
    lanes: ThreadPool,
    /// Threads that read what calls wrote. They are nobody's answer, so they take no connection's place.
    readers: ThreadPool,
    /// Threads that work for worktrees.
    pub(crate) crew: ThreadPool,
    pub(crate) workers: Workers,
    program: OwnBinary,
    log: LogFile,
    began: Instant,
    pub(crate) own: Process,
    answered: AtomicU64,
    last_request: Mutex<Instant>,
    processes: Processes,
    stopping: Arc<AtomicBool>,
    bell: UnixStream,
    pub(crate) jobs: jobs::Signal,
    pub(crate) pruning: Pruning,
    pub(crate) memory: MemoryTrimmer,
}

/// Serves until it is told to stop or nobody needs it. `ready` is called once the socket is open.
pub fn serve(environment: &Environment, ready: impl FnOnce()) -> Result<(), ServeError> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let home = Home::of(environment);
    let outcome = serve_at(&home, environment, ready);
    if let Err(error @ (ServeError::Home(_) | ServeError::Store(_) | ServeError::System(_))) = &outcome {
        LogFile::new(home.daemon_log()).line(&format!("did not start: {error}"));
    }
    outcome
}

fn serve_at(home: &Home, environment: &Environment, ready: impl FnOnce()) -> Result<(), ServeError> {
    home.make()?;
    home.make_socket_folder()?;
    let _lock = lock(home)?;
    let store = Store::open(&home.database(), DATABASE_WAIT)?;
    store.defer_checkpoints()?;
    let listener = listen(home)?;
    let (bell, ringer) = UnixStream::pair()?;
    bell.set_nonblocking(true)?;
    let server = Arc::new(Server::new(home, environment, store, ringer.try_clone()?));
    supervisor::hear_signals(&server, &ringer)?;
    let keeper = Supervisor::new(&server, bell);
    Ok(server.run(keeper, &listener, ready)?)
}

/// Whether a daemon could start now. Goes through all that a start needs but the serving; where there is no state folder
/// yet, nothing is made.
pub fn can_start(home: &Home) -> Result<(), ServeError> {
    if !home.folder().exists() {
        return Ok(());
    }
    home.make()?;
    home.make_socket_folder()?;
    let _lock = match lock(home) {
        Ok(lock) => lock,
        // Somebody else does so right now.
        Err(ServeError::AlreadyServed { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    Store::open(&home.database(), DATABASE_WAIT)?;
    drop(listen(home)?);
    // A socket without a daemon is replaced by the next one; a hook that finds it starts one.
    let _ = fs_err::remove_file(home.socket());
    Ok(())
}

/// The exclusive lock, not a pid file, decides who serves.
fn lock(home: &Home) -> Result<File, ServeError> {
    let file = File::options()
        .create(true)
        .append(true)
        .open(home.daemon_lock())?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(ServeError::AlreadyServed {
            home: home.folder().display().to_string(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Opens the socket. A stale one may be replaced, because only the lock's holder gets here.
fn listen(home: &Home) -> io::Result<UnixListener> {
    match fs_err::remove_file(home.socket()) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    UnixListener::bind(home.socket())
}

impl Server {
    fn new(home: &Home, environment: &Environment, store: Store, bell: UnixStream) -> Self {
        Self {
            world: PipelineContext::new(home.clone(), environment),
            writer: GroupCommit::new(store, Judge::new(ORDER)),
            ground: DaemonFiles::of(home),
            lanes: ThreadPool::default(),
            readers: ThreadPool::default(),
            crew: ThreadPool::default(),
            workers: Workers::default(),
            program: OwnBinary::running(),
            log: LogFile::new(home.daemon_log()),
            began: Instant::now(),
            own: Process::own(),
            answered: AtomicU64::new(0),
            last_request: Mutex::new(Instant::now()),
            processes: Processes::default(),
            stopping: Arc::default(),
            bell,
            jobs: jobs::Signal::default(),
            pruning: Pruning::default(),
            memory: MemoryTrimmer::default(),
        }
    }

    /// From the open door to the closed one.
    fn run(
        self: &Arc<Self>,
        keeper: Supervisor,
        listener: &UnixListener,
        ready: impl FnOnce(),
    ) -> io::Result<()> {
        let acceptors = self.start_acceptors(listener)?;
        let worker = jobs::start(Arc::clone(self))?;
        self.log.line(&format!("serving, pid {}", self.own.pid));
        ready();
        keeper.keep(self);
        // Whatever made it leave: acceptors end only when they know.
        self.stop();
        self.leave(listener);
        for acceptor in acceptors {
            // A thread that panicked has nothing more to give; the others still count.
            let _ = acceptor.join();
        }
        self.lanes.wait_until_empty();
        self.readers.wait_until_empty();
        self.jobs.close();
        let _ = worker.join();
        self.crew.wait_until_empty();
        // The next start finds a small log either way.
        let _ = self.writer.store().checkpoint();
        self.log.line("left");
        Ok(())
    }

    fn start_acceptors(self: &Arc<Self>, listener: &UnixListener) -> io::Result<Vec<JoinHandle<()>>> {
        (0..ACCEPTORS)
            .map(|number| {
                let (server, listener) = (Arc::clone(self), listener.try_clone()?);
                thread::Builder::new()
                    .name(format!("accept-{number}"))
                    .spawn(move || server.accept(&listener))
            })
            .collect()
    }

    fn accept(self: &Arc<Self>, listener: &UnixListener) {
        loop {
            match listener.accept() {
                Ok((stream, _)) => self.take(stream),
                Err(_) if self.is_stopping() => return,
                // Out of descriptors or memory for a moment: the next accept may do better, and hooks decide themselves.
                Err(error) => {
                    self.log.line(&format!("could not take a connection: {error}"));
                    thread::park_timeout(BREATH);
                }
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Makes the daemon leave as soon as it has answered what it already took.
    fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.ring();
    }

    /// Closes the door: new hooks find no socket, those already in the queue are still answered.
    fn leave(&self, listener: &UnixListener) {
        self.ground.remove_socket();
        // Wakes the acceptors once the queue is empty.
        let _ = rustix::net::shutdown(listener, rustix::net::Shutdown::Both);
    }

    fn ring(&self) {
        // A full bell has rung already.
        let _ = (&self.bell).write(b"!");
    }

    /// Has the agent's process watched.
    fn watch(&self, process: Process) {
        if self.processes.greet(process) {
            self.ring();
        }
    }

    /// How long no event has come.
    fn quiet_for(&self) -> Duration {
        self.last_request
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .elapsed()
    }

    /// Writes a failure to the daemon's log.
    pub(crate) fn note_trouble<E: std::fmt::Display>(&self, what: &str, outcome: Result<(), E>) {
        if let Err(error) = outcome {
            self.log.line(&format!("{what}: {error}"));
        }
    }

    fn note_request(&self, ask: Ask) {
        if ask == Ask::Hook {
            if self
                .answered
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(LOOK_AFTER)
            {
                self.jobs.ring();
            }
            *self.last_request.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_that_nobody_needs_ends() {
        let world = tempfile::tempdir().unwrap();
        let environment = Environment::of(&[("TOPROPE_HOME", world.path().to_str().unwrap())]);
        let home = Home::of(&environment);
        let store = Store::open(&home.database(), DATABASE_WAIT).unwrap();
        let listener = listen(&home).unwrap();
        let (bell, ringer) = UnixStream::pair().unwrap();
        let server = Arc::new(Server::new(&home, &environment, store, ringer));
        let mut keeper = Supervisor::new(&server, bell);
        keeper.idle = Duration::ZERO;
        server.run(keeper, &listener, || {}).unwrap();
        assert!(!home.socket().exists());
    }
}
