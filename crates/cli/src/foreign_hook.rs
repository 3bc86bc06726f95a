//! A client that runs our hook entry without its arguments: it calls plain `toprope`, with an event on standard input.
//!
//! GitHub Copilot CLI reads the hooks of Claude Code's settings files, leaves their `args` out, and takes every exit code
//! but zero before a tool for a denial. Such a call is no event of ours: it is taken in and answered with nothing.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{IsTerminal, Read};
use std::time::Duration;

/// How long standard input may be quiet before what has come is all there is.
const QUIET: Duration = Duration::from_millis(250);

/// Whether standard input has an event. If so, it has been read: a client that is still writing must not fail.
pub fn is_on_stdin() -> bool {
    if std::io::stdin().is_terminal() {
        return false;
    }
    let mut buffer = vec![0; 64 * 1024];
    let mut is_event = false;
    while let Some(bytes) = next(&mut buffer) {
        if is_event {
            continue;
        }
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => {}
            Some(b'{') => is_event = true,
            Some(_) => return false,
        }
    }
    is_event
}

/// What has come on standard input; nothing at its end, after an error, or when it stays quiet.
fn next(buffer: &mut [u8]) -> Option<&[u8]> {
    let mut stdin = std::io::stdin().lock();
    let limit = Timespec::try_from(QUIET).ok();
    let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], limit.as_ref());
    if !ready.is_ok_and(|count| count > 0) {
        return None;
    }
    let length = stdin.read(buffer).ok().filter(|length| *length > 0)?;
    buffer.get(..length)
}
