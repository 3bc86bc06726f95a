//! One connection: who is it, what does it ask, what is the answer. Slow ones move aside and disturb nobody.

use super::{Server, status};
use crate::checkpoint::hold::{Hold, Unread};
use crate::clock;
use crate::frame::FrameError;
use crate::frame::reply::{PrintedReply, ReplyFrame};
use crate::frame::request::{Ask, HookRequest};
use crate::group_commit::SubmitResult;
use crate::jobs;
use crate::peer::is_same_user;
use crate::pipeline::PreparedEvent;
use std::io::{self, BufReader, Cursor, Read, Write};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A hook writes its frame at once; who needs longer than this moves to a lane of its own.
const AT_ONCE: Duration = Duration::from_millis(10);
/// A sender slower than this is refused.
const AT_LAST: Duration = Duration::from_secs(2);

impl Server {
    /// Answers one connection, here if it is quick, beside the others if it is not.
    pub(super) fn take(self: &Arc<Self>, stream: UnixStream) {
        let contained = catch_unwind(AssertUnwindSafe(|| {
            if let Err(error) = self.serve_connection(stream) {
                self.log.line(&format!("a connection was refused: {error}"));
            }
        }));
        if contained.is_err() {
            self.log
                .line("a connection made the daemon stumble; its hook decides in its own process");
        }
    }

    fn serve_connection(self: &Arc<Self>, stream: UnixStream) -> Result<(), FrameError> {
        if !is_same_user(&stream)? {
            return Err(FrameError::Malformed("the other side is another user"));
        }
        stream.set_read_timeout(Some(AT_ONCE))?;
        let mut tee = Tee {
            from: Timed::for_all(&stream, AT_ONCE),
            seen: Vec::new(),
        };
        let first = HookRequest::read(&mut BufReader::new(&mut tee));
        let seen = tee.seen;
        match first {
            Ok(request) if request.is_large() => {
                self.aside(stream, move |server, stream| server.answer(request, stream))
            }
            Ok(request) => self.answer(request, stream),
            Err(error) if error.is_timeout() => self.aside(stream, move |server, stream| {
                stream.set_read_timeout(Some(AT_LAST))?;
                let rest = Timed::for_all(&stream, AT_LAST);
                let request = HookRequest::read(&mut Cursor::new(seen).chain(rest))?;
                server.answer(request, stream)
            }),
            Err(error) => Err(error),
        }
    }

    fn answer(self: &Arc<Self>, request: HookRequest, stream: UnixStream) -> Result<(), FrameError> {
        self.note_request(request.header.ask);
        match request.header.ask {
            // It would be taken for a repetition of the last one without.
            Ask::Hook if request.header.delivery.is_empty() => {
                Err(FrameError::Malformed("the header names no delivery"))
            }
            Ask::Hook => {
                if self.ground.lost_its_database() {
                    self.stop();
                    return send(stream, &ReplyFrame::Busy);
                }
                if self.program.is_outdated(&request.header.version) {
                    self.stop();
                }
                let prepared = self.world.prepare(request, clock::moment());
                if prepared.is_taken_back() {
                    return send(stream, &ReplyFrame::Busy);
                }
                if prepared.has_long_questions() || prepared.is_about_a_large_file() {
                    self.aside(stream, move |server, stream| {
                        server.look_and_decide(prepared, stream);
                        Ok(())
                    })
                } else {
                    self.look_and_decide(prepared, stream);
                    Ok(())
                }
            }
            Ask::Status => send(
                stream,
                &ReplyFrame::Done(PrintedReply {
                    stdout: status::of(self),
                    ..PrintedReply::default()
                }),
            ),
            Ask::Stop => {
                let sent = send(stream, &ReplyFrame::Done(PrintedReply::default()));
                self.stop();
                sent
            }
        }
    }

    /// Questions are answered and what the call is about to overwrite is kept first, then it is decided.
    fn look_and_decide(self: &Arc<Self>, mut prepared: PreparedEvent, stream: UnixStream) {
        self.world.answer(&mut prepared);
        self.world.look_at_named(&mut prepared);
        self.decide(prepared, stream);
    }

    fn decide(self: &Arc<Self>, prepared: PreparedEvent, stream: UnixStream) {
        let (server, prepared) = (Arc::clone(self), Arc::new(prepared));
        self.writer.submit(Arc::clone(&prepared), move |outcome| {
            server.finish(&prepared, stream, outcome);
        });
    }

