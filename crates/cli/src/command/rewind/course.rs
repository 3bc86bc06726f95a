//! The course of a rewind or an undo: show, ask, do; or say why not.

use super::manner::{Manner, ask};
use super::page;
use super::report::Report;
use crate::command::checkpoint::place::{Here, uncut, unreadable};
use crate::failure::{Failure, Kind};
use crate::show;
use ::daemon::checkpoint::cutter::CutError;
use ::daemon::checkpoint::rewind::carrying::Done;
use ::daemon::checkpoint::rewind::error::RewindError;
use ::daemon::checkpoint::rewind::settling::unsettled;
use ::daemon::checkpoint::rewind::{Proposal, Rewinder, Wish};
use ::daemon::clock;
use git::plan::{Verdict, Why};
use git::restore::RestoreError;
use std::process::ExitCode;

/// A plan that changes this often while somebody looks at it is not carried out.
const ATTEMPTS: usize = 5;

/// Something that is to be put back, and its words.
pub struct Course<'a> {
    /// Where.
    pub here: &'a Here,
    /// What.
    pub wish: Wish,
    /// How.
    pub manner: &'a Manner,
    /// The first line of the page.
    pub heading: String,
    /// What the target is called.
    pub name: String,
    /// The word for the scope in JSON.
    pub scope: &'static str,
    /// Said where nothing differs.
    pub already: String,
}

/// How it ended.
pub enum Ended {
    /// Done.
    Done(Box<Proposal>, Done),
    /// There was nothing to do: no file differs.
    Already(Box<Proposal>, ExitCode),
    /// Not done, and everything was said.
    Otherwise(ExitCode),
}

impl Course<'_> {
    /// Shows what would be done, asks, and does it.
    pub fn run(&self) -> Result<Ended, Failure> {
        let rewinder = self.here.rewinder();
        let mut proposal = rewinder.propose(&self.wish).map_err(failure)?;
        for _ in 0..ATTEMPTS {
            if let Some(code) = self.show(&proposal)? {
                let is_already = proposal.plan.is_clear() && proposal.plan.changes().is_empty();
                return Ok(if is_already {
                    Ended::Already(Box::new(proposal), code)
                } else {
                    Ended::Otherwise(code)
                });
            }
            if !self.manner.yes && !ask("Go ahead?")? {
                show::talk("Nothing was changed.");
                return Ok(Ended::Otherwise(Kind::NeedsPerson.exit()));
            }
            if let Some(code) = self.busy(&rewinder)? {
                return Ok(Ended::Otherwise(code));
            }
            match rewinder.carry_out(&self.wish, &proposal) {
                Ok(done) => {
                    if self.manner.json {
                        show::json(&Report::of(self.here, self.scope, &proposal, Some(&done))?)?;
                    }
                    return Ok(Ended::Done(Box::new(proposal), done));
                }
                Err(RewindError::Changed(fresh)) => {
                    show::talk("Something changed meanwhile.");
                    proposal = *fresh;
                }
                Err(error) => return Err(failure(error)),
            }
        }
        Err(Failure::saying(
            Kind::NotObtained,
            "the files kept changing; nothing was put back",
        ))
    }

    /// Says who is at work here, if that matters.
    pub fn busy(&self, rewinder: &Rewinder<'_>) -> Result<Option<ExitCode>, Failure> {
        if self.manner.while_running || self.manner.dry_run {
            return Ok(None);
        }
        let Some(working) = rewinder.working().map_err(failure)? else {
            return Ok(None);
        };
        show::talk(&working.message(clock::now()));
        Ok(Some(Kind::NotObtained.exit()))
    }

    /// Shows the page. Gives back an exit code where nothing is to be done.
    fn show(&self, proposal: &Proposal) -> Result<Option<ExitCode>, Failure> {
        let plan = &proposal.plan;
        let code = if !plan.is_clear() {
            Some(Kind::NotObtained.exit())
        } else if self.manner.dry_run || plan.changes().is_empty() {
            Some(ExitCode::SUCCESS)
        } else {
            None
        };
        if self.manner.json {
            if code.is_some() {
                show::json(&Report::of(self.here, self.scope, proposal, None)?)?;
            }
        } else {
            self.manner.say(&self.heading);
            let page = page::page(self.here, proposal)?;
            if !page.is_empty() {
                self.manner.say(page.trim_end());
            }
        }
        if !plan.is_clear() {
            show::talk(&page::refusal(proposal, self.manner.force));
        } else if plan.changes().is_empty() {
            show::talk(&self.nothing(proposal));
        } else if !self.manner.json
            && let Some(head) = page::head(self.here, proposal, &self.name)
        {
            self.manner.say(&head);
        }
        Ok(code)
    }

    fn nothing(&self, proposal: &Proposal) -> String {
        let left_out = proposal
            .plan
            .paths
            .iter()
            .filter(|planned| matches!(planned.verdict, Verdict::Leave(Why::Conflict(_))))
            .count();
        match left_out {
            0 => self.already.clone(),
            1 => "Nothing was changed: the only file was left out.".to_owned(),
            count => format!("Nothing was changed: all {count} files were left out."),
        }
    }
}

/// `1 file`, `2 files`.
pub fn files(count: usize) -> String {
    if count == 1 {
        "1 file".to_owned()
    } else {
        format!("{count} files")
    }
}

/// Why it could not be done, in the person's words.
pub fn failure(error: RewindError) -> Failure {
    match error {
        RewindError::UnderWay => Failure::new(Kind::NotObtained, error).hint("wait until it is done"),
        RewindError::Unsettled { id, paths } => Failure::saying(Kind::NotObtained, unsettled(&id, &paths)),
        RewindError::Restore(RestoreError::RolledBack { path, fault }) => Failure::saying(
            Kind::NotObtained,
            format!("Nothing was changed: {} {fault}", page::shown(&path)),
        ),
        RewindError::Restore(RestoreError::NotStaged { path, fault }) => Failure::saying(
            Kind::Failed,
            format!("Nothing was changed: {} {fault}", page::shown(&path)),
        ),
        RewindError::Cut(CutError::Shadow(error)) => unreadable(error),
        RewindError::Cut(error) => uncut(error),
        RewindError::Gone(_)
        | RewindError::NoFiles(_)
        | RewindError::Changed(_)
        | RewindError::Restore(_) => Failure::new(Kind::Failed, error),
    }
}
