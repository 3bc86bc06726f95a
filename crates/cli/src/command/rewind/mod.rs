//! `toprope rewind`: puts files back to a checkpoint, as far as one session's changes go.

pub mod flags;
pub mod flow;
mod into;
pub mod page;
mod picker;
mod report;
mod target;

use crate::command::checkpoint::path_argument;
use crate::command::checkpoint::place::CheckpointPlace;
use crate::command::resume::ResumeArgs;
use crate::failure::{Failure, FailureKind};
use crate::{person, show};
use ::daemon::checkpoint::rewind::{RewindTo, Rewinder, Wish};
use ::daemon::environment::Environment;
use clap::Args;
use engine::id::CheckpointId;
use flags::RewindFlags;
use flow::{FlowEnd, RewindFlow, failure, files};
use git::path::RepoPath;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use target::{RewindRequest, RewindScopeArg, RewindTarget};

/// Put files back to a checkpoint
///
/// Takes back what the session changed since, and nothing else: what you or another session changed stays. It is shown
/// first, and `toprope undo` takes it back. A file that another agent holds is a conflict; while files are put back, no agent
/// writes here. HEAD, branches, the index and the stash stay where they are. An address names a checkpoint as in `toprope
/// checkpoint`; without one, a list to choose from is shown.
#[derive(Args)]
pub struct RewindArgs {
    /// The checkpoint: an id, `@-3`, `start`, `t3`, `t3.2`, `agent:a3f2^`, `commit:<rev>`
    at: Option<String>,
    /// Of this session: the beginning of its name or id
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only these files, or what is below these folders
    #[arg(long, value_name = "PATH", num_args = 1..)]
    path: Vec<OsString>,
    /// Whose changes are taken back
    #[arg(long, value_name = "WHOSE", value_enum)]
    scope: Option<RewindScopeArg>,
    /// Only those of this agent and of the agents it started: the beginning of its id
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Write the checkpoint into this new or empty folder instead, and touch nothing else
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["path", "scope", "agent", "dry_run", "force", "skip_conflicts", "resume"])]
    into: Option<PathBuf>,
    /// Print the command that continues the conversation from there
    #[arg(long, conflicts_with = "json")]
    resume: bool,
    #[command(flatten)]
    manner: RewindFlags,
}

impl RewindArgs {
    /// To a checkpoint, for a command that has something else to print.
    pub fn beside(checkpoint: &CheckpointId, yes: bool) -> Self {
        Self {
            at: Some(checkpoint.to_string()),
            session: None,
            path: Vec::new(),
            scope: None,
            agent: None,
            into: None,
            resume: false,
            manner: RewindFlags {
                yes,
                aside: true,
                ..RewindFlags::default()
            },
        }
    }

    /// Does it.
    pub fn run(&self, environment: &Environment) -> Result<ExitCode, Failure> {
        if self.into.is_some() {
            person::may_set_up(environment)?;
        } else {
            self.manner.check(environment)?;
        }
        if self.agent.is_some() && matches!(self.scope, Some(RewindScopeArg::Session | RewindScopeArg::All)) {
            return Err(Failure::saying(
                FailureKind::WrongUse,
                "`--agent` goes with `--scope agent` alone",
            ));
        }
        let here = CheckpointPlace::open(environment)?;
        let rewinder = here.rewinder();
        let _alone = if self.writes() {
            let alone = rewinder.lock().map_err(failure)?;
            here.settle()?;
            Some(alone)
        } else {
            None
        };
        let Some(at) = self.address(&here, environment)? else {
            show::talk("Nothing was changed.");
            return Ok(FailureKind::NeedsPerson.exit());
        };
        let asked = RewindRequest {
            at: &at,
            session: self.session.as_deref(),
            scope: self.scope,
            agent: self.agent.as_deref(),
        };
        let target = RewindTarget::of(&here, environment, &asked)?;
        match &self.into {
            Some(folder) => into::write(&here, &target.checkpoint, folder, self.manner.json),
            None => self.put_back(&here, &rewinder, (target, &at), environment),
        }
    }

    fn writes(&self) -> bool {
        self.into.is_none() && !self.manner.dry_run
    }

    fn address(&self, here: &CheckpointPlace, environment: &Environment) -> Result<Option<String>, Failure> {
        if let Some(at) = &self.at {
            return Ok(Some(at.clone()));
        }
        if person::is_at_a_terminal() {
            return picker::pick(here, environment, self.session.as_deref());
        }
        Err(Failure::saying(
            FailureKind::WrongUse,
            "which checkpoint? there is no terminal to ask at",
        )
        .hint("toprope checkpoint list"))
    }

    fn put_back(
        &self,
        here: &CheckpointPlace,
        rewinder: &Rewinder<'_>,
        (target, at): (RewindTarget, &str),
        environment: &Environment,
    ) -> Result<ExitCode, Failure> {
        let course = RewindFlow {
            here,
            wish: Wish {
                aim: RewindTo::Back {
                    to: Box::new(target.checkpoint),
                    name: target.name.clone(),
                    whose: target.whose,
                },
                only: self.only(here)?,
                conflicts: self.manner.conflicts(),
            },
            manner: &self.manner,
            heading: target.heading,
            state: target.name.clone(),
            name: target.name,
            scope: target.whose.word(),
        };
        if let Some(failure) = unmatched(rewinder, &course)? {
            return Err(failure);
        }
        if let Some(code) = course.busy(rewinder)? {
            return Ok(code);
        }
        let done = match course.run()? {
            FlowEnd::Done(done, _) => done,
            FlowEnd::Otherwise(code) => return Ok(code),
        };
        if self.manner.json {
            return Ok(ExitCode::SUCCESS);
        }
        self.manner.say(&format!(
            "Rewound {}. Take it back with: toprope undo",
            files(done.files)
        ));
        course.tell_beyond(&done.beyond);
        let resume = ResumeArgs::at(at, self.session.as_deref());
        if self.resume {
            return resume.run(environment);
        }
        if !self.manner.aside
            && let Some(command) = resume.if_it_works(here, environment)
        {
            show::talk(&format!("Continue the conversation from there with: {command}"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn only(&self, here: &CheckpointPlace) -> Result<Vec<RepoPath>, Failure> {
        let mut only = Vec::new();
        for path in &self.path {
            match path_argument::within(here, path)? {
                Some(path) => only.push(path),
                // The root holds everything.
                None => return Ok(Vec::new()),
            }
        }
        Ok(only)
    }
}

/// Message 6.4: a path that is nowhere is a slip of the pen, and nothing is done about the others either.
fn unmatched(rewinder: &Rewinder<'_>, course: &RewindFlow<'_>) -> Result<Option<Failure>, Failure> {
    let unmatched = rewinder.unmatched(&course.wish).map_err(failure)?;
    Ok(unmatched.first().map(|path| {
        Failure::saying(
            FailureKind::NoMatch,
            format!(
                "no file \"{}\" in {}, in the worktree or in what was recorded since",
                page::shown(path),
                course.name
            ),
        )
    }))
}
