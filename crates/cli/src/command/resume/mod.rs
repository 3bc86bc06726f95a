//! `toprope resume`: continues a conversation, from where it ended or from an earlier point. The original is only read.

mod branch;
mod continuation;
mod lines;
mod picker;
mod target;

use super::checkpoint::place::Here;
use crate::failure::Failure;
use crate::show;
use ::daemon::environment::Environment;
use clap::Args;
pub use continuation::Continuation;
use std::process::ExitCode;
pub use target::Target;
use target::Wanted;

/// Continue a conversation, from its end or from an earlier point
///
/// Prints the command that does it. At the last turn that is the client's own; at an earlier one the conversation up to
/// there is first written as a new session beside the original, which stays as it is. Given a branch, the session that is
/// linked to its newest commit is meant; the branch is not checked out.
#[derive(Args)]
pub struct Resume {
    /// A checkpoint (`t2`, `@`, an id), a branch, or the beginning of a session's name or id; without it, a list to choose
    /// from
    #[arg(value_name = "WHAT")]
    what: Option<String>,
    /// The session an address like `t2` is meant in: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Print the command and say nothing else
    #[arg(long, conflicts_with = "json")]
    print: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Resume {
    /// Prints the command.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        let here = Here::open(environment)?;
        here.settle()?;
        let wanted = match &self.what {
            Some(what) => Wanted::of(&here, environment, what, self.session.as_deref())?,
            None => Wanted::One(picker::pick(&here, environment)?),
        };
        let target = match wanted {
            Wanted::One(target) => target,
            Wanted::Several(choices) => return Ok(choices.tell(self.json)?),
        };
        let continuation = Continuation::of(&here, target)?;
        let ready = continuation.prepare(&here)?;
        if self.json {
            show::json(&ready)?;
            return Ok(ExitCode::SUCCESS);
        }
        show::line(&ready.command_line());
        if !self.print {
            for sentence in ready.sentences(&here) {
                show::talk(&sentence);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
