//! Whether and how a conversation can go on: in the client's own session, or in a copy up to an earlier point.
//!
//! Nothing is offered whose text is not there: in the client's file, or in a checkpoint.

use super::lines;
use super::ready::{ContinuationCommand, ReadyContinuation};
use super::target::ResumeTarget;
use crate::command::checkpoint::pages::CheckpointPages;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::failure::{Failure, FailureKind};
use ::daemon::clock;
use ::daemon::transcript::fork::{ForkError, derived_session, fork};
use agents::Agent;
use engine::id::ClientSessionId;
use engine::text;
use engine::text::one_line;
use std::io::BufRead;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use store::table::actors;
use store::table::checkpoints::{self, Checkpoint};
use store::table::{sessions, transcripts, turns, worktrees};

/// Stands for the id of a session that is yet to be made.
const PLACE: &str = "session";
/// So many copies of one point may have been continued already.
const MOST_COPIES: u32 = 1_000;

/// A point of a conversation that can be continued.
pub struct Continuation {
    /// What is continued.
    pub target: ResumeTarget,
    agent: &'static dyn Agent,
    from: ContinuedFrom,
}

enum ContinuedFrom {
    /// The client continues its session itself.
    End,
    /// A copy of the conversation up to its line `leaf`, beside the client's own file.
    Copy {
        leaf: String,
        transcript: PathBuf,
        /// The checkpoint that keeps the text, where the client's file no longer has it.
        keeper: Option<Box<Checkpoint>>,
    },
}

impl Continuation {
    /// Finds out how a point can be continued. Nothing is written.
    pub fn of(here: &CheckpointPlace, target: ResumeTarget) -> Result<Self, Failure> {
        let kind = target.conversation.agent_kind.as_str();
        let agent = agents::by_name(kind).ok_or_else(|| impossible(kind))?;
        let command = agent.resume_command(&target.conversation.client_session);
        if command.is_none() {
            return Err(impossible(kind));
        }
        let from = from(here, &target, agent)?;
        Ok(Self { target, agent, from })
    }

    /// The command that continues it. A copy is made by that command, not by us.
    pub fn command(&self, here: &CheckpointPlace, again: &str) -> Result<ReadyContinuation, Failure> {
        let command = match &self.from {
            ContinuedFrom::End => self.session(self.target.conversation.client_session.clone())?,
            ContinuedFrom::Copy { .. } => {
                let place = ClientSessionId::new(PLACE);
                let words = self.words(&place)?;
                let typed = words.iter().map(|word| match word.as_str() {
                    PLACE => format!("\"$({again} --write)\""),
                    other => text::word(other),
                });
                ContinuationCommand::Making {
                    line: typed.collect::<Vec<_>>().join(" "),
                }
            }
        };
        ReadyContinuation::of(here, &self.target, command, self.is_file_gone())
    }

    /// Makes the copy where one is needed, and says how to go on.
    pub fn prepare(&self, here: &CheckpointPlace) -> Result<ReadyContinuation, Failure> {
        let session = match &self.from {
            ContinuedFrom::End => self.target.conversation.client_session.clone(),
            ContinuedFrom::Copy {
                leaf,
                transcript,
                keeper,
            } => self.copy(here, transcript, leaf, keeper.as_deref())?,
        };
        let command = self.session(session)?;
        ReadyContinuation::of(here, &self.target, command, self.is_file_gone())
    }

    fn is_file_gone(&self) -> bool {
        matches!(self.from, ContinuedFrom::Copy { keeper: Some(_), .. })
    }

    fn session(&self, id: ClientSessionId) -> Result<ContinuationCommand, Failure> {
        let words = self.words(&id)?;
        Ok(ContinuationCommand::Session { id, words })
    }

    fn words(&self, session: &ClientSessionId) -> Result<Vec<String>, Failure> {
        let kind = self.target.conversation.agent_kind.as_str();
        self.agent.resume_command(session).ok_or_else(|| impossible(kind))
    }

    /// Writes the lines up to the turn's last one beside the original. Its id follows from both, so that a copy that
    /// waits is found again; one that was continued meanwhile is somebody's conversation, and another is made.
    fn copy(
        &self,
        here: &CheckpointPlace,
        transcript: &Path,
        leaf: &str,
        keeper: Option<&Checkpoint>,
    ) -> Result<ClientSessionId, Failure> {
        let original = &self.target.conversation.client_session;
        if let Some(folder) = transcript.parent() {
            fs_err::create_dir_all(folder)?;
        }
        for nth in 0..MOST_COPIES {
            let copy = derived_session(original, leaf, nth);
            let place = self.agent.forked_transcript(transcript, &copy);
            let place = place.ok_or_else(|| Failure::from(ForkError::Impossible))?;
            if place.symlink_metadata().is_ok() {
                let made = lines::live(&place);
                if made.is_some_and(|mut made| lines::ends_with(&mut made, self.agent, leaf)) {
                    return Ok(copy);
                }
                continue;
            }
            let mut text: Box<dyn BufRead> = match keeper {
                None => lines::live(transcript).ok_or_else(nothing_left)?,
                Some(keeper) => lines::kept(here, keeper, self.target.main.id)?.ok_or_else(nothing_left)?,
            };
            fork(self.agent, transcript, &mut text, leaf, &copy)?;
            here.write(|db| {
                let at = clock::now();
                let made = actors::record_fork(db, &self.target.main, &copy, at)?;
                actors::fix_alias(db, made, &clock::day(at))
            })?;
            return Ok(copy);
        }
        Err(Failure::saying(
            FailureKind::Failed,
            "too many copies of this point were continued already",
        ))
    }
}

