//! How a conversation goes on: by the client's own command, after a copy was made where it goes on from an earlier point.

use super::lines;
use super::target::Target;
use crate::command::checkpoint::pages::Pages;
use crate::command::checkpoint::place::Here;
use crate::command::checkpoint::session::alias;
use crate::failure::{Failure, Kind};
use ::daemon::checkpoint::path_text::PathText;
use ::daemon::clock;
use ::daemon::transcript::fork::{ForkError, fork};
use agents::Agent;
use engine::id::ClientSessionId;
use engine::text::one_line;
use serde::Serialize;
use std::io::{BufRead, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use store::table::actors::{self, ActorState};
use store::table::checkpoints::{self, Checkpoint};
use store::table::{transcripts, turns, worktrees};

/// A point of a conversation that can be continued.
pub struct Continuation {
    /// What is continued.
    pub target: Target,
    agent: &'static dyn Agent,
    from: From,
}

enum From {
    /// The client continues its session itself.
    End,
    /// A copy of the conversation up to the line with this id.
    Earlier { leaf: String, transcript: PathBuf },
}

/// A conversation that only waits to be continued. The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct Ready {
    command: Vec<String>,
    session: String,
    forked_from: Option<String>,
    turn: Option<u64>,
    checkpoint: Option<String>,
    branch: Option<String>,
    folder: Option<PathText>,
    #[serde(skip)]
    words: Words,
}

/// What only people read.
#[derive(Debug)]
struct Words {
    alias: String,
    is_open: bool,
    root: Option<PathBuf>,
}

impl Continuation {
    /// Finds out how a point can be continued. Nothing is written.
    pub fn of(here: &Here, target: Target) -> Result<Self, Failure> {
        let kind = target.conversation.agent_kind.as_str();
        let agent = agents::by_name(kind).ok_or_else(|| impossible(kind))?;
        if agent
            .resume_command(&target.conversation.client_session)
            .is_none()
        {
            return Err(impossible(kind));
        }
        let from = match target.turn {
            Some(turn) if !target.is_last => earlier(here, &target, turn)?,
            _ => From::End,
        };
        Ok(Self { target, agent, from })
    }

    /// Makes the copy where one is needed, and says how to go on.
    pub fn prepare(&self, here: &Here) -> Result<Ready, Failure> {
        let original = &self.target.conversation.client_session;
        let session = match &self.from {
            From::End => original.clone(),
            From::Earlier { leaf, transcript } => {
                let copy = new_session()?;
                self.copy(here, transcript, leaf, &copy)?;
                here.write(|db| {
                    let at = clock::now();
                    let made = actors::record_fork(db, &self.target.main, &copy, at)?;
                    actors::fix_alias(db, made, &clock::day(at))
                })?;
                copy
            }
        };
        let kind = self.target.conversation.agent_kind.as_str();
        let command = self
            .agent
            .resume_command(&session)
            .ok_or_else(|| impossible(kind))?;
        let root = match self.target.main.worktree {
            Some(worktree) => here
                .read(|db| worktrees::by_id(db, worktree))?
                .map(|row| row.root),
            None => None,
        };
        Ok(Ready {
            command,
            session: session.to_string(),
            forked_from: (session != *original).then(|| original.to_string()),
            turn: self.target.turn,
            checkpoint: self.target.checkpoint.as_ref().map(|found| found.id.to_string()),
            branch: self.target.branch.clone(),
            folder: root
                .as_ref()
                .map(|root| PathText::of(root.as_os_str().as_bytes())),
            words: Words {
                alias: alias(&self.target.conversation),
                is_open: self.target.conversation.state == ActorState::Live,
                root,
            },
        })
    }

    /// Writes the lines up to the turn's last one beside the original.
    fn copy(
        &self,
        here: &Here,
        transcript: &Path,
        leaf: &str,
        copy: &ClientSessionId,
    ) -> Result<(), Failure> {
        let make = |lines: &mut dyn BufRead| fork(self.agent, transcript, lines, leaf, copy);
        if let Some(mut lines) = lines::live(transcript) {
            match make(&mut lines) {
                Err(ForkError::NoLeaf) => {}
                outcome => return outcome.map(drop).map_err(Failure::from),
            }
        }
        if let Some(folder) = transcript.parent() {
            fs_err::create_dir_all(folder)?;
        }
        for checkpoint in self.keepers(here)? {
            let kept = lines::kept(here, &checkpoint, self.target.main.id);
            // What one checkpoint lost, another may still hold.
            let Ok(Some(mut lines)) = kept else { continue };
            match make(&mut lines) {
                Err(ForkError::NoLeaf) => {}
                outcome => return outcome.map(drop).map_err(Failure::from),
            }
        }
        Err(Failure::saying(
            Kind::Failed,
            "the conversation up to there is neither in the client's file nor in a checkpoint any more",
        ))
    }

