//! How a conversation goes on, ready to be printed or run.

use super::target::ResumeTarget;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::checkpoint::session::alias;
use crate::failure::Failure;
use ::daemon::checkpoint::path_text::PathText;
use engine::id::ClientSessionId;
use engine::text::one_line;
use engine::text::word;
use serde::Serialize;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use store::table::actors::ActorState;
use store::table::worktrees;

/// A conversation that only waits to be continued. The order of the fields is that of the JSON object.
#[derive(Debug, Serialize)]
pub struct ReadyContinuation {
    command: Vec<String>,
    session: Option<String>,
    forked_from: Option<String>,
    turn: Option<u64>,
    checkpoint: Option<String>,
    branch: Option<String>,
    folder: Option<PathText>,
    #[serde(skip)]
    words: ResumeText,
}

/// What only people read.
#[derive(Debug)]
struct ResumeText {
    line: String,
    alias: String,
    is_open: bool,
    is_file_gone: bool,
    root: Option<PathBuf>,
}

/// The command that continues a conversation.
#[derive(Debug)]
pub enum ContinuationCommand {
    /// The client's own, for a session that is there.
    Session {
        /// Which.
        id: ClientSessionId,
        /// Its words.
        words: Vec<String>,
    },
    /// One that makes the session when it is run.
    Making {
        /// As it is typed.
        line: String,
    },
}

impl ReadyContinuation {
    /// Brings together what there is to say about a command.
    pub fn of(
        here: &CheckpointPlace,
        target: &ResumeTarget,
        command: ContinuationCommand,
        is_file_gone: bool,
    ) -> Result<Self, Failure> {
        let original = &target.conversation.client_session;
        let root = match target.main.worktree {
            Some(worktree) => here
                .read(|db| worktrees::by_id(db, worktree))?
                .map(|row| row.root),
            None => None,
        };
        let (command, session, line) = match command {
            ContinuationCommand::Session { id, words } => {
                let line: Vec<String> = words.iter().map(word).collect();
                (words, Some(id), line.join(" "))
            }
            ContinuationCommand::Making { line } => {
                let words = ["sh", "-c", &line].map(str::to_owned);
                (words.to_vec(), None, line)
            }
        };
        let is_new = session.as_ref() != Some(original);
        Ok(Self {
            command,
            session: session.map(|id| id.to_string()),
            forked_from: is_new.then(|| original.to_string()),
            turn: target.turn,
            checkpoint: target.checkpoint.as_ref().map(|found| found.id.to_string()),
            branch: target.branch.clone(),
            folder: root
                .as_ref()
                .map(|root| PathText::of(root.as_os_str().as_bytes())),
            words: ResumeText {
                line,
                alias: alias(&target.conversation),
                is_open: target.conversation.state == ActorState::Live,
                is_file_gone,
                root,
            },
        })
    }

    /// The command, as it is typed.
    pub fn command_line(&self) -> &str {
        &self.words.line
    }

    /// Its words.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// The session it continues, if it is there.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The folder the client is to be started in.
    pub fn root(&self) -> Option<&Path> {
        self.words.root.as_deref()
    }

    /// What else is to be said.
    pub fn sentences(&self, here: &CheckpointPlace) -> Vec<String> {
        let alias = &self.words.alias;
        let after = self
            .turn
            .map(|turn| format!(" after turn {turn}"))
            .unwrap_or_default();
        let mut said = vec![match (&self.forked_from, self.words.is_file_gone) {
            (Some(_), true) => format!(
                "Continues {alias}{after}, as a new session: the client's own file is gone, and the text comes from the checkpoints."
            ),
            (Some(_), false) => {
                format!("Continues {alias}{after}, as a new session; the original is unchanged.")
            }
            (None, _) => format!("Continues {alias}{after}, where it ended."),
        }];
        if self.forked_from.is_none() && self.words.is_open {
            said.push("It is still open: leave it there before you continue it here.".to_owned());
        }
        if let Some(root) = self.root().filter(|root| *root != here.root()) {
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
                word(branch)
            ));
        }
        said
    }
}
