//! What the daemon answers: an exit code and the exact bytes to print, or that it needs longer.

use super::{BODY_CAP, FrameError, framed, read_header};
use std::io::Read;

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyFrame {
    /// The hook prints this and exits.
    Done(PrintedReply),
    /// The hook goes on waiting, this much longer.
    Wait {
        /// From now.
        milliseconds: u64,
    },
    /// The daemon will not decide this (its queue is full): the hook decides itself.
    Busy,
}

/// What a hook prints, and how it exits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrintedReply {
    /// The exit code.
    pub exit: u8,
    /// Empty, or exactly one JSON object.
    pub stdout: Vec<u8>,
    /// At most one line.
    pub stderr: Vec<u8>,
}

impl ReplyFrame {
    /// The whole frame.
    pub fn frame(&self) -> Vec<u8> {
        match self {
            Self::Done(printed) => {
                let (out, err) = (printed.stdout.len(), printed.stderr.len());
                let header = format!(
                    "{{\"v\":1,\"exit\":{},\"stdout\":{out},\"stderr\":{err}}}",
                    printed.exit
                );
                let mut frame = framed(&header, out + err);
                frame.extend_from_slice(&printed.stdout);
                frame.extend_from_slice(&printed.stderr);
                frame
            }
            Self::Wait { milliseconds } => framed(&format!("{{\"v\":1,\"wait_ms\":{milliseconds}}}"), 0),
            Self::Busy => framed("{\"v\":1,\"busy\":1}", 0),
        }
    }

    /// Reads one answer.
    pub fn read(from: &mut impl Read) -> Result<Self, FrameError> {
        let header = read_header(from)?;
        if let Some(milliseconds) = number(&header, "wait_ms") {
            return Ok(Self::Wait { milliseconds });
        }
        if number(&header, "busy").is_some() {
            return Ok(Self::Busy);
        }
        let exit = number(&header, "exit").and_then(|exit| u8::try_from(exit).ok());
        let exit = exit.ok_or(FrameError::Malformed("the reply has no exit code"))?;
        let mut bytes = |key| {
            let length = number(&header, key)
                .and_then(|length| usize::try_from(length).ok())
                .unwrap_or(0);
            if length > BODY_CAP {
                return Err(FrameError::Malformed("the reply is too large"));
            }
            let mut bytes = vec![0; length];
            from.read_exact(&mut bytes)?;
            Ok(bytes)
        };
        Ok(Self::Done(PrintedReply {
            exit,
            stdout: bytes("stdout")?,
            stderr: bytes("stderr")?,
        }))
    }
}

/// The number behind a key. A reply's header holds nothing but numbers, so no text can pretend to be a key.
fn number(header: &[u8], key: &str) -> Option<u64> {
    let header = std::str::from_utf8(header).ok()?;
    let (_, rest) = header.split_once(&format!("\"{key}\":"))?;
    let digits = rest.split(|character: char| !character.is_ascii_digit()).next()?;
    digits.parse().ok()
}
