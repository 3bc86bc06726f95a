//! The hook: reads the payload, asks the daemon, prints the answer. Never parses the payload, never waits forever.
//!
//! Every path ends in an answer: a daemon that cannot be reached or started in time is replaced by the same pipeline
//! in this process ([`crate::fallback`]).

use crate::clock;
use crate::environment::{self, Environment};
use crate::fallback::{self, Decided};
use crate::frame::reply::{Answer, Printed};
use crate::frame::request::{Ask, Header};
use crate::frame::{BODY_CAP, FrameError};
use crate::home::{Home, PROTOCOL};
use crate::launch::{self, Started};
use crate::marker;
use crate::peer::is_same_user;
use crate::process::Process;
use crate::silence::Silence;
use crate::spool;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, IsTerminal, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::parent_id;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a running daemon has to take our connection.
const REACH: Duration = Duration::from_secs(1);
/// How long a daemon that was just started has to open its socket.
const START: Duration = Duration::from_millis(300);
/// How long the agent has to hand over its payload.
const STDIN: Duration = Duration::from_secs(10);
/// How long the daemon has to answer, unless the environment says otherwise.
const DEADLINE: Duration = Duration::from_secs(5);
/// Between two looks for a socket that another hook's daemon is about to open.
const LOOK_AGAIN: Duration = Duration::from_millis(4);

/// What the hook prints, and what is left to do afterwards where there is no daemon.
pub struct Answered {
    /// What the hook prints.
    pub printed: Printed,
    rest: Option<Decided>,
}

impl Answered {
    fn only(printed: Printed) -> Self {
        Self { printed, rest: None }
    }

    /// Does what is left, once the answer is out.
    pub fn finish(self) {
        if let Some(rest) = self.rest {
            rest.finish();
        }
    }
}

/// Answers one event. Only a decision makes the exit code anything but zero.
pub fn hook(agent: &str) -> Answered {
    let environment = Environment::read();
    let home = Home::of(&environment);
    let folder = std::env::current_dir().ok();
    if marker::is_disabled(&home, &environment, folder.as_deref()) {
        return Answered::only(Printed::default());
    }
    let stdin = io::stdin();
    if stdin.is_terminal() {
        // Counted like any other event that is none.
        let _ = deliver(
            &home,
            &environment,
            header(&environment, agent, folder),
            Vec::new(),
        );
        return Answered::only(said(
            "`toprope hook` is run by an agent, with an event on its standard input; try `toprope demo`",
        ));
    }
    let body = match read_payload(&mut stdin.lock(), Instant::now() + STDIN) {
        Ok(body) => body,
        Err(error) => return Answered::only(said(&format!("could not read the event: {error}"))),
    };
    deliver(&home, &environment, header(&environment, agent, folder), body)
}

fn deliver(home: &Home, environment: &Environment, header: Header, body: Vec<u8>) -> Answered {
    if environment.text(environment::DAEMON) != Some("never")
        && let Some(printed) = send(home, environment, &header, &body)
    {
        return Answered::only(printed);
    }
    let decided = fallback::decide(home, environment, header, body);
    Answered {
        printed: decided.printed.clone(),
        rest: Some(decided),
    }
}

/// Asks the daemon; what is too large for a frame goes through the spool. Whatever happens there, the body stays here
/// for a decision in this process.
fn send(home: &Home, environment: &Environment, header: &Header, body: &[u8]) -> Option<Printed> {
    if body.len() <= BODY_CAP {
        return ask_daemon(home, environment, header, body);
    }
    let path = spool::keep(home, &header.delivery, body).ok()?;
    let spooled = Header {
        spool: Some(path.clone()),
        ..header.clone()
    };
    let printed = ask_daemon(home, environment, &spooled, &[]);
    spool::discard(&path);
    printed
}

fn ask_daemon(home: &Home, environment: &Environment, header: &Header, body: &[u8]) -> Option<Printed> {
    let silence = Silence::of(home);
    let connection = match connect_within(home, silence.patience(REACH)) {
        Ok(connection) => connection,
        Err(error) => {
            if FrameError::from(error).is_timeout() {
                silence.goes_on();
            }
            start_and_connect(home, environment)?
        }
    };
    let patience = silence.patience(Duration::from_millis(header.deadline_ms));
    // Busy, silent past the deadline, or gone in the middle: it counts as absent, and the delivery id keeps the event
    // from being applied twice.
    match ask_within(connection, header, body, patience) {
        Err(error) if error.is_timeout() => {
            silence.goes_on();
            None
        }
        Err(_) => None,
        Ok(answer) => {
            silence.is_over();
            match answer {
                Answer::Done(printed) => Some(printed),
                Answer::Busy | Answer::Wait { .. } => None,
            }
        }
    }
}

