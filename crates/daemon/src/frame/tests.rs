use super::reply::{PrintedReply, ReplyFrame};
use super::request::{Ask, Header, HookRequest};
use super::{BODY_CAP, FrameError};
use proptest::prelude::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

fn header() -> Header {
    Header {
        v: 1,
        version: "0.1.0".into(),
        agent: "claude-code".into(),
        delivery: "d1".into(),
        pid: 7,
        parent: 6,
        parent_started: 99,
        deadline_ms: 5000,
        ..Header::default()
    }
}

fn there_and_back(header: &Header, body: &[u8]) -> HookRequest {
    HookRequest::read(&mut header.frame(body).as_slice()).unwrap()
}

#[test]
fn a_hand_written_header_is_the_json_the_daemon_reads() {
    let mut sent = header();
    sent.ask = Ask::Stop;
    sent.env.insert("TMUX".into(), "a\"b\\c\nd\u{1}é😀".into());
    let got = there_and_back(&sent, b"{\"x\":1}");
    assert_eq!(got.body, b"{\"x\":1}");
    assert_eq!(got.header, Header { body: 7, ..sent });
}

#[test]
fn a_folder_that_is_not_text_arrives_byte_for_byte() {
    let folder = Path::new(OsStr::from_bytes(b"/a/\xff\xfe b"));
    let mut sent = header();
    sent.set_working_directory(folder);
    assert_eq!(
        there_and_back(&sent, b"").header.working_directory().as_deref(),
        Some(folder)
    );
}

#[test]
fn unknown_fields_of_a_newer_client_are_ignored() {
    let text = br#"{"v":9,"agent":"claude-code","colour":"blue","nested":{"a":[1]},"body":2}"#;
    let mut frame = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    frame.extend_from_slice(text);
    frame.extend_from_slice(b"{}");
    let request = HookRequest::read(&mut frame.as_slice()).unwrap();
    assert_eq!((request.header.v, request.body.as_slice()), (9, b"{}".as_slice()));
}

#[test]
fn what_claims_too_much_is_refused_before_it_is_read() {
    let huge = u32::MAX.to_be_bytes();
    assert!(matches!(
        HookRequest::read(&mut huge.as_slice()),
        Err(FrameError::Malformed(_))
    ));
    let text = format!("{{\"body\":{}}}", BODY_CAP + 1);
    let mut frame = u32::try_from(text.len()).unwrap().to_be_bytes().to_vec();
    frame.extend_from_slice(text.as_bytes());
    assert!(matches!(
        HookRequest::read(&mut frame.as_slice()),
        Err(FrameError::Malformed(_))
    ));
}

#[test]
fn a_short_frame_is_an_error_and_not_a_hang() {
    let frame = header().frame(b"0123456789");
    for cut in 0..frame.len() {
        assert!(HookRequest::read(&mut &frame[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn every_answer_comes_back_as_it_was_sent() {
    let printed = PrintedReply {
        exit: 2,
        stdout: b"{\"exit\":9}".to_vec(),
        stderr: b"why\n".to_vec(),
    };
    for answer in [
        ReplyFrame::Done(printed),
        ReplyFrame::Wait { milliseconds: 1200 },
        ReplyFrame::Busy,
    ] {
        assert_eq!(ReplyFrame::read(&mut answer.frame().as_slice()).unwrap(), answer);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = HookRequest::read(&mut bytes.as_slice());
        let _ = ReplyFrame::read(&mut bytes.as_slice());
    }

    #[test]
    fn any_text_survives_the_hand_written_header(agent in ".*", cwd in ".*", key in "[A-Z_]{1,8}", value in ".*") {
        let mut sent = header();
        sent.agent = agent;
        sent.cwd = cwd;
        sent.env.insert(key, value);
        prop_assert_eq!(there_and_back(&sent, b"").header, sent);
    }
}
