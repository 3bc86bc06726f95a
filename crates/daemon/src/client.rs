//! The hook: reads the payload, asks the daemon, prints the answer. Never waits forever, and never parses a payload whose
//! end it has seen.
//!
//! Every path ends in an answer: a daemon that cannot be reached or started in time is replaced by the same pipeline
//! in this process ([`crate::fallback`]).

mod origin;
mod payload;

use crate::breaker::CircuitBreaker;
use crate::clock;
use crate::environment::{self, Environment};
use crate::fallback::{self, Decided, Handover};
use crate::frame::reply::{PrintedReply, ReplyFrame};
use crate::frame::request::{Ask, Header};
use crate::frame::{BODY_CAP, FrameError};
use crate::home::{Home, PROTOCOL};
use crate::launch::{self, Started};
use crate::marker;
use crate::peer::is_same_user;
use crate::process::Process;
use crate::spool;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, IsTerminal, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a running daemon has to take our connection.
const REACH: Duration = Duration::from_secs(1);
/// How long a daemon that was just started has to open its socket.
const START: Duration = Duration::from_millis(300);
/// How long the agent has to hand over its payload.
const STDIN: Duration = Duration::from_secs(10);
/// How long the daemon has to answer, unless the environment says less.
const DEADLINE: Duration = Duration::from_secs(5);
/// Between two looks for a socket that another hook's daemon is about to open.
const LOOK_AGAIN: Duration = Duration::from_millis(4);

/// What the hook prints, and what is left to do afterwards where there is no daemon.
pub struct HookResult {
    /// What the hook prints.
    pub printed: PrintedReply,
    rest: Option<Decided>,
}

impl HookResult {
    fn only(printed: PrintedReply) -> Self {
        Self { printed, rest: None }
    }

    /// Does what is left, once the answer is out.
    pub fn finish(self) {
        if let Some(rest) = self.rest {
            rest.finish();
        }
    }
}

/// Goes before the state folder in an entry of ours: the environment of a hook does not decide where that is.
pub const STATE_FOLDER: &str = "--home";

/// Answers one event. Only a decision makes the exit code anything but zero. The state folder is the one that the entry
/// in the client's settings names.
pub fn hook(agent: &str, state_folder: Option<OsString>) -> HookResult {
    let environment = origin::with_state_folder(Environment::read(), state_folder);
    let home = Home::of(&environment);
    let folder = std::env::current_dir().ok();
    if marker::is_disabled(&home, &environment, folder.as_deref()) {
        return HookResult::only(PrintedReply::default());
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
        return HookResult::only(said(
            "`toprope hook` is run by an agent, with an event on its standard input; try `toprope demo`",
        ));
    }
    let body = match payload::read(&mut stdin.lock(), Instant::now() + STDIN) {
        Ok(body) => body,
        Err(error) => return HookResult::only(said(&format!("could not read the event: {error}"))),
    };
    deliver(&home, &environment, header(&environment, agent, folder), body)
}

fn deliver(home: &Home, environment: &Environment, header: Header, body: Vec<u8>) -> HookResult {
    let asked = if environment.text(environment::DAEMON) == Some("never") {
        DaemonReply::InVain
    } else {
        send(home, environment, &header, &body)
    };
    let handover = match asked {
        DaemonReply::Answered(printed) => return HookResult::only(printed),
        DaemonReply::InVain => Handover::None,
        DaemonReply::Unanswered => Handover::ToDaemon,
    };
    let decided = fallback::decide(home, &origin::of_client(environment), header, body, handover);
    HookResult {
        printed: decided.printed.clone(),
        rest: Some(decided),
    }
}

/// What came of asking the daemon.
enum DaemonReply {
    Answered(PrintedReply),
    /// There is none, or it refused: it will not record this event.
    InVain,
    /// It has the event and said nothing in time: it may have recorded it, or still do.
    Unanswered,
}