    /// Answers an event that was decided, now or when what came before it was read.
    fn finish(self: &Arc<Self>, prepared: &Arc<PreparedEvent>, stream: UnixStream, outcome: SubmitResult) {
        let hold = match &outcome {
            Ok(recorded) => Hold::of(&self.world, prepared, &recorded.after, recorded.worktree),
            Err(_) => None,
        };
        let Some(hold) = hold.filter(Hold::is_closed) else {
            // Where nothing can be kept, what must be kept first does not pass.
            let outcome = outcome.map(|recorded| recorded.after_keeping(prepared, &Ok(None), &self.writer));
            self.reply(prepared, stream, outcome);
            return;
        };
        // What the call waits for may be the look it asked for itself.
        if let Ok(recorded) = &outcome
            && let Some(worktree) = recorded.worktree.filter(|_| recorded.after.has_jobs)
        {
            jobs::start_worker(self, worktree);
            // One who works for it already may have looked for jobs a moment too early.
            self.jobs.ring();
        }
        let prepared = Arc::clone(prepared);
        let waits = self.aside(stream, move |server, stream| {
            // Who is told to wait longer than usual knows how long.
            let told = stream.try_clone().map_err(FrameError::from).and_then(|stream| {
                send(
                    stream,
                    &ReplyFrame::Wait {
                        milliseconds: hold.longest_ms(),
                    },
                )
            });
            server.note_trouble("a hook did not hear that it has to wait", told);
            let kept = hold.wait(&server.writer);
            let outcome = outcome.map(|recorded| recorded.after_keeping(&prepared, &kept, &server.writer));
            server.note_trouble("the state before a command was not kept", kept.map(drop));
            server.reply(&prepared, stream, outcome);
            Ok(())
        });
        self.note_trouble("a call did not wait for what came before it", waits);
    }

    /// Answers an event that was decided, and sees to what comes after the reply.
    fn reply(self: &Arc<Self>, prepared: &Arc<PreparedEvent>, stream: UnixStream, outcome: SubmitResult) {
        let unread = match &outcome {
            Ok(recorded) => Unread::of(&self.world, prepared, &recorded.after),
            Err(_) => None,
        };
        if outcome.is_ok() {
            let exported = prepared.export_session();
            self.note_trouble("a session's id could not be left for its commands", exported);
        }
        let answer = match &outcome {
            Ok(recorded) => ReplyFrame::Done(recorded.printed.clone()),
            // The hook's own process meets the same trouble, and there it is answered as its class says.
            Err(_) => ReplyFrame::Busy,
        };
        self.note_trouble("a hook did not take its answer", send(stream, &answer));
        if self.memory.note(prepared.payload.length()) {
            self.jobs.ring();
        }
        match outcome {
            Ok(recorded) => {
                if let Some(process) = recorded.client {
                    self.watch(process);
                }
                if let Some(unread) = unread {
                    self.read_what_was_written(unread);
                }
                if recorded.has_jobs {
                    self.jobs.ring();
                }
                self.world.mark_if_disabled(prepared);
            }
            Err(trouble) => self
                .log
                .line(&format!("an event was left to its hook: {trouble}")),
        }
        if self.writer.judge().has_lost_a_thread() {
            self.log
                .line("a policy did not come back; leaving, so that its thread ends");
            self.stop();
        }
    }

    /// Reads the files a call has written, beside everybody else.
    fn read_what_was_written(self: &Arc<Self>, unread: Unread) {
        let server = Arc::clone(self);
        let reading = self.readers.open(move || {
            let read = unread.read(&server.world, &server.writer);
            server.note_trouble("what a call wrote could not be noted", read);
        });
        // Whoever cuts the next checkpoint reads them then.
        self.note_trouble("what a call wrote is read later", reading);
    }

    /// Goes on beside the others. Where nobody is free for that the hook is told so, and decides in its own process.
    fn aside(
        self: &Arc<Self>,
        stream: UnixStream,
        work: impl FnOnce(&Arc<Self>, UnixStream) -> Result<(), FrameError> + Send + 'static,
    ) -> Result<(), FrameError> {
        let (server, spare) = (Arc::clone(self), stream.try_clone()?);
        let opened = self.lanes.open(move || {
            let contained = catch_unwind(AssertUnwindSafe(|| work(&server, stream)));
            if !matches!(contained, Ok(Ok(()))) {
                server.log.line("a slow connection ended without an answer");
            }
        });
        if opened.is_err() {
            send(spare, &ReplyFrame::Busy)?;
        }
        Ok(opened?)
    }
}

fn send(mut stream: UnixStream, answer: &ReplyFrame) -> Result<(), FrameError> {
    stream.set_write_timeout(Some(AT_LAST))?;
    Ok(stream.write_all(&answer.frame())?)
}

/// Keeps what was read, so that a slow sender's bytes are not lost when it moves aside.
struct Tee<'a> {
    from: Timed<'a>,
    seen: Vec<u8>,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.from.read(buffer)?;
        self.seen
            .extend_from_slice(buffer.get(..length).unwrap_or_default());
        Ok(length)
    }
}

/// Reads until a moment. Who sends a byte now and then never meets the stream's own limit, which is for each read.
struct Timed<'a> {
    stream: &'a UnixStream,
    until: Instant,
}

impl<'a> Timed<'a> {
    fn for_all(stream: &'a UnixStream, limit: Duration) -> Self {
        Self {
            stream,
            until: Instant::now() + limit,
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.read(buffer)
    }
}