/// Where the text of a point is.
fn from(
    here: &CheckpointPlace,
    target: &ResumeTarget,
    agent: &'static dyn Agent,
) -> Result<ContinuedFrom, Failure> {
    let file = transcript_of(here, target)?;
    let live = || file.as_deref().and_then(lines::live);
    let Some(leaf) = leaf_of(here, target)? else {
        let has_text = live().is_some_and(|mut text| !text.fill_buf().unwrap_or_default().is_empty());
        return match (has_text, target.is_last, target.turn) {
            (true, true, _) => Ok(ContinuedFrom::End),
            (true, false, Some(turn)) => Err(unseen(turn)),
            (true, false, None) | (false, ..) => Err(nothing_left()),
        };
    };
    let transcript = file.clone().ok_or_else(nothing_left)?;
    if live().is_some_and(|mut text| lines::holds(&mut text, agent, &leaf)) {
        return Ok(if target.is_last {
            ContinuedFrom::End
        } else {
            ContinuedFrom::Copy {
                leaf,
                transcript,
                keeper: None,
            }
        });
    }
    for keeper in keepers(here, target)? {
        // What one checkpoint lost, another may still hold.
        let Ok(Some(mut text)) = lines::kept(here, &keeper, target.main.id) else {
            continue;
        };
        if lines::holds(&mut text, agent, &leaf) {
            drop(text);
            return Ok(ContinuedFrom::Copy {
                leaf,
                transcript,
                keeper: Some(Box::new(keeper)),
            });
        }
    }
    Err(nothing_left())
}

/// The line at which the turn ends: as its row has it, else as the checkpoint does.
fn leaf_of(here: &CheckpointPlace, target: &ResumeTarget) -> Result<Option<String>, Failure> {
    let Some(number) = target.turn else {
        return Ok(None);
    };
    let turn = here.read(|db| turns::numbered(db, target.main.id, number))?;
    if let Some(leaf) = turn.and_then(|turn| turn.leaf_uuid) {
        return Ok(Some(leaf));
    }
    let own = target.checkpoint.as_ref();
    let Some(own) = own.filter(|own| own.turn == Some(number)) else {
        return Ok(None);
    };
    // A checkpoint whose objects are gone says nothing.
    let story = CheckpointPages::of(here, own)
        .and_then(|pages| pages.metadata())
        .ok()
        .flatten();
    Ok(story
        .and_then(|story| story.transcript)
        .and_then(|part| part.leaf))
}

/// The client's file: where it was read, else where its session said it was, else where the checkpoint does.
fn transcript_of(here: &CheckpointPlace, target: &ResumeTarget) -> Result<Option<PathBuf>, Failure> {
    let read = here.read(|db| transcripts::of_actor(db, target.main.id))?;
    if let Some(read) = read.into_iter().next() {
        return Ok(Some(read.path));
    }
    if let Some(said) = here.read(|db| sessions::transcript_of(db, target.main.id))? {
        return Ok(Some(said));
    }
    let Some(checkpoint) = &target.checkpoint else {
        return Ok(None);
    };
    let pages = CheckpointPages::of(here, checkpoint).and_then(|pages| pages.metadata());
    let story = pages.ok().flatten();
    let told = story
        .and_then(|story| story.transcript)
        .map(|part| part.path.bytes());
    Ok(told
        .flatten()
        .map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes))))
}

/// The checkpoints that may hold the conversation: the session's newest holds all that was kept.
fn keepers(here: &CheckpointPlace, target: &ResumeTarget) -> Result<Vec<Checkpoint>, Failure> {
    let session = target.main.id;
    let mut keepers = Vec::new();
    for worktree in here.read(|db| worktrees::of(db, here.project))? {
        keepers.extend(here.read(|db| checkpoints::newest_of_session(db, session, worktree.id))?);
    }
    keepers.sort_by_key(|keeper| std::cmp::Reverse(keeper.seq));
    keepers.extend(target.checkpoint.clone());
    Ok(keepers)
}

fn unseen(turn: u64) -> Failure {
    Failure::saying(
        FailureKind::NotObtained,
        format!(
            "the end of turn {turn} was not seen in the conversation, so it cannot be continued from there"
        ),
    )
    .hint("the client may still be writing it: try again in a moment")
}

fn nothing_left() -> Failure {
    Failure::saying(
        FailureKind::NoMatch,
        "the conversation up to there is neither in the client's file nor in a checkpoint",
    )
}

fn impossible(kind: &str) -> Failure {
    Failure::saying(
        FailureKind::Failed,
        format!(
            "sessions of {} cannot be continued by a command",
            one_line(kind, 40)
        ),
    )
}
