use super::*;
use crate::frame::request::HookRequest;
use std::io::Read;
use std::thread;

/// A daemon of one answer after the other, and what `ask` made of it.
fn asked(deadline_ms: u64, answers: &'static [ReplyFrame]) -> Result<ReplyFrame, FrameError> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let daemon = thread::spawn(move || {
        let mut connection = theirs;
        let request = HookRequest::read(&mut connection).unwrap();
        assert_eq!(request.body, b"{}");
        for answer in answers {
            connection.write_all(&answer.frame()).unwrap();
        }
        // Stays open until the hook has made up its mind: silence, not an end.
        let _ = connection.read(&mut [0]);
    });
    let header = Header {
        deadline_ms,
        ..plain_header(Ask::Hook)
    };
    let answer = ask(ours, &header, b"{}");
    daemon.join().unwrap();
    answer
}

#[test]
fn a_daemon_that_announces_a_wait_is_waited_for() {
    static ANSWERS: [ReplyFrame; 3] = [
        ReplyFrame::Wait { milliseconds: 60_000 },
        ReplyFrame::Wait { milliseconds: 60_000 },
        ReplyFrame::Done(PrintedReply {
            exit: 0,
            stdout: Vec::new(),
            stderr: Vec::new(),
        }),
    ];
    // The deadline of the hook itself would be far too short for a slow machine; the announced one counts.
    assert!(matches!(asked(10_000, &ANSWERS), Ok(ReplyFrame::Done(_))));
}

#[test]
fn a_daemon_that_stays_silent_counts_as_absent() {
    let error = asked(20, &[]).unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

#[test]
fn a_daemon_that_is_busy_says_so() {
    assert_eq!(asked(10_000, &[ReplyFrame::Busy]).unwrap(), ReplyFrame::Busy);
}

#[test]
fn no_two_deliveries_share_an_id() {
    let ids: std::collections::BTreeSet<String> = (0..1000).map(|_| delivery_id()).collect();
    assert_eq!(ids.len(), 1000);
    assert!(ids.iter().all(|id| id.len() == 32));
}
