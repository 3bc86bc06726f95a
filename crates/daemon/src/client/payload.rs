//! Reads the event from standard input: to its end, or until one JSON object is complete and nothing follows it.

use crate::spool;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::IgnoredAny;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How long standard input may be quiet after a complete object before that is the event.
const QUIET: Duration = Duration::from_millis(200);

/// Reads to the end, but waits no longer than agreed, and keeps no more than the spool takes: what is cut is found
/// malformed.
///
/// Whether the object is complete is looked at only after a silence: a client that closes its end, as it should, pays
/// nothing for those that do not.
pub fn read(stdin: &mut (impl Read + AsFd), until: Instant) -> io::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(4 * 1024);
    // Small on purpose: every page of it that is touched costs a hook about a microsecond.
    let mut piece = [0; 4 * 1024];
    let mut is_incomplete = true;
    while body.len() < spool::LARGEST {
        let left = until.saturating_duration_since(Instant::now());
        let patience = if is_incomplete { left } else { left.min(QUIET) };
        let limit = Timespec {
            tv_sec: patience.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: patience.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(stdin, PollFlags::IN)], Some(&limit)) {
            Ok(0) if patience == left || is_complete_object(&body) => break,
            Ok(0) => {
                is_incomplete = true;
                continue;
            }
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match stdin.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => {
                body.extend_from_slice(piece.get(..length).unwrap_or_default());
                is_incomplete = false;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(body)
}

/// The ends are looked at first, so that a large body that comes in pieces is rarely read as a whole.
fn is_complete_object(body: &[u8]) -> bool {
    let body = body.trim_ascii();
    body.starts_with(b"{") && body.ends_with(b"}") && serde_json::from_slice::<IgnoredAny>(body).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_payload_that_never_ends_is_cut_when_the_time_is_up() {
        let (mut agent, mut stdin) = UnixStream::pair().unwrap();
        agent.write_all(b"{\"half\":").unwrap();
        let body = read(&mut stdin, Instant::now() + Duration::from_millis(20)).unwrap();
        assert_eq!(body, b"{\"half\":");
    }

    #[test]
    fn a_complete_object_is_all_there_is_though_nobody_closes_the_stream() {
        let (mut agent, mut stdin) = UnixStream::pair().unwrap();
        agent.write_all(b"{\"whole\": \"}\"}\n").unwrap();
        // Without an answer within a minute this test would be the one that waits.
        let body = read(&mut stdin, Instant::now() + Duration::from_mins(1)).unwrap();
        assert_eq!(body, b"{\"whole\": \"}\"}\n");
    }

    #[test]
    fn an_object_that_only_looks_complete_is_none() {
        for half in [&b"{\"text\": \"}"[..], b"{\"a\": {}", b"", b" ", b"[1]", b"{} {}"] {
            assert!(!is_complete_object(half), "{}", String::from_utf8_lossy(half));
        }
    }

    #[test]
    fn nesting_of_any_depth_is_looked_through() {
        let deep = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert!(is_complete_object(deep.as_bytes()));
    }
}