    /// The checkpoints that may hold the conversation: the session's newest holds all that was kept.
    fn keepers(&self, here: &Here) -> Result<Vec<Checkpoint>, Failure> {
        let session = self.target.main.id;
        let mut keepers = Vec::new();
        for worktree in here.read(|db| worktrees::of(db, here.project))? {
            keepers.extend(here.read(|db| checkpoints::newest_of_session(db, session, worktree.id))?);
        }
        keepers.sort_by_key(|keeper| std::cmp::Reverse(keeper.seq));
        keepers.extend(self.target.checkpoint.clone());
        Ok(keepers)
    }
}

/// Where an earlier turn ends in the conversation.
fn earlier(here: &Here, target: &Target, turn: u64) -> Result<From, Failure> {
    let found = here.read(|db| turns::numbered(db, target.main.id, turn))?;
    let leaf = found.and_then(|turn| turn.leaf_uuid).ok_or_else(|| {
        Failure::saying(
            Kind::NotObtained,
            format!("the end of turn {turn} was not seen in the conversation, so it cannot be continued from there"),
        )
        .hint("the client may still be writing it: try again in a moment")
    })?;
    let transcript = transcript_of(here, target)?.ok_or_else(|| {
        Failure::saying(
            Kind::Failed,
            "nobody knows where this session's conversation is written",
        )
    })?;
    Ok(From::Earlier { leaf, transcript })
}

/// The client's file: where it was read, else where the checkpoint says it was.
fn transcript_of(here: &Here, target: &Target) -> Result<Option<PathBuf>, Failure> {
    let read = here.read(|db| transcripts::of_actor(db, target.main.id))?;
    if let Some(read) = read.into_iter().next() {
        return Ok(Some(read.path));
    }
    let Some(checkpoint) = &target.checkpoint else {
        return Ok(None);
    };
    let story = Pages::of(here, checkpoint)?.metadata()?;
    let told = story
        .and_then(|story| story.transcript)
        .map(|part| part.path.bytes());
    Ok(told
        .flatten()
        .map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes))))
}

fn impossible(kind: &str) -> Failure {
    Failure::saying(
        Kind::Failed,
        format!(
            "sessions of {} cannot be continued by a command",
            one_line(kind, 40)
        ),
    )
}

/// An id no session has had before, in the form the client gives its own.
fn new_session() -> Result<ClientSessionId, Failure> {
    let mut bytes = [0_u8; 16];
    fs_err::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let number = u128::from_be_bytes(bytes);
    // Version 4, variant 1: a random UUID.
    let number = number & !(0xf << 76) & !(0b11 << 62) | (4 << 76) | (0b10 << 62);
    let digits = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts: Vec<&str> = parts.into_iter().filter_map(|part| digits.get(part)).collect();
    Ok(ClientSessionId::new(parts.join("-")))
}

impl Ready {
    /// The command, as it is typed.
    pub fn command_line(&self) -> String {
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }

    /// What else is to be said.
    pub fn sentences(&self, here: &Here) -> Vec<String> {
        let alias = &self.words.alias;
        let after = self
            .turn
            .map(|turn| format!(" after turn {turn}"))
            .unwrap_or_default();
        let mut said = vec![if self.forked_from.is_some() {
            format!("Continues {alias}{after}, as a new session; the original is unchanged.")
        } else {
            format!("Continues {alias}{after}, where it ended.")
        }];
        if self.forked_from.is_none() && self.words.is_open {
            said.push("It is still open: leave it there before you continue it here.".to_owned());
        }
        if let Some(root) = self.words.root.as_ref().filter(|root| *root != here.root()) {
            said.push(format!(
                "It belongs to another worktree; run it in {}.",
                one_line(&root.display().to_string(), 200)
            ));
        }
        let head = git::head::from_files(&here.site.place);
        let checked_out = head.as_ref().and_then(git::head::Head::branch);
        if let Some(branch) = self
            .branch
            .as_deref()
            .filter(|branch| checked_out != Some(branch))
        {
            said.push(format!(
                "The branch is not checked out: git switch {}",
                quoted(branch)
            ));
        }
        said
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+,=".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", one_line(word, 200).replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_session_has_an_id_like_the_clients_own() {
        let (one, other) = (new_session().unwrap(), new_session().unwrap());
        assert_ne!(one, other);
        let lengths: Vec<usize> = one.as_str().split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(one.as_str().get(14..15), Some("4"));
        assert!(matches!(one.as_str().get(19..20), Some("8" | "9" | "a" | "b")));
    }

    #[test]
    fn a_word_the_shell_would_read_is_quoted() {
        assert_eq!(quoted("feature/login"), "feature/login");
        assert_eq!(quoted("a'b;c"), "'a'\\''b;c'");
    }
}
