//! What a hook sends: who calls, from where, until when, and the payload untouched.
//!
//! Written by hand, because a hook must not spend its millisecond on a serializer; read with one in the daemon.

use super::{BODY_CAP, FrameError, framed, read_header};
use engine::hex::hex;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// What is asked of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Decide an event.
    #[default]
    Hook,
    /// Say how you are.
    Status,
    /// Finish and leave.
    Stop,
}

impl Ask {
    fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Status => "status",
            Self::Stop => "stop",
        }
    }
}

/// The header of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Header {
    /// The protocol of the sender.
    pub v: u32,
    /// The sender's version.
    pub version: String,
    /// What is asked.
    pub ask: Ask,
    /// The agent's name on the command line.
    pub agent: String,
    /// Random per hook process.
    pub delivery: String,
    /// The hook's working directory, where it is text.
    pub cwd: String,
    /// The hook's working directory in hexadecimal, where it is not.
    pub cwd_hex: Option<String>,
    /// The hook's process.
    pub pid: u32,
    /// The agent's process.
    pub parent: u32,
    /// When the agent's process started, in the system's own ticks.
    pub parent_started: u64,
    /// The allow-listed environment.
    pub env: BTreeMap<String, String>,
    /// How long the hook will wait.
    pub deadline_ms: u64,
    /// Bytes of payload behind the header.
    pub body: usize,
    /// A private file that holds the payload instead.
    pub spool: Option<String>,
}

impl Header {
    /// The hook's working directory.
    pub fn working_directory(&self) -> Option<PathBuf> {
        let bytes = match &self.cwd_hex {
            Some(hex) => unhex(hex)?,
            None if self.cwd.is_empty() => return None,
            None => self.cwd.as_bytes().to_vec(),
        };
        Some(PathBuf::from(OsString::from_vec(bytes)))
    }

    /// Sets the working directory so that it arrives byte for byte.
    pub fn set_working_directory(&mut self, path: &Path) {
        match path.to_str() {
            Some(text) => text.clone_into(&mut self.cwd),
            None => self.cwd_hex = Some(hex(path.as_os_str().as_bytes())),
        }
    }

    /// The whole frame.
    pub fn frame(&self, body: &[u8]) -> Vec<u8> {
        let mut text = String::with_capacity(512);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{{\"v\":{},\"ask\":\"{}\",\"pid\":{}",
            self.v,
            self.ask.word(),
            self.pid
        );
        let _ = write!(
            text,
            ",\"parent\":{},\"parent_started\":{}",
            self.parent, self.parent_started
        );
        let _ = write!(
            text,
            ",\"deadline_ms\":{},\"body\":{}",
            self.deadline_ms,
            body.len()
        );
        for (key, value) in [
            ("version", &self.version),
            ("agent", &self.agent),
            ("delivery", &self.delivery),
            ("cwd", &self.cwd),
        ] {
            member(&mut text, key, value);
        }
        for (key, value) in [("cwd_hex", &self.cwd_hex), ("spool", &self.spool)] {
            if let Some(value) = value {
                member(&mut text, key, value);
            }
        }
        text.push_str(",\"env\":{");
        for (index, (name, value)) in self.env.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            quoted(&mut text, name);
            text.push(':');
            quoted(&mut text, value);
        }
        text.push_str("}}");
        let mut frame = framed(&text, body.len());
        frame.extend_from_slice(body);
        frame
    }
}

/// A request as the daemon reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRequest {
    /// Who asks what.
    pub header: Header,
    /// The payload.
    pub body: Vec<u8>,
}

impl HookRequest {
    /// Whether reading it takes long enough to be done beside other events.
    pub fn is_large(&self) -> bool {
        const LARGE: usize = 1024 * 1024;
        self.body.len() > LARGE || self.header.spool.is_some()
    }

    /// Reads one request; refuses what is too large before making room for it.
    pub fn read(from: &mut impl Read) -> Result<Self, FrameError> {
        let header = read_header(from)?;
        let header: Header = serde_json::from_slice(&header)
            .map_err(|_| FrameError::Malformed("the header is not the JSON we know"))?;
        if header.body > BODY_CAP {
            return Err(FrameError::Malformed("the body is too large"));
        }
        // Grown as bytes arrive: a header that merely claims much gets nothing reserved.
        let mut body = Vec::with_capacity(header.body.min(64 * 1024));
        let length = u64::try_from(header.body).unwrap_or(u64::MAX);
        let arrived = from.take(length).read_to_end(&mut body)?;
        if arrived < header.body {
            return Err(FrameError::Malformed("the body is shorter than announced"));
        }
        Ok(Self { header, body })
    }
}

fn member(text: &mut String, key: &str, value: &str) {
    text.push(',');
    quoted(text, key);
    text.push(':');
    quoted(text, value);
}

fn quoted(text: &mut String, value: &str) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            control if control < ' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            plain => text.push(plain),
        }
    }
    text.push('"');
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
