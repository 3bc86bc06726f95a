//! The course of a rewind or an undo: show, ask, do; or say why not.

use super::flags::{RewindFlags, ask};
use super::page;
use super::report::RewindReport;
use crate::command::checkpoint::place::{CheckpointPlace, uncut, unreadable};
use crate::failure::{Failure, FailureKind};
use crate::show;
use ::daemon::checkpoint::cutter::CutError;
use ::daemon::checkpoint::rewind::error::RewindError;
use ::daemon::checkpoint::rewind::execute::RewindResult;
use ::daemon::checkpoint::rewind::{Conflicts, Proposal, RewindOwner, RewindTo, Rewinder, Wish};
use ::daemon::clock;
use git::plan::{LeftReason, PathVerdict, Planned};
use git::restore::RestoreError;
use std::process::ExitCode;

/// A plan that changes this often while somebody looks at it is not carried out.
const ATTEMPTS: usize = 5;

/// Paths that are named where some differ.
const MOST_NAMED: usize = 10;

/// Something that is to be put back, and its words.
pub struct RewindFlow<'a> {
    /// Where.
    pub here: &'a CheckpointPlace,
    /// What.
    pub wish: Wish,
    /// How.
    pub manner: &'a RewindFlags,
    /// The first line of the page.
    pub heading: String,
    /// What the target is called.
    pub name: String,
    /// The word for the scope in JSON.
    pub scope: &'static str,
    /// What files are compared with: `t2`, `before the rewind`.
    pub state: String,
}

/// How it ended.
pub enum FlowEnd {
    /// Done, perhaps without a file that had to be changed. The exit code says whether all is as it was asked for, or at
    /// least a part of it.
    Done(RewindResult, ExitCode),
    /// Not done, and everything was said.
    Otherwise(ExitCode),
}

