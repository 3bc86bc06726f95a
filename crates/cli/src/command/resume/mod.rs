//! `toprope resume`: continues a conversation, from where it ended or from an earlier point. The original is only read.

mod branch;
mod continuation;
mod lines;
mod picker;
mod ready;
mod target;

use super::checkpoint::place::CheckpointPlace;
use super::rewind::RewindArgs;
use crate::failure::{Failure, FailureKind};
use crate::{person, show};
use ::daemon::environment::Environment;
use clap::Args;
pub use continuation::Continuation;
use engine::text::word;
use ready::ReadyContinuation;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::process::ExitCode;
use target::ResumeQuery;

/// Continue a conversation, from its end or from an earlier point
///
/// Prints the command that does it, and writes nothing. At the last turn that is the client's own. At an earlier one, or
/// where the client's file is gone, the command makes a new session beside the original, which stays as it is. Given a
/// branch, the session that is linked to its newest commit is meant; the branch is not checked out.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are switches of the command line, each by itself"
)]
pub struct ResumeArgs {
    /// A checkpoint (`t2`, `@`, an id), a branch, or the beginning of a session's name or id; without it, a list to choose
    /// from
    #[arg(value_name = "WHAT")]
    what: Option<String>,
    /// The session an address like `t2` is meant in: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Put the files back too, as `toprope rewind` does
    #[arg(long)]
    files: bool,
    /// With `--files`: do not ask
    #[arg(long, requires = "files")]
    yes: bool,
    /// Make the new session where one is needed, and print the id of the one to continue
    #[arg(long, conflicts_with_all = ["print", "run"])]
    write: bool,
    /// Start the client there, in the session's own folder
    #[arg(long, conflicts_with_all = ["print", "json"])]
    run: bool,
    /// Print the command and say nothing else
    #[arg(long, conflicts_with = "json")]
    print: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl ResumeArgs {
    /// At a point of a session.
    pub fn at(address: &str, session: Option<&str>) -> Self {
        Self {
            what: Some(address.to_owned()),
            session: session.map(str::to_owned),
            files: false,
            yes: false,
            write: false,
            run: false,
            print: false,
            json: false,
        }
    }

    /// This very command, as it is typed, if it would find a conversation to continue.
    pub fn if_it_works(&self, here: &CheckpointPlace, environment: &Environment) -> Option<String> {
        let what = self.what.as_deref()?;
        let wanted = ResumeQuery::of(here, environment, what, self.session.as_deref()).ok()?;
        let ResumeQuery::One(target) = wanted else {
            return None;
        };
        let continuation = Continuation::of(here, *target).ok()?;
        let again = self.again(&continuation);
        continuation.command(here, &again).ok().map(|_| again)
    }

    /// Prints the command.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if self.files {
            person::may_put_back(environment, self.yes)?;
        }
        let here = CheckpointPlace::open(environment)?;
        here.settle()?;
        let wanted = match &self.what {
            Some(what) => ResumeQuery::of(&here, environment, what, self.session.as_deref())?,
            None => ResumeQuery::One(Box::new(picker::pick(&here)?)),
        };
        let target = match wanted {
            ResumeQuery::One(target) => *target,
            ResumeQuery::Several(choices) => return choices.tell(self.json),
        };
        let continuation = Continuation::of(&here, target)?;
        if self.files
            && let Some(code) = self.put_back(environment, &continuation)?
        {
            return Ok(code);
        }
        let ready = if self.write || self.run {
            continuation.prepare(&here)?
        } else {
            continuation.command(&here, &self.again(&continuation))?
        };
        if self.json {
            show::json(&ready)?;
            return Ok(ExitCode::SUCCESS);
        }
        match ready.session().filter(|_| self.write) {
            Some(session) => show::line(session),
            None if self.run => {}
            None => show::line(ready.command_line()),
        }
        if !self.print {
            for sentence in ready.sentences(&here) {
                show::talk(&sentence);
            }
        }
        if self.run {
            return Err(start(&ready));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// This very command, to be typed again: what was picked from a list is named by its session.
    fn again(&self, continuation: &Continuation) -> String {
        let target = &continuation.target;
        let picked = (
            target
                .turn
                .map_or_else(|| "@".to_owned(), |turn| format!("t{turn}")),
            Some(target.conversation.client_session.to_string()),
        );
        let (what, session) = match &self.what {
            Some(what) => (what.clone(), self.session.clone()),
            None => picked,
        };
        let mut words = vec!["toprope".to_owned(), "resume".to_owned(), word(&what)];
        if let Some(session) = session {
            words.extend(["--session".to_owned(), word(&session)]);
        }
        words.join(" ")
    }

    /// Puts the files back to where the conversation goes on. Gives back an exit code where they were not.
    fn put_back(
        &self,
        environment: &Environment,
        continuation: &Continuation,
    ) -> Result<Option<ExitCode>, Failure> {
        let Some(checkpoint) = &continuation.target.checkpoint else {
            return Err(Failure::saying(
                FailureKind::NoMatch,
                "no checkpoint holds the files as they were there",
            ));
        };
        let code = RewindArgs::beside(&checkpoint.id, self.yes).run(environment)?;
        Ok((code != ExitCode::SUCCESS).then_some(code))
    }
}

/// Becomes the client. Comes back only if that cannot be started.
fn start(ready: &ReadyContinuation) -> Failure {
    let Some((program, arguments)) = ready.command().split_first() else {
        return Failure::saying(FailureKind::Failed, "there is no command to run");
    };
    let mut client = Command::new(program);
    client.args(arguments);
    if let Some(root) = ready.root() {
        client.current_dir(root);
    }
    let error = client.exec();
    Failure::saying(
        FailureKind::Failed,
        format!("`{program}` cannot be started: {error}"),
    )
    .hint(ready.command_line().to_owned())
}