/// Asks the daemon; what is too large for a frame goes through the spool. Whatever happens there, the body stays here
/// for a decision in this process.
fn send(home: &Home, environment: &Environment, header: &Header, body: &[u8]) -> DaemonReply {
    if body.len() <= BODY_CAP {
        return ask_daemon(home, environment, header, body);
    }
    let Ok(path) = spool::keep(home, &header.delivery, body) else {
        return DaemonReply::InVain;
    };
    let spooled = Header {
        spool: Some(path.clone()),
        ..header.clone()
    };
    let asked = ask_daemon(home, environment, &spooled, &[]);
    spool::discard(&path);
    asked
}

fn ask_daemon(home: &Home, environment: &Environment, header: &Header, body: &[u8]) -> DaemonReply {
    let silence = CircuitBreaker::of(home);
    let connection = match connect_within(home, silence.patience(REACH)) {
        Ok(connection) => connection,
        Err(error) => {
            if FrameError::from(error).is_timeout() {
                silence.goes_on();
            }
            match start_and_connect(home, environment) {
                Some(connection) => connection,
                None => return DaemonReply::InVain,
            }
        }
    };
    let patience = silence.patience(Duration::from_millis(header.deadline_ms));
    // Busy, silent past the deadline, or gone in the middle: it counts as absent, and the delivery id keeps the event
    // from being applied twice.
    match ask_within(connection, header, body, patience) {
        Err(error) if error.is_timeout() => {
            silence.goes_on();
            DaemonReply::Unanswered
        }
        Err(_) => DaemonReply::Unanswered,
        Ok(answer) => {
            silence.is_over();
            match answer {
                ReplyFrame::Done(printed) => DaemonReply::Answered(printed),
                ReplyFrame::Busy | ReplyFrame::Wait { .. } => DaemonReply::InVain,
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
    match launch::start(home, &origin::of_client(environment), START).ok()? {
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
pub fn ask(connection: UnixStream, header: &Header, body: &[u8]) -> Result<ReplyFrame, FrameError> {
    let patience = Duration::from_millis(header.deadline_ms);
    ask_within(connection, header, body, patience)
}

fn ask_within(
    mut connection: UnixStream,
    header: &Header,
    body: &[u8],
    mut patience: Duration,
) -> Result<ReplyFrame, FrameError> {
    connection.write_all(&header.frame(body))?;
    // Most answers are one short piece, taken in one go.
    let mut answers = BufReader::with_capacity(1024, &connection);
    loop {
        connection.set_read_timeout(Some(patience))?;
        match ReplyFrame::read(&mut answers)? {
            ReplyFrame::Wait { milliseconds } => patience = Duration::from_millis(milliseconds.max(1)),
            answer @ (ReplyFrame::Done(_) | ReplyFrame::Busy) => return Ok(answer),
        }
    }
}

/// The header of a hook in this process.
fn header(environment: &Environment, agent: &str, folder: Option<PathBuf>) -> Header {
    let parent = origin::client_pid(environment);
    let mut header = plain_header(Ask::Hook);
    agent.clone_into(&mut header.agent);
    header.delivery = delivery_id();
    header.parent = parent;
    header.parent_started = Process::of(parent).map_or(0, |process| process.started);
    // The client ends a hook that waits too long, and the call goes on unjudged: no variable makes it wait longer.
    let deadline = u64::try_from(DEADLINE.as_millis()).unwrap_or(u64::MAX);
    header.deadline_ms = environment
        .text(environment::DEADLINE_MS)
        .and_then(|text| text.parse().ok())
        .map_or(deadline, |asked: u64| asked.min(deadline));
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

/// One line for a person, and nothing for the agent.
pub fn said(line: &str) -> PrintedReply {
    PrintedReply {
        stderr: format!("toprope: {line}\n").into_bytes(),
        ..PrintedReply::default()
    }
}

#[cfg(test)]
mod tests;