impl RewindFlow<'_> {
    /// Shows what would be done, asks, and does it.
    pub fn run(&self) -> Result<FlowEnd, Failure> {
        let rewinder = self.here.rewinder();
        let mut proposal = rewinder.propose(&self.wish).map_err(failure)?;
        for _ in 0..ATTEMPTS {
            if let Some(code) = self.show(&rewinder, &proposal)? {
                return Ok(FlowEnd::Otherwise(code));
            }
            let is_empty = proposal.plan.changes().is_empty();
            if !is_empty && !self.manner.yes && !ask("Go ahead?")? {
                show::talk("Nothing was changed.");
                return Ok(FlowEnd::Otherwise(FailureKind::NeedsPerson.exit()));
            }
            if let Some(code) = self.busy(&rewinder)? {
                return Ok(FlowEnd::Otherwise(code));
            }
            match rewinder.carry_out(&self.wish, &proposal) {
                Ok(done) => {
                    if self.manner.json {
                        let report = RewindReport::of(self.here, self.scope, &proposal, &done.beyond)?;
                        show::json(&report.done(&done))?;
                    }
                    let is_short = left(&proposal.plan.paths).chain(&done.beyond).next().is_some();
                    let code = if done.files == 0 && is_short {
                        FailureKind::NotObtained.exit()
                    } else {
                        ExitCode::SUCCESS
                    };
                    return Ok(FlowEnd::Done(done, code));
                }
                Err(RewindError::Changed(fresh)) => {
                    show::talk("Something changed meanwhile.");
                    proposal = *fresh;
                }
                Err(error) => return Err(failure(error)),
            }
        }
        Err(Failure::saying(
            FailureKind::NotObtained,
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
        Ok(Some(FailureKind::NotObtained.exit()))
    }

    /// Shows the page. Gives back an exit code where nothing is to be done.
    fn show(&self, rewinder: &Rewinder<'_>, proposal: &Proposal) -> Result<Option<ExitCode>, Failure> {
        let plan = &proposal.plan;
        let is_empty = plan.is_clear() && plan.changes().is_empty();
        let beyond = if is_empty || self.manner.dry_run {
            rewinder.beyond(&self.wish, proposal).map_err(failure)?
        } else {
            Vec::new()
        };
        let left: Vec<&Planned> = left(&plan.paths).chain(&beyond).collect();
        // An undo that nobody could do more about is a step all the same: the next one goes further back.
        let is_step = self.is_step() && !self.manner.dry_run && left.iter().all(|planned| is_lost(planned));
        let code = if !plan.is_clear() || (is_empty && !left.is_empty() && !is_step) {
            Some(FailureKind::NotObtained.exit())
        } else if self.manner.dry_run || (is_empty && !is_step) {
            Some(ExitCode::SUCCESS)
        } else {
            None
        };
        if self.manner.json {
            if code.is_some() {
                show::json(&RewindReport::of(self.here, self.scope, proposal, &beyond)?)?;
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
        } else if is_empty {
            show::talk(&self.nothing(rewinder, &left)?);
        } else if !self.manner.json
            && let Some(head) = page::head(self.here, proposal, &self.name)
        {
            self.manner.say(&head);
        }
        if self.manner.dry_run && !is_empty {
            self.tell_beyond(&beyond);
        }
        Ok(code)
    }

    /// Whether it is an undo or a redo: one that finds every file right is a step all the same.
    fn is_step(&self) -> bool {
        matches!(self.wish.aim, RewindTo::Undo(_))
    }

    /// Message 6.12: there is nothing to do, and that may be for two reasons.
    fn nothing(&self, rewinder: &Rewinder<'_>, left: &[&Planned]) -> Result<String, Failure> {
        if left.is_empty() {
            return Ok(format!("Nothing to put back: {}.", self.equal()));
        }
        let mut text = format!("Nothing was put back: {}.", self.still(left));
        let is_others = |planned: &&Planned| {
            matches!(
                planned.verdict,
                PathVerdict::Leave(LeftReason::Outside | LeftReason::Other(_))
            )
        };
        if left.iter().any(is_others)
            && let Some(switches) = self.for_all(rewinder)?
        {
            text = format!("{text} To take back everybody's changes: {switches}");
        }
        Ok(text)
    }

    /// The switches with which everybody's changes would be taken back, if there are any.
    fn for_all(&self, rewinder: &Rewinder<'_>) -> Result<Option<&'static str>, Failure> {
        let RewindTo::Back {
            to,
            name,
            whose: RewindOwner::Session(session) | RewindOwner::Agent { session, .. },
        } = &self.wish.aim
        else {
            return Ok(None);
        };
        let mut wish = Wish {
            aim: RewindTo::Back {
                to: to.clone(),
                name: name.clone(),
                whose: RewindOwner::All(Some(*session)),
            },
            ..self.wish.clone()
        };
        for (conflicts, switches) in [
            (Conflicts::Refuse, "--scope all"),
            (Conflicts::Force, "--scope all --force"),
        ] {
            wish.conflicts = conflicts;
            let plan = rewinder.propose(&wish).map_err(failure)?.plan;
            if plan.is_clear() && !plan.changes().is_empty() {
                return Ok(Some(switches));
            }
        }
        Ok(None)
    }

    /// What was compared: contents, of what is kept. Whole modes and other ignored files were not.
    fn equal(&self) -> String {
        let only: Vec<String> = self.wish.only.iter().map(page::shown).collect();
        let what = match only.as_slice() {
            [] => "every kept file",
            [one] => one,
            _ => "every file named",
        };
        let state = &self.state;
        match &self.wish.aim {
            RewindTo::Back { .. } => format!("the content of {what} is that of {state}"),
            RewindTo::Undo(_) => format!("the content of {what} is as {state}"),
        }
    }

    /// Which files are not as they were asked for, each with the reason.
    fn still(&self, left: &[&Planned]) -> String {
        let verb = if left.len() == 1 { "differs" } else { "differ" };
        format!(
            "{} {verb} from {}: {}",
            files(left.len()),
            self.state,
            named(left)
        )
    }

    /// What differs still after files were put back, beside what the page said.
    pub fn tell_beyond(&self, beyond: &[Planned]) {
        if let more @ 1.. = beyond.len() {
            let left: Vec<&Planned> = beyond.iter().collect();
            let (what, verb) = if more == 1 {
                ("file", "differs")
            } else {
                ("files", "differ")
            };
            show::talk(&format!(
                "{more} more {what} {verb} from {}: {}.",
                self.state,
                named(&left)
            ));
        }
    }
}

/// Whether no force could put a path back: it was not kept, or git has it.
fn is_lost(planned: &Planned) -> bool {
    matches!(
        planned.verdict,
        PathVerdict::Leave(LeftReason::NotCaptured(_) | LeftReason::Repository | LeftReason::Git)
    )
}

/// The paths that stay as they are although they differ.
pub fn left(paths: &[Planned]) -> impl Iterator<Item = &Planned> {
    paths
        .iter()
        .filter(|planned| matches!(planned.verdict, PathVerdict::Leave(_)))
}

fn named(left: &[&Planned]) -> String {
    let mut names: Vec<String> = left
        .iter()
        .take(MOST_NAMED)
        .map(|planned| match &planned.verdict {
            PathVerdict::Leave(why) => format!("{} ({why})", page::shown(&planned.path)),
            _ => page::shown(&planned.path),
        })
        .collect();
    if let more @ 1.. = left.len().saturating_sub(MOST_NAMED) {
        names.push(format!("+{more}"));
    }
    names.join(", ")
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
        RewindError::UnderWay => Failure::new(FailureKind::NotObtained, error).hint("wait until it is done"),
        RewindError::CutShort(settled) => Failure::saying(FailureKind::Failed, settled.message()),
        RewindError::Restore(RestoreError::RolledBack { path, fault }) => Failure::saying(
            FailureKind::NotObtained,
            format!("Nothing was changed: {} {fault}", page::shown(&path)),
        ),
        RewindError::Restore(RestoreError::NotStaged { path, fault }) => Failure::saying(
            FailureKind::Failed,
            format!("Nothing was changed: {} {fault}", page::shown(&path)),
        ),
        RewindError::Cut(CutError::Shadow(error)) => unreadable(error),
        RewindError::Cut(error) => uncut(error),
        RewindError::Gone(_)
        | RewindError::NoFiles(_)
        | RewindError::Changed(_)
        | RewindError::Restore(_) => Failure::new(FailureKind::Failed, error),
    }
}
