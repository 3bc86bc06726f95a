//! Who is on the other side of a socket. Asked by both sides: a daemon answers nobody else, a hook believes nobody else.

use std::io;
use std::os::unix::net::UnixStream;

/// Whether the other side is ours. The folder already keeps others out; this holds even if it was opened, or made by
/// somebody else.
#[cfg(target_os = "linux")]
pub fn is_same_user(stream: &UnixStream) -> io::Result<bool> {
    Ok(rustix::net::sockopt::socket_peercred(stream)?.uid == rustix::process::getuid())
}

/// Elsewhere the permissions of the folder have to do.
#[cfg(not(target_os = "linux"))]
pub fn is_same_user(_stream: &UnixStream) -> io::Result<bool> {
    Ok(true)
}

/// The process on the other side.
#[cfg(target_os = "linux")]
pub fn process(stream: &UnixStream) -> Option<u32> {
    let peer = rustix::net::sockopt::socket_peercred(stream).ok()?;
    u32::try_from(peer.pid.as_raw_nonzero().get()).ok()
}

/// Elsewhere it is not known.
#[cfg(not(target_os = "linux"))]
pub fn process(_stream: &UnixStream) -> Option<u32> {
    None
}