/// Connects to the daemon's socket within a second, also when its backlog is full.
pub fn connect(home: &Home) -> io::Result<UnixStream> {
    connect_within(home, REACH)
}

fn connect_within(home: &Home, patience: Duration) -> io::Result<UnixStream> {
    let socket = rustix::net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::net::sockopt::set_socket_timeout(&socket, rustix::net::sockopt::Timeout::Send, Some(patience))?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(home.socket())?)?;
    let connection = UnixStream::from(socket);
    if is_same_user(&connection)? {
        return Ok(connection);
    }
    Err(io::Error::other("somebody else listens on our socket"))
}

fn start_and_connect(home: &Home, environment: &Environment) -> Option<UnixStream> {
    let until = Instant::now() + START;
    match launch::start(home, environment, START).ok()? {
        Started::Listens => return connect(home).ok(),
        Started::Failed => return None,
        Started::Soon => {}
    }
    while Instant::now() < until {
        if let Ok(connection) = connect(home) {
            return Some(connection);
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "another process opens the socket; there is nothing to wait on"
        )]
        std::thread::sleep(LOOK_AGAIN);
    }
    None
}

/// Sends one request and waits for the final answer, as long as the daemon announces.
pub fn ask(connection: UnixStream, header: &Header, body: &[u8]) -> Result<Answer, FrameError> {
    let patience = Duration::from_millis(header.deadline_ms);
    ask_within(connection, header, body, patience)
}

fn ask_within(
    mut connection: UnixStream,
    header: &Header,
    body: &[u8],
    mut patience: Duration,
) -> Result<Answer, FrameError> {
    connection.write_all(&header.frame(body))?;
    // Most answers are one short piece, taken in one go.
    let mut answers = BufReader::with_capacity(1024, &connection);
    loop {
        connection.set_read_timeout(Some(patience))?;
        match Answer::read(&mut answers)? {
            Answer::Wait { milliseconds } => patience = Duration::from_millis(milliseconds.max(1)),
            answer @ (Answer::Done(_) | Answer::Busy) => return Ok(answer),
        }
    }
}

/// The header of a hook in this process.
fn header(environment: &Environment, agent: &str, folder: Option<PathBuf>) -> Header {
    let parent = environment
        .text("CLAUDE_PID")
        .and_then(|pid| pid.parse().ok())
        .unwrap_or_else(parent_id);
    let mut header = plain_header(Ask::Hook);
    agent.clone_into(&mut header.agent);
    header.delivery = delivery_id();
    header.parent = parent;
    header.parent_started = Process::of(parent).map_or(0, |process| process.started);
    header.deadline_ms = environment
        .text(environment::DEADLINE_MS)
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX));
    header.env = environment
        .travelling()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    if let Some(folder) = folder {
        header.set_working_directory(&folder);
    }
    header
}

/// A header that only asks something of the daemon itself.
pub fn plain_header(ask: Ask) -> Header {
    Header {
        v: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ask,
        pid: std::process::id(),
        deadline_ms: u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX),
        ..Header::default()
    }
}

/// The time and 80 random bits: unique, and neighbours in the store's index when they are neighbours in time.
///
/// The standard library seeds its hashers from the system.
fn delivery_id() -> String {
    let random = || RandomState::new().hash_one(std::process::id());
    format!(
        "{:012x}{:04x}{:016x}",
        clock::now().0,
        random() & 0xffff,
        random()
    )
}

/// Reads to the end, but waits no longer than agreed, and keeps no more than the spool takes: what is cut is found
/// malformed.
fn read_payload(stdin: &mut (impl Read + std::os::fd::AsFd), until: Instant) -> io::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(4 * 1024);
    // Small on purpose: every page of it that is touched costs a hook about a microsecond.
    let mut piece = [0; 4 * 1024];
    while body.len() < spool::LARGEST {
        let left = until.saturating_duration_since(Instant::now());
        let limit = Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(stdin, PollFlags::IN)], Some(&limit)) {
            Ok(0) => break,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match stdin.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => body.extend_from_slice(piece.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(body)
}

/// One line for a person, and nothing for the agent.
pub fn said(line: &str) -> Printed {
    Printed {
        stderr: format!("toprope: {line}\n").into_bytes(),
        ..Printed::default()
    }
}

#[cfg(test)]
mod tests;
