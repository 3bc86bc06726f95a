//! Bytes on the socket: a frame or a refusal, the same however they are cut into pieces, never more than was sent.

use daemon::frame::HEADER_CAP;
use daemon::frame::reply::ReplyFrame;
use daemon::frame::request::HookRequest;
use std::io::{self, Read};

/// Reads the bytes as the daemon and as the hook would.
///
/// # Panics
///
/// If a promise is broken.
pub fn check(bytes: &[u8]) {
    request(bytes);
    answer(bytes);
}

fn request(bytes: &[u8]) {
    let whole = HookRequest::read(&mut &*bytes).ok();
    let dripped = HookRequest::read(&mut Drip(bytes)).ok();
    assert_eq!(whole, dripped, "a slow sender is read differently");
    let Some(request) = whole else { return };
    assert!(request.body.len() <= bytes.len(), "a body nobody sent");
    let _any_folder = request.header.working_directory();
    let again = request.header.frame(&request.body);
    if header_length(&again) <= HEADER_CAP {
        let again = HookRequest::read(&mut again.as_slice()).expect("what was read can be sent on");
        assert_eq!(again, request, "a request changes when it is sent on");
    }
}

fn answer(bytes: &[u8]) {
    let whole = ReplyFrame::read(&mut &*bytes).ok();
    let dripped = ReplyFrame::read(&mut Drip(bytes)).ok();
    assert_eq!(whole, dripped, "a slow sender is read differently");
    let Some(answer) = whole else { return };
    if let ReplyFrame::Done(printed) = &answer {
        let printed = printed.stdout.len() + printed.stderr.len();
        assert!(printed <= bytes.len(), "text nobody sent");
    }
    let again = ReplyFrame::read(&mut answer.frame().as_slice()).expect("what was read can be sent on");
    assert_eq!(again, answer, "an answer changes when it is sent on");
}

fn header_length(frame: &[u8]) -> usize {
    let length = frame.first_chunk().copied().map_or(0, u32::from_be_bytes);
    usize::try_from(length).unwrap_or(usize::MAX)
}

/// A sender that sends one byte at a time.
struct Drip<'a>(&'a [u8]);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = buffer.len().min(1);
        let piece = buffer.get_mut(..room).unwrap_or_default();
        self.0.read(piece)
    }
}
