//! What travels over the socket: a length, a small self-describing header, raw bytes.
//!
//! `u32` big-endian length of the header, the header as JSON, then the body whose length the header names. Unknown
//! header fields are ignored on both sides, so that an older and a newer binary understand each other.

pub mod reply;
pub mod request;

use std::io::{self, Read};

/// A header larger than this is no header of ours.
pub const HEADER_CAP: usize = 64 * 1024;

/// A body larger than this travels as a path to a private file.
pub const BODY_CAP: usize = 32 * 1024 * 1024;

/// Why bytes are no frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The connection failed or ended early.
    #[error("the connection ended early: {0}")]
    Connection(#[from] io::Error),
    /// The bytes do not follow the format.
    #[error("not a frame: {0}")]
    Malformed(&'static str),
}

impl FrameError {
    /// Whether the other side was merely slow.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::Connection(error) => {
                matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
            }
            Self::Malformed(_) => false,
        }
    }
}

/// Reads one length and the header bytes behind it.
fn read_header(from: &mut impl Read) -> Result<Vec<u8>, FrameError> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > HEADER_CAP {
        return Err(FrameError::Malformed("the header is too large"));
    }
    let mut header = vec![0; length];
    from.read_exact(&mut header)?;
    Ok(header)
}

/// The header with its length in front, ready for the body to follow.
fn framed(header: &str, body: usize) -> Vec<u8> {
    let mut frame = Vec::with_capacity(4 + header.len() + body);
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(header.as_bytes());
    frame
}

#[cfg(test)]
mod tests;
